"""Write python_assets/audit/costs.csv: what an audit takes of each benchmark, by planning it.

python -m docs.make_audit_costs
"""

import csv
import itertools
import os
import tempfile
from typing import Any

import yaml

from python_assets.audit.benchmarks import benchmark_names, path_of
from python_assets.audit.costs import COST_TABLE, EFFECTS, MOST_MODELS, BenchmarkCost, benchmark_sha256
from python_assets.audit.design import planned_cost

KEYS = ("benchmark", "design", "n_models")


def entries_of(benchmark: str, n_models: int) -> list[dict[str, Any]]:
    """So many models that a benchmark simulates: which ones they are changes no number of the table."""
    first = yaml.safe_load(path_of(benchmark).read_text(encoding="utf-8"))["systems"][0]
    return [{**first, "name": f"model_{i}"} for i in range(1, n_models + 1)]


def main() -> None:
    """Plan every benchmark in both designs with one to four models."""
    cells = itertools.product(benchmark_names(), EFFECTS, range(1, MOST_MODELS + 1))
    with tempfile.TemporaryDirectory() as home:
        os.environ["PLUMBLINE_HOME"] = home
        rows = [
            (*cell, *planned_cost(cell[0], entries_of(cell[0], cell[2]), cell[1]), benchmark_sha256(cell[0]))
            for cell in cells
        ]
    with COST_TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*KEYS, *BenchmarkCost._fields, "sha256"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
