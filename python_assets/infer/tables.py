"""The tables that inference writes: words in them, their columns, and how rows get into the build file.

Belongs here: names and types. What the tables hold is told where it is computed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from python_assets.warehouse.build import transaction

DBI: Final = "dbi"
IDI: Final = "idi"
LOG_DISPARITY: Final = "log_disparity"
DIFFERENCES: Final = ("mean_difference", "risk_difference")  # of means and of rates, in the unit of the measure
INTERACTION: Final = "interaction"
PARTS: Final = "parts"  # what interaction is held against
OF_GROUPS: Final = ("fdi_group", "jsd_group")
CORRECTED: Final = "corrected"  # calibration of values that people's labels put right
MISSED: Final = "missed"
FALSE_ALARM: Final = "false_alarm"
LABEL_ERROR: Final = "label_error"
LABEL_CALIBRATIONS: Final = {"binary": (CORRECTED, MISSED, FALSE_ALARM), "continuous": (CORRECTED, LABEL_ERROR)}
"""Calibrations that people's labels make of measures of a kind."""
OF_SCORER: Final = (MISSED, FALSE_ALARM, LABEL_ERROR)
"""Calibrations whose values are what an instrument gets wrong by people's labels."""
MEAN_CHANGE: Final = "mean_change"
GROUP_CHANGE: Final = "group_change"
DISPARITY_CHANGE: Final = "disparity_change"
INTERACTION_CHANGE: Final = "interaction_change"
LOG_DISPARITY_CHANGE: Final = "log_disparity_change"
GROUPS_CHANGED: Final = "groups_changed"
DISPERSION_CHANGE: Final = "dispersion_change"
SEPARATOR: Final = " | "  # of groups in explained_by and without_groups
CONTROLLED: Final = "controlled"  # table of what negative controls say of hypotheses, which are joined to these
CONTROL_FIELDS: Final = (
    *("p_permuted", "p_negative_controls", "n_negative_controls", "n_control_types", "wording_sd", "wording_sd_low"),
    *("wording_sd_high", "negative_controls_reason", "control_floor"),
)
"""What negative controls say of hypotheses."""
ACROSS: Final = " against "  # between the two generations of a question
ANSWERING_COMPARISONS: Final = (DISPARITY_CHANGE, INTERACTION_CHANGE)
"""The groups that answer whether groups moved apart; of a crossing its cells beyond their parts."""
PAIR_HYPOTHESES: Final = (MEAN_CHANGE, GROUPS_CHANGED)
"""What is asked of every pair: whether the mean of all groups changed, and whether groups moved apart."""
SIMILAR_UNITS_AND_PROMPTS = "similar units and prompts"
SIMILAR_UNITS = "similar units, these prompts"
SIMILAR_PROMPTS = "similar prompts"
THESE_PROMPTS = "these prompts"
THESE_WORDS = "similar prompts, these words"  # of metrics whose hypothesis negative controls are held against
GENERAL_SCOPES = (SIMILAR_PROMPTS, SIMILAR_UNITS_AND_PROMPTS)  # the others are worth a difference at most
HEADLINE: Final = ["effect", "group_id", "category", "reference"]  # what names a row of any table of a hypothesis
HYPOTHESIS: Final = ["slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters"]
Place = tuple[str, str, str, str]
"""Slice, grouping ('' of the mean of all), generation and measure."""
PAIR_SIDES: Final = ["own_system_id", "reference_system_id"]
"""The two generations of a question of a pair, '' of others."""
SIZES: Final = (DBI, *OF_GROUPS)  # contrasts that say how large a question's answer is, and test nothing
Columns = Mapping[str, Mapping[str, str]]
"""The columns of each table with their types."""


def write_tables(connection: duckdb.DuckDBPyConnection, columns: Columns, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables of schema inference in one transaction, in place of what was there.

    Args:
        connection: to the build file.
        columns: of every table that is made.
        tables: their rows; a table without any is made empty.
    """
    with transaction(connection):
        connection.execute("create schema if not exists inference")
        for table, kinds in columns.items():
            definition = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
            connection.execute(f"create or replace table inference.{table} ({definition})")
            if table in tables:
                _insert(connection, table, kinds, tables[table])


def _insert(connection: duckdb.DuckDBPyConnection, table: str, kinds: Mapping[str, str], rows: pd.DataFrame) -> None:
    arrow = {name: _arrow(rows[name], kind) for name, kind in kinds.items() if name in rows}
    connection.register("rows_to_write", pa.table(arrow))
    connection.execute(f"insert into inference.{table} by name select * from rows_to_write order by all")
    connection.unregister("rows_to_write")


def _arrow(values: pd.Series, kind: str) -> pa.Array:
    if kind.startswith("varchar"):
        # words are few beside rows
        code, words = pd.factorize(values)
        index = pa.array(code, pa.int32(), mask=code < 0)
        return pa.DictionaryArray.from_arrays(index, pa.array(map(str, words), pa.string())).dictionary_decode()
    return pa.array(values.to_numpy(dtype=np.float64), pa.float64(), from_pandas=True)


Table = dict[str, NDArray[Any]]  # arrays of one length, by column
Tables = Iterator[tuple[str, Table]]
ROW_KEYS: Final = [
    *("slice_id", "measure_id", "calibration", "grouping_id", "system_id", "reference_system_id"),
    *("comparison", "group_id", "category"),
]
_KEYS: Final = "study_id slice_id system_id measure_id calibration grouping_id statistic parameters"


def _columns(*names: str, **of_kind: str) -> dict[str, str]:
    """Columns with their types: words that are never NULL first, then names by type."""
    typed = {name: kind.replace("_", " ") for kind, listed in of_kind.items() for name in listed.split()}
    return dict.fromkeys(" ".join(names).split(), "varchar not null") | typed


# of rows that can be called
_SELECTED: Final = _columns(double="ci_low_selected ci_high_selected value_shrunken", varchar="selected_reason")
# with the answers that are missing
_MISSING: Final = _columns(
    double="ci_low_missing ci_high_missing tipping_shift", varchar="verdict_with_missing missing_reason"
)
_TESTED: Final = _columns(
    double="value_cells null_median null_q95 ci_low ci_high p_value q_value margin",
    bigint="n_draws n_root_prompts n_units",
    varchar="margin_origin verdict verdict_reason method scope inference_reason",
)
COMPARISON_COLUMNS: Final = (
    _columns(
        "study_id",
        *ROW_KEYS,
        double="value value_a value_b skewness ci_low ci_high value_alone ci_low_alone ci_high_alone value_at_call "
        "value_without p_value p_value_exact p_value_asymptotic q_value q_equivalence margin p_negative_controls "
        "q_permuted ci_low_sampling ci_high_sampling",
        bigint="significant_at_look n_groups_a n_groups_b n_draws n_root_prompts n_dropped",
        varchar="margin_origin explained_by without_groups reason_alone family_id verdict verdict_reason scope method "
        "reason inference_reason",
    )
    | _SELECTED
    | _MISSING
    | _columns(double="missing_share_a missing_share_b", bigint="n_unanswered")
)
TABLES: Final[Columns] = {
    "hypotheses": _columns(
        f"{_KEYS} reference_system_id family_id",
        bigint_not_null="n_hypotheses n_groups",
        boolean_not_null="is_observed is_pooled",
        double_not_null="significance_level",
        double="p_value q_value p_permuted q_permuted p_negative_controls wording_sd wording_sd_low wording_sd_high "
        "p_wording control_floor loudest_control_value",
        bigint="significant_at_look n_draws n_root_prompts n_units n_negative_controls n_control_types",
        varchar="verdict verdict_reason headline_effect headline_group_id headline_category headline_reference "
        "method scope inference_reason wording loudest_control negative_controls_reason",
    ),
    "contrasts": _columns(
        f"{_KEYS} group_id contrast category reference family_id",
        bigint_not_null="n_hypotheses",
        double="std_error skewness p_value_maxt p_equivalence q_equivalence value_at_call value_without "
        "value_standardised missing_share missing_share_rest p_negative_controls q_permuted ci_low_sampling "
        "ci_high_sampling",
        bigint="significant_at_look n_needed",
        varchar="explained_by without_groups mirror_of test n_needed_for n_needed_reason",
    )
    | _SELECTED
    | _MISSING
    | _TESTED,
    "interaction_blocks": _columns(
        f"{_KEYS} group_id category", bigint_not_null="block_position", double_not_null="difference"
    ),
    "amplifications": _columns(
        _KEYS, double="value_cells null_median null_q95", bigint="n_draws", varchar="inference_reason"
    ),
    "disparities": _columns(f"{_KEYS} category metric", double="value_corrected hypothesis_q_value control_floor")
    | _TESTED,
    "system_comparisons": COMPARISON_COLUMNS,
    "summary_statistics": _columns(
        f"{_KEYS} group_id category",
        double="value std_error ci_low ci_high skewness",
        bigint="n_root_prompts",
        varchar="scope inference_reason",
    ),
    "function_statistics": _columns(f"{_KEYS} group_id", double="value", varchar="reason"),
    "design_power": _columns(
        "study_id grouping_id measure_id contrast source",
        double="baseline_rate_or_sd prompt_by_group_share minimum_detectable_effect effect n_responses "
        "mean_square_of_cells variance_within variance_of_root_prompts",
        bigint="n_root_prompts n_tests n_needed n_calls best_n_responses n_responses_needed n_groups "
        "n_complete_root_prompts",
        varchar="reason",
    ),
}
