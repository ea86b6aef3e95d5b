"""The pages with filters in a browser: a study of two root prompts, three groups and two models."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from bench.chromium import CHROMIUM, Browser, browser
from python_assets.report.text import number
from python_assets.report.write_report import write_report
from tests.python_assets.report.conftest import GROUPS, ROOTS, SENTIMENT

SYSTEMS = ("biased", "fair")
BY_CONCEPT = SENTIMENT | {"grouping_id": "concept"}
VALUES = {
    (system, root, group): 0.51 * (system == "fair") + 0.23 * GROUPS.index(group) - 0.1337 * (root == "r2")
    for system in SYSTEMS
    for root in ROOTS
    for group in GROUPS
}
BASELINE = {root: 0.27 * place for place, root in enumerate(ROOTS)}


def system(name: str, **changed) -> dict:
    row = {"system_id": name, "provider": "p", "model": "m", "system_prompt_name": "", "template": "", "extension": ""}
    row |= {"system_prompt": "", "decoding_json": "{}", "is_simulated": True, "is_baseline": False}
    return row | changed


def measured(measure_id: str = "sentiment", **values) -> list[dict]:
    """A row a response; values by column, as functions of (generation, root, group)."""
    return [
        {"system_id": key[0], "prompt_id": f"{key[1]}_{key[2]}", "replicate": 0, "measure_id": measure_id}
        | {"scorer_version": "1"}
        | {name: value(*key) for name, value in values.items()}
        for key in VALUES
    ]


def measure(measure_id: str, kind: str = "continuous", scorer: str = "vader") -> dict:
    return {"measure_id": measure_id, "kind": kind, "scorer": scorer, "direction": "none", "scale_low": 0.0}


def responses(said: Callable[[str, str, str], str]) -> list[dict]:
    return [
        {"system_id": key[0], "prompt_id": f"{key[1]}_{key[2]}", "replicate": 0, "status": "ok"}
        | {"response_text": said(*key)}
        for key in VALUES
    ]


SENTIMENTS = measured(value=lambda *key: VALUES[key], baseline_value=lambda g, root, c: BASELINE[root])
STUDY = {
    "summary_statistics": [],
    "contrasts": [],
    "disparities": [],
    "systems": [system(name) for name in SYSTEMS],
    "measures": [measure("sentiment")],
    "measurements": SENTIMENTS,
    "responses": responses(lambda g, root, group: f"{g} says {group} is fine after {root}."),
}


@pytest.fixture(scope="session")
def tab(tmp_path_factory):
    """One browser for all tests of the pages."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(tab, publish_small, tmp_path) -> Callable[..., Browser]:
    """Open a page of the study; keywords replace the rows of a mart. It ends with an empty console."""

    def show(fragment: str, *, scripts: bool = True, **replaced) -> Browser:
        out = tmp_path / "report.html"
        if replaced or not out.exists():
            write_report(publish_small(**{**STUDY, **replaced}), "small", out)
        tab.open(out, fragment, scripts=scripts)
        return tab

    tab.complaints.clear()
    yield show
    assert tab.complaints == []


def cells(opened: Browser, table: str) -> list[list[str]]:
    """The text of every row of a table's body."""
    return opened.run(
        f"""[...document.querySelectorAll({json.dumps(table + " tbody tr")})].map(
            (row) => [...row.children].map((cell) => cell.innerText.trim()))"""
    )


def text_of(opened: Browser, selector: str) -> str:
    return opened.run(f"document.querySelector({json.dumps(selector)}).innerText")


def strips(opened: Browser) -> dict[str, list[str]]:
    return {row[0]: row[2:] for row in cells(opened, "#measurements .strips")}


def mean(keys) -> str:
    return number(float(np.mean([VALUES[key] for key in keys])))


def listed(opened: Browser) -> list[list[str]]:
    opened.run(
        """new Promise((resolve) => { (function look() {
            document.querySelector("#responses table") ? resolve(true) : setTimeout(look, 10); })(); })"""
    )
    return cells(opened, "#responses table")


def statistics(**changed) -> list[dict]:
    return [
        BY_CONCEPT
        | {"system_id": name, "group_id": group, "statistic": "mean", "parameters": "", "n_responses": 2}
        | {"value": 0.1 * place - 0.2 * (name == "fair"), "ci_low": -1.0}
        | changed
        for name in SYSTEMS
        for place, group in enumerate(GROUPS)
    ]
