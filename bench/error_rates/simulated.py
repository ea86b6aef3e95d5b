"""Data whose truth is known, for the error rates of inference; shared by its tests and by bench/.

Belongs here: how responses are made. A data set is a column, so that one set of draws serves all of them. A
response is a prompt effect, a prompt x group interaction and noise, of variance 1 in all; the truth is over
infinitely many prompts, so that the interaction is noise too.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.design.cells import StatisticSpec, Values
from python_assets.infer.design.design import Design, Frame, Unit
from python_assets.infer.draws.exchange import Floats, Shuffles
from python_assets.infer.options import Reference
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.inversion import resamples_of
from python_assets.study.statistics import statistic_rows

NO_MARGINS = ("mean_difference", "risk_difference", "log_disparity", "fdi_group")
NOISES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Floats]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "t3": lambda rng, shape: rng.standard_t(3, shape) / np.sqrt(3),
    "exponential": lambda rng, shape: rng.standard_exponential(shape) - 1,
    "lognormal": lambda rng, shape: (rng.lognormal(size=shape) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e),
}


class Layout(NamedTuple):
    """Root prompts, groups and responses a cell of one comparison."""

    n_prompts: int
    n_groups: int
    n_replicates: int = 1

    def __str__(self) -> str:
        """Name it as the tables do."""
        replicates = f" x {self.n_replicates}" if self.n_replicates > 1 else ""
        return f"{self.n_prompts} x {self.n_groups}{replicates}"


class Model(NamedTuple):
    """How responses come about.

    rho, interaction: shares of the variance that prompts and prompt x group take. noise: of the rest, and of
    the interaction. shift: mean of each group. spread: factor of each group's interaction and noise.
    """

    rho: float = 0.6
    interaction: float = 0.1
    noise: str = "normal"
    shift: Sequence[float] | float = 0.0
    spread: Sequence[float] | float = 1.0


SAGED = Layout(75, 21)  # its G20 study
FAIR_SEA = Layout(8, 8, 5)  # 8 prompts, gender x race, 5 responses a cell
REPEATED = Layout(30, 5, 10)
REST = Reference()


def frame_of(layout: Layout) -> Frame:
    """Complete blocks, one a root prompt."""
    n, k = layout.n_prompts, layout.n_groups
    return Frame(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.arange(n), k)


def scheme_of(layout: Layout, n_permutations: int, reference: Reference = REST, *, intervals: bool = False) -> Blocks:
    """The comparison of all groups on all prompts; intervals: whether indices get theirs."""
    frame = frame_of(layout)
    design = Design(frame, np.arange(len(frame.block)), Unit.ROOT_PROMPT)
    draws = Shuffles(1, n_permutations, frame.block).of(design.cell)
    resamples = resamples_of(1, n_permutations, layout.n_prompts) if intervals else None
    return Blocks(design, layout.n_groups, draws, 0.05, resamples, reference)


def no_margins(n_columns: int, **declared: float) -> dict[str, Floats]:
    """A margin for each contrast and column, NaN but where declared."""
    names = dict.fromkeys((*NO_MARGINS, *declared), np.nan) | declared
    return {name: np.full(n_columns, margin) for name, margin in names.items()}


def responses(rng: np.random.Generator, layout: Layout, model: Model, n_sets: int) -> Floats:
    """Scores, shape (root prompts, groups, replicates, data sets)."""
    prompt, own, error_share = _parts(rng, layout, model, n_sets)
    shape = (layout.n_prompts, layout.n_groups, layout.n_replicates, n_sets)
    error = np.sqrt(error_share) * NOISES[model.noise](rng, shape)
    error += own[:, :, None]
    error *= _by_group(model.spread)[:, None]
    error += (prompt + _by_group(model.shift))[:, :, None]
    return error


def means(rng: np.random.Generator, layout: Layout, model: Model, n_sets: int) -> Floats:
    """Cell means of the scores, shape (cells, data sets)."""
    return responses(rng, layout, model, n_sets).mean(axis=2).reshape(-1, n_sets)


def rates(rng: np.random.Generator, layout: Layout, model: Model, n_sets: int, *, p: Sequence[float] | float) -> Floats:
    """Cell rates of outcomes that are 1 below a threshold of the response, shape (cells, data sets).

    p: the true rate of each group; shift and spread of the model are not used.
    """
    prompt, own, error_share = _parts(rng, layout, model, n_sets)
    threshold = stats.norm.ppf(np.broadcast_to(p, layout.n_groups))[:, None]
    chance = stats.norm.cdf((threshold - prompt - own) / np.sqrt(error_share))
    return (rng.binomial(layout.n_replicates, chance) / layout.n_replicates).reshape(-1, n_sets)


def categories(
    rng: np.random.Generator, layout: Layout, model: Model, n_sets: int, *, shares: Sequence[float]
) -> Floats:
    """Shares of ordered categories in each cell, shape (cells, data sets, categories)."""
    prompt, own, error_share = _parts(rng, layout, model, n_sets)
    level = prompt + own + _by_group(model.shift)
    y = np.zeros((*level.shape, len(shares)))
    cuts = category_cuts(shares)
    for _ in range(layout.n_replicates):
        response = level + np.sqrt(error_share) * rng.standard_normal(level.shape)
        y += np.searchsorted(cuts, response)[..., None] == np.arange(len(shares))
    return y.reshape(-1, n_sets, len(shares)) / layout.n_replicates


def category_cuts(shares: Sequence[float]) -> Floats:
    """Thresholds between the categories of a standard normal response."""
    return stats.norm.ppf(np.cumsum(shares)[:-1])


def true_shares(layout: Layout, model: Model, shares: Sequence[float]) -> Floats:
    """Share of each category in each group over all prompts, shape (groups, categories)."""
    shift = np.broadcast_to(model.shift, layout.n_groups)[:, None]
    below = stats.norm.cdf(category_cuts(shares) - shift)
    return np.diff(below, axis=1, prepend=0, append=1)


def _parts(rng: np.random.Generator, layout: Layout, model: Model, n_sets: int) -> tuple[Floats, Floats, float]:
    """Prompt effects, interactions, and the share of variance that is left for noise."""
    prompt = np.sqrt(model.rho) * rng.standard_normal((layout.n_prompts, 1, n_sets))
    noise = NOISES[model.noise](rng, (layout.n_prompts, layout.n_groups, n_sets))
    return prompt, np.sqrt(model.interaction) * noise, 1 - model.rho - model.interaction


def _by_group(number: Sequence[float] | float) -> Floats:
    return np.atleast_1d(np.asarray(number, dtype=float))[:, None]


def values_of(rows: Floats, baseline: Floats) -> Values:
    """Scores as responses gives them, and a baseline of the same shape, as inference reads them."""
    n_sets = rows.shape[-1]
    n_cells = rows.shape[0] * rows.shape[1]
    by_column, base = (z.reshape(-1, n_sets).T.ravel() for z in (rows, baseline))
    cell = np.tile(np.repeat(np.arange(n_cells), rows.shape[2]), n_sets)
    both = np.concatenate([z.reshape(-1, n_sets) for z in (rows, baseline)])
    columns = pd.DataFrame({"measure_id": [f"set_{column}" for column in range(n_sets)]})
    column = np.repeat(np.arange(n_sets), n_cells * rows.shape[2])
    return Values(
        columns=columns,
        n_cells=n_cells,
        column=column,
        cell=cell,
        x=by_column,
        baseline=base,
        low=both.min(axis=0),
        high=both.max(axis=0),
    )


def fdi(profile: Floats) -> Floats:
    """Mean total variation of the groups from their average; profile of shape (groups, ..., categories)."""
    return 0.5 * np.abs(profile - profile.mean(axis=0)).sum(axis=-1).mean(axis=0)


def jsd_groups(profile: Floats) -> Floats:
    """Jensen-Shannon divergence of each group from their average, in nats; shape (groups, ...)."""
    average = profile.mean(axis=0)
    return (_kl(profile, (profile + average) / 2) + _kl(average, (profile + average) / 2)) / 2


def jsd_between_groups(profile: Floats) -> Floats:
    """Divergence of all groups from one another, in nats."""
    return _kl(profile, profile.mean(axis=0)).mean(axis=0)


def _kl(profile: Floats, other: Floats) -> Floats:
    ratio = np.divide(profile, other, out=np.ones_like(other * profile), where=profile * other > 0)
    return (profile * np.log(ratio)).sum(axis=-1)


def cramers_v(profile: Floats) -> Floats:
    """Of groups of equal size and categories, without any correction."""
    average = profile.mean(axis=0)
    squares = ((profile - average) ** 2).mean(axis=0)
    phi = np.divide(squares, average, out=np.zeros_like(average), where=average > 0).sum(axis=-1)
    return np.sqrt(phi / (np.minimum(len(profile), (average > 0).sum(axis=-1)) - 1))


def asked(name: str) -> StatisticSpec:
    """A statistic with the options that a study has where it names no more than the statistic."""
    row = statistic_rows([name])[0]._asdict()
    return StatisticSpec(**{field: row[field] for field in StatisticSpec._fields if row.get(field) is not None})
