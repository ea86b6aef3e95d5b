"""Extension react: the model thinks, searches the passages and answers, step by step (SAGED 3.1).

A reply is read for one action and nothing in it, nor in a passage, is ever evaluated.
"""

import re
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple, cast

from python_assets.generate.extension import ExtensionJob, extension
from python_assets.generate.passages import read_passages
from python_assets.generate.rag import numbered
from python_assets.providers.messages import plain_text
from python_assets.providers.outcomes import was_cut, was_declined
from python_assets.providers.records import Answer, Conversation, Extension, Message, Request
from python_assets.providers.refusal.outcome import is_refusal
from python_assets.providers.refusal.study_words import study_words

INSTRUCTIONS: Final = (
    "Do the task below step by step. Each of your messages is one step of two lines:\n"
    "Thought: what you consider\n"
    "Action: one of\n"
    "  search[words] to look words up in a collection of texts; what is found comes back as an observation\n"
    "  finish[answer] to end; only what stands between these brackets is taken as your answer\n"
    "Write nothing after an action. You have at most {max_steps} steps.\n\nTask: "
)
NOTHING_FOUND: Final = "Observation: nothing was found."
NOT_UNDERSTOOD: Final = (
    "Observation: no action was understood. Write one line, Action: search[words] or Action: finish[answer]."
)
MALFORMED: Final = "malformed"
LAST_STEP: Final = "This is your last step: write Action: finish[answer]."

# marks around the words are bounded, so that no reply takes long to read
_MARKS: Final = r"[^\w\n]{0,8}"
_OBSERVED: Final = re.compile(rf"^{_MARKS}observation[ \d]{{0,4}}{_MARKS}:", re.IGNORECASE | re.MULTILINE)
_ACTION: Final = re.compile(
    rf"^{_MARKS}(?:action[ \d]{{0,4}}{_MARKS}:{_MARKS})?\b(search|finish)[ *_`]{{0,4}}\[", re.IGNORECASE | re.MULTILINE
)


class Action(NamedTuple):
    """What a reply asks for; end: where in the reply the action ends."""

    name: Literal["search", "finish"]
    argument: str
    end: int
    is_whole: bool


Ended = Literal["finished", "stopped", "malformed_action", "out_of_steps"]
Step = dict[str, Any]  # as it is stored


@extension("react")
class ReAct(Extension):
    """Thought, action and observation in turn, until finish or max_steps.

    A reply without an action that can be read costs a step: the model is told so and may go on. Where no step
    is left the response is NULL and empty, as what the model wrote on the way is no answer, and
    `ended` in its context says why: malformed_action (of the last step) or out_of_steps. A reply that
    declines instead of acting is the answer: a refusal.

    Source: Yao et al. 2023, ReAct.
    """

    def __init__(self, job: ExtensionJob) -> None:
        self._passages = read_passages(job)
        self._words = study_words(job.study, job.connection)
        self._top_k, self.most_calls = job.spec.top_k, job.spec.max_steps
        self.identity = {
            "type": "react",
            "top_k": self._top_k,
            "max_steps": self.most_calls,
            "words_per_passage": job.spec.words_per_passage,
            "wording": [INSTRUCTIONS, NOTHING_FOUND, NOT_UNDERSTOOD, LAST_STEP],
            **self._passages.identity,
        }

    def converse(self, request: Request) -> Conversation:
        """Ask step by step; what the model wrote and what it was shown is the next turn's past."""
        *before, task = request.messages
        instructions = INSTRUCTIONS.replace("{max_steps}", str(self.most_calls))
        messages: list[Message] = [*before, {"role": "user", "content": instructions + task["content"]}]
        steps: list[Step] = []
        for n_left in range(self.most_calls - 1, -1, -1):
            if n_left == 0:
                messages[-1]["content"] += f"\n\n{LAST_STEP}"
            answer = yield replace(request, messages=list(messages))
            reply, reasoning = answer.text or "", str((answer.context or {}).get("reasoning") or "")
            action = parse_action(reply, answer.finish_reason)
            steps.append(_step(reply, reasoning, action))
            if final := self._final(request, answer, action):
                return _closed(final, steps, "finished" if action else "stopped")
            reply_text = reply[: action.end] if action else reply
            observation: Message = {"role": "user", "content": self._observed(action, steps[-1])}
            messages += [{"role": "assistant", "content": reply_text}, observation]
        why: Ended = "malformed_action" if steps[-1]["action"] == MALFORMED else "out_of_steps"
        return _closed(replace(answer, text=None, finish_reason=None), steps, why)

    def _final(self, request: Request, answer: Answer, action: Action | None) -> Answer | None:
        """The answer where this step ends the conversation."""
        if action is not None and action.name == "finish":
            return replace(answer, text=action.argument, finish_reason="stop" if action.is_whole else "length")
        reply = answer.text or ""
        if was_declined(answer.finish_reason) or not reply.strip():
            return replace(answer, text=reply or None)
        declines = action is None and is_refusal(reply, plain_text(request.messages), self._words)
        return replace(answer, text=reply) if declines else None

    def _observed(self, action: Action | None, step: Step) -> str:
        if action is None:
            return NOT_UNDERSTOOD
        passages = self._passages.nearest(action.argument, self._top_k)
        step |= {"query": action.argument, "passages": [passage._asdict() for passage in passages]}
        return f"Observation:\n{numbered(passages)}" if passages else NOTHING_FOUND

    def in_expected_form(self, text: str) -> str:
        """An answer as a model that keeps to the steps gives it."""
        return f"Thought: I know enough.\nAction: finish[{text}]"


def parse_action(reply: str, finish_reason: str | None = None) -> Action | None:
    """The first action of a reply.

    Args:
        reply: as the model wrote it; observations that it made up itself, and what follows them, do not
            count.
        finish_reason: an answer without its closing bracket counts where the server says that it was cut.

    Returns:
        None where there is no action that can be read.
    """
    made_up = _OBSERVED.search(reply)
    written = reply[: made_up.start()] if made_up else reply
    match = _ACTION.search(written)
    if match is None:
        return None
    name = cast(Literal["search", "finish"], match.group(1).lower())
    rest = written[match.end() :]
    if name == "search":
        rest = rest.partition("\n")[0]
    length = _closing(rest)
    if length is None:
        is_cut = name == "finish" and was_cut(finish_reason)
        return Action(name, rest.strip(), len(written), False) if is_cut else None
    return Action(name, rest[:length].strip(), match.end() + length + 1, True)


def _closing(text: str) -> int | None:
    """Where the bracket that was opened before a text closes, else its last closing bracket."""
    depth = 1
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return position
    return text.rindex("]") if "]" in text else None


def _step(reply: str, reasoning: str, action: Action | None) -> Step:
    step = {"reply": reply, "action": action.name if action else MALFORMED}
    return {**step, "reasoning": reasoning} if reasoning else step


def _closed(answer: Answer, steps: list[Step], ended: Ended) -> Answer:
    """An answer with the steps in its context; reasoning stands in its step."""
    context = {name: value for name, value in (answer.context or {}).items() if name != "reasoning"}
    n_malformed = sum(step["action"] == MALFORMED for step in steps)
    transcript = {"transcript": steps, "n_steps": len(steps), "n_malformed": n_malformed, "ended": ended}
    return replace(answer, context=context | transcript)
