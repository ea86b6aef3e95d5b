"""The rows of a figure and of the matrix as csv."""

import csv
import io

import pytest

from tests.python_assets.report.conftest import small_study
from tests.python_assets.report.test_facts import questions

FINDINGS = small_study(is_simulated=True)


@pytest.fixture
def table_of(page):
    """A table of the report as csv, as the button would write it; parts of the study by name."""

    def read(selector, **replaced):
        of_study = {name: FINDINGS[name] for name in ("summary_statistics", "contrasts", "findings", "generations")}
        opened = page("", **of_study | replaced)
        assert opened.run(f"document.querySelector('{selector} button.csv') !== null")
        return list(csv.reader(io.StringIO(opened.run(f"csvOf(document.querySelector('{selector}'))"))))

    return read


def test_a_figure_gives_its_groups_with_value_interval_and_difference(table_of):
    heads, *rows = table_of("#figure-1 table.rows")
    assert heads == [
        *(
            "concept",
            "mean",
            "mean with 95 % interval",
            "difference from rest",
            "difference from rest with 95 % interval",
        ),
        *("q", "verdict"),
    ]
    by_group = {row[0].split(" ")[0]: row for row in rows}
    assert set(by_group) == {"Ideraland", "Chad", "Brazil"}
    assert [float(by_group[group][1]) for group in ("Ideraland", "Chad", "Brazil")] == [0.1, 0.2, 0.3]


def test_what_a_spreadsheet_would_compute_is_a_text(page):
    opened = page("")
    fields = ["=1+1", "+0.275", "-0.3", "-cmd", "@a", 'say "x"']
    assert opened.run(f"{fields!r}.map(csvField).join('|')") == '"\'=1+1"|"0.275"|"-0.3"|"\'-cmd"|"\'@a"|"say ""x"""'


def test_the_matrix_gives_verdicts_by_model(table_of):
    heads, row = table_of("#findings table.verdicts", findings=questions({}))
    assert heads == ["question", "biased"]
    assert row == ["sentiment by concept", "difference shown"]
