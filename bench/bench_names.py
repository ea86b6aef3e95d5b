"""How often groups of names and nationalities look different although nothing differs.

    python -m bench.bench_names [--sets 2000] [--permutations 999]

Names lie in a gender and race and are put to every prompt with every nationality: gender x race is tested on
names, nationality within them, and all three together have a noise floor and no p. The test bounds the same
rates on fewer data sets (tests/python_assets/infer/test_partly_nested.py); docs/statistics.md has the table.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from bench.error_rates.names import Names, Shares, cells_of, responses, tables_of

AT_ONCE = 100
DESIGNS = [
    (Names(), Shares(group_by_prompt=0)),
    (Names(), Shares()),
    (Names(n_prompts=20), Shares()),
    (Names(n_names=5, n_prompts=2), Shares(group_by_prompt=0)),
    (Names(n_names=25, n_lands=6), Shares()),
    (Names(), Shares(land_by_prompt=0.05)),
]


def error_rates(names: Names, shares: Shares, *, n_sets: int, n_permutations: int, seed: int = 1) -> dict[str, float]:
    """Share of data sets that look different, of each part by its p and of all by the range's noise floor."""
    rng = np.random.default_rng(seed)
    parts = [
        _looks_different(names, responses(rng, names, shares, min(AT_ONCE, n_sets - start)), n_permutations)
        for start in range(0, n_sets, AT_ONCE)
    ]
    return {key: float(np.concatenate([part[key] for part in parts]).mean()) for key in parts[0]}


def _looks_different(names: Names, x: np.ndarray, n_permutations: int) -> dict[str, np.ndarray]:
    found = {}
    for grouping in ("gender x race", "nationality"):
        hypotheses = tables_of(cells_of(names, x, grouping), n_permutations)["hypotheses"]
        found[grouping] = hypotheses.p_value.to_numpy() <= 0.05
    both = tables_of(cells_of(names, x, "gender x race x nationality"), n_permutations)["disparities"]
    spread = both[both.metric == "range"]
    return found | {"range of all above its floor": (spread.value > spread.null_q95).to_numpy()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of error rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--permutations", type=int, default=999)
    options = parser.parse_args(arguments)
    for names, shares in DESIGNS:
        rates = error_rates(names, shares, n_sets=options.sets, n_permutations=options.permutations)
        print(names, shares, {key: round(rate, 4) for key, rate in rates.items()}, flush=True)


if __name__ == "__main__":
    main()
