"""Questions of the set truth: whether groups lie in the labels of a model as they lie in a ground truth.

Belongs here: reading the answers and the truth, and writing rows of questions and disparities. The test is
ground_truth.py.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design import (
    PROMPTS_LIKE_THESE,
    THESE_PROMPTS_ONLY,
    UNITS_AND_PROMPTS_LIKE_THESE,
    UNITS_LIKE_THESE,
)
from python_assets.infer.ground_truth import (
    FEWEST_UNITS,
    Answers,
    Size,
    TruthTest,
    against_truth,
    shares_against_truth,
)
from python_assets.infer.permutation import Floats, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.rows import Table, Tables
from python_assets.infer.scheme import Options
from python_assets.study.base import GROUND_TRUTH

OF_QUESTION: Final = ("jsd_truth_weighted", "jsd_truth_unweighted")
SIZES: Final = (*OF_QUESTION, "jsd_truth_marginal", "jsd_truth_by_group")  # the others tell of categories too
_KEYS: Final = ["slice_id", "generation_id", "measure_id", "grouping_id", "parameters"]
ANSWERS: Final = (
    *_KEYS, "category", "category_position", "group_id", "root_prompt_position", "unit_id", "prompt_position",
    "n",
)  # fmt: skip
TRUTHS: Final = (
    "measure_id", "grouping_id", "category", "category_position", "group_id", "share", "n_persons",
)  # fmt: skip
_ANSWERS: Final = f"select {', '.join(ANSWERS)} from intermediate.int_truth_answers order by all"
_TRUTHS: Final = f"select {', '.join(TRUTHS)} from raw.ground_truths order by all"
_NOTHING: Final = Size(np.nan, np.nan, np.nan, np.nan)
_NO_INTERVAL: Final = dict.fromkeys(
    ("margin", "value_corrected", "ci_low", "ci_high", "p_margin", "p_equivalence"), np.nan
)


class Drawn(NamedTuple):
    """What is drawn at random: a cluster each answer or two of them, their number, and what that claims."""

    clusters: tuple[str, ...]
    n_units: int
    scope: str


def truth_rows(connection: duckdb.DuckDBPyConnection, options: Options) -> Tables:
    """Yield the rows of questions and disparities of every measure with a ground truth.

    Args:
        connection: to the build file, after dbt has made schema intermediate.
        options: seed and B.
    """
    truths = connection.execute(_TRUTHS).df()
    for key, answers in connection.execute(_ANSWERS).df().groupby(_KEYS, sort=True):
        named = dict(zip(_KEYS, map(str, key), strict=True))
        of = (truths.measure_id == named["measure_id"]) & (truths.grouping_id == named["grouping_id"])
        yield from _question(named, answers, truths[of], options)


def _question(named: dict[str, str], answers: pd.DataFrame, truth: pd.DataFrame, options: Options) -> Tables:
    answers = answers[answers.category_position.notna() & answers.group_id.isin(truth.group_id)]
    drawn = _drawn(answers)
    reason = _reason(answers, truth, drawn)
    tested, sizes = None, dict.fromkeys(SIZES, _NOTHING)
    if reason is None and drawn is not None:
        rng = np.random.default_rng(stable_seed(options.seed, GROUND_TRUTH, *named.values()))
        tested, sizes = _tested(_Table(answers, truth, drawn), options.n_permutations, rng)
        reason = InferenceReason.TOO_FEW_EXPECTED if np.isnan(tested.p_value) else None
    shared = {
        **named,
        "calibration": "raw",
        "statistic": GROUND_TRUTH,
        "category": "",
        "n_root_prompts": answers.root_prompt_position.nunique(),
        "n_units": 0 if drawn is None else drawn.n_units,
        "method": None if tested is None or drawn is None else _method(tested, drawn),
        "scope": None if tested is None or drawn is None else drawn.scope,
    }
    p = np.nan if tested is None else tested.p_value
    n_groups = answers.group_id.nunique()
    yield "questions", _row({**shared, "p_value": p, "n_groups": n_groups, "inference_reason": reason})
    for name, size in sizes.items():
        why = InferenceReason.INTERVAL_NOT_VALIDATED if tested else reason
        if name not in OF_QUESTION:
            why = InferenceReason.DESCRIPTIVE
        own = {**_NO_INTERVAL, **size._asdict(), "metric": name, "inference_reason": why}
        yield "disparities", _row({**shared, **own})


def _tested(table: "_Table", n_draws: int, rng: np.random.Generator) -> tuple[TruthTest, dict[str, Size]]:
    """The test, and every size that the truth has the numbers for."""
    answers, share = table.of_categories()
    tested = against_truth(answers, share, n_draws=n_draws, rng=rng)
    of_distributions = {
        name: shares_against_truth(parts, n_draws=n_draws, rng=rng) for name, parts in table.distributions()
    }
    return tested, {**tested.sizes, **of_distributions}


def _reason(answers: pd.DataFrame, truth: pd.DataFrame, drawn: Drawn | None) -> InferenceReason | None:
    """Why there is no p; None where there may be one."""
    there = set(answers.category) & set(truth.category[truth.share.notna()])
    if not there:
        return InferenceReason.NO_VALUES
    if answers.group_id.nunique() < 2:
        return InferenceReason.ONE_GROUP
    return InferenceReason.TOO_FEW_ROOT_PROMPTS if drawn is None else None


def _drawn(answers: pd.DataFrame) -> Drawn | None:
    """The units of the study where there are enough, else its prompts; None with too few of these.

    Units that are crossed with enough prompts are drawn as these are: both ways.
    """
    n_units, n_roots, n_prompts = (
        answers[name].nunique() for name in ("unit_id", "root_prompt_position", "prompt_position")
    )
    is_root = len(answers[["unit_id", "root_prompt_position"]].drop_duplicates()) == n_units == n_roots
    if n_units >= FEWEST_UNITS and is_root:
        return Drawn(("unit_id",), n_units, PROMPTS_LIKE_THESE)
    if n_units >= FEWEST_UNITS and n_roots >= FEWEST_UNITS:
        return Drawn(("unit_id", "root_prompt_position"), n_units, UNITS_AND_PROMPTS_LIKE_THESE)
    if n_units >= FEWEST_UNITS:
        return Drawn(("unit_id",), n_units, UNITS_LIKE_THESE)
    if n_prompts >= FEWEST_UNITS:
        return Drawn(("prompt_position",), n_prompts, THESE_PROMPTS_ONLY)
    return None


class _Table:
    """Answers as arrays by category and group, beside the truth's shares."""

    def __init__(self, answers: pd.DataFrame, truth: pd.DataFrame, drawn: Drawn) -> None:
        """Lay them out; categories and groups without an answer have zeros."""
        self._truth = truth.pivot(index="category_position", columns="group_id", values="share")
        self._persons = truth.pivot(index="category_position", columns="group_id", values="n_persons")
        wide = answers.pivot_table(
            index=list(drawn.clusters), columns=["category_position", "group_id"], values="n", aggfunc="sum"
        )
        every = pd.MultiIndex.from_product([self._truth.index, self._truth.columns])
        wide = wide.reindex(columns=every, fill_value=0).fillna(0)
        self._n = wide.to_numpy(float).reshape(len(wide), *self._truth.shape)
        self._clusters = [pd.factorize(wide.index.get_level_values(name))[0] for name in drawn.clusters]

    def of_categories(self) -> tuple[Answers, Floats]:
        """Answers and shares of the categories that have both."""
        share = self._truth.to_numpy(float)
        is_used = (self._n.sum(axis=(0, 2)) > 0) & ~np.isnan(share).any(axis=1)
        return self._answers(self._n[:, is_used]), share[is_used]

    def distributions(self) -> Iterator[tuple[str, list[tuple[Answers, Floats]]]]:
        """Of the categories, all groups together and each; nothing where the truth has shares alone."""
        persons = self._persons.to_numpy(float)
        if np.isnan(persons).any() or not (persons.sum(axis=0) > 0).all():
            return
        marginal = self._answers(self._n.sum(axis=2)[:, None])
        yield "jsd_truth_marginal", [(marginal, persons.sum(axis=1) / persons.sum())]
        yield (
            "jsd_truth_by_group",
            [
                (self._answers(self._n[:, None, :, group]), persons[:, group] / persons[:, group].sum())
                for group in np.flatnonzero(self._n.sum(axis=(0, 1)) > 0)
            ],
        )

    def _answers(self, n: Floats) -> Answers:
        """Those of clusters that have some."""
        has_answers = n.sum(axis=(1, 2)) > 0
        return Answers(n[has_answers], [cluster[has_answers] for cluster in self._clusters])


def _method(tested: TruthTest, drawn: Drawn) -> str:
    corrected = " and Rao-Scott F, the larger p" if tested.is_corrected else ""
    merged = f"; {len(tested.merged)} rare categories as one" if len(tested.merged) else ""
    worth = f"multinomial of {tested.n_effective:.0f} independent responses{corrected}"
    return f"{worth}, {drawn.n_units} units{merged}"


def _row(values: Mapping[str, object]) -> Table:
    """A table of one row."""
    return {
        name: np.array([value], dtype=float if isinstance(value, int | float) else object)
        for name, value in values.items()
    }
