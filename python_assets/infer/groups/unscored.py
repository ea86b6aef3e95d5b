"""Measures by labels that found none in too many answers of a generation: what they read speaks for few of them.

Belongs here: counting. What is refused for it is schemes/choose.py, changes and truth.
"""

from typing import Final

import duckdb

from python_assets.infer.options import Unscored
from python_assets.study.base import ALL_SYSTEMS
from python_assets.study.study import Study

# reasons of a text that was read and got no label
UNSCORED_REASONS: Final = (
    "no_rule_matched",
    "several_rules_matched",
    "no_label_near",
    "several_labels_near",
    "no_words",
    "judge_unusable",
)
# an undecided response was read: it says that it does not decide
_SHARES: Final = """
    select system_id, measure_id, count(nullif(reason, 'undecided')) / count(*) as share
    from raw.measurements
    join raw.systems using (system_id)
    where not is_baseline and list_contains($measures, measure_id)
        and (reason is null or reason = 'undecided' or list_contains($reasons, reason))
    group by system_id, measure_id
"""


def too_many_unscored(connection: duckdb.DuckDBPyConnection, study: Study) -> Unscored:
    """Generations and measures whose answers without a label are more than the study allows.

    Args:
        connection: to the build file, with the raw tables.
        study: how many answers of each measure by labels may be without one.

    Returns:
        Their ids; where generations are compared with each other, a measure that is unread in one is so in all.
    """
    if not (allowed := study.unscored_allowed):
        return frozenset()
    shares = connection.execute(_SHARES, {"measures": list(allowed), "reasons": list(UNSCORED_REASONS)}).fetchall()
    unscored = {(system, measure) for system, measure, share in shares if share > allowed[measure]}
    return frozenset(unscored | {(ALL_SYSTEMS, measure) for _, measure in unscored})
