"""What is wrong with a study file: one problem an error, in words that a user can act on.

Belongs here: the words. Finding problems is study_file.
"""

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from python_assets.errors import StudyError
from python_assets.study.base import WITH_VARIABLES
from python_assets.study.secrets import shown_field

FieldPath = tuple[str | int, ...]

MOST_CHARACTERS = 80
MOST_NAMES = 12


class Nothing:
    """Stands for a value that is absent, which is not the same as null."""

    def __repr__(self) -> str:
        """The word that an error uses."""
        return "nothing"


NOTHING = Nothing()


class Problem(NamedTuple):
    """One thing to mend: where it is, what came, what was expected, what to do."""

    path: FieldPath
    value: Any
    expected: str
    remedy: str
    line: int | None = None
    written: str | None = None

    @property
    def field(self) -> str:
        """The path as a user would write it, for example measures[2].kind."""
        return field_name(self.path)

    def text(self, file: str) -> str:
        """One line: file, line, field, value, what was expected, remedy."""
        where = file if self.line is None else f"{file}:{self.line}"
        came = shorten(self.written) if self.written is not None else shown(self.value)
        came = shown_field(self.path, came)
        return f"{where}: {self.field}: got {came}; expected {self.expected}; {self.remedy}"


class StudyFileError(StudyError):
    """A study file with problems; the text has one line a problem, in the order of the file.

    A variable that is not set has one line, whatever many values name it.
    """

    def __init__(self, path: Path, problems: Sequence[Problem]) -> None:
        """Put the problems in the order of the file."""
        self.path = path
        self.problems = sorted(problems, key=lambda problem: problem.line or 0)
        super().__init__("\n".join(_lines(self.problems, str(path))))


def _lines(problems: Sequence[Problem], file: str) -> Iterator[str]:
    unset = Counter(problem.remedy for problem in problems if problem.expected == WITH_VARIABLES)
    for problem in problems:
        n = unset.pop(problem.remedy, 0) if problem.expected == WITH_VARIABLES else 1
        if n:
            more = "1 more value names it" if n == 2 else f"{n - 1} more values name it"
            yield problem.text(file) + (f" ({more})" if n > 1 else "")


def field_name(path: FieldPath) -> str:
    """Write a path as measures[2].kind; keys that are not plain words stand in brackets and quotes."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "a").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return text or "the file"


def shown(value: Any) -> str:
    """A value in one short line, texts in quotes."""
    if isinstance(value, Nothing):
        return repr(value)
    return shorten(json.dumps(value, ensure_ascii=False, default=str))


def shorten(text: str) -> str:
    """At most 80 characters on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= MOST_CHARACTERS else flat[: MOST_CHARACTERS - 3] + "..."


def listed(names: Iterable[str]) -> str:
    """Names in quotes with commas; long lists are cut with their number."""
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > MOST_NAMES:
        return f"{', '.join(quoted[:MOST_NAMES])} and {len(quoted) - MOST_NAMES} more"
    return ", ".join(quoted) or "none"


def suggestion(value: Any, names: Iterable[str], otherwise: str) -> str:
    """Ask whether the nearest name was meant; where none is near, say something else."""
    if near := nearest(value, names):
        return f"did you mean '{near}'?"
    return otherwise


def nearest(value: Any, names: Iterable[str]) -> str | None:
    """The known name a word is most like, upper and lower case alike; None where none is near."""
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(str(value).casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def unknown_name(path: FieldPath, value: str, kind: str, names: Sequence[str], remedy: str) -> Problem:
    """A name that is not among the known ones.

    Args:
        path: where the name stands.
        value: the name.
        kind: what it should name, for example 'a factor'.
        names: the known names.
        remedy: what to do where no known name is near.
    """
    return Problem(path, value, f"{kind}: {listed(names)}", suggestion(value, names, remedy))
