"""Labels that people gave: the sheets that a study file names, and who filled them in.

Belongs here: the shape of these entries. Drawing and reading sheets is labelling/.
"""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, StrictStr

from python_assets.study.base import Expanded, Name, Part, Unfit

_RATER: Final = re.compile(r"[\w.+@-][\w .+@-]{0,39}\Z")


def _check_rater(name: str) -> str:
    if not _RATER.match(name):
        raise Unfit("a short name: at most 40 letters, digits, blanks and . _ - + @", "shorten it")
    return name.strip()


Rater = Annotated[StrictStr, AfterValidator(_check_rater)]


class PairLabels(Part):
    """A sheet of pairs of prompts, filled in by one rater: whether each is a minimal pair.

    automatic: the rater is a program, such as a model that read them; it is told wherever raters are.
    """

    file: Expanded
    rater: Rater
    automatic: bool = False


class HumanLabels(PairLabels):
    """A sheet of answers, filled in by one rater: what each is by a measure of the study."""

    measure: Name
