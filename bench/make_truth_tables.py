"""Write the packaged tables of employed residents of Singapore from the files of SingStat's Table Builder.

Each file has a row a category and a column a year, thousands of persons, all ages first and then age groups;
categories of the first block alone are taken, without totals and the subtotal Services. Where na or - stands
for a figure there would be no row, but all ages have every figure.

    PLUMBLINE_DATA=... python -m bench.make_truth_tables dbt_models/seeds/truth_tables.csv
"""

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEADER = "Data Series"
SUBTOTAL = "Services"
ROUNDING = 1.0  # thousand: figures are rounded to .1, up to 15 of them add up
LICENCE = "Singapore Open Data Licence 1.0"
COLUMNS = ("truth_table", "category", "group", "stratum", "count", "period", "source", "licence")


class Published(NamedTuple):
    """A table of one sex: its number at SingStat, and which of our tables and groups it fills."""

    number: str
    truth_table: str
    group: str


PUBLISHED = (
    Published("M182191", "singstat_occupations", "Female"),
    Published("M182181", "singstat_occupations", "Male"),
    Published("M182151", "singstat_industries", "Female"),
    Published("M182141", "singstat_industries", "Male"),
)


def rows(folder: Path) -> Iterator[dict[str, str]]:
    """Every figure of the tables, the newest year first."""
    for published in PUBLISHED:
        path = folder / f"{published.number}_raw.csv"
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
        start = next(place for place, line in enumerate(lines) if line[:1] == [HEADER])
        years = [year.strip() for year in lines[start][1:]]
        totals, *all_ages = lines[start + 1 : _end(lines, start + 2)]
        categories = [line for line in all_ages if line[0].strip() != SUBTOTAL]
        for place, year in enumerate(years, start=1):
            if not year:
                continue
            counts = {line[0].strip(): line[place].strip() for line in categories}
            _check(path, year, counts, totals[place])
            for category, count in counts.items():
                source = f"SingStat Table Builder {published.number}, Ministry of Manpower"
                values = (published.truth_table, category, published.group, "all ages", count, year)
                yield dict(zip(COLUMNS, (*values, source, LICENCE), strict=True))


def _end(lines: list[list[str]], start: int) -> int:
    """Where the block of the first age group begins."""
    return next(place for place in range(start, len(lines)) if lines[place][0].startswith("Employed"))


def _check(path: Path, year: str, counts: dict[str, str], total: str) -> None:
    """Categories add up to the total: none is missing and no subtotal is among them."""
    found = sum(float(count) for count in counts.values())
    if abs(found - float(total)) > ROUNDING:
        raise SystemExit(f"{path.name}: {year} adds up to {found:.1f}, its total is {total}; read it again")


def main() -> None:
    """Write the seed."""
    found = sorted(
        rows(Path(os.environ["PLUMBLINE_DATA"]) / "singstat"), key=lambda row: (row["truth_table"], -int(row["period"]))
    )
    with Path(sys.argv[1]).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    print(f"{len(found):,} figures of {len({row['truth_table'] for row in found})} tables")


if __name__ == "__main__":
    main()
