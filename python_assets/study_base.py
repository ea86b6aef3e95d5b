"""What every part of a study file is made of: strict models, levels and the names of factors.

Belongs here: what more than one module of parts needs. The parts themselves are study.py and
study_analysis.py.
"""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictStr

BASELINE: Final = "baseline"  # the generation that repeats each prompt's own text
LEVEL_SEPARATOR = " x "


class Part(BaseModel):
    """One part of a study file; a key it does not know is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
        allow_inf_nan=False,
    )


def _check_level(level: str) -> str:
    if not level.strip():
        raise ValueError("a level that is not blank; name it or remove it")
    if level != level.strip():
        raise ValueError("a level without blanks around it; remove them")
    if LEVEL_SEPARATOR in level:
        raise ValueError(f"a level without {LEVEL_SEPARATOR!r}, which joins levels into a group; reword it")
    return level


def _check_factor(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ValueError("a factor's name: a letter, then letters, digits and _; rename it")
    return name


Level = Annotated[StrictStr, AfterValidator(_check_level)]
FactorName = Annotated[StrictStr, AfterValidator(_check_factor)]
