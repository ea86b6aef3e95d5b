"""The metrics that imported logs publish, and what a run makes of each."""

from collections import Counter

import pandas as pd

from python_assets.plan.text import PlannedMetric


def planned_metrics(metrics: pd.DataFrame) -> list[PlannedMetric]:
    """One row a metric and scorer, whatever its logs, tasks and reducers.

    Args:
        metrics: rows of raw.imported_metrics.
    """
    shown = pd.DataFrame(
        {
            "metric": metrics["metric"],
            "scorer": metrics["scorer"].replace("", "-"),
            "measure_id": metrics["measure_id"].astype(object).where(metrics["measure_id"].notna(), "-"),
            "computed": [
                "yes" if pd.isna(reason) else f"no: {reason.replace('_', ' ')}" for reason in metrics["reason"]
            ],
        }
    )
    counts = Counter(shown.itertuples(index=False, name=None))
    return [
        PlannedMetric(metric, scorer, n, measure_id, computed)
        for (metric, scorer, measure_id, computed), n in counts.items()
    ]
