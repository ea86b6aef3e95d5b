"""Inference of one study: cells in, null, p, interval, q and verdict of every number out.

Belongs here: six functions with tables between. A part of a study, which holds some of its measures, gives first rows
and p; all together get sets and say which questions need more draws; the parts draw again; all get q; the parts look
a last time at the groups that are called; all get verdicts.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.changes.infer_changes import (
    as_hypotheses,
    changes_as_contrasts,
    pair_questions,
    pairs_as_answers,
    with_levels_of_pairs,
    with_significance_of_pairs,
    with_verdicts_of_pairs,
)
from python_assets.infer.chunk import Chunk, Frames, united, with_t_where_flips_are_few
from python_assets.infer.chunks.chunks import Chunks, Here
from python_assets.infer.design.cells import MIXED_UNITS
from python_assets.infer.design.read_cells import with_held_factors
from python_assets.infer.design.repeated_controls import tested_once
from python_assets.infer.design.wording import MODEL_SETTINGS, with_wording
from python_assets.infer.formulas.looks import Look, only_look
from python_assets.infer.formulas.selected import with_selected_sizes, with_weights
from python_assets.infer.formulas.verdict import (
    POWER,
    Verdict,
    VerdictReason,
    is_off,
    n_needed,
    numbers_of_contrasts,
    numbers_of_metrics,
    q_of_metrics,
    row_verdicts,
    verdicts_with_missing,
)
from python_assets.infer.hypotheses import (
    Families,
    adjusted_margin,
    families_of,
    permuted_levels,
    with_families,
    with_levels,
    with_parts,
    with_significance,
    with_verdicts,
)
from python_assets.infer.options import MOST_PERMUTATIONS, Margins, Options, margin_origins, options_of
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.tables import (
    ANSWERING_COMPARISONS,
    CONTROL_FIELDS,
    DIFFERENCES,
    GROUPS_CHANGED,
    HEADLINE,
    HYPOTHESIS,
    LOG_DISPARITY,
    PAIR_SIDES,
    ROW_KEYS,
    SIZES,
    TABLES,
    Place,
    write_tables,
)
from python_assets.study.analysis import Power
from python_assets.study.base import ALL_PROMPTS
from python_assets.study.study import Study
from python_assets.warehouse.progress import SILENT, Progress

OF_MARGIN: Final = "margin"
OF_EFFECT: Final = "effect"
_NO_EFFECT: Final = "no_effect_declared"
_NO_SPREAD: Final = "spread_unknown"
ENOUGH: Final = "enough_root_prompts"
_OF_WORDINGS: Final = "wordings_are_units"
_LOOKED_AT: Final = ("contrasts", "hypotheses", "system_comparisons")
_MEASURE_SLICES: Final = "select measure_id, slice_id from raw.measure_slices order by all"
_OF_MODELS: Final = """
    select distinct grouping_id
    from raw.groupings join intermediate.int_model_factors using (study_id, factor)
"""
_MIXES_UNITS: Final = f"""
    select count(*) > 0 from intermediate.int_prompt_groups
    where slice_id = '{ALL_PROMPTS}' and scheme = '{MIXED_UNITS}'
"""
PowerRows = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


class InferenceCounts(NamedTuple):
    """Rows written, and how many of them have a p or an interval."""

    n_contrasts: int
    n_disparities: int
    n_summary_statistics: int
    n_tested: int
    n_not_tested: int


def infer_study(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    power_rows: PowerRows | None = None,
    progress: Progress = SILENT,
    chunks: Chunks | None = None,
    declared: pd.DataFrame | None = None,
    look: Look | None = None,
    corrects: Collection[str] | None = None,
) -> InferenceCounts:
    """Read the cells of a build file and write schema inference, in one transaction.

    Args:
        connection: to the build file of one study, after SQL has made schema intermediate.
        study: what it declares.
        power_rows: from all contrasts and comparisons of generations to the rows of design_power, without
            study_id.
        progress: is told how many draws are done.
        chunks: that the measures of the study lie in; where None one of all of them, in this process.
        declared: questions that are accounted for whether anything was observed of them or not, with HYPOTHESIS
            and PAIR_SIDES; those that were observed alone where None.
        look: that is taken; the only one where None.
        corrects: measures whose corrected values may be asked in the place of raw ones where the study leaves it open;
            all where None.

    Returns:
        How many rows came of it. The same cells give the same digits, whatever their order and the number of
        cores.

    Raises:
        ValueError: the file holds cells of several studies, or cells that contradict each other.

    Source: inference.md 1, 2 and 6; tables as architecture.md section 3.
    """
    look = look or only_look(study)
    options = options_of(study, look.level)
    chunks = chunks or Here(connection, study, progress, look.level)
    tables, corrected = _first_rows(chunks)
    tables = tested_once(connection, tables)
    if "hypotheses" in tables:
        corrected = {setting for setting in corrected if corrects is None or setting[-1] in corrects}
        families = _families(connection, study)._replace(corrected=corrected)
        tables = _hypotheses_in_families(tables, families, declared, options.alpha)
        for hypotheses, longer in _short_of_draws(tables["hypotheses"], options):
            n_draws = longer.n_permutations
            progress.say(f"{len(hypotheses):,} questions are at the smallest p there is: {n_draws:,} draws of each")
            again = chunks.each(partial(_again, options=longer), {"hypotheses": hypotheses})
            tables = _replaced(tables, united(again))
        tables = _with_levels(tables, look)
        ordered = {
            str(name): np.sort(family_rows.p_value.dropna().to_numpy())
            for name, family_rows in tables["hypotheses"].groupby("family_id")
        }
        tables |= united(chunks.each(partial(_last, ordered=ordered), {name: tables[name] for name in _LOOKED_AT}))
        tables = _with_permuted_levels(tables)
        tables = _with_verdicts(_with_margin_origins(tables, study.declared_margins), look, study.power)
    elif declared is not None and len(declared):
        unobserved = with_families(_unobserved(declared, declared.iloc[:0]), _families(connection, study))
        tables["hypotheses"] = _as_published(
            unobserved.assign(p_value=np.nan, significance_level=look.level, verdict=str(Verdict.NOT_TESTED))
        )
    if "hypotheses" in tables:
        tables["hypotheses"] = with_wording(tables, connection, study)
    tables = with_held_factors(tables, connection)
    if power_rows and "contrasts" in tables:
        tables["design_power"] = power_rows(tables["contrasts"], tables["system_comparisons"])
    study_id = _study_id(connection)
    rows = {name: table.assign(study_id=study_id) for name, table in tables.items()}
    write_tables(connection, TABLES, rows)
    return _counts(tables)


def _first_rows(chunks: Chunks) -> tuple[Frames, set[Place]]:
    """The rows of all parts, and where labels are enough; of a large study their rows one by one are as much again."""
    first = chunks.each(_first)
    return united([rows for rows, _ in first]), {setting for _, places in first for setting in places}


def _first(chunk: Chunk, _: Frames) -> tuple[Frames, frozenset[Place]]:
    return chunk.first(), chunk.corrected


def _again(chunk: Chunk, tables: Frames, options: Options) -> Frames:
    return chunk.again(tables["hypotheses"], options)


def _last(chunk: Chunk, tables: Frames, ordered: Mapping[str, NDArray[np.float64]]) -> Frames:
    return chunk.last(tables, ordered)


def _families(connection: duckdb.DuckDBPyConnection, study: Study) -> Families:
    model_groupings = [name for (name,) in connection.execute(_OF_MODELS).fetchall()]
    scorers = dict(connection.execute("select measure_id, scorer from raw.measures").fetchall())
    measure_slices = connection.execute(_MEASURE_SLICES).fetchall()
    mixes_units = connection.execute(_MIXES_UNITS).fetchone() == (True,)
    settings = connection.execute(MODEL_SETTINGS).fetchall()
    return families_of(study, scorers, measure_slices, model_groupings, settings, mixes_units=mixes_units)


def _hypotheses_in_families(tables: Frames, families: Families, declared: pd.DataFrame | None, alpha: float) -> Frames:
    """Tables whose questions have their set: those of pairs of generations too, and what nothing was observed of."""
    group_hypotheses = tables["hypotheses"].assign(**dict.fromkeys(PAIR_SIDES, ""), is_observed=True)
    hypotheses = pd.concat([group_hypotheses, pair_questions(tables["system_comparisons"])], ignore_index=True)
    lacking = [name for name in CONTROL_FIELDS if name not in hypotheses]
    hypotheses = hypotheses.assign(**dict.fromkeys(lacking, np.nan))
    if declared is not None and len(unobserved := _unobserved(declared, hypotheses)):
        hypotheses = pd.concat([hypotheses, unobserved], ignore_index=True)
    return with_t_where_flips_are_few({**tables, "hypotheses": with_families(hypotheses, families)}, alpha)


def _unobserved(declared: pd.DataFrame, hypotheses: pd.DataFrame) -> pd.DataFrame:
    """The declared questions that are none of those asked of the cells, as rows of questions without a p."""
    is_known = pd.MultiIndex.from_frame(declared[HYPOTHESIS]).isin(pd.MultiIndex.from_frame(hypotheses[HYPOTHESIS]))
    lacking = declared.loc[~is_known, [*HYPOTHESIS, *PAIR_SIDES]]
    return lacking.assign(p_value=np.nan, n_draws=np.nan, n_groups=0, is_permuted=False, is_observed=False)


def _as_published(hypotheses: pd.DataFrame) -> pd.DataFrame:
    """Questions with one generation each: of a pair its own, beside the reference."""
    is_pair = hypotheses.own_system_id != ""
    system_id = hypotheses.system_id.mask(is_pair, hypotheses.own_system_id)
    return hypotheses.assign(system_id=system_id).reset_index(drop=True)


def _short_of_draws(hypotheses: pd.DataFrame, options: Options) -> Iterator[tuple[pd.DataFrame, Options]]:
    """Yield the questions of a set at the smallest p there is, where that p decides whether they are called.

    Source: inference.md 6.5.
    """
    at_floor = (hypotheses.p_value * (hypotheses.n_draws + 1) <= 2 + 1e-6) & hypotheses.is_permuted.astype(bool)
    for _, family_rows in hypotheses.groupby("family_id", sort=False):
        few = family_rows[at_floor[family_rows.index]]
        needed = int(np.ceil(2 * family_rows.n_hypotheses.iloc[0] / (options.alpha * max(len(few), 1)))) - 1
        more = min(needed, MOST_PERMUTATIONS)
        short = few[few.n_draws < more]
        if len(short):
            yield short, options.at_once(more)


def _replaced(tables: Frames, again: Frames) -> Frames:
    """Tables with the rows of the questions that were asked again in the place of the earlier ones."""
    kept = ["family_id", "n_hypotheses", "is_observed", "is_pooled", *PAIR_SIDES]
    family_columns = tables["hypotheses"][[*HYPOTHESIS, *kept]]
    hypotheses = again["hypotheses"].drop(columns=kept, errors="ignore")
    again = {**again, "hypotheses": hypotheses.merge(family_columns, on=HYPOTHESIS, how="left", validate="one_to_one")}
    new_keys = pd.MultiIndex.from_frame(again["hypotheses"][HYPOTHESIS])

    def mixed(rows: pd.DataFrame, new: pd.DataFrame, keys: Sequence[str], new_keys: pd.MultiIndex) -> pd.DataFrame:
        is_kept = ~pd.MultiIndex.from_frame(rows[[*keys]]).isin(new_keys)
        return pd.concat([rows[is_kept], new], ignore_index=True)

    pairs = "system_comparisons"
    pair_columns = ROW_KEYS[: ROW_KEYS.index("group_id")]
    replaced = {name: mixed(tables[name], new, HYPOTHESIS, new_keys) for name, new in again.items() if name != pairs}
    if pairs in again:
        new_keys = pd.MultiIndex.from_frame(again[pairs][pair_columns])
        replaced[pairs] = mixed(tables[pairs], again[pairs], pair_columns, new_keys)
    return {**tables, **replaced}


def _with_levels(tables: Frames, look: Look) -> Frames:
    """Tables with q of questions, groups and pairs of generations, and what is significant."""
    hypotheses, contrasts = with_levels(tables["hypotheses"], tables["contrasts"], look)
    pairs = with_levels_of_pairs(tables["system_comparisons"], hypotheses, look)
    contrasts, pairs = with_weights(contrasts, pairs)
    answers = [one[[*HYPOTHESIS, "weight", "is_significant"]] for one in (contrasts, pairs_as_answers(pairs))]
    hypotheses = with_significance(hypotheses, pd.concat(answers, ignore_index=True), look)
    n_significant = hypotheses.drop_duplicates("family_id").set_index("family_id").n_significant
    contrasts = contrasts.assign(n_significant=contrasts.family_id.map(n_significant))
    contrasts, pairs = with_selected_sizes(contrasts, with_significance_of_pairs(pairs, hypotheses), look.level)
    return {**tables, "hypotheses": hypotheses, "contrasts": contrasts, "system_comparisons": pairs}


def _with_permuted_levels(tables: Frames) -> Frames:
    """Tables with the q that negative controls have no part in; of the round that a row tells of."""
    hypotheses, contrasts, pairs = (tables[name] for name in ("hypotheses", "contrasts", "system_comparisons"))
    q, q_of_contrasts = permuted_levels(hypotheses, contrasts, contrasts.p_value_maxt)
    hypotheses = hypotheses.assign(q_permuted=q)
    q_of_pairs, answers = np.full(len(pairs), np.nan), as_hypotheses(pairs)
    is_group = pairs.comparison.isin(ANSWERING_COMPARISONS).to_numpy()
    q_of_pairs[is_group] = permuted_levels(hypotheses, answers[is_group], pairs.p_maxt[is_group])[1]
    is_hypothesis = (pairs.comparison == GROUPS_CHANGED).to_numpy()
    keys = pd.MultiIndex.from_frame(answers.loc[is_hypothesis, HYPOTHESIS])
    q_of_pairs[is_hypothesis] = hypotheses.set_index(HYPOTHESIS).q_permuted.reindex(keys)
    return {
        **tables,
        "hypotheses": hypotheses,
        "contrasts": contrasts.assign(q_permuted=q_of_contrasts),
        "system_comparisons": pairs.assign(q_permuted=q_of_pairs),
    }


def _with_margin_origins(tables: Frames, declared: Margins) -> Frames:
    """Tables that say of each margin whether the study declares it."""
    effects = {"contrasts": "contrast", "disparities": "metric", "system_comparisons": "comparison"}
    origins = {name: margin_origins(tables[name], effect, declared) for name, effect in effects.items()}
    return {**tables, **{name: tables[name].assign(margin_origin=origin) for name, origin in origins.items()}}


def _with_verdicts(tables: Frames, look: Look, planned: Mapping[str, Power]) -> Frames:
    """Tables with the verdict of every row that tests something, and how many root prompts an open one needs."""
    alpha = look.level
    hypotheses, contrasts, disparities = (tables[name] for name in ("hypotheses", "contrasts", "disparities"))
    q_margin, q_equivalence = (adjusted_margin(hypotheses, contrasts, name) for name in ("p_margin", "p_equivalence"))
    numbers = numbers_of_contrasts(contrasts, q_margin, q_equivalence)
    judged = row_verdicts(numbers, alpha)
    # a cell or group that stands once larger ones are taken out goes by the q and the interval of its round
    may = is_off(numbers.low, numbers.high) & numbers.is_settled
    significant_at = look.significant_at("contrasts", contrasts, numbers.q, may=may)
    contrasts = contrasts.assign(significant_at_look=significant_at)
    # what an earlier look called stays, but for a group that differs because of others by now
    last_verdict = look.held("contrasts", contrasts, judged.verdict)
    verdict = np.where(numbers.explained, judged.verdict, last_verdict)
    is_told = (contrasts.inference_reason == InferenceReason.TOLD_BY_PARTS).to_numpy()
    is_size = contrasts.contrast.isin(SIZES).to_numpy() | is_told
    contrasts = contrasts.assign(
        value_cells=contrasts.value,
        value_at_call=look.value_at_call("contrasts", contrasts),
        q_equivalence=q_equivalence,
        verdict=first_of([~is_size], [verdict]),
        verdict_reason=first_of([~is_size & (verdict == Verdict.INCONCLUSIVE)], [judged.reason]),
        **_n_needed(contrasts, judged.reason, verdict == Verdict.INCONCLUSIVE, look.last_level, planned),
    )
    contrasts = contrasts.assign(verdict_with_missing=verdicts_with_missing(contrasts, alpha))
    part_levels = with_parts(hypotheses)
    hypothesis_columns = hypotheses[HYPOTHESIS].assign(
        q_own=hypotheses.q_value,
        q_permuted=hypotheses.q_permuted,
        q_told=part_levels.q_value,
        is_significant=hypotheses.is_significant,
        is_told_significant=part_levels.is_significant,
    )
    disparities = disparities.merge(hypothesis_columns, on=HYPOTHESIS, how="left", validate="many_to_one")
    has_parts = disparities.inference_reason == InferenceReason.TOLD_BY_PARTS
    disparities = disparities.assign(
        q_hypothesis=disparities.q_own.where(~has_parts, disparities.q_told),
        is_significant=disparities.is_significant.where(~has_parts, disparities.is_told_significant),
    )
    # of a question that an earlier look called the indices are held against their floor and margin still
    called = disparities.assign(q_hypothesis=disparities.q_hypothesis.mask(disparities.is_significant.eq(True), 0.0))
    judged = row_verdicts(numbers_of_metrics(called), alpha)
    is_descriptive = (disparities.inference_reason == InferenceReason.DESCRIPTIVE).to_numpy()
    disparities = disparities.assign(
        value_cells=disparities.value,
        verdict=first_of([~is_descriptive], [judged.verdict]),
        verdict_reason=first_of([~is_descriptive], [judged.reason]),
        q_value=np.where(disparities.p_value.notna(), q_of_metrics(disparities), np.nan),
        hypothesis_q_value=disparities.q_own,
    )
    pairs = tables["system_comparisons"]
    q_inside = adjusted_margin(hypotheses, changes_as_contrasts(pairs), "p_equivalence")
    pairs = with_verdicts_of_pairs(pairs, q_inside, look)
    pairs = pairs.assign(value_at_call=look.value_at_call("system_comparisons", pairs))
    rows = _rows_that_count(contrasts, disparities.assign(is_significant=judged.is_significant), pairs)
    hypotheses = with_verdicts(hypotheses, rows, look)
    judged_tables = {
        "hypotheses": _as_published(hypotheses),
        "contrasts": contrasts,
        "disparities": disparities,
        "system_comparisons": pairs.assign(verdict_with_missing=verdicts_with_missing(pairs, alpha)),
    }
    return {**tables, **judged_tables}


def _rows_that_count(contrasts: pd.DataFrame, disparities: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The rows that the verdict of a hypothesis follows from: one contrast a statistic, in the unit of its margin."""
    columns = [*HYPOTHESIS, *HEADLINE, "is_group", "value", "margin", "verdict", "is_significant"]
    groups = contrasts[contrasts.contrast != LOG_DISPARITY].assign(is_group=True)
    groups = groups.assign(effect=groups.contrast, is_significant=groups.significant_at_look.notna())
    changes = pairs_as_answers(pairs).assign(is_group=True, reference="")
    changes = changes.assign(effect=changes.comparison, value=changes.value_alone.fillna(changes.value))
    metrics = disparities.assign(is_group=False, effect=disparities.metric, **dict.fromkeys(HEADLINE[1:], ""))
    rows = pd.concat([one[columns] for one in (groups, changes, metrics)], ignore_index=True)
    return rows[rows.verdict.notna()]


def _n_needed(
    contrasts: pd.DataFrame,
    why_open: NDArray[np.object_],
    is_open: NDArray[np.bool_],
    alpha: float,
    planned: Mapping[str, Power],
) -> dict[str, NDArray[Any]]:
    """Root prompts that a new study like this one needs, at the level of the whole set, where the verdict is open.

    For the margin: to show that all is inside it, if there is no difference. Else for the effect that the study
    declares. Never for the effect that was seen: it is large where chance made it so, and then few seem enough.

    Source: inference.md 2.5, 2.8.
    """
    n_groups = contrasts.groupby(HYPOTHESIS, sort=False).p_value.transform("count")
    n_tests = n_groups * contrasts.n_hypotheses / contrasts.n_significant.clip(lower=1)
    margin, sd, n_units, n_root_prompts = (
        contrasts[name].to_numpy(dtype=float) for name in ("margin", "sd", "n_units", "n_root_prompts")
    )
    powers = contrasts.measure_id.map({name: spec.power for name, spec in planned.items()}).fillna(POWER)
    effects = contrasts.measure_id.map({name: spec.effect for name, spec in planned.items()})
    power = powers.to_numpy(dtype=float)
    effect = effects.where(contrasts.contrast.isin(DIFFERENCES)).to_numpy(dtype=float)
    has_margin = ~np.isnan(margin)
    needed = n_needed(
        np.where(has_margin, 0.0, effect),
        sd,
        margin,
        alpha=alpha,
        n_tests=n_tests.clip(lower=1).to_numpy(dtype=float),
        # inside the margin is past both of its ends
        power=np.where(has_margin, (1 + power) / 2, power),
    )
    lacking = [
        # more root prompts do not make words matter less
        (why_open == VerdictReason.NOT_BEYOND_CONTROLS, str(VerdictReason.NOT_BEYOND_CONTROLS)),
        (~has_margin & np.isnan(effect), _NO_EFFECT),
        (~(sd > 0), _NO_SPREAD),
        # the spread is over units that hold several root prompts each
        (n_units < n_root_prompts, _OF_WORDINGS),
        # the design was large enough, and chance or an effect near the margin left it open
        (needed <= n_root_prompts, ENOUGH),
    ]
    reason = np.select([is_open & lacks for lacks, _ in lacking], [word for _, word in lacking], "").astype(object)
    has_number = is_open & (reason == "")
    return {
        "n_needed": np.where(has_number, needed, np.nan),
        "n_needed_for": first_of([has_number & has_margin, has_number], [OF_MARGIN, OF_EFFECT]),
        "n_needed_reason": first_of([reason != ""], [reason]),
    }


def _study_id(connection: duckdb.DuckDBPyConnection) -> str:
    query = "select distinct study_id from intermediate.{} order by study_id"
    for table in ("int_cells", "int_prompt_groups"):  # without any value there are no cells
        study_ids = [study_id for (study_id,) in connection.execute(query.format(table)).fetchall()]
        if len(study_ids) > 1:
            raise ValueError(f"{table} holds several studies, {', '.join(study_ids)}; a build file holds one")
        if study_ids:
            return str(study_ids[0])
    return ""


def _counts(tables: Frames) -> InferenceCounts:
    n_rows = [len(tables.get(name, ())) for name in ("contrasts", "disparities", "summary_statistics")]
    p_values = {name: rows.p_value for name, rows in tables.items() if "p_value" in rows}
    n_tested = sum(int(p_values[name].notna().sum()) for name in ("contrasts", "disparities") if name in p_values)
    n_inconclusive = int(p_values["hypotheses"].isna().sum()) if "hypotheses" in p_values else 0
    return InferenceCounts(n_rows[0], n_rows[1], n_rows[2], n_tested, n_inconclusive)
