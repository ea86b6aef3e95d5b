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
"""A larger share of responses without a value, refusals apart, is reported first."""
MOST_FORMS: Final = 5
_MOST_LETTERS: Final = 80  # of a form, as in unscored_forms
_MOST_LINES: Final = 4  # of systems and measures that lost responses
_MOST_GROUPS: Final = 6  # of a grouping in such a line
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
_COUNTS: Final = ", ".join(("n_responses", "n_scored", *(f"n_{loss}" for loss in LOSSES), "n_unscored_truncated"))
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
        text: their first 80 characters; "..." follows where they go on.
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
        n_truncated: of the unscored ones, those that were cut off at max_tokens.
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
    n_truncated: int = 0

    @property
    def unread_share(self) -> float:
        """The share without a value, refusals apart; 1 where no response has a value."""
        n_without = self.n - self.n_scored - self.lost["refused"]
        return n_without / self.n if self.n_scored else float(self.n > 0)

    @property
    def is_warned(self) -> bool:
        """Whether more than WARNED_SHARE of the responses have no value, refusals apart, or none has one."""
        return self.unread_share > WARNED_SHARE


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
        n_truncated=row["n_unscored_truncated"],
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
    n_truncated = sum(one.n_truncated for one in losses)
    return losses[0]._replace(
        n=n, n_scored=n_scored, lost=lost, unscored_forms=(), undecided_forms=(), n_truncated=n_truncated
    )


def form_of(text: str) -> str:
    """Write how a text begins, as unscored_forms does: in one line, 80 characters, "..." after a longer text.

    Args:
        text: of a response.
    """
    line = " ".join(text.split())
    return f"{line[:_MOST_LETTERS]}..." if len(line) > _MOST_LETTERS else line


def scored_in_words(losses: Losses) -> str:
    """Write how many are scored: 462 of 595 (78 %) scored.

    Args:
        losses: of a system and measure.
    """
    return f"{count(losses.n_scored, losses.n)} scored"


def lost_in_words(losses: Losses) -> str:
    """Write what became of the others: 13 refused (0.8 %), 0 unscored, 0 errors.

    Of unscored ones how many were truncated: 152 unscored (17 %, 82 of them truncated).

    Args:
        losses: of a system and measure.
    """
    counts = [(n, loss) for loss in LOSSES if (n := losses.lost[loss]) or loss in _ALWAYS]
    counts.sort(key=lambda one: not one[0])  # what there is first
    return ", ".join(_lost(losses, loss, n) for n, loss in counts)


def truncated_in_words(losses: Losses) -> str:
    """Write how many of the unscored were truncated, with the remedy; '' of none: 82 of them truncated: ...

    Args:
        losses: of a system and measure.
    """
    return f"{losses.n_truncated:,} of them truncated: raise max_tokens" if losses.n_truncated else ""


def _lost(losses: Losses, loss: str, n: int) -> str:
    if not n:
        return f"0 {LOSSES[loss]}"
    is_truncated = loss == "unscored" and losses.n_truncated
    truncated = f", {losses.n_truncated:,} of them truncated" if is_truncated else ""
    return f"{n:,} {LOSSES[loss]} ({share(n, losses.n)}{truncated})"


def forms_in_words(forms: Sequence[Form], most: int = _MOST_IN_LINE) -> str:
    """Quote how responses begin, with their numbers: "Well, hm." (18), "It is up to him." (7).

    Args:
        forms: commonest first.
        most: so many of them.
    """
    return ", ".join(f'"{form.text}" ({form.n:,})' for form in forms[:most])


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


def lossy_in_words(losses: Sequence[Losses]) -> list[str]:
    """Write a line for every system and measure that lost a response, with its groups, fewest scored first.

    Args:
        losses: of losses_of.
    """
    lossy = [one for one in all_responses(losses) if one.n_scored < one.n]
    lines = [f"{_where(one)}: {scored_in_words(one)}, {lost_in_words(one)}{_by_group(one, losses)}" for one in lossy]
    more = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], *([f"{more:,} more in scored_responses"] if more > 0 else [])]


def _by_group(whole: Losses, losses: Iterable[Losses]) -> str:
    """How many are scored in every group: ; by gender: women 8 of 10 (80 %), men 10 of 10 (100 %)."""
    groups: dict[str, list[Losses]] = {}
    for one in losses:
        if one.grouping_id and (one.system_id, one.measure_id) == (whole.system_id, whole.measure_id):
            groups.setdefault(one.grouping_id, []).append(one)
    clauses = ""
    for grouping_id, rows in groups.items():
        rows.sort(key=lambda one: one.n_scored / one.n)
        more = f", {len(rows) - _MOST_GROUPS:,} more" if len(rows) > _MOST_GROUPS else ""
        counts = ", ".join(f"{one.group_id} {count(one.n_scored, one.n)}" for one in rows[:_MOST_GROUPS])
        clauses += f"; by {grouping_id}: {counts}{more}"
    return clauses


def loss_warnings(losses: Iterable[Losses]) -> list[str]:
    """Write a sentence for every system and measure with too many responses without a value, the largest share first.

    Args:
        losses: of losses_of.
    """
    warned = [one for one in all_responses(losses) if one.is_warned]
    return [_warning(one) for one in sorted(warned, key=lambda one: -one.unread_share)]


def _where(losses: Losses) -> str:
    return f"{losses.system_id}, {_named(losses.measure_id)}"


def _named(measure_id: str) -> str:
    return measure_id.replace("_", " ")


def _warning(losses: Losses) -> str:
    """Quotes are of what the sentence is about: of the kind that most responses were lost by."""
    where = _where(losses)
    kinds = sorted((loss for loss in LOSSES if losses.lost[loss]), key=lambda loss: -losses.lost[loss])
    if losses.lost["unscored"] > WARNED_SHARE * losses.n:
        n, forms = losses.lost["unscored"], losses.unscored_forms
        truncated = f" ({truncated_in_words(losses)})" if losses.n_truncated else ""
        sentence = f"{where}: {n:,} of {losses.n:,} responses ({share(n, losses.n)}) are unscored{truncated}"
    else:
        is_none = not losses.n_scored
        kinds = [loss for loss in kinds if is_none or loss != "refused"]
        n = losses.n - losses.n_scored - losses.lost["refused"]
        of = (
            "no response has a value"
            if is_none
            else f"{n:,} of {losses.n:,} responses ({share(n, losses.n)}) have no value"
        )
        counts = ", ".join(_lost(losses, loss, losses.lost[loss]) for loss in kinds)
        sentence = f"{where}: {of}" if kinds == ["other"] and not is_none else f"{where}: {of}: {counts}"
        forms = {"unscored": losses.unscored_forms, _UNDECIDED: losses.undecided_forms}.get(kinds[0], ())
    return f"{sentence}: {forms_in_words(forms)}" if forms else sentence
