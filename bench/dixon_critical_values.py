"""Critical values of Dixon's Q for 3 to 30 normal values: the seed dixon_critical_values.csv.

    python -m bench.dixon_critical_values [--samples 2000000] [--write]

Two-sided 5 %: the 97.5 % quantile of the ratio of one end, by simulation. Both ends of every sample are used;
they have the same distribution. Prints the largest distance from the table of Rorabacher 1991.
"""

import argparse
import csv
from pathlib import Path
from typing import Final

import numpy as np

SEED_FILE: Final = Path(__file__).parents[1] / "dbt_models" / "seeds" / "dixon_critical_values.csv"
RORABACHER: Final = {
    **{3: 0.970, 4: 0.829, 5: 0.710, 6: 0.625, 7: 0.568},
    **{8: 0.615, 9: 0.570, 10: 0.534},
    **{11: 0.625, 12: 0.592, 13: 0.565},
    **{14: 0.590, 15: 0.568, 16: 0.548, 17: 0.531, 18: 0.516, 19: 0.503, 20: 0.491, 21: 0.480, 22: 0.470},
    **{23: 0.461, 24: 0.452, 25: 0.445, 26: 0.438, 27: 0.432, 28: 0.426, 29: 0.419, 30: 0.414},
}
"""Rorabacher, Anal. Chem. 63 (1991) 139-146, tables 1 to 4: two-tailed, 95 %."""
LEVEL: Final = 0.975
BATCH: Final = 100_000


def variant_of(n: int) -> tuple[str, int, int]:
    """The ratio of n values: its name, the rank of the near value, the values left out at the far end.

    Source: SAGED C.5.
    """
    if n <= 7:
        return "r10", 1, 0
    if n <= 10:
        return "r11", 1, 1
    return ("r21", 2, 1) if n <= 13 else ("r22", 2, 2)


def critical_value(n: int, n_samples: int, rng: np.random.Generator) -> float:
    """The quantile of the ratio of one end of n normal values."""
    _, near, far = variant_of(n)
    ratios = []
    for done in range(0, n_samples, BATCH):
        x = np.sort(rng.standard_normal((min(BATCH, n_samples - done), n)), axis=1)
        for ends in (x, -x[:, ::-1]):
            ratios.append((ends[:, near] - ends[:, 0]) / (ends[:, n - 1 - far] - ends[:, 0]))
    return float(np.quantile(np.concatenate(ratios), LEVEL))


def main() -> None:
    """Print the table and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2_000_000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(1991)
    found = {n: critical_value(n, options.samples, rng) for n in RORABACHER}
    for n, value in found.items():
        print(f"| {n} | {variant_of(n)[0]} | {value:.4f} | {RORABACHER[n]:.3f} |", flush=True)
    print(f"largest distance: {max(abs(found[n] - RORABACHER[n]) for n in found):.4f}")
    if options.write:
        with SEED_FILE.open("w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["n_groups", "variant", "critical_value"])
            rows.writerows((n, variant_of(n)[0], f"{value:.3f}") for n, value in found.items())


if __name__ == "__main__":
    main()
