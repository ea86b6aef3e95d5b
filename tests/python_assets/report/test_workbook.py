import base64
import io

import openpyxl
import pytest

from python_assets.published.query import open_published
from python_assets.report import workbook
from python_assets.report.reader import Reader
from python_assets.report.text import SIMULATED
from tests.python_assets.report.conftest import small_study

HYPOTHESIS = {
    "finding_rank": 1, "slice_id": "all", "system_id": "biased", "measure_id": "sentiment",
    "grouping_id": "concept", "verdict": "different", "headline_value": -0.25, "sentence": "=cmd|' /C calc'!A0",
}  # fmt: skip
GROUP = {"finding_rank": 1, "hypothesis_verdict": "different", "group_id": "@Chad", "value": -0.25}


@pytest.fixture
def sheets(publish_small):
    """The lines of each sheet of the workbook of a study; parts of it by name."""

    def read(**replaced):
        with open_published(publish_small(**replaced)) as connection:
            file = base64.b64decode(workbook.findings_workbook(Reader(connection, "small")))
        book = openpyxl.load_workbook(io.BytesIO(file))
        return {sheet.title: [list(line) for line in sheet.iter_rows()] for sheet in book}

    return read


def values(lines):
    heads, *rows = [[cell.value for cell in line] for line in lines]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def test_hypotheses_and_groups_stand_in_sheets_of_their_own(sheets):
    found = sheets(v_findings=[HYPOTHESIS], v_differences=[GROUP, GROUP | {"hypothesis_verdict": "inconclusive"}])
    (hypothesis,), (group,) = values(found["findings"]), values(found["groups"])
    assert hypothesis["headline_value"] == group["value"] == -0.25
    assert (hypothesis["verdict"], group["group_id"]) == ("different", "@Chad")
    assert "study_id" not in hypothesis


def test_a_spreadsheet_computes_nothing_of_it(sheets):
    found = sheets(v_findings=[HYPOTHESIS], v_differences=[GROUP])
    cells = [cell for lines in found.values() for line in lines for cell in line if isinstance(cell.value, str)]
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells)
    assert HYPOTHESIS["sentence"] in [cell.value for cell in cells]


def test_the_first_sheet_says_of_what_it_is_and_how_much_is_left_out(sheets, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 2)
    found = sheets(v_findings=[HYPOTHESIS | {"finding_rank": rank} for rank in (3, 1, 2)])
    about = {line[0].value: line[1].value for line in found["about"]}
    assert about["study_id"] == "small"
    assert about["published_at"] == "2025-01-02 00:00 UTC"
    assert about["simulated"] == SIMULATED
    assert about["findings"] == "2 of 3 rows"
    assert [row["finding_rank"] for row in values(found["findings"])] == [1, 2]


def test_a_number_that_no_cell_can_hold_is_a_text(sheets):
    found = sheets(v_findings=[HYPOTHESIS | {"headline_value": float("inf"), "p_value": float("nan"), "q_value": None}])
    (hypothesis,) = values(found["findings"])
    assert (hypothesis["headline_value"], hypothesis["p_value"], hypothesis["q_value"]) == ("inf", "nan", None)


def test_real_answers_are_not_significant_simulated_and_no_question_is_no_row(sheets):
    found = sheets(**{name: small_study(is_simulated=False)[name] for name in ("systems", "studies")})
    assert "simulated" not in [line[0].value for line in found["about"]]
    assert found["findings"] == []
