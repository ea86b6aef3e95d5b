"""What goes into a generation and what comes out of it.

Belongs here: the plain records that the loop, the response log and the providers share. How the study file
spells them is python_assets/study/study.py.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypedDict

from python_assets.providers.fields import count_or_none, text_or_none
from python_assets.texts.group_mask import NO_WORDS, GroupMask

RequestTask = Literal["completion", "question", "inquiry"]
Status = Literal["ok", "error", "not_recorded"]
# what a response makes of what it was asked: partly, it refuses a part
ResponseOutcome = Literal["refused", "partly", "answered", "unreadable"]
Answers = Mapping[tuple[str, int], "Answer"]

STATUSES: Final[tuple[Status, ...]] = ("ok", "error", "not_recorded")
_OUTCOMES: Final[tuple[ResponseOutcome, ...]] = ("refused", "partly", "answered", "unreadable")
FLAGS: Final = ("is_refused", "is_empty", "is_truncated")


class Message(TypedDict):
    """One turn of a conversation, as chat servers take it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt; factors: factor to level. messages: fixed ones before its text, of user and assistant in turns.

    An inquiry is what another stage asks an engine: its text is the whole user message, its factors tell the
    simulator what is asked. first_replicate: from which its replicates are numbered. replacements_json: what was
    written for what, as in raw.prompts.
    """

    prompt_id: str
    root_prompt_id: str
    prompt_text: str | None
    baseline_text: str | None = None
    factors: Mapping[str, str] = field(default_factory=dict)
    task: RequestTask = "completion"
    first_replicate: int = 0
    messages: tuple[Message, ...] = ()
    replacements_json: str | None = None


@dataclass(frozen=True, slots=True)
class SystemConfig:
    """One configured way to answer.

    Attributes:
        system_id: as in the tables; the name of the response log.
        provider: a registered name, or any text where `function` is given.
        model: the model's name at its server.
        system_prompt: the role; '' sends none.
        prompt_template: text that holds {prompt}; None takes the default of the prompt's task.
        wave: when it is asked, in words; another wave is asked anew. '' is no wave.
        decoding: temperature, seed, max_tokens, top_p and what else the server takes; None is left out. The
            seed sent is seed + replicate.
        replicates: answers asked for each prompt, numbered from 0.
        concurrency: most calls in flight.
        requests_per_minute: that the address allows, whichever generations ask it; None declares none.
        tokens_per_minute: the same, of prompts and answers together.
        timeout_seconds: longest time for one call, first byte to last.
        max_retries: calls after the first for one response.
        max_characters: longer answers are cut here and are truncated.
        reasoning_tags: opening to closing marks of reasoning, beside those of reasoning.py.
        base_url: address of the server; None takes the provider's default.
        base_urls: where there are several that have the model, all of them; empty otherwise.
        api_key_env: name of the environment variable that holds the key; None sends none.
        headers: sent with every call; their values are secrets.
        options: what only this provider knows: effects of the simulator, extra fields of a request.
        study_seed: seed of the study; only the simulator reads it.
        answers: by (prompt_id, replicate), for replay.
        function: answers (messages, decoding), where the study names a function of the user's own.
        function_sha256: hash of the function's file.
        extension: stands between prompt and model, whatever the provider.
        folder: which the path of a model starts from; the study file's.
        study_words: which no outcome may depend on; they change no address.
    """

    system_id: str
    provider: str
    model: str = ""
    system_prompt: str = ""
    prompt_template: str | None = None
    wave: str = ""
    decoding: Mapping[str, Any] = field(default_factory=dict)
    replicates: int = 1
    concurrency: int = 4
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_seconds: float = 120
    max_retries: int = 5
    max_characters: int = 20_000
    reasoning_tags: Mapping[str, str] = field(default_factory=dict)
    base_url: str | None = None
    base_urls: tuple[str, ...] = ()
    api_key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    study_seed: int = 0
    answers: Answers = field(default_factory=dict)
    function: Callable[..., Any] | None = None
    function_sha256: str | None = None
    extension: "Extension | None" = None
    folder: Path = Path()
    study_words: GroupMask = NO_WORDS


@dataclass(frozen=True, slots=True)
class Description:
    """What a provider knows of the model that answered."""

    model_digest: str | None = None
    engine_version: str | None = None
    model_details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to ask; identity_json is what response_id is the sha256 of."""

    response_id: str
    identity_json: str
    prompt: Prompt
    replicate: int
    messages: list[Message]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one request; finish_reason in the server's words, or in those of outcomes.py.

    error: `kind: message` where a provider in this process cannot answer this request; text is None then.
    Beside the text, what a server sent in another type is coerced or None.

    Raises:
        TypeError: text is neither text nor None.
    """

    text: str | None
    finish_reason: str | None = None
    error: str | None = None
    n_tokens_in: int | None = None
    n_tokens_out: int | None = None
    context: dict[str, Any] | None = None
    n_tokens_cached: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str | None):
            raise TypeError(f"the answer is {type(self.text).__name__}, not text")
        for name, read in _READ_AS.items():
            object.__setattr__(self, name, read(getattr(self, name)))


_READ_AS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "finish_reason": text_or_none,
    "n_tokens_in": count_or_none,
    "n_tokens_out": count_or_none,
    "n_tokens_cached": count_or_none,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the response log keeps of one request: an answer, or the error after the last retry.

    n_tokens_cached: of n_tokens_in, those that the provider had in its cache. n_calls: answered ones, which are
    several where an extension asks; None in older logs. n_retries: calls asked again after one that failed.
    failed_calls: those by the status of the reply ("429") or the kind of failure ("timeout"), with the last one of an
    error; both are None where they were not recorded, as in older logs.
    """

    response_text: str | None
    finish_reason: str | None = None
    error: str | None = None
    requested_at: str | None = None
    latency_seconds: float | None = None
    n_tokens_in: int | None = None
    n_tokens_out: int | None = None
    context_json: str | None = None
    n_tokens_cached: int | None = None
    n_calls: int | None = None
    n_retries: int | None = None
    failed_calls: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """One row of raw.responses, less study_id and system_id; requested_at is ISO 8601 in UTC.

    A response can be refused and truncated, or empty and truncated; outcome and flags are None where the status
    is not ok, as nothing was observed there, and is_refused where the outcome is unreadable. is_declined: the
    server itself said so, whatever the text. outcome_version: of what read the outcome. n_retries and
    failed_calls_json: as the log has them, of the request behind the row. served_model: the version that the service
    said it answered by.
    """

    prompt_id: str
    replicate: int
    response_id: str
    response_text: str | None
    status: Status
    outcome: ResponseOutcome | None
    is_refused: bool | None
    is_empty: bool | None
    is_truncated: bool | None
    error: str | None
    requested_at: str | None
    latency_seconds: float | None
    n_tokens_in: int | None
    n_tokens_out: int | None
    context_json: str | None
    is_declined: bool | None = False
    outcome_version: str | None = None
    n_retries: int | None = None
    failed_calls_json: str | None = None
    served_model: str | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """The names of the flags that are true."""
        return tuple(flag for flag in FLAGS if getattr(self, flag))


@dataclass(frozen=True, slots=True)
class Rejected:
    """One row of raw.quarantine, less study_id and quarantined_at."""

    stage: str
    record_key: str
    rule: str
    detail: str
    record_json: str | None


@dataclass(frozen=True, slots=True)
class SystemRun:
    """All responses of one generation and how they came about.

    Attributes:
        responses: one a (prompt, replicate), in the order of the prompts.
        description: the model that answered.
        is_simulated: whether no model answered.
        extension: the identity of what stood between prompt and model, empty where nothing did.
        n_requested: distinct requests answered in this run, retries not counted.
        n_retries: calls beyond the first for one request.
        n_from_log: rows whose response the log held already.
        n_torn_lines: 1 where the log ended within a line, which is asked for again.
        n_by_status: rows by status, every status named.
        n_by_flag: rows by flag that is true, every flag named.
        seconds: wall time of the run.
        quarantine: unreadable log lines and imported answers without a prompt.
    """

    responses: list[Response]
    description: Description
    is_simulated: bool
    extension: Mapping[str, Any]
    n_requested: int
    n_retries: int
    n_from_log: int
    n_torn_lines: int
    n_by_status: dict[Status, int]
    n_by_flag: dict[str, int]
    seconds: float
    quarantine: list[Rejected]


Conversation = Generator[Request, Answer, Answer]


class Extension(ABC):
    """An extension of one generation; several of its conversations may go on at once, in threads.

    Attributes:
        identity: what of it the answers depend on, as JSON: its type, its options and the hash of the texts
            it draws on. It is part of every response's address and stands in extensions_json.
        most_calls: how often it asks the model for one response at most.
    """

    identity: Mapping[str, Any]
    most_calls: int = 1

    @abstractmethod
    def converse(self, request: Request) -> Conversation:
        """Answer a request by asking the model.

        Args:
            request: with the messages that the model gets without an extension.

        Yields:
            A request to send, for example with other messages; its answer comes back.

        Returns:
            The answer to store; passages and transcripts stand in its context. Its tokens are counted here:
            those of every answer that came back.
        """

    def in_expected_form(self, text: str) -> str:
        """An answer in the form in which this extension asks for it; the simulator writes so."""
        return text
