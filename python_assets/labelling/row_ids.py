"""How a row of a sheet names what it is of: by hashes, which tell a rater nothing and need no list kept beside them.

A row id is `r`, 16 digits of a hash of what the row is of, and 8 of a hash of its text: r5f…-1c…. The letter keeps
spreadsheets from reading a number, the second hash tells a text that has changed since.
"""

import hashlib
import unicodedata
from typing import Final, NamedTuple

PAIR: Final = "minimal pair"  # stands where rows of answers have their measure
KEY: Final = "'r' || left(sha256(concat_ws(chr(10), {study}, {of}, {record})), 16)"  # what row_key makes, in SQL
_KEY_DIGITS: Final = 16
_TEXT_DIGITS: Final = 8
_SEPARATOR: Final = "-"
_MOST_CHARACTERS: Final = 30_000  # a cell of a spreadsheet ends at 32,767


class RowId(NamedTuple):
    """The two parts of a row id; the second is empty where there is none."""

    key: str
    text: str


def row_id(study_id: str, of: str, record: str, text: str) -> str:
    """The id of a row.

    Args:
        study_id: the study.
        of: the measure that is labelled, or PAIR.
        record: response_id, or the prompt_id of a branch.
        text: what the rater reads.
    """
    return _SEPARATOR.join((row_key(study_id, of, record), text_key(text)))


def row_key(study_id: str, of: str, record: str) -> str:
    """The part that says what the row is of; a letter stands first."""
    return "r" + hashlib.sha256("\n".join((study_id, of, record)).encode()).hexdigest()[:_KEY_DIGITS]


def text_key(text: str) -> str:
    """The part that says which text was read: its letters and digits, as spreadsheets change blanks and marks."""
    letters = filter(str.isalnum, unicodedata.normalize("NFC", text[:_MOST_CHARACTERS]))
    return hashlib.sha256("".join(letters).encode("utf-8", "replace")).hexdigest()[:_TEXT_DIGITS]


def split_row_id(written: str) -> RowId:
    """The parts of a row id as a sheet has it."""
    key, _, text = written.strip().lower().partition(_SEPARATOR)
    return RowId(key, text)
