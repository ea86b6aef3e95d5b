"""Errors that a user can mend: the command line and the Dagster assets show their text without a traceback.

Belongs here: one class per thing a user can fix, and the one place that writes their text. Code that needs a
part of an error reads its attribute. A wrong argument to a function is a ValueError instead.
"""

import copy
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

FieldPath = tuple[str | int | Path, ...]
"""Steps into a study file, whose path may be the first of them; or one step, that names another place."""

Where = str | Path | FieldPath
"""What an error may be told its place by."""

OTHER_HOME: Final = "set PLUMBLINE_HOME to a folder that can be written"
ANOTHER_HOME: Final = (
    "set PLUMBLINE_HOME to a new folder; with the folder responses/ of this one in it, nothing is asked again"
)
TRY_SIMULATED: Final = "or run with --provider simulator to try the study without models"
MASKED: Final = "***"
HEADERS: Final = "headers"
SECRET_FIELDS: Final = ("api_key_env", "base_url", "api")
_MOST_CHARACTERS: Final = 80
MOST_OF_A_LINE: Final = 1_500
_USER: Final = re.compile(r"(?i)\b(https?://)[^\s/?#]*@")
_QUERY: Final = re.compile(r"(?i)(\bhttps?://[^\s?#'\"]*)[?#][^\s'\"]+")


class Nothing:
    """Stands for a value that is absent, which is not the same as null."""

    def __repr__(self) -> str:
        """The word that an error uses."""
        return "nothing"


NOTHING: Final = Nothing()


class Told(str):
    """What came, as it is shown: told in words, or spelled as in the file."""


class PlumblineError(Exception):
    """Something the user can mend: where it is, what came, what was expected, what to do.

    Attributes:
        where: steps into the study file; or one step, a file, table, row or generation in words.
        got: what stood there or what happened, in words; "" where the rest says it.
        expected: what would be right; "" where that is plain.
        remedy: what to do, without a capital at its start or a full stop at its end.
        line: of the study file, once the error is placed in it.
        variable: the environment variable that is not set, where that is what is wrong.
        may_pass: whether the same may succeed later, with nothing mended.
    """

    line: int | None = None
    variable: str | None = None
    may_pass: bool = False

    def __init__(self, where: Where, got: Any = "", expected: str = "", remedy: str = "") -> None:
        """Keep the parts; a place in words is the one step of where."""
        super().__init__(where, got, expected, remedy)
        self.where: FieldPath = where if isinstance(where, tuple) else (where,)
        self.got, self.expected, self.remedy = got, expected, remedy

    def __str__(self) -> str:
        """One line: where, what came, what was expected, what to do."""
        came = self._came()
        pieces = (came and f"got {came}", self.expected and f"expected {self.expected}", self.remedy)
        return f"{within(self.field)}: {'; '.join(within(piece) for piece in pieces if piece)}"

    @property
    def field(self) -> str:
        """The place as a user would write it, for example measures[2].kind."""
        return field_name(self.where)

    def at(self, where: FieldPath, line: int | None = None) -> Self:
        """The same error at another place."""
        moved = copy.copy(self)
        moved.where, moved.line = where, line
        return moved

    def _came(self) -> str:
        return str(self.got)


class AuditError(PlumblineError):
    """An audit cannot be begun or go on as it is asked for; got is the problem, in a sentence."""

    def __str__(self) -> str:
        """One line, PLACE: PROBLEM. FIX."""
        fix = f" {self.remedy}{'' if self.remedy.endswith('?') else '.'}" if self.remedy else ""
        return f"{within(self.field)}: {within(self._came())}.{fix}"


class StudyError(PlumblineError):
    """The study file cannot be used; got is the value that stands in it, Told or NOTHING."""

    def _came(self) -> str:
        return shown_field(self.where, self.got if isinstance(self.got, Told) else shown(self.got))


class StudyFileError(StudyError):
    """A study file with problems; the text has one line a problem, in the order of the file.

    A variable that is not set has one line, whatever many values name it.
    """

    def __init__(self, path: Path, problems: Sequence[PlumblineError]) -> None:
        """Put the problems in the order of the file."""
        self.path = path
        self.problems = sorted(problems, key=lambda problem: problem.line or 0)
        Exception.__init__(self, path, problems)

    def __str__(self) -> str:
        """One line a problem."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        unset = Counter(problem.variable for problem in self.problems)
        for problem in self.problems:
            n = unset.pop(problem.variable, 0) if problem.variable else 1
            if n:
                place = self.path if problem.line is None else f"{self.path}:{problem.line}"
                more = "1 more value names it" if n == 2 else f"{n - 1} more values name it"
                yield f"{place}: {problem}" + (f" ({more})" if n > 1 else "")


class SourceError(PlumblineError):
    """A document, text or table that the study names cannot be read or holds nothing of use."""


class ProviderError(PlumblineError):
    """A generation cannot answer at all: its model is missing, its server unreachable, its key refused."""


class ExtractionError(PlumblineError):
    """A measure cannot be computed at all: its model is missing or is not the one expected."""


class WarehouseError(PlumblineError):
    """A warehouse file cannot be written or read."""


class TransformError(PlumblineError):
    """dbt could not compile its project, SQL could not make a table, or a test of one failed."""


class QualityError(PlumblineError):
    """The data does not satisfy an expectation that wrong numbers would follow from."""


def field_name(path: FieldPath) -> str:
    """Write a path as measures[2].kind; keys that are not plain words stand in brackets and quotes."""
    if path and isinstance(path[0], Path):
        return ": ".join([str(path[0]), *([field_name(path[1:])] if path[1:] else [])])
    text = str(path[0]) if path else "the file"
    for step in path[1:]:
        if isinstance(step, str) and step.replace("_", "a").isalnum():
            text += f".{step}"
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


def shown(value: Any) -> str:
    """A value in one short line, texts in quotes."""
    if isinstance(value, Nothing):
        return repr(value)
    return shorten(json.dumps(value, ensure_ascii=False, default=str))


def shorten(text: str) -> str:
    """At most 80 characters on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_CHARACTERS else flat[: _MOST_CHARACTERS - 3] + "..."


def within(part: str) -> str:
    """A part of an error, its lines without their middle where a file makes them longer than anybody reads."""
    end = MOST_OF_A_LINE // 3
    return "\n".join(
        line if len(line) <= MOST_OF_A_LINE else f"{line[: MOST_OF_A_LINE - end]} ... {line[-end:]}"
        for line in part.split("\n")
    )


def shown_field(path: FieldPath, text: str) -> str:
    """The value at a path of a study file in an error: nothing of it where it may be or hold a key."""
    field = next((step for step in reversed(path) if not isinstance(step, int)), "")
    is_key = field == "api_key_env" or HEADERS in path
    if is_key or (field in SECRET_FIELDS and re.search(r"[@?#]", text)):
        return MASKED
    return without_credentials(text)


def without_credentials(text: str) -> str:
    """A text with user, password and query of every address in it hidden."""
    return _QUERY.sub(rf"\1?{MASKED}", _USER.sub(rf"\1{MASKED}@", text))
