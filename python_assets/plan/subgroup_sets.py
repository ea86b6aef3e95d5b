"""The sets of factors whose combinations of levels are subgroups, and the ideals that these are held against.

Belongs here: which sets there are. Which prompts a subgroup has, and every rate, is counted in SQL
(dbt_models/models/intermediate/fair_sea/int_subgroup_sums.sql).
"""

from itertools import combinations
from typing import Final

import pandas as pd

from python_assets.study.factors import is_model_factor, study_factors
from python_assets.study.study import Study, grouping_id
from python_assets.warehouse.raw_tables import columns_of

SECOND_LEVEL: Final = 2  # as far as the document goes where a study names factors and no depth


def subgroup_sets(study: Study) -> list[tuple[str, ...]]:
    """The sets that subgroups are described by: the groupings, then combinations up to the depth.

    A set stands once: in the order of the grouping where it is one. Factors of models tell generations
    apart, inside which subgroups are: a grouping with one is left out.

    Source: multi-factor document, section 3.3, first- and second-level subgroups.
    """
    known = study_factors(study)
    prompt_groupings = [
        tuple(grouping)
        for grouping in study.groupings
        if not any(is_model_factor(factor, known) for factor in grouping)
    ]
    are_groupings = {frozenset(factors) for factors in prompt_groupings}
    combined = _combined(study, prompt_groupings)
    return prompt_groupings + [factors for factors in combined if frozenset(factors) not in are_groupings]


def _combined(study: Study, of_groupings: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    spec = study.analysis.subgroups
    if spec.factors is None and spec.depth is None:
        return []
    factors = spec.factors or list(dict.fromkeys(factor for grouping in of_groupings for factor in grouping))
    return [chosen for size in range(1, (spec.depth or SECOND_LEVEL) + 1) for chosen in combinations(factors, size)]


def subgroup_tables(study: Study) -> dict[str, pd.DataFrame]:
    """Rows without study_id of raw.subgroup_sets and raw.subgroup_ideals."""
    sets: list[tuple[object, ...]] = [
        (grouping_id(factors), factor, position)
        for factors in subgroup_sets(study)
        for position, factor in enumerate(factors)
    ]
    ideals: list[tuple[object, ...]] = list(study.analysis.subgroups.ideal.model_dump().items())
    rows = {"subgroup_sets": sets, "subgroup_ideals": ideals}
    return {table: pd.DataFrame(table_rows, columns=columns_of(table)) for table, table_rows in rows.items()}
