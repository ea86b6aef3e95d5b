"""The study file as pydantic models: everything a study needs, with every default.

Belongs here: the study as a whole. Its sections are scrape.py, prompts.py, systems.py,
measures.py and analysis.py; reading it, expanding it and checking one part against another is
study_file/. The message of a check says what is expected and, after a semicolon, what to do.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StrictStr, field_validator, model_validator

from python_assets.study.analysis import AnalysisSpec, HypothesisFamily, Power, Regression
from python_assets.study.base import (
    AS_WRITTEN,
    ID_PATTERN,
    LEVEL_SEPARATOR,
    NEGATIVE_CONTROL,
    ROOT_PROMPT,
    Against,
    Columns,
    Device,
    Direction,
    Expanded,
    FactorName,
    Kind,
    Level,
    Part,
    PromptTask,
    Unfit,
    Words,
    expand_variables,
    grouping_id,
    make_id,
)
from python_assets.study.budget import Budget, TokenPrice
from python_assets.study.imports import Import, ImportColumns
from python_assets.study.measures import LABELLING, ClassifierSpec, Clusters, Judge, MeasureSpec
from python_assets.study.metrics import Margins, default_margins
from python_assets.study.negative_controls import NegativeControls
from python_assets.study.people_labels import HumanLabels, PairLabels
from python_assets.study.prompts import Assemble, Branch, Prompts, Template, Templates
from python_assets.study.pronouns import Pronouns
from python_assets.study.scrape import Scrape, Source, Wiki
from python_assets.study.systems import Decoding, ExtensionSpec, System, SystemSpec
from python_assets.study.waves import Waves

__all__ = [
    "AS_WRITTEN",
    "ID_PATTERN",
    "KEEP",
    "LEVEL_SEPARATOR",
    "AnalysisSpec",
    "Assemble",
    "Branch",
    "ClassifierSpec",
    "Clusters",
    "Columns",
    "Decoding",
    "Direction",
    "ExtensionSpec",
    "Factor",
    "FactorName",
    "HypothesisFamily",
    "System",
    "SystemSpec",
    "GroupingSpec",
    "HumanLabels",
    "Import",
    "ImportColumns",
    "Judge",
    "Kind",
    "Level",
    "LevelMap",
    "MeasureSpec",
    "PairLabels",
    "Part",
    "Prompts",
    "Scrape",
    "Source",
    "Study",
    "PromptTask",
    "Template",
    "Templates",
    "Vectors",
    "Wiki",
    "expand_variables",
    "grouping_id",
    "make_id",
]


KEEP: Final = 12  # a year of monthly waves


class LevelMap(Part):
    """A table that gives every level of one factor its level of another; columns are named by the factors."""

    from_: FactorName = Field(alias="from")
    file: Expanded


class Factor(Part):
    """A named property of a prompt or a model (multi-factor document, 3.1).

    rules: words, or a regular expression, by level, read in the prompt's text; otherwise: the level of texts
    that no rule fits. map: levels that follow from those of another factor. when: levels of other factors
    that a prompt needs to have a level of this one; without them it has the reference. pronouns: those of the
    third person by level, as in she/her/her/hers/herself.
    """

    type: Literal["domain", "prompt", "model"] = "domain"
    definition: StrictStr | None = None
    levels: list[Level] | None = Field(None, min_length=1)
    reference: Level | None = None
    texts: dict[Level, StrictStr] = {}
    pronouns: dict[Level, StrictStr] = {}
    rules: Annotated[dict[Level, StrictStr | Words], Field(min_length=1)] | None = None
    otherwise: Level | None = None
    map: LevelMap | None = None
    when: Annotated[dict[FactorName, Level | list[Level]], Field(min_length=1)] | None = None

    @property
    def levels_by_rule(self) -> list[str]:
        """The levels that rules give, the one where none fits last; none without rules."""
        return list(dict.fromkeys([*(self.rules or ()), *([self.otherwise] if self.otherwise else [])]))

    @property
    def conditions(self) -> dict[str, list[str]]:
        """The levels of other factors that a level of this one needs; none where it has no condition."""
        return {name: [levels] if isinstance(levels, str) else levels for name, levels in (self.when or {}).items()}

    @model_validator(mode="after")
    def _one_origin(self) -> "Factor":
        given = [name for name in ("rules", "map", "when") if getattr(self, name) is not None]
        if len(given) > 1:
            raise Unfit(f"one of {' and '.join(given)}", "keep one")
        if self.otherwise is not None and self.rules is None:
            raise Unfit("rules beside otherwise, the level where none fits", "add rules: or remove it")
        if self.rules is not None and self.type == "model":
            raise Unfit("type domain or prompt, for rules read the text of prompts", "change type")
        if self.rules is not None and self.texts:
            raise Unfit("no texts beside rules, which read texts", "remove them")
        if self.rules is not None and set(self.levels or self.levels_by_rule) != set(self.levels_by_rule):
            raise Unfit("levels that the rules name, or none beside rules", "remove levels")
        if self.map is not None and self.texts:
            raise Unfit("no texts beside map, whose levels stand in no text", "remove them")
        if self.when is not None and self.reference is None:
            raise Unfit("reference beside when, the level where the condition fails", "add reference:")
        return self

    @field_validator("pronouns")
    @classmethod
    def _five_forms(cls, by_level: dict[str, str]) -> dict[str, str]:
        for written in by_level.values():
            Pronouns.read(written)
        return by_level


class Vectors(Part):
    """Static word vectors: a text file of word2vec or GloVe, averaged over the words of a text."""

    vectors: Expanded


class Encoding(Part):
    """A sentence-transformers model and where it runs.

    model: absent, the packaged one. device: cpu, cuda, cuda:1, mps. threads: of the CPU. Another number of
    threads or another device changes the last digits of a vector.
    """

    model: Expanded | None = None
    device: Device = "cpu"
    threads: int = Field(2, ge=1)


Embedding = str | Vectors | Encoding


class GroupingSpec(Part):
    """Every combination of up to depth of the factors, as groupings."""

    factors: list[FactorName] = Field(min_length=1)
    depth: int = Field(1, ge=1)


class Study(Part):
    """A study file, expanded: lists of models and roles, slices and groupings written out, paths resolved.

    engines: generations that write for other stages and answer no prompt, by id. unit: the factor whose
    levels are the independent units, or ROOT_PROMPT; root prompts are where it is None too, but then several
    prompts of one in one cell have no inference. baseline: the generation, or the role, whose answers others
    are calibrated against; the prompts' own texts where None.
    human_labels, pair_labels: sheets that people filled in, of answers and of pairs of prompts. negative_controls:
    edits that cannot matter, None where the study declares none.
    references: what the groups of each grouping are compared with, and the group where it is one. embedding:
    the model that texts are embedded with, the packaged one where None. keep: how many published runs stay in
    the archive. budget: the most that all its generations and engines may spend; prices: of tokens, by model, before
    those that are published. waves: when it is asked anew; wave: that of the generations which declare none, ''
    where they have none. has_stand_in: the simulator stands in for every model, by an override of the command
    line.
    """

    study_id: str
    path: Path
    title: str
    domain: str
    factors: dict[str, Factor]
    unit: str | None = None
    baseline: str | None = None
    prompts: Prompts
    systems: list[System]
    engines: dict[str, System] = {}
    measures: list[MeasureSpec]
    slices: dict[str, dict[str, list[str]]]
    each: str | None
    groupings: list[tuple[str, ...]]
    embedding: Embedding | None = None
    has_stand_in: bool = False
    references: dict[str, tuple[Against, str | None]] = {}
    human_labels: list[HumanLabels] = []
    pair_labels: list[PairLabels] = []
    negative_controls: NegativeControls | None = None
    analysis: AnalysisSpec
    keep: int = KEEP
    budget: Budget | None = None
    prices: dict[str, TokenPrice] = {}
    waves: Waves | None = None
    wave: str = ""
    config_json: str
    config_sha256: str

    @property
    def controls(self) -> Mapping[str, str | None]:
        """The type of every negative control, by its name, in order; none where the study declares none."""
        return {} if self.negative_controls is None else self.negative_controls.types

    @property
    def all_groupings(self) -> list[tuple[str, ...]]:
        """The groupings, and as the last one the negative controls, if there are any."""
        return [*self.groupings, *([(NEGATIVE_CONTROL,)] if self.controls else [])]

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

    def has_wordings(self, grouping: Iterable[str]) -> bool:
        """Whether the groups of some factors stand in wordings, which are the units."""
        return any(set(grouping) <= set(units.nested_in) for units in self.prompts.wordings.values())

    @property
    def unit_name(self) -> str:
        """What the independent units are, in words."""
        return "root prompt" if self.unit in (None, ROOT_PROMPT) else str(self.unit)

    def slice_condition(self, name: str) -> Mapping[str, Sequence[str]]:
        """The levels of each factor that prompts of a slice have; a name that the file lacks is a level of `each`."""
        return self.slices[name] if name in self.slices else {str(self.each): [name]}

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
    def looks(self) -> int | list[int] | None:
        """How often findings are looked at as root prompts are asked, or how many by each look; None: once."""
        return self.analysis.looks

    @property
    def declared_margins(self) -> Margins:
        """The largest differences that do not matter, as the study declares them."""
        return {
            make_id(name) if isinstance(margin, dict) else name: margin
            for name, margin in self.analysis.margins.items()
        }

    @property
    def margins(self) -> Margins:
        """Those, and the documents' own where the study declares none and does not leave them out."""
        defaults = default_margins() if self.analysis.default_margins is None else {}
        return {**defaults, **self.declared_margins}

    @property
    def compared_with(self) -> str | None:
        """The generation or role that generations are compared with; the first generation where None."""
        return self.analysis.compare.reference

    @property
    def primary(self) -> HypothesisFamily | None:
        """The questions that the study is about; None where the rule says which."""
        return self.analysis.primary

    @property
    def power(self) -> dict[str, Power]:
        """What is planned for, by measure: how responses vary, and the effect that must not be missed."""
        return {make_id(name): spec for name, spec in self.analysis.power.items()}

    @property
    def families(self) -> dict[str, HypothesisFamily]:
        """Further sets of questions, corrected by themselves."""
        return self.analysis.families

    @property
    def regressions(self) -> dict[str, Regression]:
        """The regressions that tell which factors matter."""
        return self.analysis.regressions

    @property
    def unscored_allowed(self) -> dict[str, float]:
        """The largest share of a generation's answers that may be without a label, by measure of labels."""
        quality = self.analysis.quality
        return {
            make_id(spec.name): quality.unscored_allowed(is_taxonomy=spec.taxonomy is not None)
            for spec in self.measures
            if spec.method in LABELLING
        }

    @property
    def fills_scale(self) -> bool:
        """Whether missing answers can have been anything on the scale of their measure, not only what was observed."""
        return self.analysis.missing == "scale"

    @property
    def requested_contrasts(self) -> tuple[str, ...]:
        """Contrasts beyond those of every measure."""
        return tuple(self.analysis.contrasts)
