"""What each benchmark takes, by design and number of models, from a table in the package.

Belongs here: the table, which `python -m docs.make_audit_costs` makes anew, and finding a row of it. Its words
are in cost_lines.py; how a row is found out is design.py.
"""

import csv
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.audit.benchmarks import path_of

FULL: Final = "full"
QUICK: Final = "quick"
EFFECTS: Final = {QUICK: 0.15, FULL: 0.1}
"""The difference of rates that a design detects at least, with 80 % power, where there are texts enough."""
MOST_MODELS: Final = 4
"""Of the table; more models at a time take more texts, and are planned."""
COST_TABLE: Final = Path(__file__).with_name("costs.csv")


class BenchmarkCost(NamedTuple):
    """What one model is asked of a benchmark.

    Attributes:
        n_texts: kept of the benchmark's texts, None where all are kept.
        n_root_prompts: root prompts.
        n_calls: calls, negative controls included.
        n_control_calls: calls that are of negative controls.
        n_tokens_in: tokens of the prompts, by estimate.
        detectable_effect: the difference of rates that every grouping detects (80 % power); None where unknown.
    """

    n_texts: int | None
    n_root_prompts: int
    n_calls: int
    n_control_calls: int
    n_tokens_in: int
    detectable_effect: float | None


def cost_of(benchmark: str, design: str, n_models: int) -> BenchmarkCost | None:
    """The row of the table; None where it has none for this benchmark as its files are now.

    Args:
        benchmark: a packaged benchmark.
        design: quick or full.
        n_models: that are asked at a time.
    """
    row = _table().get((benchmark, design, n_models))
    return row[1] if row is not None and row[0] == benchmark_sha256(benchmark) else None


def benchmark_sha256(benchmark: str) -> str:
    """The sha256 of a benchmark's file and of the tables in its folder that the file names."""
    path = path_of(benchmark)
    content = path.read_bytes()
    digest = hashlib.sha256(content)
    for table in sorted(path.parent.glob("*.csv")):
        if table.name.encode() in content:
            digest.update(table.read_bytes())
    return digest.hexdigest()


@cache
def _table() -> Mapping[tuple[str, str, int], tuple[str, BenchmarkCost]]:
    with COST_TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["benchmark"], row["design"], int(row["n_models"])): (
                row["sha256"],
                BenchmarkCost(
                    n_texts=int(row["n_texts"]) if row["n_texts"] else None,
                    n_root_prompts=int(row["n_root_prompts"]),
                    n_calls=int(row["n_calls"]),
                    n_control_calls=int(row["n_control_calls"]),
                    n_tokens_in=int(row["n_tokens_in"]),
                    detectable_effect=float(row["detectable_effect"]) if row["detectable_effect"] else None,
                ),
            )
            for row in csv.DictReader(file)
        }
