"""The margins of the source documents: how large a difference must be to matter, where a study says nothing.

Belongs here: reading the seed that dbt loads too. The margins of a study are analysis.py.
"""

import csv
from functools import cache
from pathlib import Path
from typing import Final

Margins = dict[str, float | dict[str, float]]
SEED: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "seeds" / "margins.csv"


@cache
def default_margins() -> Margins:
    """Margin by contrast or metric.

    Source: metrics.md 6.6.
    """
    with SEED.open(encoding="utf-8", newline="") as file:
        return {row["name"]: float(row["margin"]) for row in csv.DictReader(file)}
