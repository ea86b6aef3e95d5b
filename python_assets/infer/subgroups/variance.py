"""Where the variance of single answers comes from: the group, the wording, the model, its role, the repeat.

Belongs here: a decomposition by moments of crossed random effects, on arrays, and the rows it is written as.
Every source is taken for a draw of its kind, so that the shares are of one answer drawn from all of them.

Source: Henderson 1953, method 1: expected sums of squares are linear in the variances, and are solved for
them; in balanced data they are those of the analysis of variance.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.factors import OF_SYSTEMS

_GROUP: Final = "group"
_ROOT_PROMPT: Final = "root_prompt"
SYSTEM: Final = "system"
_INTERACTION: Final = "interaction"
REPEAT: Final = "repeat"
REST: Final = "rest"
VARIANCE_COLUMNS: Final = {
    **dict.fromkeys(["study_id", "slice_id", "measure_id", "grouping_id", "source"], "varchar not null"),
    "position": "bigint not null",
    "variance": "double",
    "share": "double",
    "n_levels": "bigint not null",
    "n_responses": "bigint not null",
    "reason": "varchar",
}
_LAYOUTS: Final = f"""
    select slice_id, measure_id, grouping_id, kind = 'categorical' as has_labels
    from (select distinct slice_id, grouping_id from intermediate.int_prompt_groups)
    join raw.measure_slices using (slice_id)
    join raw.measures using (measure_id)
    where
        -- a measure of some prompts only is decomposed there
        (slice_id = 'all' or measure_id not in (select measure_id from raw.measure_slices where slice_id = 'all'))
        and grouping_id <> '{NEGATIVE_CONTROL}'
        and grouping_id not in (
            select grouping_id from raw.groupings join intermediate.int_model_factors using (study_id, factor)
        )
    order by all
"""
_VALUES: Final = """
    select value, group_id as "group", unit_id as root_prompt, system_id as system,
        concat_ws(' | ', system_id, prompt_id) as interaction
    from raw.measurements
    join intermediate.int_prompt_groups using (prompt_id)
    join raw.systems using (system_id)
    where slice_id = ? and measure_id = ? and grouping_id = ? and not is_baseline and value is not null
    order by all
"""
_LEVELS: Final = "select system_id, factor, level from raw.system_factors order by all"
_NOTHING: Final = pd.DataFrame(
    [{"source": REST, "position": 1, "variance": np.nan, "share": np.nan, "n_levels": 0, "n_responses": 0}]
)


class Partition(NamedTuple):
    """The level of every answer by each source, as codes without gaps; what remains is not among them."""

    names: list[str]
    codes: list[Ints]

    @property
    def n_levels(self) -> list[int]:
        """Levels of each."""
        return [int(code.max()) + 1 for code in self.codes]


def variance_rows(connection: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """The decomposition of every measure, grouping by grouping, in the slices that it is measured in.

    Args:
        connection: to the build file of one study, after SQL has made schema intermediate.

    Returns:
        Rows of inference.variance_components; of labels, which are no numbers, their reason.
    """
    levels: dict[str, dict[str, str]] = {}
    for system, factor, level in connection.execute(_LEVELS).fetchall():
        levels.setdefault(factor, {})[system] = level
    tables = []
    for *layout, has_labels in connection.execute(_LAYOUTS).fetchall():
        keys = dict(zip(("slice_id", "measure_id", "grouping_id"), layout, strict=True))
        if has_labels:
            tables.append(_NOTHING.assign(**keys, reason="labels_have_no_variance"))
            continue
        values = connection.execute(_VALUES, layout).df()
        components = _components(values, levels) if len(values) else _NOTHING.assign(reason="no_values")
        tables.append(components.assign(**keys))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*VARIANCE_COLUMNS])


def _components(values: pd.DataFrame, levels: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    sources = sources_of(values, levels)
    names = [*sources.names, REPEAT if _INTERACTION in sources.names else REST]
    x = values.value.to_numpy(dtype=float)
    has_spread = bool(np.ptp(x) > 1e-12 * np.abs(x).max())
    estimates = variances(x, sources) if has_spread else None
    reason = None if estimates is not None else "not_identified" if has_spread else "constant_values"
    variance = np.full(len(names), np.nan) if estimates is None else estimates
    positive = np.maximum(variance, 0)
    return pd.DataFrame(
        {
            "source": names,
            "position": np.arange(len(names)) + 1,
            "variance": variance,
            "share": positive / positive.sum(),
            "n_levels": [*sources.n_levels, len(x)],
            "n_responses": len(x),
            "reason": reason,
        }
    )


def sources_of(values: pd.DataFrame, levels: Mapping[str, Mapping[str, str]]) -> Partition:
    """The sources that differ between answers; of two that part them alike the first is kept.

    Args:
        values: with group, root_prompt, generation and interaction, which is a prompt put to a generation.
        levels: of factors of generations: by generation.
    """
    candidates = {_GROUP: values[_GROUP], _ROOT_PROMPT: values[_ROOT_PROMPT]}
    model_factors = [name for name in OF_SYSTEMS if name in levels and name != SYSTEM]
    for name in [*model_factors, *(name for name in levels if name not in OF_SYSTEMS)]:
        candidates[name] = values.system.map(levels[name]).fillna("")
    if all(candidates[name].nunique() < 2 for name in candidates if name not in (_GROUP, _ROOT_PROMPT)):
        candidates[SYSTEM] = values.system
    if values.interaction.duplicated().any():
        candidates[_INTERACTION] = values.interaction
    partition = Partition([], [])
    for name, column in candidates.items():
        code = np.asarray(pd.factorize(column)[0], dtype=np.intp)
        # codes are numbered by first appearance, so that sources that part the answers alike have equal codes
        is_new = not any((code == other).all() for other in partition.codes)
        if 1 < code.max() + 1 < len(code) and is_new:
            partition.names.append(name)
            partition.codes.append(code)
    return partition


def variances(x: Floats, sources: Partition) -> Floats | None:
    """The variance that each source adds to an answer, and last what remains.

    Args:
        x: values, shape (answers,).
        sources: of the answers.

    Returns:
        Unbiased, so that one that is near 0 may be estimated below it. None where the sources cannot be told
        apart.
    """
    n = len(x)
    x = x - x.mean()  # of no consequence but for rounding
    codes = [*sources.codes, np.arange(n)]
    sizes = [np.bincount(code).astype(float) for code in codes]
    # of each source, the sum over its levels of n times the square of the mean
    squares = np.array([(np.bincount(code, x) ** 2 / size).sum() for code, size in zip(codes, sizes, strict=True)])
    weights = np.array([[_weight(this_code, other) for other in codes] for this_code in codes])
    system = weights - np.array([(size**2).sum() / n for size in sizes])
    if np.linalg.matrix_rank(system, tol=1e-9 * n) < len(codes):
        return None
    return np.linalg.solve(system, squares - x.sum() ** 2 / n)


def _weight(own: Ints, other: Ints) -> float:
    """What a variance of one source adds to the sum of squares of another."""
    n_other = int(other.max()) + 1
    pairs, counts = np.unique(own * n_other + other, return_counts=True)
    return float((counts.astype(float) ** 2 / np.bincount(own)[pairs // n_other]).sum())
