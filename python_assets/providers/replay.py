"""Provider replay: the answers of an import, as they stand there."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import ClassVar

from python_assets.providers.provider import LocalProvider, provider
from python_assets.providers.records import Answer, Description, Prompt, Rejected, Request
from python_assets.providers.requests import sha256_of


@provider("replay")
class Replay(LocalProvider):
    """Answers with config.answers; only the replicates that exist there are rows of the generation.

    The import itself is the log.
    """

    is_keyed_by_prompt: ClassVar[bool] = True
    keeps_log: ClassVar[bool] = False
    answers_now: ClassVar[bool] = False

    def describe(self) -> Description:
        """The digest is that of all answers: those of an import that changed have other addresses."""
        answers = sorted(
            [*key, one.text or "", one.text is None, *filter(None, (one.finish_reason, one.error))]
            for key, one in self.config.answers.items()
        )
        return Description(model_digest=sha256_of(answers))

    def rows(self, prompts: Sequence[Prompt]) -> tuple[list[tuple[Prompt, int]], list[Rejected]]:
        """The imported (prompt, replicate) pairs, prompts in order; answers to others are rejected."""
        replicates: dict[str, list[int]] = defaultdict(list)
        for prompt_id, replicate in self.config.answers:
            replicates[prompt_id].append(replicate)
        rows = [(prompt, n) for prompt in prompts for n in sorted(replicates.pop(prompt.prompt_id, []))]
        unknown = [self._unknown(prompt_id, n) for prompt_id, ns in replicates.items() for n in ns]
        return rows, unknown

    def answer(self, request: Request) -> Answer:
        """The imported answer; its text is None where the import has none."""
        return self.config.answers[request.prompt.prompt_id, request.replicate]

    def _unknown(self, prompt_id: str, replicate: int) -> Rejected:
        text = self.config.answers[prompt_id, replicate].text
        return Rejected(
            stage="generate",
            record_key=f"{prompt_id} | {replicate}",
            rule="unknown_prompt",
            detail=f"a response for prompt {prompt_id!r}, which the study lacks",
            record_json=json.dumps(
                {"prompt_id": prompt_id, "replicate": replicate, "response_text": (text or "")[:500]}
            ),
        )
