"""Questions of the set truth: whether groups lie in the labels of a model as they lie in a ground truth.

Belongs here: reading the answers and the truth, and the rows of questions and disparities. The test is ground_truth.py.
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.draws.exchange import Floats, stable_seed
from python_assets.infer.options import Options, Unscored
from python_assets.infer.result import INTERVAL, NULL_DISTRIBUTION, InferenceReason, Result, joined
from python_assets.infer.tables import (
    SIMILAR_PROMPTS,
    SIMILAR_UNITS,
    SIMILAR_UNITS_AND_PROMPTS,
    THESE_PROMPTS,
    Table,
    Tables,
)
from python_assets.infer.truth.ground_truth import FEWEST_UNITS, Answers, TruthTest, against_truth, shares_against_truth
from python_assets.study.base import GROUND_TRUTH

OF_HYPOTHESIS: Final = ("jsd_truth_weighted", "jsd_truth_unweighted")
_SIZES: Final = (*OF_HYPOTHESIS, "jsd_truth_marginal", "jsd_truth_by_group")  # the others tell of categories too
_KEYS: Final = ["slice_id", "system_id", "measure_id", "grouping_id", "parameters"]
_CELL: Final = ("category", "category_position", "group_id")
TRUTH_COLUMNS: Final = (*_KEYS, *_CELL, "root_prompt_position", "unit_id", "prompt_position", "n")
TRUTHS: Final = ("measure_id", "grouping_id", *_CELL, "share", "n_persons")
_ANSWERS: Final = f"select {', '.join(TRUTH_COLUMNS)} from intermediate.int_truth_answers order by all"
_NUMBERS: Final = ("value", "value_corrected", *NULL_DISTRIBUTION, *INTERVAL, "p_value")
_TRUTHS: Final = f"select {', '.join(TRUTHS)} from raw.ground_truths order by all"


class Drawn(NamedTuple):
    """What is drawn at random: a cluster each answer or two of them, their number, and what that claims."""

    clusters: tuple[str, ...]
    n_units: int
    scope: str


def truth_rows(
    connection: duckdb.DuckDBPyConnection,
    options: Options,
    measures: Collection[str] | None = None,
    unscored: Unscored = frozenset(),
) -> Tables:
    """Yield the rows of questions and disparities of every measure with a ground truth.

    Args:
        connection: to the build file, after SQL has made schema intermediate.
        options: seed and B; the draws of a question depend on its own keys alone.
        measures: those whose questions are asked; all of them where None.
        unscored: of too_many_unscored.
    """
    truths = connection.execute(_TRUTHS).df()
    for key, answers in connection.execute(_ANSWERS).df().groupby(_KEYS, sort=True):
        keys = dict(zip(_KEYS, map(str, key), strict=True))
        if measures is None or keys["measure_id"] in measures:
            is_own = (truths.measure_id == keys["measure_id"]) & (truths.grouping_id == keys["grouping_id"])
            is_unscored = (keys["system_id"], keys["measure_id"]) in unscored
            yield from _hypothesis(keys, answers, truths[is_own], options, is_unscored=is_unscored)


def _hypothesis(
    keys: dict[str, str], answers: pd.DataFrame, truth: pd.DataFrame, options: Options, *, is_unscored: bool
) -> Tables:
    answers = answers[answers.category_position.notna() & answers.group_id.isin(truth.group_id)]
    n_groups, drawn = answers.group_id.nunique(), _drawn(answers)
    p, method, scope, sizes = np.nan, None, None, dict.fromkeys(_SIZES, Result.of((1,)))
    reason: InferenceReason | None
    if not set(answers.category) & set(truth.category[truth.share.notna()]):
        reason = size_reason = InferenceReason.NO_VALUES
    elif n_groups < 2:
        reason = size_reason = InferenceReason.ONE_GROUP
    elif is_unscored:
        reason = size_reason = InferenceReason.TOO_MANY_UNSCORED
    elif drawn is None:
        reason = size_reason = InferenceReason.TOO_FEW_ROOT_PROMPTS
    else:
        seed = stable_seed(options.seed, GROUND_TRUTH, *keys.values())
        tested = _tested(answers, truth, drawn, n_draws=options.n_permutations, seed=seed)
        p, sizes = tested.p_value, tested.sizes
        reason = InferenceReason.TOO_FEW_EXPECTED if np.isnan(p) else None
        size_reason = InferenceReason.INTERVAL_NOT_VALIDATED
        method, scope = _method(tested, drawn), drawn.scope
    numbers = {"n_root_prompts": answers.root_prompt_position.nunique(), "n_units": drawn.n_units if drawn else 0}
    words = {"calibration": "raw", "statistic": GROUND_TRUTH, "category": "", "method": method, "scope": scope}
    shared: dict[str, object] = {**keys, **words, **numbers}
    n_draws = np.nan if np.isnan(p) else float(options.n_permutations)
    hypothesis_columns = {
        "p_value": p,
        "p_by_t": np.nan,
        "n_groups": n_groups,
        "is_permuted": False,
        "n_draws": n_draws,
        "inference_reason": reason,
    }
    yield "hypotheses", _columns(1, {**shared, **hypothesis_columns})
    size_rows, names = joined(list(sizes.values())), list(sizes)
    reasons = [size_reason if name in OF_HYPOTHESIS else InferenceReason.DESCRIPTIVE for name in names]
    has_draws = ~np.isnan(size_rows.p_value) | ~np.isnan(size_rows.null_q95)
    size_columns = {"metric": names, "inference_reason": reasons, "margin": np.nan, "control_floor": np.nan}
    own_numbers = {name: getattr(size_rows, name) for name in _NUMBERS}
    own_numbers["n_draws"] = np.where(has_draws, float(options.n_permutations), np.nan)
    yield "disparities", own_numbers | _columns(len(names), {**shared, **size_columns})


def _columns(n: int, values: Mapping[str, object]) -> Table:
    """Columns of n rows."""
    return {
        name: np.full(n, value, float if isinstance(value, int | float) else object) for name, value in values.items()
    }


def _tested(answers: pd.DataFrame, truth: pd.DataFrame, drawn: Drawn, *, n_draws: int, seed: int) -> TruthTest:
    """The test, and every size that the truth has the numbers for."""
    share, persons = (
        truth.pivot(index="category_position", columns="group_id", values=name) for name in ("share", "n_persons")
    )
    wide = answers.pivot_table(
        index=list(drawn.clusters), columns=["category_position", "group_id"], values="n", aggfunc="sum"
    )
    # categories and groups without an answer have zeros
    wide = wide.reindex(columns=pd.MultiIndex.from_product([share.index, share.columns]), fill_value=0).fillna(0)
    n = wide.to_numpy(float).reshape(len(wide), *share.shape)
    clusters = [pd.factorize(wide.index.get_level_values(name))[0] for name in drawn.clusters]

    def answered(n: Floats) -> Answers:
        """Those of clusters that have some."""
        has_answers = n.sum(axis=(1, 2)) > 0
        return Answers(n[has_answers], [cluster[has_answers] for cluster in clusters])

    # the categories that have both answers and shares
    is_used = (n.sum(axis=(0, 2)) > 0) & share.notna().all(axis=1).to_numpy()
    rng = np.random.default_rng(seed)
    tested = against_truth(answered(n[:, is_used]), share.to_numpy(float)[is_used], n_draws=n_draws, rng=rng)
    n_persons = persons.to_numpy(float)
    if np.isnan(n_persons).any() or not (n_persons.sum(axis=0) > 0).all():
        return tested  # the truth has shares alone, which say nothing of categories
    marginal = [(answered(n.sum(axis=2)[:, None]), n_persons.sum(axis=1) / n_persons.sum())]
    by_group = [
        (answered(n[:, None, :, group]), n_persons[:, group] / n_persons[:, group].sum())
        for group in np.flatnonzero(n.sum(axis=(0, 1)) > 0)
    ]
    distributions = {"jsd_truth_marginal": marginal, "jsd_truth_by_group": by_group}
    sizes = {name: shares_against_truth(samples, n_draws=n_draws, rng=rng) for name, samples in distributions.items()}
    return tested._replace(sizes=tested.sizes | sizes)


def _drawn(answers: pd.DataFrame) -> Drawn | None:
    """The units of the study where there are enough, else its prompts; None with too few of these.

    Units that are crossed with enough prompts are drawn as these are: both ways.
    """
    n_units, n_roots, n_prompts = (
        answers[name].nunique() for name in ("unit_id", "root_prompt_position", "prompt_position")
    )
    if n_units < FEWEST_UNITS:
        enough = n_prompts >= FEWEST_UNITS
        return Drawn(("prompt_position",), n_prompts, THESE_PROMPTS) if enough else None
    if len(answers[["unit_id", "root_prompt_position"]].drop_duplicates()) == n_units == n_roots:
        return Drawn(("unit_id",), n_units, SIMILAR_PROMPTS)
    if n_roots >= FEWEST_UNITS:
        return Drawn(("unit_id", "root_prompt_position"), n_units, SIMILAR_UNITS_AND_PROMPTS)
    return Drawn(("unit_id",), n_units, SIMILAR_UNITS)


def _method(tested: TruthTest, drawn: Drawn) -> str:
    corrected = " and Rao-Scott F, the larger p" if tested.is_corrected else ""
    merged = f"; {len(tested.merged)} rare categories as one" if len(tested.merged) else ""
    worth = f"multinomial of {tested.n_effective:.0f} independent responses{corrected}"
    return f"{worth}, {drawn.n_units} units{merged}"
