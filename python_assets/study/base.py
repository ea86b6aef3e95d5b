"""What every part of a study file is made of: strict models, levels and the names of factors.

Belongs here: what more than one module of parts needs. The parts themselves are study.py and
analysis.py.
"""

import os
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, ValidationInfo

from python_assets.study.control_characters import has_control

Kind = Literal["continuous", "binary", "categorical"]
Direction = Literal["higher_better", "higher_worse", "none"]
PromptTask = Literal["completion", "question"]

BASELINE: Final = "baseline"  # the generation that repeats each prompt's own text
ALL_SYSTEMS: Final = "all"  # the generation that answers of all models are pooled under
CALIBRATIONS: Final = {
    "raw": "",
    "calibrated": "calibrated",
    "corrected": "corrected",
    "missed": "missed",
    "false_alarm": "falsely found",
    "label_error": "error of reading",
}
"""What the values of a measure are, as a word before its name."""
LEVEL_SEPARATOR = " x "
ID_SEPARATOR: Final = " > "
"""Between the parts of the id of a prompt."""
ID_PATTERN = re.compile(r"[a-z][a-z0-9_]*\Z")
FACTOR_NAME: Final = r"[A-Za-z]\w*"
AS_WRITTEN = "as written"
# a method ends in the factors that blocks hold fixed, and in those that are left out of them
HELD: Final = "; held fixed: "
LEFT_OUT: Final = "; left out as redundant: "
# the measure of responses that a measure leaves out for their language
OTHER_LANGUAGE: Final = "other_language"
UNSCORED: Final = "_unscored"  # ends the measure of responses that no label of a measure fits
UNDECIDED: Final = "_undecided"  # ends the measure of responses that leave open what they were asked to decide
# ends the measure that counts an undecided response as the label that is not favourable
UNDECIDED_AS_NO: Final = "_undecided_as_no"
NONE_FITS: Final = UNSCORED.removeprefix("_")  # what a rater says of them
# ends the measure that reads a response with the words that name its group, which another reads without
AS_WRITTEN_READING: Final = "_as_written"
SIMILARITY: Final = "similarity"  # reads how like the anchors of a label a response is
GROUND_TRUTH: Final = "ground_truth"  # the statistic of questions that hold labels against real shares
# the factor whose levels are edits that cannot matter, its grouping, and the family of its hypotheses
NEGATIVE_CONTROL: Final = "negative_control"
ALL_PROMPTS: Final = "all"  # the slice that is always there
ROOT_PROMPT: Final = "root_prompt"  # the unit that root prompts are, whose prompts of one cell are averaged
EVERY_IMPORTED: Final = "*"  # the name of a generation that stands for every imported one
SIMULATOR: Final = "simulator"
REPLAY: Final = "replay"


def _check_device(name: str) -> str:
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", name):
        raise Unfit("a device: cpu, cuda, cuda:1 and so on, or mps", "correct it")
    return name


# a kind of processor that torch knows, the first of it where no number follows
Device = Annotated[StrictStr, AfterValidator(_check_device)]


class Against(StrEnum):
    """What a study can compare its groups with."""

    REST = "rest"
    GRAND_MEAN = "grand_mean"
    LEVEL = "level"
    ALL_PAIRS = "all_pairs"


class Part(BaseModel):
    """One part of a study file; a key it does not know is an error."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, validate_by_name=True, validate_by_alias=True, allow_inf_nan=False
    )


def stated_fields(part: Part) -> set[str]:
    """The fields that say something: a file written out with every default says no more than it did."""
    fields = type(part).model_fields
    return {name for name in part.model_fields_set if getattr(part, name) != fields[name].default}


class Unfit(ValueError):
    """A value that a rule of a study file refuses, which pydantic hands on as it is.

    Attributes:
        expected: what would be right.
        remedy: what to do.
        variable: the environment variable that is not set, where that is what is wrong.
    """

    def __init__(self, expected: str, remedy: str, variable: str | None = None) -> None:
        """Keep the parts."""
        super().__init__(f"{expected}; {remedy}")
        self.expected, self.remedy, self.variable = expected, remedy, variable


def expand_variables(text: str) -> str:
    """Replace every ${NAME} by the environment variable, as paths and addresses of a study file may hold."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in os.environ:
            raise Unfit("a value whose environment variables are set", f"set it: export {name}=...", name)
        return os.environ[name]

    return re.sub(r"\$\{(\w+)\}", value, text)


def _expand(text: str, info: ValidationInfo) -> str:
    """Leave ${NAME} as it is written where the context asks for it: no place or secret lands in tables."""
    return text if info.context == AS_WRITTEN else expand_variables(text)


def _check_name(name: str) -> str:
    if not make_id(name):
        raise Unfit("a name with at least one letter", "rename it")
    return name


def make_id(name: str) -> str:
    """The identifier of a generation or measure: lower case, every other character _, a letter first."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower()).lstrip("_0123456789")


def grouping_id(factors: Iterable[str]) -> str:
    """The identifier of a grouping: its factors in order, for example 'gender x race'."""
    return LEVEL_SEPARATOR.join(factors)


def parts_of(grouping_id: str, declared: Iterable[str]) -> list[str]:
    """The declared groupings by some of the factors of a grouping, and by no other."""
    factors = set(grouping_id.split(LEVEL_SEPARATOR))
    return [other for other in declared if set(other.split(LEVEL_SEPARATOR)) < factors]


def _check_level(level: str) -> str:
    if not level.strip():
        raise Unfit("a level that is not blank", "name it or remove it")
    if level != level.strip():
        raise Unfit("a level without blanks around it", "remove them")
    if has_control(level):
        raise Unfit("a level without control characters, which a terminal would obey", "remove them")
    if LEVEL_SEPARATOR in level:
        raise Unfit(f"a level without {LEVEL_SEPARATOR!r}, which joins levels into a group", "reword it")
    return level


def _check_factor(name: str) -> str:
    if not re.fullmatch(FACTOR_NAME, name):
        raise Unfit("a factor's name: a letter, then letters, digits and _", "rename it")
    if name == ALL_PROMPTS:
        raise Unfit(f"another name than {ALL_PROMPTS!r}, which stands for all prompts and groups together", "rename it")
    return name


Level = Annotated[StrictStr, AfterValidator(_check_level)]
FactorName = Annotated[StrictStr, AfterValidator(_check_factor)]
Name = Annotated[StrictStr, AfterValidator(_check_name)]
Expanded = Annotated[StrictStr, AfterValidator(_expand)]
Words = Annotated[list[StrictStr], Field(min_length=1)]
Columns = StrictStr | Words
