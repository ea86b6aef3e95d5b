"""What became of the responses of a study, in numbers and in words: scored, refused, undecided, unscored, failed.

Belongs here: reading marts scored_responses and unscored_forms, and the words of every place that shows them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.published.hidden_texts import HIDDEN
from python_assets.published.plain_numbers import count, share
from python_assets.study.base import UNDECIDED
from python_assets.warehouse.build import rows_of

Row = Mapping[str, Any]

WARNED_SHARE: Final = 0.1
"""A larger share of unscored responses is said first."""
MOST_FORMS: Final = 5
_MOST_LETTERS: Final = 80  # of a form, as unscored_forms has it
_CUT: Final = {True: "...", False: ""}
_MOST_IN_LINE: Final = 3  # forms in a sentence, measures in a line
LOSSES: Final[Mapping[str, str]] = {
    "refused": "refused",
    "undecided": "undecided",
    "unscored": "unscored",
    "empty": "empty",
    "failed": "errors",
    "other": "without a value for another reason",
}
"""Every way in which a response has no value, with its words."""
_ALWAYS: Final = ("unscored", "failed")  # a 0 of these is said, too
_COUNTS: Final = ", ".join(("n_responses", "n_scored", *(f"n_{loss}" for loss in LOSSES)))
SCORED: Final = f"""
    select system_id, measure_id, grouping_id, group_id, {_COUNTS}
    from scored_responses
    where study_id = $study
    order by system_id, measure_id, grouping_id, group_id
"""
# of a study that hides its texts none is quoted, whoever reads
FORMS: Final = """
    select system_id, measure_id, reason, form, n_responses
    from unscored_forms
    inner join studies using (study_id)
    where study_id = $study
        and json_extract_string(config_json, '$.report.hide_texts') is distinct from 'true'
    order by system_id, measure_id, reason = 'undecided', position
"""
_UNDECIDED: Final = UNDECIDED.removeprefix("_")


class Form(NamedTuple):
    """How several responses without a value begin.

    Attributes:
        text: their first 80 characters at most.
        reason: undecided, or why the scorer has no value.
        n: how many begin so.
    """

    text: str
    reason: str
    n: int


class Losses(NamedTuple):
    """What became of the responses of a system in a measure.

    Attributes:
        system_id: the system.
        measure_id: a measure that the study declares.
        group_id: the group; '' of all responses.
        grouping_id: the grouping that it is a group of; '' of all responses.
        n: responses that were requested.
        n_scored: responses with a value.
        lost: the number of every kind of LOSSES; with n_scored they add up to n.
        unscored_forms: the commonest beginnings of unscored responses, of all responses only.
        undecided_forms: the commonest beginnings of undecided responses, of all responses only.
    """

    system_id: str
    measure_id: str
    grouping_id: str
    group_id: str
    n: int
    n_scored: int
    lost: Mapping[str, int]
    unscored_forms: Sequence[Form] = ()
    undecided_forms: Sequence[Form] = ()

    @property
    def is_warned(self) -> bool:
        """Whether more than WARNED_SHARE of the responses are unscored, or none has a value."""
        return self.lost["unscored"] > WARNED_SHARE * self.n or (self.n > 0 and not self.n_scored)


def losses_of(connection: duckdb.DuckDBPyConnection, study_id: str) -> list[Losses]:
    """Read what became of the responses of every system in every measure, of all responses and by group.

    Args:
        connection: to the published database, or to tables of it.
        study_id: a study in it.

    Returns:
        By system, measure, grouping and group; of all responses where group_id is ''.
    """
    scored, forms = (rows_of(connection, query, {"study": study_id}) for query in (SCORED, FORMS))
    return losses_from(scored, forms)


def losses_from(scored: Iterable[Row], quoted: Iterable[Row]) -> list[Losses]:
    """Make losses of the rows of both queries, as losses_of.

    Args:
        scored: of SCORED.
        quoted: of FORMS.
    """
    forms: dict[tuple[str, str], list[Form]] = {}
    for row in quoted:
        if row["form"] != HIDDEN:
            form = Form(row["form"], row["reason"], row["n_responses"])
            forms.setdefault((row["system_id"], row["measure_id"]), []).append(form)
    return [_losses(row, forms) for row in scored]


def _losses(row: Row, forms: Mapping[tuple[str, str], list[Form]]) -> Losses:
    all_forms = [] if row["group_id"] else forms.get((row["system_id"], row["measure_id"]), [])
    return Losses(
        system_id=row["system_id"],
        measure_id=row["measure_id"],
        grouping_id=row["grouping_id"],
        group_id=row["group_id"],
        n=row["n_responses"],
        n_scored=row["n_scored"],
        lost={loss: row[f"n_{loss}"] for loss in LOSSES},
        unscored_forms=[form for form in all_forms if form.reason != _UNDECIDED],
        undecided_forms=[form for form in all_forms if form.reason == _UNDECIDED],
    )


def all_responses(losses: Iterable[Losses]) -> list[Losses]:
    """Keep the rows of all responses.

    Args:
        losses: of losses_of.
    """
    return [one for one in losses if not one.grouping_id]


def added(losses: Sequence[Losses]) -> Losses:
    """Add up the counts of several systems or measures, under the names of the first.

    Args:
        losses: at least one.
    """
    lost = {loss: sum(one.lost[loss] for one in losses) for loss in LOSSES}
    n, n_scored = sum(one.n for one in losses), sum(one.n_scored for one in losses)
    return losses[0]._replace(n=n, n_scored=n_scored, lost=lost, unscored_forms=(), undecided_forms=())


def scored_in_words(losses: Losses) -> str:
    """Write how many are scored: 462 of 595 (78 %) scored.

    Args:
        losses: of a system and measure.
    """
    return f"{count(losses.n_scored, losses.n)} scored"


def lost_in_words(losses: Losses) -> str:
    """Write what became of the others: 13 refused (0.8 %), 0 unscored, 0 errors.

    Args:
        losses: of a system and measure.
    """
    counts = [(n, words) for loss, words in LOSSES.items() if (n := losses.lost[loss]) or loss in _ALWAYS]
    counts.sort(key=lambda one: not one[0])  # what there is first
    return ", ".join(f"{n:,} {words}{f' ({share(n, losses.n)})' if n else ''}" for n, words in counts)


def forms_in_words(forms: Sequence[Form], most: int = _MOST_IN_LINE) -> str:
    """Quote how responses begin, with their numbers: "Well, hm." (18), "It is up to him." (7).

    Args:
        forms: commonest first.
        most: so many of them.
    """
    return ", ".join(f'"{form.text}{_CUT[len(form.text) == _MOST_LETTERS]}" ({form.n:,})' for form in forms[:most])


def responses_in_words(losses: Iterable[Losses]) -> str:
    """Write the line on the responses of a study: measures that lost as many share a clause.

    Args:
        losses: of losses_of; systems are added up.

    Returns:
        '' where the study declares no measure.
    """
    by_measure: dict[str, list[Losses]] = {}
    for one in all_responses(losses):
        by_measure.setdefault(one.measure_id, []).append(one)
    clauses: dict[str, list[str]] = {}
    for measure_id, systems in by_measure.items():
        whole = added(systems)
        clauses.setdefault(f"{scored_in_words(whole)}, {lost_in_words(whole)}", []).append(_named(measure_id))
    if len(clauses) < 2:
        return "".join(clauses)
    named = [f"{', '.join(measures)}: {clause}" for clause, measures in clauses.items()]
    more = [f"{len(named) - _MOST_IN_LINE:,} more in scored_responses"] if len(named) > _MOST_IN_LINE else []
    return " | ".join([*named[:_MOST_IN_LINE], *more])


def loss_warnings(losses: Iterable[Losses]) -> list[str]:
    """Write a sentence for every system and measure with too many unscored responses, the largest share first.

    Args:
        losses: of losses_of.
    """
    warned = [one for one in all_responses(losses) if one.is_warned]
    return [_warning(one) for one in sorted(warned, key=lambda one: -one.lost["unscored"] / one.n)]


def _named(measure_id: str) -> str:
    return measure_id.replace("_", " ")


def _warning(losses: Losses) -> str:
    """Quotes are of what the sentence is about: where every response is undecided, of these."""
    where = f"{losses.system_id}, {_named(losses.measure_id)}"
    if losses.lost["unscored"] > WARNED_SHARE * losses.n:
        n = losses.lost["unscored"]
        sentence = f"{where}: {n:,} of {losses.n:,} responses ({share(n, losses.n)}) are unscored"
        forms = losses.unscored_forms
    else:
        sentence = f"{where}: no response has a value: {lost_in_words(losses)}"
        forms = losses.undecided_forms
    return f"{sentence}: {forms_in_words(forms)}" if forms else sentence
