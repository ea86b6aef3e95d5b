"""Generations compared with each other: every row of inference.system_comparisons, with q and verdict.

Belongs here: which generations, cells and measures are compared, in which sets their questions stand, and what is
said of the groups once q is known. What changed is measure_changes.py and subgroup_rates.py.

Source: inference.md 6.4 and 8.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.changes.change_rows import change_rows, joined_rows, without_value
from python_assets.infer.changes.labelled_changes import LabelledChanges
from python_assets.infer.changes.measure_changes import Exchanges, MeasureChanges
from python_assets.infer.changes.pairs_of_systems import PairFacts, SystemPair, compared_pairs, read_facts
from python_assets.infer.changes.subgroup_rates import subgroup_changes
from python_assets.infer.changes.who_moved import FEWEST_GROUPS, FEWEST_ROOT_PROMPTS
from python_assets.infer.contrasts.standing import OF_SELECTION, by_t, of_t, standing_cells, told_of_standing
from python_assets.infer.design.cells import COLUMN_KEYS, Cells
from python_assets.infer.design.design import Unit
from python_assets.infer.design.labels import read_labels
from python_assets.infer.design.read_cells import read_whole
from python_assets.infer.draws.exchange import Floats, Ints, stable_seed
from python_assets.infer.draws.flips import Flips
from python_assets.infer.formulas.looks import Look
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.formulas.verdict import RowNumbers, Verdict, VerdictReason, is_off, row_verdicts, rows_off
from python_assets.infer.options import Options, margin_of_change
from python_assets.infer.result import NOBODY_STANDS, Bools, InferenceReason, Result, first_of
from python_assets.infer.schemes.choose import orders_in_blocks
from python_assets.infer.schemes.corrected_values import with_labels
from python_assets.infer.tables import (
    ACROSS,
    ANSWERING_COMPARISONS,
    CONTROL_FIELDS,
    CORRECTED,
    DISPARITY_CHANGE,
    GENERAL_SCOPES,
    GROUPS_CHANGED,
    HYPOTHESIS,
    INTERACTION_CHANGE,
    MEAN_CHANGE,
    OF_SCORER,
    PAIR_HYPOTHESES,
    ROW_KEYS,
    SEPARATOR,
    Table,
)
from python_assets.study.base import NEGATIVE_CONTROL

_ROUND_FIELDS: Final = {
    name: name
    for name in ("value", "std_error", "ci_low", "ci_high", "studentised", "df", "p_value", "p_maxt", "p_equivalence")
}
PAIR_PLACE: Final = ROW_KEYS[:6]  # of a question of a pair
PairLayouts = list[Cells]
_POSITIONS: Final = f"""
    with units as (
        select unit_id, row_number() over (order by unit_id) - 1 as position, count(*) over () as n
        from (select distinct unit_id from raw.prompts)
    )
    select position, n
    from (
        select distinct unit_id
        from intermediate.int_prompt_groups
        anti join intermediate.int_settings using (slice_id, grouping_id)
        where slice_id = $slice_id and case
            when $grouping_id = '' then grouping_id <> '{NEGATIVE_CONTROL}' else grouping_id = $grouping_id
        end
    )
    join units using (unit_id)
    order by unit_id
"""


def pair_layouts(
    connection: duckdb.DuckDBPyConnection,
    layouts: Sequence[Cells],
    labelled: Sequence[str] = (),
    wordings: Sequence[str] = (),
) -> PairLayouts:
    """All prompts of each slice, whose mean is asked once, and the cells of its groupings but those of models.

    Args:
        connection: to the build file of one study.
        layouts: the cells of its slices and groupings. Of a part of the study: their columns of its measures, in the
            frame of all.
        labelled: measures that people gave labels of.
        wordings: factors whose levels are units that are wordings.
    """
    group_layouts = [cells for cells in layouts if not cells.is_of_models]
    return [*_whole_slices(connection, group_layouts, labelled, wordings), *group_layouts]


def compare_systems(
    connection: duckdb.DuckDBPyConnection,
    layouts: Iterable[Cells],
    reference: str | None,
    options: Options,
    measures: Collection[str] | None = None,
) -> pd.DataFrame:
    """Every row of inference.system_comparisons but for study_id, set, q and verdict.

    Beside their columns rows have std_error and p_maxt, of changes of means: of group rows, stepped down. The
    same root prompts are swapped in all of them.

    Args:
        connection: to the build file of one study, after SQL has made schema intermediate.
        layouts: of pair_layouts.
        reference: the generation or role that others are compared with; the first generation where None.
        options: what every statistic is computed with.
        measures: of a part of the study; the rows of all parts together are those of the whole. None: all.
    """
    pairs = compared_pairs(connection, reference)
    facts = read_facts(connection, pairs, measures)
    cell_tables = (
        table
        for cells in layouts
        for one in _of_cells(cells, pairs, facts, _exchanges(connection, cells, options), options)
        for table in one
    )
    return joined_rows(chain(cell_tables, subgroup_changes(connection, pairs, options, measures)))


def compare_again(
    connection: duckdb.DuckDBPyConnection,
    layouts: Sequence[Cells],
    reference: str | None,
    hypotheses: pd.DataFrame,
    options: Options,
) -> pd.DataFrame:
    """The rows of some questions of pairs once more, with other options, as compare_systems gives them.

    Args:
        connection: to the build file.
        layouts: of pair_layouts.
        reference: of compare_systems.
        hypotheses: of pair_questions.
        options: with more draws.
    """
    pairs = compared_pairs(connection, reference)
    facts = read_facts(connection, pairs, None)
    tables: list[Table] = []
    for cells in layouts:
        here = hypotheses[(hypotheses.slice_id == cells.slice_id) & (hypotheses.grouping_id == cells.grouping_id)]
        for (measure_id, calibration), requested in here.groupby(["measure_id", "calibration"], sort=True):
            wanted = [pair for pair in pairs if ACROSS.join(pair) in set(requested.system_id)]
            exchanges, measure_key = _exchanges(connection, cells, options), (str(measure_id), str(calibration))
            tables += chain.from_iterable(_of_measure(cells, measure_key, wanted, facts, exchanges, options))
    return joined_rows(tables)


def _whole_slices(
    connection: duckdb.DuckDBPyConnection, layouts: Sequence[Cells], labelled: Sequence[str], wordings: Sequence[str]
) -> Iterator[Cells]:
    """All prompts of each slice, where the mean of all cells is one number whatever they are grouped by."""
    columns_by_slice: dict[str, list[pd.DataFrame]] = {}
    for cells in layouts:
        columns_by_slice.setdefault(cells.slice_id, []).append(cells.columns)
    for slice_id, columns in columns_by_slice.items():
        every = pd.concat(columns)
        is_number = (every.statistic == "mean") & (every.parameters == "") & (every.category == "")
        is_number &= ~every.calibration.isin([CORRECTED, *OF_SCORER])
        wanted = every[is_number].drop_duplicates([*COLUMN_KEYS]).sort_values([*COLUMN_KEYS], ignore_index=True)
        if len(wanted):
            columns_of_slice = wanted.assign(column_position=np.arange(len(wanted)))
            cells = read_whole(connection, slice_id, columns_of_slice, wordings)
            yield with_labels(cells, read_labels(connection, cells, labelled), labelled) if labelled else cells


def _exchanges(connection: duckdb.DuckDBPyConnection, cells: Cells, options: Options) -> Exchanges:
    """Signs of the root prompts and orders of the cells of a slice and grouping, drawn whatever was measured."""
    layout_key = {"slice_id": cells.slice_id, "grouping_id": cells.grouping_id}
    position_rows = connection.execute(_POSITIONS, layout_key).fetchall()
    position, n_units = np.array([position for position, _ in position_rows]), position_rows[0][1]
    seed = stable_seed(options.seed, "generations swapped")

    def swaps(units: Ints) -> Flips:
        return Flips(seed, options.n_permutations, n_units, position[units], options.n_first)

    return Exchanges.of(cells.frame, swaps, orders_in_blocks(cells, options, Unit.ROOT_PROMPT).of)


def _of_cells(
    cells: Cells, pairs: Sequence[SystemPair], facts: PairFacts, exchanges: Exchanges, options: Options
) -> Iterator[Iterable[Table]]:
    """What changed in one slice and grouping, measure by measure, labels together; or a row that says why not."""
    columns = plain(cells)
    measure_keys = columns.loc[~columns.calibration.isin(OF_SCORER), ["measure_id", "calibration"]].drop_duplicates()
    for measure_key in measure_keys.sort_values(["measure_id", "calibration"]).itertuples(index=False, name=None):
        yield from _of_measure(cells, measure_key, pairs, facts, exchanges, options)


def _of_measure(
    cells: Cells,
    of: tuple[str, str],
    pairs: Sequence[SystemPair],
    facts: PairFacts,
    exchanges: Exchanges,
    options: Options,
) -> Iterator[Iterable[Table]]:
    """The same of one measure and calibration."""
    measure_id, calibration = of
    measure_columns = columns_of(cells, measure_id, calibration)
    for pair in pairs:
        keys = {
            "slice_id": cells.slice_id,
            "measure_id": measure_id,
            "calibration": calibration,
            "grouping_id": cells.grouping_id,
            "system_id": pair.own,
            "reference_system_id": pair.other,
        }
        changes = changes_of(cells, measure_columns, keys, exchanges, options)
        if changes is not None and facts.is_same_scorer(pair, measure_id):
            changes = replace(changes, is_identical=pair in facts.identical)
            yield changes.tables() if cells.grouping_id else [changes.of_mean()]
            continue
        reason = InferenceReason.SCORER_CHANGED if changes is not None else InferenceReason.NO_VALUES
        row_keys = {"comparison": GROUPS_CHANGED if cells.grouping_id else MEAN_CHANGE, "group_id": "", "category": ""}
        yield [change_rows(without_value(1, reason), missing=reason, n_root_prompts=None, **keys | row_keys)]


def plain(cells: Cells) -> pd.DataFrame:
    """The columns of means and shares of labels."""
    return cells.columns[(cells.columns.statistic == "mean") & (cells.columns.parameters == "")]


def columns_of(cells: Cells, measure_id: str, calibration: str) -> pd.DataFrame:
    """The columns of a measure that its changes are made of: of corrected values those of the instrument."""
    columns = plain(cells)
    read = "raw" if calibration == CORRECTED else calibration
    return columns[(columns.measure_id == measure_id) & (columns.calibration == read)]


def columns_of_pair(measure_columns: pd.DataFrame, keys: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """The columns of both generations of a measure, by label."""
    columns = measure_columns.groupby(["category", "system_id"]).column_position.first()
    this_system, other = keys["system_id"], keys["reference_system_id"]
    return {
        category: (columns[category, this_system], columns[category, other])
        for category in measure_columns.category.unique()
        if (category, this_system) in columns and (category, other) in columns
    }


def changes_of(
    cells: Cells, measure_columns: pd.DataFrame, keys: Mapping[str, Any], exchanges: Exchanges, options: Options
) -> MeasureChanges | None:
    """A measure of a pair, of columns_of; None where one of the two generations has no column of it."""
    pair_columns = columns_of_pair(measure_columns, keys)
    if not pair_columns:
        return None
    measure_id, kind, direction = (str(measure_columns[name].iloc[0]) for name in ("measure_id", "kind", "direction"))
    margin = margin_of_change(options.margins, measure_id, direction, kind)
    if keys["calibration"] != CORRECTED:
        return MeasureChanges(cells, pair_columns, kind, keys, exchanges=exchanges, options=options, margin=margin)
    both_systems = (keys["system_id"], keys["reference_system_id"])
    labelled = [cells.labels.get((one, measure_id, CORRECTED)) for one in both_systems]
    this_cells, other = (None if one is None else one.of_cells for one in labelled)
    return LabelledChanges(
        cells, pair_columns, kind, keys, exchanges=exchanges, options=options, margin=margin, labels=(this_cells, other)
    )


def pair_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """The questions of every pair, as rows of questions, to be corrected with those of groups."""
    pair_rows = rows[rows.comparison.isin(PAIR_HYPOTHESES)]
    findings = {name: pair_rows[name].where(pair_rows.p_value.notna()) for name in CONTROL_FIELDS if name in pair_rows}
    this_system, other = pair_rows.system_id, pair_rows.reference_system_id
    columns = [
        *("slice_id", "measure_id", "calibration", "grouping_id", "comparison"),
        *("p_value", "p_by_t", "n_draws", "is_permuted", "n_root_prompts", "n_units", "scope", "inference_reason"),
    ]
    return (
        pair_rows[columns]
        .rename(columns={"comparison": "statistic"})
        .assign(
            system_id=this_system + ACROSS + other,
            own_system_id=this_system,
            reference_system_id=other,
            parameters="",
            n_groups=0,
            method=None,
            is_observed=pair_rows.reason != InferenceReason.NO_VALUES,
            **findings,
        )
    )


def with_levels_of_pairs(rows: pd.DataFrame, hypotheses: pd.DataFrame, look: Look) -> pd.DataFrame:
    """Add family_id, q_value and is_significant: of mean_change and of the groups of groups_changed.

    Args:
        rows: of compare_systems.
        hypotheses: of with_levels, those of pair_questions among them.
        look: what q is held against, and what was called before.

    Returns:
        Groups are significant by q alone: which interval they are told by is known once it is who moved.
    """
    pair_levels = hypotheses[hypotheses.statistic.isin(PAIR_HYPOTHESES)].set_index(HYPOTHESIS)[["family_id", "q_value"]]
    is_group = rows.comparison.isin(ANSWERING_COMPARISONS).to_numpy()
    row_levels = pair_levels.reindex(pd.MultiIndex.from_frame(as_hypotheses(rows)[HYPOTHESIS])).reset_index(drop=True)
    q = row_levels.q_value.to_numpy(dtype=float, copy=True)
    for family_id in row_levels.family_id.dropna().unique():
        member = np.flatnonzero(is_group & (row_levels.family_id == family_id).to_numpy())
        ordered = np.sort(hypotheses.p_value[hypotheses.family_id == family_id].dropna().to_numpy(dtype=float))
        q[member] = group_levels(rows.p_maxt.to_numpy(dtype=float)[member], q[member], ordered)
    is_hypothesis = rows.comparison.isin(PAIR_HYPOTHESES).to_numpy()
    has_set = is_group | is_hypothesis
    may_call = has_set & (is_group | rows_off(rows))
    return rows.assign(
        family_id=row_levels.family_id.where(has_set, None),
        q_value=np.where(has_set, q, np.nan),
        is_significant=~np.isnan(look.significant_at("system_comparisons", rows, q, may=may_call)) & has_set,
    )


def pairs_as_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that answer questions of pairs, with their keys; significant where the interval is off no change too."""
    answers = rows[rows.comparison.isin(ANSWERING_COMPARISONS) | (rows.comparison == MEAN_CHANGE)]
    is_significant = answers.is_significant.to_numpy(dtype=bool) & rows_off(answers)
    return as_hypotheses(answers).assign(is_significant=is_significant)


def with_significance_of_pairs(rows: pd.DataFrame, hypotheses: pd.DataFrame) -> pd.DataFrame:
    """Rows of questions are significant where these are.

    Args:
        rows: of with_levels_of_pairs.
        hypotheses: of with_significance, those of pair_questions among them.
    """
    keys = pd.MultiIndex.from_frame(as_hypotheses(rows)[HYPOTHESIS])
    hypothesis_is_significant = hypotheses.set_index(HYPOTHESIS).is_significant.reindex(keys).eq(True).to_numpy()
    is_hypothesis = rows.comparison.isin(PAIR_HYPOTHESES).to_numpy()
    return rows.assign(
        is_significant=np.where(is_hypothesis, hypothesis_is_significant, rows.is_significant).astype(bool)
    )


def as_hypotheses(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the key of the question that they are, or that their group answers."""
    return rows.assign(
        system_id=rows.system_id + ACROSS + rows.reference_system_id,
        statistic=rows.comparison.where(~rows.comparison.isin(ANSWERING_COMPARISONS), GROUPS_CHANGED),
        parameters="",
    )


def pairs_by_t(rows: pd.DataFrame, asked: pd.MultiIndex) -> pd.DataFrame:
    """Rows of crossings with p of t, of some questions: no flip of their root prompts could be called in their set."""
    is_cell = (rows.comparison == INTERACTION_CHANGE) & rows.p_maxt.notna()
    is_hypothesis = (rows.comparison == GROUPS_CHANGED) & rows.p_by_t.notna()
    where = (is_cell | is_hypothesis) & pd.MultiIndex.from_frame(as_hypotheses(rows)[HYPOTHESIS]).isin(asked)
    values = {**of_t(rows), "p_maxt": rows.p_by_t}
    p = np.where(is_hypothesis, rows.p_by_t, values["p_value"])
    return by_t(rows, where, values | {"p_value": p, "is_permuted": False})


def with_who_moved(
    connection: duckdb.DuckDBPyConnection,
    layouts: Mapping[tuple[str, str], Cells],
    rows: pd.DataFrame,
    ordered: Mapping[str, Floats],
    options: Options,
) -> pd.DataFrame:
    """Add what each group changed by against those that stay, and which groups stand.

    Args:
        connection: to the build file.
        layouts: the cells of compare_systems, by slice and grouping.
        rows: of with_levels_of_pairs.
        ordered: p of the questions of each set, ascending.
        options: what the rows were computed with.

    Returns:
        Rows with value_alone and its interval or reason_alone, value_without, explained_by, p_equivalence of
        what is told, and stands, which is false where nobody can.

    Source: inference.md 8.
    """
    rows = rows.reset_index(drop=True)
    alone_columns = _told_alike(rows)
    group_rows = rows[rows.comparison == DISPARITY_CHANGE]
    places = group_rows.groupby(PAIR_PLACE, sort=False).indices
    significant = rows[(rows.comparison == GROUPS_CHANGED) & rows.is_significant]
    for (slice_id, grouping_id), hypotheses in significant.groupby(["slice_id", "grouping_id"], sort=False):
        again = _Again(connection, layouts[str(slice_id), str(grouping_id)], options)
        for hypothesis in hypotheses.to_dict("records"):
            at = group_rows.index[places[tuple(hypothesis[name] for name in PAIR_PLACE)]]
            if alone_columns.value_alone[at].isna().all():
                continue
            changes = again.changes(hypothesis)
            alone_columns.loc[at] = _told(rows.loc[at], hypothesis, changes, ordered[hypothesis["family_id"]], options)
    rows = rows.assign(**{str(name): column for name, column in alone_columns.items()})
    return _with_cells_that_moved(connection, layouts, rows, ordered, options)


class _Again:
    """Questions of one slice and grouping that are called, once more; what is drawn is the same for all of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, cells: Cells, options: Options) -> None:
        self._connection, self._cells, self._options = connection, cells, options
        self._exchanges: dict[int, Exchanges] = {}

    def changes(self, hypothesis: Mapping[Hashable, Any]) -> MeasureChanges:
        """What changed; a question that was drawn on is asked in each round by as many draws."""
        n = max(self._options.n_permutations, int(np.nan_to_num(hypothesis["n_draws"])))
        more = self._options._replace(n_permutations=n)
        if n not in self._exchanges:
            self._exchanges = {n: _exchanges(self._connection, self._cells, more)}
        columns = columns_of(self._cells, hypothesis["measure_id"], hypothesis["calibration"])
        keys = {name: hypothesis[name] for name in PAIR_PLACE}
        changes = changes_of(self._cells, columns, keys, self._exchanges[n], more)
        if changes is None:
            raise ValueError("a question is called of generations without values")
        return changes


def _with_cells_that_moved(
    connection: duckdb.DuckDBPyConnection,
    layouts: Mapping[tuple[str, str], Cells],
    rows: pd.DataFrame,
    ordered: Mapping[str, Floats],
    options: Options,
) -> pd.DataFrame:
    """Say which cells of crossings moved by more than their parts make of them, when larger ones are taken out.

    Source: inference.md 6.10.
    """
    beyond = rows[(rows.comparison == INTERACTION_CHANGE) & rows.p_maxt.notna()]
    places = beyond.groupby(PAIR_PLACE, sort=False).indices
    significant = rows[(rows.comparison == GROUPS_CHANGED) & rows.is_significant]
    for hypothesis in significant.to_dict("records"):
        key = tuple(hypothesis[name] for name in PAIR_PLACE)
        if key not in places:
            continue
        cell_rows = beyond.iloc[places[key]]
        cells = layouts[hypothesis["slice_id"], hypothesis["grouping_id"]]
        if cells.asks_of_parts is None:
            raise ValueError("cells stand of a grouping that has no parts")
        changes = _Again(connection, cells, options).changes(hypothesis)
        updated_rows = _cells_told(
            cell_rows, hypothesis, changes, cells.asks_of_parts, ordered[hypothesis["family_id"]], options
        )
        rows.loc[updated_rows.index, updated_rows.columns] = updated_rows
    return rows


def _cells_told(
    rows: pd.DataFrame,
    hypothesis: Mapping[Hashable, Any],
    changes: MeasureChanges,
    parts: Ints,
    of_set: Floats,
    options: Options,
) -> pd.DataFrame:
    """What is told of the cells of one crossing whose question is called: columns of rows."""

    def q_of(p: Floats) -> Floats:
        return group_levels(p, hypothesis["q_value"], of_set)

    is_of_t = not rows.n_draws.notna().any()

    def test(without: Collection[int]) -> Result:
        tested = changes.interaction(parts, without).result
        return tested._replace(p_maxt=tested.p_by_t) if is_of_t and not np.isnan(tested.p_by_t).all() else tested

    standing = standing_cells(test, lambda p: np.asarray(q_of(p) <= options.alpha))
    at = rows.category.map([*changes.columns].index), rows.group_id.map(changes.cells.group_ids.index)
    columns = [
        *_ROUND_FIELDS,
        "q_value",
        "is_significant",
        "value_without",
        "explained_by",
        "without_groups",
        "mirror_of",
        *OF_SELECTION,
        "value_a",
        "value_b",
    ]
    cell_rows = told_of_standing(
        rows[columns],
        standing,
        (at[0].to_numpy(), at[1].to_numpy()),
        changes.cells.group_ids,
        of_round=_ROUND_FIELDS,
        q_of=q_of,
        alpha=options.alpha,
    )
    # both sides are of all cells together
    is_later = (cell_rows.selected_reason == InferenceReason.DIFFERS_LATER).to_numpy()
    return cell_rows.assign(**{name: cell_rows[name].where(~is_later) for name in ("value_a", "value_b")})


def _told_alike(rows: pd.DataFrame) -> pd.DataFrame:
    """What is told of groups where nobody is taken out: the change against all others, or why it is not that."""
    is_group = rows.comparison == DISPARITY_CHANGE
    is_tested = is_group & rows.q_value.notna()
    tested = rows[is_tested].groupby(PAIR_PLACE, sort=False)
    n_groups = tested.group_id.transform("nunique").reindex(rows.index)
    n_units = tested.n_units.transform("max").fillna(tested.n_root_prompts.transform("max")).reindex(rows.index)
    conditions = [is_group & ~is_tested, n_units < FEWEST_ROOT_PROMPTS, n_groups < FEWEST_GROUPS]
    reason = first_of(
        [condition.to_numpy(dtype=bool) for condition in conditions],
        [rows.inference_reason, InferenceReason.TOO_FEW_ROOT_PROMPTS, InferenceReason.NO_MAJORITY_STAYS],
    )
    is_alone = is_tested & pd.isna(reason)
    return pd.DataFrame(
        {
            "value_alone": rows.value.where(is_alone),
            "ci_low_alone": rows.ci_low.where(is_alone),
            "ci_high_alone": rows.ci_high.where(is_alone),
            "reason_alone": reason,
            "value_without": np.nan,
            "explained_by": np.full(len(rows), None, dtype=object),
            "without_groups": np.full(len(rows), None, dtype=object),
            "p_equivalence": rows.p_equivalence,
            "differs_on_its_own": False,
        }
    )


def _told(
    rows: pd.DataFrame, hypothesis: Mapping[Hashable, Any], changes: MeasureChanges, of_set: Floats, options: Options
) -> pd.DataFrame:
    """The same of a question that is called: the groups that moved most are taken out, and the others held together."""

    def is_significant(p: Floats) -> Bools:
        return np.asarray(group_levels(p, hypothesis["q_value"], of_set) <= options.alpha)

    named = rows[rows.is_significant]
    stays = [*zip(named.group_id, named.category, strict=True)]
    keys, moved = changes.who_moved(is_significant, stays, rows)
    at = pd.MultiIndex.from_arrays([*keys.values()]).get_indexer(pd.MultiIndex.from_frame(rows[[*keys]]))
    alone_columns = _told_alike(rows)
    if moved.alone is None:
        reason = alone_columns.reason_alone.where(rows.q_value.isna(), str(InferenceReason.NO_MAJORITY_STAYS))
        return alone_columns.assign(value_alone=np.nan, ci_low_alone=np.nan, ci_high_alone=np.nan, reason_alone=reason)
    names = [changes.cells.group_ids[group] for group in sorted(moved.groups)]
    is_tested, is_significant_first = rows.q_value.notna(), rows.is_significant
    differs_on_its_own = moved.differs_on_its_own[at] | (is_significant_first & rows.group_id.isin(names))
    is_because = is_significant_first & ~differs_on_its_own & bool(names)
    because = pd.Series(SEPARATOR.join(names), index=rows.index, dtype=object)
    alone = {
        f"{name}_alone": pd.Series(getattr(moved.alone, name)[at], index=rows.index).where(is_tested)
        for name in ("value", "ci_low", "ci_high")
    }
    has_none = is_tested & alone["value_alone"].isna()  # no group that stays is on its prompts
    return alone_columns.assign(
        **alone,
        reason_alone=alone_columns.reason_alone.mask(has_none, str(InferenceReason.NO_SHARED_BLOCK)),
        value_without=alone["value_alone"].where(is_because),
        explained_by=because.where(is_because, None),
        p_equivalence=np.where(is_tested, moved.alone.p_equivalence[at], np.nan),
        differs_on_its_own=differs_on_its_own,
        inference_reason=rows.inference_reason.where(
            rows.inference_reason.notna() | ~is_tested, moved.alone.reason[at]
        ),
    )


def changes_as_contrasts(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of groups of with_who_moved, with the key of their question and what is told of them."""
    group_rows = as_hypotheses(rows[rows.comparison.isin(ANSWERING_COMPARISONS)])
    return group_rows.assign(contrast=group_rows.comparison, reference="")


def shown_groups(rows: pd.DataFrame) -> Bools:
    """Whether groups of with_who_moved stand, or are called where nobody can stand."""
    is_of_first = rows.reason_alone.isin(NOBODY_STANDS)
    moved: Bools = np.where(is_of_first, rows.is_significant, rows.differs_on_its_own.to_numpy(dtype=bool)).astype(bool)
    return moved


def with_verdicts_of_pairs(rows: pd.DataFrame, q_equivalence: Floats, look: Look) -> pd.DataFrame:
    """Put the verdict of the groups, and what an equivalence rests on, beside those of their questions.

    Args:
        rows: of with_who_moved.
        q_equivalence: of each of changes_as_contrasts, adjusted; NaN without a margin.
        look: its level, and the verdicts of looks before.
    """
    is_group = rows.comparison.isin(ANSWERING_COMPARISONS).to_numpy()
    is_hypothesis = rows.comparison.isin(PAIR_HYPOTHESES).to_numpy()
    is_alone = is_group & ~(rows.reason_alone.isin(NOBODY_STANDS) | (rows.comparison == INTERACTION_CHANGE)).to_numpy()
    low, high = (np.where(is_alone, rows[f"{side}_alone"], rows[side]).astype(float) for side in ("ci_low", "ci_high"))
    margin, q_inside = rows.margin.to_numpy(dtype=float), np.full(len(rows), np.nan)
    q_inside[is_group] = q_equivalence
    # never beyond by a p of the margin: the whole interval lies there
    is_beyond = np.where((low > margin) | (high < -margin), 0.0, 1.0)
    shown, explained = shown_groups(rows) | ~is_group, rows.explained_by.notna().to_numpy()
    # what rounds or an earlier look say goes before q of the first round, what became of a question before its q
    q, is_significant_by_now = (
        rows.q_value.to_numpy(dtype=float),
        rows.is_significant.to_numpy(dtype=bool) | (shown & is_group),
    )
    numbers = RowNumbers(
        np.where(is_significant_by_now & ~np.isnan(q), 0.0, np.where(is_hypothesis, np.maximum(q, 1.0), q)),
        low,
        high,
        np.where(np.isnan(margin) | ~is_group, np.nan, is_beyond),
        q_inside,
        is_wide=rows.scope.isin(GENERAL_SCOPES).to_numpy(),
        explained=explained,
        is_settled=shown,
        q_permuted=rows.q_permuted.to_numpy(dtype=float),
    )
    judged = row_verdicts(numbers, look.level)
    may = (is_off(low, high) & (shown | explained)) | is_hypothesis
    significant_at = look.significant_at("system_comparisons", rows, numbers.q, may=may)
    # a group that moves only because of others by now stands no more
    last_verdict = np.where(explained, judged.verdict, look.held("system_comparisons", rows, judged.verdict))
    is_told = (rows.inference_reason == InferenceReason.TOLD_BY_PARTS).to_numpy()
    has_verdict = is_hypothesis | (is_group & ~is_told)
    is_open = has_verdict & (last_verdict == Verdict.INCONCLUSIVE)
    # a hypothesis with a small q is open where its only row has an interval that holds 0
    holds_zero = is_hypothesis & (q <= look.level)
    return rows.assign(
        significant_at_look=np.where(is_group | is_hypothesis, significant_at, np.nan),
        verdict=first_of([has_verdict], [last_verdict]),
        verdict_reason=first_of([is_open & holds_zero, is_open], [VerdictReason.INTERVAL_HOLDS_ZERO, judged.reason]),
        q_equivalence=q_inside,
    )
