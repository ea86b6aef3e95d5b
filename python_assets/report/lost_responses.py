"""What page one says of the responses: how many are scored, and what became of the others.

Belongs here: which rows the page shows. Counts and words are published/losses.py.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from python_assets.published.losses import (
    LOSSES,
    MOST_FORMS,
    Form,
    Losses,
    all_responses,
    forms_in_words,
    loss_warnings,
    losses_of,
    responses_in_words,
    truncated_in_words,
)
from python_assets.published.plain_numbers import count
from python_assets.report.reader import Reader

MOST_QUOTED: Final = 3  # systems and measures whose forms are quoted unfolded
MAX_GROUP_ROWS: Final = 200


class Quoted(NamedTuple):
    """How the responses of a system without a value in a measure begin.

    Attributes:
        system_id: the system.
        measure: the measure, in words.
        unscored: number and commonest beginnings of unscored responses, '' where there is none.
        undecided: number and commonest beginnings of undecided responses, '' where there is none.
    """

    system_id: str
    measure: str
    unscored: str
    undecided: str


class LostResponses(NamedTuple):
    """The line on the responses of a study, and what stands below it.

    Attributes:
        warnings: a sentence for every system and measure with too many unscored responses.
        line: how many are scored, and what became of the others; '' of a study without a measure of its own.
        quoted: how responses without a value begin, of systems and measures that have such, the most of them first.
        kinds: the words of every kind of loss that occurs, by its name.
        rows: every system and measure that lost a response, of all responses and by group.
        n_rows: how many they are; those beyond MAX_GROUP_ROWS are not shown.
    """

    warnings: list[str]
    line: str
    quoted: list[Quoted]
    kinds: dict[str, str]
    rows: list[Losses]
    n_rows: int


def lost_responses(reader: Reader) -> LostResponses:
    """Read what became of the responses of a study.

    Args:
        reader: the study.
    """
    losses = losses_of(reader.connection, reader.study_id)
    whole = all_responses(losses)
    lossy = {(one.system_id, one.measure_id) for one in whole if one.n_scored < one.n}
    rows = [one for one in losses if (one.system_id, one.measure_id) in lossy]
    rows.sort(
        key=lambda one: (
            *(one.measure_id, one.system_id, one.grouping_id),
            reader.group_order(one.grouping_id, one.group_id),
        )
    )
    most_first = sorted(whole, key=lambda one: -(one.lost["unscored"] + one.lost["undecided"]) / one.n)
    return LostResponses(
        warnings=loss_warnings(losses),
        line=responses_in_words(losses),
        quoted=[_quoted(one) for one in most_first if one.lost["unscored"] or one.lost["undecided"]],
        kinds={loss: words for loss, words in LOSSES.items() if any(one.lost[loss] for one in whole)},
        rows=rows[:MAX_GROUP_ROWS],
        n_rows=len(rows),
    )


def _quoted(one: Losses) -> Quoted:
    return Quoted(
        system_id=one.system_id,
        measure=one.measure_id.replace("_", " "),
        unscored=_quotes(one, "unscored", one.unscored_forms),
        undecided=_quotes(one, "undecided", one.undecided_forms),
    )


def _quotes(one: Losses, loss: str, forms: Sequence[Form]) -> str:
    if not (n := one.lost[loss]):
        return ""
    truncated = truncated_in_words(one) if loss == "unscored" else ""
    words = f"{count(n, one.n)}{f', {truncated}' if truncated else ''}"
    return f"{words}: {forms_in_words(forms, MOST_FORMS)}" if forms else words
