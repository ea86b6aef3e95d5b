"""The comparison of two kept runs as a page, and as rows of run_changes."""

import re
from datetime import datetime

import duckdb
import pytest

from python_assets.gate.both_runs import both_runs
from python_assets.gate.page import write_gate_page
from python_assets.gate.text import text
from python_assets.warehouse.build import Home
from tests.python_assets.gate.conftest import APART, MOVED, OPEN
from tests.python_assets.kept_runs import ANSWERS, archived

ATTACK = "<script>alert(1)</script>"


@pytest.fixture
def runs(tmp_path):
    """October and November; the model and what measured it were others."""
    home = Home(tmp_path / "warehouse")
    archived(home, "october", ANSWERS, wave="2026-10", at="2026-10-01", digest="aaaa")
    archived(home, "november", ANSWERS, wave="2026-11", at="2026-11-01", digest="bbbb", vader="vader 2")
    return both_runs(home, "months", "october")


@pytest.fixture
def page_of(runs, tmp_path):
    """The page of a gate."""

    def write(gate):
        write_gate_page(gate, runs, tmp_path / "pages" / "gate.html")
        return (tmp_path / "pages" / "gate.html").read_text(encoding="utf-8")

    return write


def test_the_page_says_what_the_terminal_does_the_verdict_first(gate_of, page_of, runs):
    gate = gate_of({"group_id": "aunt"} | OPEN, {}, {"measure_id": "refusal"} | MOVED)
    page, told = page_of(gate), text(gate, runs).splitlines()
    assert page.index(told[-1]) < page.index("<table") < page.index("What was compared")
    for note in told[told.index("", 5) + 1 :]:
        assert note in page
    rows = [re.findall(r"<td.*?>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", page)]
    assert [row[3] for row in rows] == ["man", "man", "aunt"]
    assert rows[0][4:9] == ["+0.100", "+0.400", "+0.300", "+0.200 to +0.400", "0.1"]
    assert rows[0][9] == '<span class="badge beyond_margin">beyond its margin</span>'
    assert rows[1][8] == "–"
    assert rows[2][9] == "inconclusive"


def test_the_page_says_what_each_run_was_made_with_and_marks_what_changed(gate_of, page_of):
    page = page_of(gate_of({}))
    made = {
        name: cells for name, *cells in re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', page)
    }
    changed = ' <span class="tag">changed</span>'
    assert made["run"] == ["<code>october</code>", "<code>november</code>"]
    assert made["published"] == ["2026-10-01 00:00 UTC", "2026-11-01 00:00 UTC"]
    assert made["g"] == [
        "ollama, llama, digest aaaa, wave 2026-10",
        f"ollama, llama, digest bbbb, wave 2026-11{changed}",
    ]
    assert made["vader"] == ["vader 1", f"vader 2{changed}"]


def test_the_page_needs_no_other_file_runs_no_script_and_escapes_texts(gate_of, page_of):
    page = page_of(gate_of({"group_id": ATTACK}, {"group_id": "b", "explained_by": ATTACK} | OPEN))
    assert ATTACK not in page and "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe)|url\(|https?://", page)


def test_a_gate_that_compared_nothing_says_so(gate_of, page_of, snapshot):
    nothing = {"reason": "response_error", "q_value": float("nan"), "value": float("nan"), "verdict": "not_tested"}
    page = page_of(gate_of(nothing | APART))
    assert "<h2>No group with a margin" in page
    assert [line for line in page.splitlines() if "can be told" in line] == snapshot


def test_the_rows_that_are_kept_have_null_where_there_is_no_number(gate_of):
    nothing = dict.fromkeys(("value", "value_a", "value_b", "ci_low", "ci_high", "q_value"), float("nan"))
    untested = nothing | {"group_id": "", "reason": "scorer_changed", "verdict": "not_tested"} | APART
    rows = gate_of({}, untested | {"measure_id": "refusal"}).rows(datetime(2026, 11, 2))
    with duckdb.connect() as connection:
        connection.register("kept", rows)
        found = connection.execute(
            "select system_id, measure_id, group_id, mean_then, change, margin, outcome, reason, compared_at "
            "from kept order by measure_id desc"
        ).fetchall()
    at = datetime(2026, 11, 2)
    assert found == [
        ("g", "vader", "man", 0.1, 0.3, 0.1, "beyond_margin", None, at),
        ("g", "refusal", "", None, None, None, "not_compared", "scorer_changed", at),
    ]
