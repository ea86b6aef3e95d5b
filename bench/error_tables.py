"""Tables of error rates: the parts of a program by name, and how a number is printed."""

import argparse
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from bench.error_rates.measured import Sizes

SHARES = (0.4, 0.3, 0.2, 0.1)  # of four categories
Row = tuple[str, Sequence[float]]
Scaled = Callable[..., Sizes]


def run_parts(parts: Sequence[Callable[[Scaled], None]]) -> None:
    """Print the tables of the parts that the command line names, by default of all."""
    by_name = {part.__name__: part for part in parts}
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0, help="data sets, times this")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(by_name)}")
    options = parser.parse_args()

    def sizes(n_sets: int, n_permutations: int = 199) -> Sizes:
        return Sizes(max(int(n_sets * options.scale), 1), n_permutations)

    for name in options.parts or by_name:
        by_name[name](sizes)


def print_tables(description: str | None, tables: Callable[[int], Iterable[str]], n_sets: int) -> None:
    """Print the lines of tables that come from so many data sets a design, or from as many as --sets says."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=n_sets)
    for line in tables(parser.parse_args().sets):
        print(line, flush=True)


def table(title: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    print(f"\n{title}\n\n| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for name, numbers in rows:
        print(f"| {name} | {' | '.join(text(number) for number in numbers)} |", flush=True)


def text(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.3f}".lstrip("0") if number < 1 else f"{number:.3g}"


def picked(found: dict[str, float], names: Sequence[str]) -> list[float]:
    return [found.get(name, np.nan) for name in names]
