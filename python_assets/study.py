"""The study file as a pydantic model: everything a study needs, with every default.

Belongs here: the shape of the file and its defaults. Reading it, expanding it and checking one part against
another is study_file.py. The message of a check says what is expected and, after a semicolon, what to do.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictStr, ValidationInfo, model_validator

from python_assets.infer.reference import Against
from python_assets.margins import Margins, default_margins
from python_assets.study_analysis import Analysis, Family
from python_assets.study_base import LEVEL_SEPARATOR, FactorName, Level, Part

Kind = Literal["continuous", "binary", "categorical"]
Direction = Literal["higher_better", "higher_worse", "none"]
Task = Literal["completion", "question"]

ID_PATTERN = re.compile(r"[a-z][a-z0-9_]*\Z")
AS_WRITTEN = "as written"


def expand_variables(text: str) -> str:
    """Replace every ${NAME} by the environment variable, as paths and addresses of a study file may hold."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in os.environ:
            raise ValueError(f"a value whose environment variables are set; set it: export {name}=...")
        return os.environ[name]

    return re.sub(r"\$\{(\w+)\}", value, text)


def _expand(text: str, info: ValidationInfo) -> str:
    """Leave ${NAME} as it is written where the context asks for it: no place or secret lands in tables."""
    return text if info.context == AS_WRITTEN else expand_variables(text)


def _check_name(name: str) -> str:
    if not make_id(name):
        raise ValueError("a name with at least one letter; rename it")
    return name


def make_id(name: str) -> str:
    """The identifier of a generation or measure: lower case, every other character _, a letter first."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower()).lstrip("_0123456789")


def grouping_id(factors: Iterable[str]) -> str:
    """The identifier of a grouping: its factors in order, for example 'gender x race'."""
    return LEVEL_SEPARATOR.join(factors)


Name = Annotated[StrictStr, AfterValidator(_check_name)]
Expanded = Annotated[StrictStr, AfterValidator(_expand)]
Words = Annotated[list[StrictStr], Field(min_length=1)]
Columns = StrictStr | Words


class Factor(Part):
    """A named property of a prompt or a model (multi-factor document, 3.1)."""

    type: Literal["domain", "prompt", "model"] = "domain"
    definition: StrictStr | None = None
    levels: list[Level] | None = Field(None, min_length=1)
    reference: Level | None = None
    texts: dict[Level, StrictStr] = {}


class Source(Part):
    """Where sentences come from; levels: the levels it is read for, all where absent."""

    tag: Level
    type: Literal["local"] = "local"
    path: Expanded
    levels: list[Level] | None = None
    licence: StrictStr | None = None


class Scrape(Part):
    """Sentences that hold a keyword of a level (SAGED 2.1)."""

    factor: FactorName = "concept"
    levels: list[Level] = Field(min_length=1)
    reference: Level | None = None
    keywords: dict[Level, Annotated[list[Level], Field(min_length=1)]] = Field(min_length=1)
    sources: list[Source] = Field(min_length=1)
    min_words: int = Field(8, ge=1)
    language: StrictStr = "en"


class Assemble(Part):
    """How sentences become prompts (SAGED 2.2)."""

    method: Literal["split_sentences"] = "split_sentences"
    max_per_level: int | None = Field(None, ge=1)


class Branch(Part):
    """Which root prompts get branches, to which levels, with which words replaced (SAGED 2.3).

    replacements: words by target level, for one source level. forms: the words of every level by form, for
    branching from several levels; the first word of a list is the one written, all of them are found.
    """

    from_: Literal["all"] | list[Level] = Field("all", alias="from")
    to: Literal["all"] | list[Level] = "all"
    replacements: dict[Level, dict[StrictStr, StrictStr]] = {}
    forms: dict[Level, dict[StrictStr, StrictStr | Words]] = {}
    counterfactual_baseline: bool = True

    @model_validator(mode="before")
    @classmethod
    def _one_level_is_a_list(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("from"), str) and data["from"] != "all":
            return {**data, "from": [data["from"]]}
        return data


class Template(Part):
    """A prompt with {slots} for the factors it is crossed with; factors: levels of the template itself."""

    id: Level
    text: StrictStr
    baseline: StrictStr | None = None
    factors: dict[FactorName, Level] = {}


class Templates(Part):
    """Templates crossed with factors: every combination of their levels, or the listed ones."""

    texts: list[Template] = Field(min_length=1)
    cross: list[FactorName] = []
    combinations: list[dict[FactorName, Level]] = []
    task: Task = "question"
    max_per_level: int | None = Field(None, ge=1)


class ImportColumns(Part):
    """Columns of the imported table; only prompt is required. replicate: a column, or auto to number rows."""

    prompt: Columns
    root_prompt: Columns | None = None
    replicate: StrictStr | None = None
    prompt_text: StrictStr | None = None
    baseline_text: StrictStr | None = None
    response: StrictStr | None = None
    generation: StrictStr | None = None


class Import(Part):
    """An existing table of prompts, of responses or of scores, one row a response."""

    format: Literal["table"] = "table"
    path: Expanded
    columns: ImportColumns
    factors: dict[FactorName, StrictStr] = {}
    task: Task = "question"


class Prompts(Part):
    """Exactly one of the three ways to have prompts."""

    scrape: Scrape | None = None
    assemble: Assemble = Assemble()
    branch: Branch | None = None
    templates: Templates | None = None
    import_: Import | None = Field(None, alias="import")

    @model_validator(mode="after")
    def _one_way(self) -> "Prompts":
        ways = [w for w in (self.scrape, self.templates, self.import_) if w is not None]
        if len(ways) != 1:
            raise ValueError("exactly one of scrape, templates and import; keep one")
        if self.branch and not self.scrape:
            raise ValueError(
                "no branch without scrape; templates and imports bring their levels, remove branch"
            )
        return self


class Decoding(Part):
    """How tokens are drawn; what is absent is left to the engine."""

    temperature: float | None = Field(0.0, ge=0)
    seed: int | None = 42
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(256, ge=1)


class GenerationSpec(Part):
    """One configured way to answer; lists of models and named roles expand to one generation each."""

    name: StrictStr
    provider: StrictStr
    model: StrictStr | list[StrictStr] = ""
    role: dict[StrictStr, StrictStr] = {"": ""}
    prompt_template: StrictStr | None = None
    decoding: Decoding = Decoding()
    replicates: int = Field(1, ge=1)
    concurrency: int = Field(4, ge=1, le=256)
    timeout_seconds: float = Field(120, gt=0)
    max_retries: int = Field(5, ge=0)
    max_characters: int = Field(20_000, ge=1)
    base_url: Expanded | None = None
    api_key_env: StrictStr | None = None
    options: dict[StrictStr, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _role_is_named(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("role"), str):
            return {**data, "role": {"": data["role"]}}
        return data


WAYS_TO_MEASURE = ("extractor", "choices", "patterns", "column", "function")


class MeasureSpec(Part):
    """What is read off a response. One of WAYS_TO_MEASURE says how; without, name is a built-in extractor."""

    name: Name
    kind: Kind | None = None
    extractor: StrictStr | None = None
    choices: Words | Annotated[dict[StrictStr, list[StrictStr]], Field(min_length=1)] | None = None
    patterns: dict[StrictStr, StrictStr] | None = Field(default=None, min_length=1)
    column: StrictStr | None = None
    baseline_column: StrictStr | None = None
    function: StrictStr | None = None
    parameters: dict[StrictStr, StrictStr | float] = {}
    unit: StrictStr | None = None
    scale: Annotated[tuple[float, float], Field(strict=False)] | None = None
    direction: Direction | None = None
    favourable: StrictStr | None = None
    slice: StrictStr | list[StrictStr] | None = None

    @model_validator(mode="before")
    @classmethod
    def _a_name_alone_is_built_in(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"name": data, "extractor": data}
        if (
            isinstance(data, dict)
            and isinstance(data.get("name"), str)
            and not set(data) & set(WAYS_TO_MEASURE)
        ):
            return {**data, "extractor": data["name"]}
        return data

    @property
    def way(self) -> str:
        """The one field that says how the measure is read off a response."""
        return next(way for way in WAYS_TO_MEASURE if getattr(self, way) is not None)

    @model_validator(mode="after")
    def _one_way(self) -> "MeasureSpec":
        given = [way for way in WAYS_TO_MEASURE if getattr(self, way) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of {', '.join(WAYS_TO_MEASURE)}; keep one")
        if self.way in ("column", "function") and self.kind is None:
            raise ValueError(
                f"kind for a measure from a {self.way}; add kind: continuous, binary or categorical"
            )
        if self.way in ("choices", "patterns") and self.kind not in (None, "categorical", "binary"):
            raise ValueError(f"kind categorical, or binary with favourable, for {self.way}; change kind")
        if self.favourable is not None and self.way == "extractor":
            raise ValueError("no favourable label for a built-in extractor; remove favourable")
        return self


class GroupingSpec(Part):
    """Every combination of up to depth of the factors, as groupings."""

    factors: list[FactorName] = Field(min_length=1)
    depth: int = Field(1, ge=1)


class Generation(Part):
    """One generation after expansion."""

    generation_id: str
    model: str
    system_prompt: str
    spec: GenerationSpec


class Study(Part):
    """A study file, expanded: lists of models and roles, slices and groupings written out, paths resolved.

    unit: the factor whose levels are the independent units; root prompts are where it is None.
    references: what the groups of each grouping are compared with, and the group where it is one.
    """

    study_id: str
    path: Path
    title: str
    domain: str
    factors: dict[str, Factor]
    unit: str | None = None
    prompts: Prompts
    generations: list[Generation]
    measures: list[MeasureSpec]
    slices: dict[str, dict[str, list[str]]]
    each: str | None
    groupings: list[tuple[str, ...]]
    references: dict[str, tuple[Against, str | None]] = {}
    analysis: Analysis
    config_json: str
    config_sha256: str

    @property
    def folder(self) -> Path:
        """The folder of the study file, which its relative paths start from."""
        return self.path.parent

    @property
    def seed(self) -> int:
        """The seed every random number of the study comes from; from its name unless declared."""
        if self.analysis.seed is not None:
            return self.analysis.seed
        return int.from_bytes(self.study_id.encode(), "big") % 2**32

    def resolve(self, path: str) -> Path:
        """A path of the study file: relative to the file's folder, or absolute."""
        return self.folder / path

    @property
    def n_permutations(self) -> int:
        """How many random relabellings every test draws."""
        return self.analysis.permutations

    @property
    def n_bootstrap(self) -> int:
        """How many resamples of the root prompts an interval draws."""
        return self.analysis.bootstrap

    @property
    def alpha(self) -> float:
        """The level of every test and interval."""
        return self.analysis.alpha

    @property
    def margins(self) -> Margins:
        """The largest differences that do not matter; the documents' own where the study declares none."""
        declared = {
            make_id(name) if isinstance(margin, dict) else name: margin
            for name, margin in self.analysis.margins.items()
        }
        return {**default_margins(), **declared}

    @property
    def families(self) -> dict[str, Family]:
        """What is corrected together, where the default rule does not say it."""
        return self.analysis.families

    @property
    def asked_contrasts(self) -> tuple[str, ...]:
        """Contrasts beyond those of every measure."""
        return tuple(self.analysis.contrasts)
