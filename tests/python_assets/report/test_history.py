"""The history of a study that was published more than once: sizes over runs, instruments, tested changes."""

import re
from datetime import datetime

import pytest

from python_assets.report.history import MAX_FIGURES, MAX_RUNS
from tests.python_assets.report.conftest import SENTIMENT

HYPOTHESIS = SENTIMENT | {"grouping_id": "concept", "statistic": "mean", "parameters": ""}
ATTACK = "<script>alert(1)</script>"
MONTHS = ("2026-10", "2026-11", "2026-12")


def size(month, group_id, value, **others):
    row = HYPOTHESIS | {"run_id": f"run-{month}", "group_id": group_id, "category": "", "reference": "rest"}
    shown = {"contrast": "mean_difference", "value": value, "verdict": "inconclusive"}
    return row | shown | {"ci_low": value - 0.125, "ci_high": value + 0.125} | others


def asked(month, position, **others):
    row = HYPOTHESIS | {"reference_system_id": "", "run_id": f"run-{month}", "run_position": position, "wave": month}
    return row | {"scorer_changed": None if position == 1 else False, "unit": "compound score"} | others


def runs(months=MONTHS):
    return [
        {
            "run_id": f"run-{month}",
            "published_at": datetime.strptime(month, "%Y-%m"),
            "config_sha256": "c",
            "plumbline_version": "0.1.0",
            "systems_json": "[]",
            "scorers_json": "[]",
        }
        for month in months
    ]


def change(group_id, outcome, **others):
    row = {key: value for key, value in HYPOTHESIS.items() if key not in ("statistic", "parameters")}
    row |= {"run_id": "run-2026-12", "against_run_id": "run-2026-11", "group_id": group_id, "category": ""}
    row |= {"compared_at": datetime(2026, 12, 2), "outcome": outcome, "change": -0.5, "margin": 0.25}
    return row | {"ci_low": -0.75, "ci_high": -0.375, "verdict": "beyond_margin"} | others


@pytest.fixture
def tables():
    """Brazil over three runs; another version measured in the third."""
    return {
        "runs": runs(),
        "run_findings": [HYPOTHESIS | {"run_id": run["run_id"]} for run in runs()],
        "v_history": [asked(month, n, scorer_changed=None if n == 1 else n == 3) for n, month in enumerate(MONTHS, 1)],
        "run_groups": [
            size("2026-10", "Brazil", 0.125),
            size("2026-11", "Brazil", 0.25, verdict="beyond_margin"),
            size("2026-12", "Brazil", -0.5),
            size("2026-11", "Chad", 0.0625),
        ],
    }


def figure_of(page):
    """The drawings of the history, group by group."""
    (section,) = re.findall(r'<section id="history">(.*?)</section>', page, re.DOTALL)
    return dict(re.findall(r'<th scope="row">(.*?)</th><td class="course">(.*?)</td>', section))


@pytest.fixture
def written(report, tmp_path):
    """The page of the small study with its history, as text of its sections and as it is written."""

    def write(**tables):
        page = report(**tables)
        return page, (tmp_path / "report" / "small.html").read_text(encoding="utf-8")

    return write


def test_a_study_with_one_run_has_no_history(written, tables):
    one = {name: [row for row in rows if row["run_id"] == "run-2026-12"] for name, rows in tables.items()}
    assert "history" not in written(**one)[0].sections
    # of before there were the tables: its row in runs alone
    assert "history" not in written(**one | {"runs": runs()})[0].sections


def test_every_run_has_its_size_and_interval_beside_the_others(written, tables, snapshot):
    tables["run_groups"].append(size("2026-12", "Chad", 0.0))  # neither more nor less
    page, text = written(**tables)
    assert "in 3 runs" in page.sections["history"]
    assert page.blocks["history"][0] == snapshot
    heads = re.findall(r'<th scope="col">(2026-\d\d) <span class="soft">([\d-]+)</span>(.*?)</th>', text)
    assert [(wave, day, "other instrument" in mark) for wave, day, mark in heads] == [
        ("2026-10", "2026-10-01", False),
        ("2026-11", "2026-11-01", False),
        ("2026-12", "2026-12-01", True),
    ]
    cells = dict(re.findall(r'<th scope="row">(Brazil|Chad)</th><td class="course">.*?</td>(.*?)</tr>', text))
    assert re.findall(r'"nobreak">(.*?)</td>', cells["Brazil"]) == [
        "+0.12 [0.00, 0.25]",
        "+0.25 [0.12, 0.38]",
        "−0.50 [−0.62, −0.38]",
    ]
    assert re.findall(r'"nobreak">(.*?)</td>', cells["Chad"]) == ["–", "+0.06 [−0.06, 0.19]", "0.00 [−0.12, 0.12]"]


def test_sizes_of_two_scorers_are_not_joined_and_a_line_stands_between_them(written, tables):
    _, page = written(**tables)
    drawn = figure_of(page)
    assert drawn["Brazil"].count('class="join"') == 1
    assert drawn["Brazil"].count('class="dot') == 3
    assert 'class="break" d="M667 0V56"' in drawn["Brazil"]
    alike = [row | {"scorer_changed": None if row["run_position"] == 1 else False} for row in tables["v_history"]]
    _, page = written(**tables | {"v_history": alike})
    assert figure_of(page)["Brazil"].count('class="join"') == 2
    assert 'class="break"' not in figure_of(page)["Brazil"]


def test_a_size_over_a_run_without_one_is_not_joined_across_the_scorer(written, tables):
    sizes = [row for row in tables["run_groups"] if (row["run_id"], row["group_id"]) != ("run-2026-11", "Brazil")]
    history = [row | {"scorer_changed": row["run_position"] == 2 or None} for row in tables["v_history"]]
    history[2]["scorer_changed"] = False
    _, page = written(**tables | {"run_groups": sizes, "v_history": history})
    assert 'class="join"' not in figure_of(page)["Brazil"]


def test_a_group_that_heads_a_finding_is_filled_where_it_is_equivalent_too(written, tables):
    others = size("2026-12", "Chad", 0.01, verdict="equivalent")
    for is_headline, n_hollow in ((False, 2), (True, 1)):
        rows = [*tables["run_groups"], others | {"is_headline": is_headline}]
        _, text = written(**tables | {"run_groups": rows})
        assert figure_of(text)["Chad"].count('class="hole"') == n_hollow


def test_a_group_that_differs_explained_by_others_is_hollow_and_says_so(written, tables):
    others = size("2026-12", "Chad", 0.5, verdict="inconclusive", explained_by="Brazil")
    page, text = written(**tables | {"run_groups": [*tables["run_groups"], others]})
    assert "only because of Brazil" in page.sections["history"]
    assert figure_of(text)["Chad"].count('class="hole"') == 2


def test_what_was_tested_is_told_and_linked(written, tables):
    page, text = written(**tables)
    assert "None was tested." in page.sections["history"]
    assert '<a href="#history-tested">Tested changes</a>' not in text
    untested = change("aunt", "not_compared", reason="scorer_changed", change=None)
    page, text = written(**tables | {"run_changes": [change("Brazil", "beyond_margin"), untested]})
    assert "beyond margin" in page.sections["history"] and "aunt" not in page.sections["history"]
    assert '<a href="#history-tested">Tested changes</a>' in text
    assert "<strong>beyond margin</strong>" in text


def test_texts_are_escaped(written, tables):
    sizes = [row | {"group_id": ATTACK} for row in tables["run_groups"] if row["group_id"] == "Brazil"]
    changes = [change(ATTACK, "explained_by", explained_by=ATTACK)]
    history = [row | {"wave": ATTACK, "unit": ATTACK} for row in tables["v_history"]]
    page, text = written(**tables | {"run_groups": sizes, "run_changes": changes, "v_history": history})
    assert page.sections["history"].count(ATTACK) >= 4
    assert ATTACK not in text


def test_what_is_left_out_for_length_is_counted(written, tables):
    n_hypotheses, months = MAX_FIGURES + 2, [f"{2000 + n}-01" for n in range(MAX_RUNS + 3)]
    names = [f"m{number}" for number in range(n_hypotheses)]
    page, _ = written(
        runs=runs(months),
        run_findings=[HYPOTHESIS | {"run_id": run["run_id"]} for run in runs(months)],
        v_history=[asked(month, n, measure_id=name) for n, month in enumerate(months, 1) for name in names],
        run_groups=[size(month, "Brazil", 0.5, measure_id=name) for month in months for name in names],
    )
    told = page.sections["history"]
    assert f"in {len(months)} runs, of which the latest {MAX_RUNS} are drawn" in told
    assert f"{MAX_FIGURES} of {n_hypotheses} questions are drawn" in told


def test_a_hypothesis_without_a_size_but_nought_is_not_drawn(written, tables, snapshot):
    page, _ = written(**tables | {"run_groups": [row | {"value": 0.0} for row in tables["run_groups"]]})
    assert page.blocks["history"][1] == snapshot
