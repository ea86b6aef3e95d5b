"""Which questions are corrected together, and what that makes of their p and of the p of their groups.

Belongs here: the sets of questions, q of questions and groups, and the adjusted p of margins. The
adjustments themselves are multiplicity.py.

Source: inference.md 6.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, cast

import numpy as np
import pandas as pd

from python_assets.errors import NOTHING, StudyError
from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.formulas.looks import Look
from python_assets.infer.formulas.multiplicity import holm, hypothesis_levels
from python_assets.infer.formulas.verdict import Verdict, VerdictReason, headlines, hypothesis_verdicts, rows_off
from python_assets.infer.tables import (
    CORRECTED,
    HEADLINE,
    HYPOTHESIS,
    OF_SCORER,
    PAIR_HYPOTHESES,
    PAIR_SIDES,
    SIZES,
    Place,
)
from python_assets.study.analysis import HypothesisFamily
from python_assets.study.base import (
    ALL_PROMPTS,
    ALL_SYSTEMS,
    AS_WRITTEN_READING,
    BASELINE,
    GROUND_TRUTH,
    NEGATIVE_CONTROL,
    OTHER_LANGUAGE,
    SIMILARITY,
    UNDECIDED,
    UNDECIDED_AS_NO,
    UNSCORED,
    parts_of,
)
from python_assets.study.study import Study

PRIMARY: Final = "primary"
SECONDARY: Final = "secondary"
_COMPARISON: Final = "comparison"
OF_ALL_MODELS: Final = HypothesisFamily(systems=[ALL_SYSTEMS])
TRUTH: Final = "truth"
POOLED: Final = "pooled"
SCORER: Final = "scorer"
UNDECIDED_FAMILY: Final = "undecided"
_CORRECTABLE: Final = ("mean", *PAIR_HYPOTHESES)


# asked of every study, and no question of its own
_AUTOMATIC: Final = ("empty", "truncated", OTHER_LANGUAGE)


class Families(NamedTuple):
    """The sets of a study: what it declares, and what the rules of the others need to know.

    primary: None where the study leaves it to the rule. named: further sets, by name. measures: those that
    the study declares, with refusal. slices: of the measures that are defined in some slices only. of_models:
    groupings that name a factor of generations, whose questions compare models. settings: slices and groupings whose
    generation 'all' are models that are compared; elsewhere it is all models together. corrected: slices, groupings (''
    of the mean of all), generations and measures whose corrected values are asked in the place of raw ones, where the
    study does not say which (inference.md 9.2). undecided: measures that follow from undecided responses.
    """

    primary: HypothesisFamily | None
    named: Mapping[str, HypothesisFamily]
    measures: Sequence[str]
    slices: Mapping[str, Sequence[str]]
    of_models: Collection[str] = ()
    settings: Collection[tuple[str, str]] = ()
    corrected: Collection[Place] = frozenset()
    undecided: Collection[str] = frozenset()


def families_of(
    study: Study,
    of_scorer: Mapping[str, str],
    measure_slices: Iterable[tuple[str, str]],
    of_models: Collection[str],
    settings: Collection[tuple[str, str]],
    *,
    mixes_units: bool,
) -> Families:
    """The sets of a study, and what their rules need to know of its measures and groupings.

    Args:
        study: what it declares.
        of_scorer: of every measure there is.
        measure_slices: measures and slices that they are asked in.
        of_models: groupings that name a factor of generations.
        settings: slices and groupings in which models are compared.
        mixes_units: whether some prompts have units that others lack: then each slice is asked (6.2).
    """
    measures = list(of_scorer)
    undecided = {f"{name}{end}" for name in measures for end in (UNDECIDED, UNDECIDED_AS_NO)}
    automatic = {*_AUTOMATIC} | undecided
    automatic |= {f"{name}{end}" for name in measures for end in (UNSCORED, AS_WRITTEN_READING)}
    # what a label was chosen by, one a label: the label itself is the question
    automatic |= {name for name, scorer in of_scorer.items() if scorer == SIMILARITY}
    slices: dict[str, list[str]] = {}
    for measure_id, slice_id in measure_slices:
        slices.setdefault(measure_id, []).append(slice_id)
    own_slices = {measure_id: slice_ids for measure_id, slice_ids in slices.items() if ALL_PROMPTS not in slice_ids}
    if mixes_units:
        part_slices = {key: [name for name in slice_ids if name != ALL_PROMPTS] for key, slice_ids in slices.items()}
        own_slices |= {key: slice_ids for key, slice_ids in part_slices.items() if slice_ids}
    asked_measures = [name for name in measures if name not in automatic]
    return Families(study.primary, study.families, asked_measures, own_slices, of_models, settings, undecided=undecided)


def family_ids(hypotheses: pd.DataFrame, families: Families) -> "pd.Series[str]":
    """Name the set of every question: the first that names it.

    A set that the study declares names its questions before the rule does; the baseline's are of the tool,
    the main questions of groupings by models are of set comparison, those of all models together of set pooled, and
    all of undecided responses are of family undecided, so that no other question is corrected for them.

    Args:
        hypotheses: with QUESTION.
        families: of the study.
    """
    names = pd.Series(SECONDARY, index=hypotheses.index)
    hypotheses = hypotheses.assign(is_default=_default_calibration(hypotheses, families))
    is_truth = (hypotheses.statistic == GROUND_TRUTH).to_numpy()
    names[is_truth] = TRUTH  # a distance from the truth is no bias by itself, so no set of these names it
    is_error = hypotheses.calibration.isin(OF_SCORER).to_numpy()
    names[is_error] = SCORER  # nor is what an instrument gets wrong
    names[(hypotheses.system_id == BASELINE).to_numpy()] = BASELINE
    names[_compare_models(hypotheses, families)] = _COMPARISON
    is_pooled = of_all_models(hypotheses, families)
    names[is_pooled] = POOLED
    is_undecided = hypotheses.measure_id.isin(list(families.undecided)) & (hypotheses.system_id != BASELINE)
    names[is_undecided.to_numpy() & ~is_truth & ~is_error] = UNDECIDED_FAMILY
    declared = {PRIMARY: families.primary or HypothesisFamily.model_construct(), **families.named}
    order = [*declared] if families.primary else [*families.named, PRIMARY]
    is_control = (hypotheses.grouping_id == NEGATIVE_CONTROL).to_numpy()
    is_open = ~is_truth & ~is_error & ~is_control
    for name in order:
        names_all = is_pooled & declared[name].names_all_models
        member = is_open & (names_all | ~is_pooled) & _matches(hypotheses, declared[name], families)
        names[member] = name
        is_open &= ~member
    names[is_control] = NEGATIVE_CONTROL  # whatever is asked of edits that cannot matter, no other p pays for it
    return names


def of_all_models(hypotheses: pd.DataFrame, families: Families) -> np.ndarray:
    """Whether questions are of all models together, of groups of prompts beside those of each model."""
    places = pd.MultiIndex.from_frame(hypotheses[["slice_id", "grouping_id"]])
    is_all: np.ndarray = (hypotheses.system_id == ALL_SYSTEMS).to_numpy()
    return is_all & ~places.isin(list(families.settings)) if len(families.settings) else is_all


def _default_calibration(hypotheses: pd.DataFrame, families: Families) -> np.ndarray:
    """Whether questions are of the values that are asked where the study names no calibration."""
    raw: np.ndarray = (hypotheses.calibration == "raw").to_numpy()
    if not families.corrected:
        return raw
    system, other = hypotheses.system_id, hypotheses.system_id
    if PAIR_SIDES[0] in hypotheses:
        is_pair = hypotheses[PAIR_SIDES[0]] != ""
        system, other = (
            one.where(~is_pair, hypotheses[name]) for one, name in zip((system, other), PAIR_SIDES, strict=True)
        )
    sides = (
        pd.MultiIndex.from_arrays([hypotheses.slice_id, hypotheses.grouping_id, one, hypotheses.measure_id])
        for one in (system, other)
    )
    is_of = np.logical_and.reduce([side.isin(list(families.corrected)) for side in sides])
    is_of &= (hypotheses.statistic.isin(_CORRECTABLE) & (hypotheses.parameters == "")).to_numpy()
    return np.where(is_of, (hypotheses.calibration == CORRECTED).to_numpy(), raw)


def _compare_models(hypotheses: pd.DataFrame, families: Families) -> np.ndarray:
    """Whether questions are the main ones of pairs of generations, or of groupings by models."""
    is_pair = hypotheses.statistic.isin(PAIR_HYPOTHESES)
    questions = hypotheses.assign(
        system_id=hypotheses.system_id.mask(is_pair, ALL_SYSTEMS), statistic=hypotheses.statistic.mask(is_pair, "mean")
    )
    is_of_models = is_pair | hypotheses.grouping_id.isin(list(families.of_models))
    return cast(np.ndarray, is_of_models.to_numpy() & _matches(questions, OF_ALL_MODELS, families))


def _matches(hypotheses: pd.DataFrame, chosen: HypothesisFamily, families: Families) -> np.ndarray:
    def listed(column: str, wanted: Sequence[str] | None, otherwise: np.ndarray) -> np.ndarray:
        return otherwise if wanted is None else hypotheses[column].isin(list(wanted)).to_numpy()

    own_slices = hypotheses.measure_id.map(lambda measure: families.slices.get(measure, (ALL_PROMPTS,)))
    in_own_slice = np.array(
        [slice_id in slices for slice_id, slices in zip(hypotheses.slice_id, own_slices, strict=True)], dtype=bool
    )
    # models are compared in a set of their own, unless a list of groupings names what they are compared by
    excluded_systems = [BASELINE] if chosen.groupings else [BASELINE, ALL_SYSTEMS]
    is_answer = ~hypotheses.system_id.isin(excluded_systems)
    is_plain = hypotheses.statistic.isin(["mean", "share"]) & (hypotheses.parameters == "")
    is_matched: np.ndarray = np.logical_and.reduce(
        [
            listed("measure_id", chosen.measures, hypotheses.measure_id.isin(list(families.measures)).to_numpy()),
            listed("grouping_id", chosen.groupings, np.ones(len(hypotheses), dtype=bool)),
            listed("slice_id", chosen.slices, in_own_slice),
            listed("system_id", chosen.systems, is_answer.to_numpy()),
            listed("calibration", chosen.calibrations, hypotheses.is_default.to_numpy()),
            listed("statistic", chosen.statistics, is_plain.to_numpy()),
        ]
    )
    return is_matched


def with_families(hypotheses: pd.DataFrame, families: Families) -> pd.DataFrame:
    """Add family_id, n_hypotheses, those of the set that have a p, and is_pooled, of all models together.

    Raises:
        StudyError: a declared set names no question.
    """
    hypotheses = hypotheses.assign(family_id=family_ids(hypotheses, families))
    require_members(hypotheses, families.primary, families.named)
    n_hypotheses = hypotheses.p_value.notna().groupby(hypotheses.family_id).transform("sum")
    return hypotheses.assign(n_hypotheses=n_hypotheses.astype(np.int64), is_pooled=of_all_models(hypotheses, families))


def require_members(hypotheses: pd.DataFrame, primary: HypothesisFamily | None, named: Iterable[str]) -> None:
    """Refuse a declared set that names no question.

    Args:
        hypotheses: with family_id.
        primary: None where the study leaves it to the rule.
        named: the names of further sets.

    Raises:
        StudyError: there is one; the text names the first.
    """
    for name in [*([PRIMARY] if primary else []), *named]:
        if not (hypotheses.family_id == name).any():
            field = ("analysis", PRIMARY) if name == PRIMARY else ("analysis", "families", name)
            expected = "one question of the study at least that no set before it names"
            raise StudyError(field, NOTHING, expected, "correct its lists, or remove it")


def with_levels(hypotheses: pd.DataFrame, contrasts: pd.DataFrame, look: Look) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add q of the questions, and to contrasts the set and q of their group.

    Args:
        hypotheses: of with_families, with p_value.
        contrasts: with p_value_maxt, stepped down inside the question.
        look: what q is held against, and what was called before.

    Returns:
        Questions with q_value and significance_level; contrasts with family_id, n_hypotheses, q_hypothesis, q_value,
        NaN for SIZES, and is_significant: by this look or by one before.
    """
    number = _positions(hypotheses, contrasts)
    p_group = contrasts.p_value_maxt.where(~contrasts.contrast.isin(SIZES))
    q, q_group = _levels(hypotheses, number, hypotheses.p_value, p_group)
    hypotheses = hypotheses.assign(q_value=q, significance_level=look.level)
    taken = hypotheses.iloc[number][["family_id", "n_hypotheses"]].reset_index(drop=True)
    return hypotheses, contrasts.assign(
        q_value=q_group,
        is_significant=~np.isnan(look.significant_at("contrasts", contrasts, q_group, may=rows_off(contrasts))),
        q_hypothesis=q[number],
        family_id=taken.family_id.to_numpy(),
        n_hypotheses=taken.n_hypotheses.to_numpy(),
    )


def permuted_levels(hypotheses: pd.DataFrame, rows: pd.DataFrame, p: "pd.Series[float]") -> tuple[Floats, Floats]:
    """Q that negative controls have no part in, of hypotheses and of rows that answer them; NaN of those without any.

    Args:
        hypotheses: with family_id, p_value and p_permuted.
        rows: with HYPOTHESIS and p_maxt_permuted.
        p: of the rows, stepped down inside their hypothesis, where p_maxt_permuted is NaN.
    """
    has_controls, is_controlled = hypotheses.p_permuted.notna().to_numpy(), rows.p_maxt_permuted.notna().to_numpy()
    if not has_controls.any():
        return np.full(len(hypotheses), np.nan), np.full(len(rows), np.nan)
    p_hypothesis = hypotheses.p_permuted.fillna(hypotheses.p_value)
    q, q_rows = _levels(hypotheses, _positions(hypotheses, rows), p_hypothesis, rows.p_maxt_permuted.fillna(p))
    return np.where(has_controls, q, np.nan), np.where(is_controlled, q_rows, np.nan)


def _levels(
    hypotheses: pd.DataFrame, number: Ints, p: "pd.Series[float]", p_group: "pd.Series[float]"
) -> tuple[Floats, Floats]:
    """Q of hypotheses and of their groups, family by family."""
    q, q_group = np.full(len(hypotheses), np.nan), np.full(len(p_group), np.nan)
    p_of_hypotheses, p_of_groups = (np.asarray(one, dtype=np.float64) for one in (p, p_group))
    for member in map(np.asarray, hypotheses.groupby("family_id", sort=False).indices.values()):
        rows, position = _members(number, member, len(hypotheses))
        levels = hypothesis_levels(p_of_hypotheses[member], p_of_groups[rows], position)
        q[member], q_group[rows] = levels.of_hypothesis, levels.of_group
    return q, q_group


def with_significance(hypotheses: pd.DataFrame, rows: pd.DataFrame, look: Look) -> pd.DataFrame:
    """Add to questions what is significant: those of a single comparison only where it is.

    Args:
        hypotheses: of with_levels.
        rows: that answer them, with HYPOTHESIS, weight (of selected.with_weights) and is_significant, the interval of
            the row off no effect.
        look: what q is held against, and what was called before.

    Returns:
        Questions with significant_at_look, is_significant, and n_significant of their set.

    Source: inference.md 2.5.
    """
    rows = rows[rows.weight > 0]  # others, such as log disparities, count nowhere
    by_hypothesis = rows.groupby(HYPOTHESIS, sort=False).agg(n=("weight", "sum"), has_any=("is_significant", "any"))
    answers = by_hypothesis.reindex(pd.MultiIndex.from_frame(hypotheses[HYPOTHESIS]))
    is_single = (answers.n > 0) & (answers.n < 2 - TIE)
    may = (~is_single | answers.has_any.eq(True)).to_numpy()
    significant_at = look.significant_at("hypotheses", hypotheses, hypotheses.q_value.to_numpy(dtype=float), may=may)
    hypotheses = hypotheses.assign(significant_at_look=significant_at, is_significant=~np.isnan(significant_at))
    n_significant = hypotheses.is_significant.groupby(hypotheses.family_id).transform("sum")
    return hypotheses.assign(n_significant=n_significant)


def with_verdicts(hypotheses: pd.DataFrame, rows: pd.DataFrame, look: Look) -> pd.DataFrame:
    """Add to hypotheses their verdict, and why one of them is inconclusive.

    Args:
        hypotheses: of with_significance.
        rows: that count, with HYPOTHESIS, HEADLINE, is_group, value, margin, verdict and is_significant.
        look: its level.

    Returns:
        Hypotheses with verdict, verdict_reason, and what names the row that heads them: NULL where none does.
    """
    rows = rows.assign(hypothesis=_positions(hypotheses, rows), has_value=rows.value.notna())
    verdict = hypothesis_verdicts(hypotheses, rows)
    heads = headlines(hypotheses.assign(verdict=verdict), rows)
    heading = rows[HEADLINE].reset_index(drop=True).reindex(heads)
    is_headed = heads >= 0
    names = {f"headline_{name}": heading[name].astype(object).where(is_headed, None).to_numpy() for name in HEADLINE}
    is_open = ((hypotheses.q_value <= look.level) & ~hypotheses.is_significant).to_numpy()
    is_controlled = ((hypotheses.q_permuted <= look.level) & (hypotheses.q_value > look.level)).to_numpy()
    reason = np.full(len(hypotheses), None, dtype=object)
    reason[is_open & (verdict == Verdict.INCONCLUSIVE)] = str(VerdictReason.INTERVAL_HOLDS_ZERO)
    reason[is_controlled & (verdict == Verdict.INCONCLUSIVE)] = str(VerdictReason.NOT_BEYOND_CONTROLS)
    return hypotheses.assign(verdict=verdict, verdict_reason=reason, **names)


def _positions(hypotheses: pd.DataFrame, rows: pd.DataFrame) -> Ints:
    """Position of the question of every row."""
    index = pd.MultiIndex.from_frame(hypotheses[HYPOTHESIS])
    positions = index.get_indexer(pd.MultiIndex.from_frame(rows[HYPOTHESIS]))
    if (positions < 0).any():
        raise ValueError("a contrast answers no question")
    return positions


def _members(number: Ints, member: Ints, n_hypotheses: int) -> tuple[Ints, Ints]:
    """Rows of some questions, and the position of their question among these."""
    position = np.full(n_hypotheses, -1)
    position[member] = np.arange(len(member))
    rows = np.flatnonzero(position[number] >= 0)
    return rows, position[number[rows]]


def with_parts(hypotheses: pd.DataFrame) -> pd.DataFrame:
    """Questions with the smallest q of their own and of the same question of their parts: cells differ by a part too.

    They are called where one of these is. Only of crossings whose cells are told by parts does the q of parts count.

    Source: inference.md 6.10.
    """
    grouping_ids = hypotheses.grouping_id.unique()
    part_pairs = [(name, part_id) for name in grouping_ids for part_id in parts_of(name, grouping_ids)]
    part_table = pd.DataFrame(part_pairs, columns=["grouping_id", "part_id"])
    others = [name for name in HYPOTHESIS if name != "grouping_id"]
    q = hypotheses.rename(columns={"grouping_id": "part_id"})[[*others, "part_id", "q_value", "is_significant"]]
    together = part_table.merge(q, on="part_id").groupby([*others, "grouping_id"])
    part_levels = together.agg(q_value=("q_value", "min"), is_significant=("is_significant", "max"))
    part_levels = part_levels.reindex(pd.MultiIndex.from_frame(hypotheses[[*others, "grouping_id"]]))
    smallest = np.fmin(hypotheses.q_value.to_numpy(dtype=float), part_levels.q_value.to_numpy(dtype=float))
    return hypotheses.assign(
        q_value=smallest, is_significant=hypotheses.is_significant | part_levels.is_significant.eq(True).to_numpy()
    )


def adjusted_margin(hypotheses: pd.DataFrame, contrasts: pd.DataFrame, name: str) -> Floats:
    """Adjusted p of a margin: by Holm inside a question, then over the questions of the set that have it.

    Args:
        hypotheses: with family_id.
        contrasts: with the column of that name, margin and contrast.
        name: p_margin or p_equivalence.

    Returns:
        Of every contrast, NaN where there is none.

    Source: inference.md 2.5.
    """
    q, number = np.full(len(contrasts), np.nan), _positions(hypotheses, contrasts)
    first = _first_of_mirrors(contrasts)
    is_first = first == np.arange(len(contrasts))
    # a row without a p of its own, among rows with one, counts as 1
    p = contrasts[name].where(contrasts[name].notna() | contrasts.margin.isna(), 1.0)
    is_judged = contrasts.q_value.notna() & contrasts.margin.notna()
    p_row = p.where(is_judged & is_first).to_numpy(dtype=float)
    for contrast_rows in contrasts.groupby("contrast", sort=False).indices.values():
        rows = np.asarray(contrast_rows)[~np.isnan(p_row[contrast_rows])]
        within = np.full(len(rows), np.nan)
        for members in pd.Series(np.arange(len(rows))).groupby(number[rows]).indices.values():
            within[members] = holm(p_row[rows[members]])
        for family_rows in map(np.asarray, hypotheses.groupby("family_id", sort=False).indices.values()):
            inside, position = _members(number[rows], family_rows, len(hypotheses))
            smallest = np.full(len(family_rows), np.nan)
            np.fmin.at(smallest, position, within[inside])
            q[rows[inside]] = hypothesis_levels(smallest, within[inside], position).of_group
    return np.where(is_judged, q[first], np.nan)


def _first_of_mirrors(contrasts: pd.DataFrame) -> Ints:
    """Position of the row that says the same as each where there is one (mirror_of), else of the row itself."""
    positions = np.arange(len(contrasts))
    if "mirror_of" not in contrasts or contrasts.mirror_of.isna().all():
        return positions
    keys = [*HYPOTHESIS, "contrast", "category", "reference"]
    is_mirror = contrasts.mirror_of.notna().to_numpy()
    places = pd.MultiIndex.from_frame(contrasts[[*keys, "group_id"]])
    named = contrasts.loc[is_mirror, [*keys, "mirror_of"]].set_axis([*keys, "group_id"], axis=1)
    positions[is_mirror] = places.get_indexer(pd.MultiIndex.from_frame(named))
    return positions
