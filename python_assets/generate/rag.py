"""Extension rag: the passages nearest to the prompt stand before it (SAGED 3.1)."""

from dataclasses import replace
from typing import Final

from python_assets.generate.extension import ExtensionJob, extension
from python_assets.generate.passages import Retrieved, read_passages
from python_assets.providers.records import Conversation, Extension, Message, Request

WORDING: Final = "These passages may help:"


@extension("rag")
class Retrieval(Extension):
    """Retrieval by the prompt's own text; passages and scores stand in the response's context.

    Source: SAGED, 3.1; Lewis et al. 2020.
    """

    def __init__(self, job: ExtensionJob) -> None:
        self._passages = read_passages(job)
        self._top_k = job.spec.top_k
        self.identity = {
            "type": "rag",
            "top_k": self._top_k,
            "words_per_passage": job.spec.words_per_passage,
            "wording": WORDING,
            **self._passages.identity,
        }

    def converse(self, request: Request) -> Conversation:
        """Ask once, with the passages in the user message."""
        nearest = self._passages.nearest(request.prompt.prompt_text or "", self._top_k)
        answer = yield _shown(request, nearest) if nearest else request
        passages = [passage._asdict() for passage in nearest]
        return replace(answer, context={**(answer.context or {}), "passages": passages})


def numbered(found: list[Retrieved]) -> str:
    """Passages as a model is shown them: one a line, as text and no more."""
    return "\n".join(f"[{number}] {passage.text}" for number, passage in enumerate(found, start=1))


def _shown(request: Request, found: list[Retrieved]) -> Request:
    *before, last = request.messages
    content = f"{WORDING}\n{numbered(found)}\n\n{last['content']}"
    return replace(request, messages=[*before, Message(role="user", content=content)])
