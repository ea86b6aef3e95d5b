"""What holds for every page: which is shown, what travels along, and how numbers and texts are written."""

import json

import numpy as np
import pytest

from python_assets.report.text import number, probability
from tests.python_assets.report.conftest import GROUPS, ROOTS
from tests.python_assets.report.scripts.conftest import SENTIMENTS, listed, measure, responses, system, text_of
from tests.python_assets.report.test_report import ATTACK


def test_only_the_page_asked_for_is_shown(page):
    shown = """["report", "measurements", "statistics", "disparity"].filter(
        (id) => document.getElementById(id).getClientRects().length)"""
    opened = page("")
    assert opened.run(shown) == ["report"]
    opened.click('nav.pages a[data-page="disparity"]')
    assert opened.run(shown) == ["disparity"]
    assert opened.run('document.querySelector("nav.pages [aria-current]").innerText') == "Disparity"
    assert page("coverage").run(shown) == ["report"]


def test_a_link_to_what_is_folded_opens_it(page):
    opened = page("coverage")
    is_open = "document.getElementById({}).closest('details').open"
    assert opened.run(is_open.format("'coverage'"))
    assert not opened.run(is_open.format("'quality'"))


def test_without_scripts_the_report_reads_and_the_pages_stay_away(page):
    opened = page("measurements", scripts=False)
    markup = opened.send("DOM.getDocument", depth=-1)
    assert "root" in markup
    root = markup["root"]["nodeId"]
    shown = opened.send("DOM.querySelector", nodeId=root, selector="#findings")["nodeId"]
    assert opened.send("DOM.getBoxModel", nodeId=shown)["model"]["height"] > 100
    for hidden in ("nav.pages", "#measurements", "#statistics", "#disparity"):
        node = opened.send("DOM.querySelector", nodeId=root, selector=hidden)["nodeId"]
        with pytest.raises(RuntimeError, match="box model"):
            opened.send("DOM.getBoxModel", nodeId=node)


def test_what_is_chosen_goes_along_to_the_next_page(page):
    opened = page("measurements?measure_id=sentiment&system_id=fair")
    opened.click('nav.pages a[data-page="statistics"]')
    assert opened.run("location.hash") == "#statistics?measure_id=sentiment&system_id=fair"


def test_what_models_and_files_say_is_text_on_every_page(page):
    factors = [
        {"prompt_id": f"{root}_{group}", "factor": "concept", "level": ATTACK} for root in ROOTS for group in GROUPS
    ]
    prompts = [
        {"prompt_id": f"{root}_{group}", "root_prompt_id": root, "prompt_text": ATTACK}
        for root in ROOTS
        for group in GROUPS
    ]
    rows = [row | {"system_id": ATTACK, "measure_id": ATTACK} for row in SENTIMENTS[:6]]
    named = {"slice_id": "all", "system_id": ATTACK, "measure_id": ATTACK, "calibration": "raw"}
    named |= {"grouping_id": "concept", "statistic": ATTACK, "parameters": ATTACK, "value": 1.0}
    study = {
        "prompts": prompts,
        "prompt_factors": factors,
        "systems": [system(ATTACK)],
        "measures": [measure(ATTACK, scorer=ATTACK)],
        "measurements": rows,
        "responses": [{**row, "system_id": ATTACK} for row in responses(lambda *key: ATTACK)[:6]],
        "summary_statistics": [named | {"group_id": ATTACK, "n_responses": 1}],
        "disparities": [
            named | {"metric": name, "group_low": ATTACK, "group_high": ATTACK, "verdict": "beyond_margin"}
            for name in ("max", "min", "mean", ATTACK)
        ],
    }
    opened = page("measurements", **study)
    opened.run(
        """location.replace("#measurements?" + new URLSearchParams({
            row: document.querySelector("#measurements button.name").innerText}))"""
    )
    opened.drawn()
    assert listed(opened)[0][2] == ATTACK
    for fragment in ("statistics", "disparity"):
        assert ATTACK in text_of(page(fragment), f"#{fragment} .content")
    assert opened.run("document.querySelectorAll('script').length") == 5


def test_a_study_without_numbers_says_so(page):
    nothing = dict.fromkeys(("measurements", "responses", "summary_statistics", "disparities"), [])
    for name, said in (
        ("measurements", "no measurements"),
        ("statistics", "no summary statistics"),
        ("disparity", "no disparities"),
    ):
        assert said in text_of(page(name, **nothing), f"#{name} .content")
        nothing = {}


def test_numbers_are_written_as_in_the_report(page):
    rng = np.random.default_rng(1)
    values = [0.0, 1.0, -2.0, 0.00001, -0.5, 999.96, 65535.0, 12.345, 1.005e-7, 54321.0]
    values += list(rng.normal(size=200) * 10.0 ** rng.integers(-9, 4, size=200))
    large = {1234567.0: "1,235,000", -65536.0: "−65,540"}
    shares = [0.0, 0.0004, 0.05, 0.9995, 1.0, 0.123456]
    opened = page("measurements")
    assert opened.run(f"{json.dumps(values)}.map(number)") == [number(value) for value in values]
    assert opened.run(f"{json.dumps(list(large))}.map(number)") == list(large.values())
    assert opened.run(f"{json.dumps(shares)}.map(probability)") == [probability(value) for value in shares]


def test_a_browser_that_cannot_unpack_is_told_apart(page, snapshot):
    opened = page("")
    opened.run("delete window.DecompressionStream; location.replace('#statistics')")
    said = opened.run(
        """new Promise((resolve) => { (function look() {
            const said = document.querySelector("#statistics .content .reason");
            said ? resolve(said.innerText) : setTimeout(look, 10); })(); })"""
    )
    assert said == snapshot
