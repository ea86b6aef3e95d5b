"""The responses behind a name or a mark of the page of measurements."""

import re

from python_assets.published.query import open_published
from python_assets.report.dashboard import pack_dashboard
from python_assets.report.reader import Reader
from python_assets.report.text import number
from python_assets.report.write_report import write_report
from tests.python_assets.report.conftest import GROUPS, ROOTS
from tests.python_assets.report.scripts.conftest import (
    SENTIMENTS,
    STUDY,
    VALUES,
    listed,
    mean,
    measured,
    statistics,
    strips,
    system,
    text_of,
)


def test_a_missing_value_is_counted_apart_and_shows_its_reason(page):
    def value(*key):
        return None if key[1] == "r1" else VALUES[key]

    def reason(*key):
        return "response_refused" if key[1] == "r1" else None

    opened = page("measurements", measurements=measured(value=value, reason=reason))
    kept = [key for key in VALUES if key[0] == "fair" and key[1] == "r2"]
    assert strips(opened)["fair"] == [mean(kept), "3", "3"]
    opened.click("#row-fair")
    assert [row[-1] for row in listed(opened)][:3] == ["response refused"] * 3


def test_a_click_on_a_name_lists_its_responses(page):
    opened = page("measurements")
    opened.click("#row-fair")
    rows = listed(opened)
    assert [row[2] for row in rows] == [
        f"fair says {group} is fine after {root}." for root in ROOTS for group in sorted(GROUPS)
    ]
    assert rows[0][1] == "Brazil is"
    assert rows[0][3] == number(VALUES["fair", "r1", "Brazil"])
    opened.click("#close")
    assert not opened.run('document.getElementById("responses")')


def test_a_click_on_a_mean_lists_the_responses_of_that_cell(page):
    opened = page("measurements")
    opened.click('.strips tr:nth-child(2) .mark[title^="Chad"]')
    assert text_of(opened, "#responses-heading") == "Responses: fair, Chad"
    assert [row[2] for row in listed(opened)] == [f"fair says Chad is fine after {root}." for root in ROOTS]


def test_responses_are_listed_by_value_a_page_at_a_time(page):
    n = 45
    prompts = [{"prompt_id": f"p{i:02d}", "root_prompt_id": f"p{i:02d}", "prompt_text": "x"} for i in range(n)]
    common = [{"system_id": "biased", "prompt_id": row["prompt_id"], "replicate": 0} for row in prompts]
    opened = page(
        "measurements?row=biased&order=highest+first",
        prompts=prompts,
        prompt_factors=[{"prompt_id": row["prompt_id"], "factor": "concept", "level": "Chad"} for row in prompts],
        responses=[row | {"status": "ok", "response_text": f"said {i}"} for i, row in enumerate(common)],
        measurements=[
            row | {"measure_id": "sentiment", "value": float(i * 7 % n), "scorer_version": "1"}
            for i, row in enumerate(common)
        ],
    )
    assert [row[3] for row in listed(opened)] == [str(n - 1 - place) for place in range(20)]
    opened.click("#later")
    opened.click("#later")
    assert [row[3] for row in listed(opened)] == ["4", "3", "2", "1", "0"]
    assert opened.run('document.getElementById("later").disabled')


def test_baseline_texts_are_listed_as_what_they_are(page):
    prompts = [
        {"prompt_id": f"{root}_{group}", "root_prompt_id": root, "prompt_text": "p", "baseline_text": f"base {group}"}
        for root in ROOTS
        for group in GROUPS
    ]
    base = [row | {"system_id": "baseline"} for row in SENTIMENTS[:6]]
    opened = page(
        "measurements?row=baseline",
        prompts=prompts,
        measurements=[*SENTIMENTS, *base],
        systems=[*STUDY["systems"], system("baseline", is_baseline=True, is_simulated=False)],
    )
    assert listed(opened)[0][2].split("\n")[0] == "base Brazil"
    assert "own baseline text" in listed(opened)[0][2]


def test_what_does_not_travel_with_the_page_is_said(tab, publish_small, tmp_path, snapshot):
    published, out = publish_small(**{**STUDY, "summary_statistics": statistics()}), tmp_path / "cut.html"
    write_report(published, "small", out)
    with open_published(published) as connection:
        cut = pack_dashboard(Reader(connection, "small"), max_values=6)
    whole = re.sub(r'(id="packed-responses">)[^<]*', rf"\g<1>{cut.responses}", out.read_text())
    out.write_text(whole)
    tab.open(out, "measurements")
    assert text_of(tab, "#measurements p.small.soft") == snapshot
    assert {row[1] for row in strips(tab).values()} == {"3"}
