"""The generations of a study file: who answers, in which role, with which template and extension, and when.

Belongs here: the shape of these entries and their defaults. Writing lists out is study_file/expand.py.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, StrictStr, model_validator

from python_assets.study.base import Expanded, Level, Part, Unfit
from python_assets.study.budget import Budget
from python_assets.study.secrets import HeaderName, HeaderValue, KeyVariable, ServerAddress

ENGINE_MAX_TOKENS: Final = 1024  # an article or a long list is longer than a response
SHORTEST_MARK: Final = 3  # "<" alone would take an answer for reasoning


def _check_mark(mark: str) -> str:
    if len(mark.strip()) < SHORTEST_MARK:
        raise Unfit(f"a mark of at least {SHORTEST_MARK} characters, such as <plan>", "write it out")
    return mark.strip()


Mark = Annotated[StrictStr, AfterValidator(_check_mark)]


class Decoding(Part):
    """How tokens are drawn; what is absent is left to the engine. max_tokens: 1024 for an engine."""

    temperature: float | None = Field(0.0, ge=0)
    seed: int | None = 42
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(256, ge=1)


class ExtensionSpec(Part):
    """What stands between prompt and model (SAGED 3.1).

    rag: the top_k passages nearest to the prompt stand before it. react: the model thinks, searches the same
    passages and answers, in at most max_steps steps. source_tags: of which documents of the study; path: of
    files instead of them. words_per_passage: passages are whole sentences up to so many words.
    """

    type: Literal["rag", "react"]
    top_k: int = Field(3, ge=1)
    max_steps: int = Field(5, ge=1)
    source_tags: list[Level] | None = Field(None, min_length=1)
    path: Expanded | None = None
    words_per_passage: int = Field(80, ge=10)

    @model_validator(mode="after")
    def _one_place(self) -> "ExtensionSpec":
        if self.source_tags is not None and self.path is not None:
            raise Unfit("one of source_tags and path", "keep one")
        return self


class SystemSpec(Part):
    """One configured way to answer; lists of models and named roles, templates and extensions expand.

    wave: when it is asked, in any words. A hosted model changes under its name: another wave asks anew what
    the log holds of this one. engine: it writes for other stages (questions, articles, marks) and answers no
    prompt. requests_per_minute, tokens_per_minute: what its address allows, for all generations that ask it.
    reasoning_tags: opening to closing marks of what the model thinks aloud, beside those that are known.
    base_url: of a server, or of several that have the same model. headers: sent with every call, their values
    from environment variables. budget: the most that each generation of the entry may
    spend. simulated: options of the simulator where it stands in for the model.
    """

    name: StrictStr
    provider: StrictStr
    model: StrictStr | list[StrictStr] = ""
    system_prompt: dict[StrictStr, StrictStr] = {"": ""}
    prompt_template: dict[StrictStr, StrictStr | None] = {"": None}
    extension: dict[StrictStr, ExtensionSpec | None] = {"": None}
    wave: Level | Annotated[list[Level], Field(min_length=1)] = ""
    engine: bool = False
    decoding: Decoding = Decoding()
    replicates: int = Field(1, ge=1)
    concurrency: int = Field(4, ge=1, le=256)
    requests_per_minute: int | None = Field(None, ge=1)
    tokens_per_minute: int | None = Field(None, ge=1)
    timeout_seconds: float = Field(120, gt=0)
    max_retries: int = Field(5, ge=0)
    max_characters: int = Field(20_000, ge=1)
    reasoning_tags: dict[Mark, Mark] = {}
    base_url: ServerAddress | Annotated[list[ServerAddress], Field(min_length=1)] | None = None
    api_key_env: KeyVariable | None = None
    headers: dict[HeaderName, HeaderValue] = Field({}, repr=False)
    options: dict[StrictStr, Any] = {}
    simulated: dict[StrictStr, Any] | None = None
    budget: Budget | None = Field(None, exclude=True)  # to raise it makes no other version of the study

    @model_validator(mode="before")
    @classmethod
    def _one_needs_no_name(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        alone = {name: data[name] for name in ("system_prompt", "prompt_template") if isinstance(data.get(name), str)}
        if isinstance(data.get("extension"), dict) and "type" in data["extension"]:
            alone["extension"] = data["extension"]
        return data | {name: {"": value} for name, value in alone.items()}

    @model_validator(mode="before")
    @classmethod
    def _an_engine_writes_more(cls, data: Any) -> Any:
        decoding = data.get("decoding", {}) if isinstance(data, dict) else None
        if not isinstance(decoding, dict) or data.get("engine") is not True:
            return data
        return {**data, "decoding": {"max_tokens": ENGINE_MAX_TOKENS, **decoding}}

    @property
    def addresses(self) -> tuple[str | None, ...]:
        """Every address that is asked; None is the provider's own."""
        return tuple(self.base_url) if isinstance(self.base_url, list) else (self.base_url,)


class System(Part):
    """One system after expansion; system_prompt_name, template, extension_name: how the file names its variants."""

    system_id: str
    model: str
    system_prompt: str
    prompt_template: str | None = None
    extension: ExtensionSpec | None = None
    system_prompt_name: str = ""
    template: str = ""
    extension_name: str = ""
    wave: str = ""
    spec: SystemSpec


def baselines_by_system_prompt(systems: Sequence[System], name: str) -> dict[str, str]:
    """The generation with a system prompt that each other one is calibrated against.

    Args:
        systems: of a study.
        name: of the system prompt that is the baseline.

    Returns:
        By generation id: that of the same entry, model, template, extension and wave with it.
    """
    baselines = {_but_prompt(one): one.system_id for one in systems if one.system_prompt_name == name}
    return {
        one.system_id: baselines[_but_prompt(one)]
        for one in systems
        if one.system_prompt_name != name and _but_prompt(one) in baselines
    }


def _but_prompt(system: System) -> tuple[str, ...]:
    return (system.spec.name, system.model, system.template, system.extension_name, system.wave)
