"""The room that the report takes where it opens: a screen of matrix and facts, then their figure, few sheets."""

import base64
import re

import pytest

from tests.python_assets.report.conftest import small_study
from tests.python_assets.report.scripts.conftest import BY_CONCEPT

COUNTRIES = [f"Country {place:02d}" for place in range(21)]
MEAN = BY_CONCEPT | {"statistic": "mean", "parameters": ""}
N_FACTS = 12


def of_measures(row: dict) -> list[dict]:
    """The row of each of twelve facts."""
    return [row | {"measure_id": f"measure_{place}", "finding_rank": place} for place in range(1, N_FACTS + 1)]


@pytest.fixture
def crowded(page):
    """A study with 21 groups, twelve facts and as many groups in each as its card names, as it opens."""
    finding = small_study(is_simulated=True)["findings"][0] | MEAN
    finding |= {"headline_metric": "range", "headline_value": 0.59, "p_value": 0.001, "q_value": 0.01}
    finding |= {"n_root_prompts": 40, "scope": "similar prompts"}
    says = "0.346 lower than the rest (95 % interval 0.270 to 0.422): at a disadvantage."
    group = MEAN | {"category": "", "reference": "rest", "direction": "disadvantaged"}
    means = [
        MEAN | {"group_id": country, "value": place / 20, "n_responses": 40} for place, country in enumerate(COUNTRIES)
    ]
    opened = page(
        "",
        findings=of_measures(finding),
        finding_groups=[
            {name: value for name, value in row.items() if name != "finding_rank"}
            | {"group_id": country, "position": position, "sentence": f"{country}: {says}"}
            for row in of_measures(group)
            for position, country in enumerate(COUNTRIES[:4])
        ],
        summary_statistics=means,
    )
    opened.send("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    yield opened
    opened.send("Emulation.clearDeviceMetricsOverride")


def bottom(opened, selector: str) -> float:
    return opened.run(f"document.querySelector('{selector}').getBoundingClientRect().bottom + scrollY")


def test_matrix_and_facts_fill_a_screen_and_their_figure_the_next(crowded):
    assert bottom(crowded, "#findings .fact") <= 1000
    assert bottom(crowded, "#findings") <= 1600
    assert bottom(crowded, ".figure .panel") <= 2400


def test_nothing_is_wider_than_a_telephone(crowded):
    crowded.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    assert crowded.run("document.documentElement.scrollWidth") == 390


def test_the_page_prints_on_few_sheets_and_an_open_part_with_it(crowded):
    def sheets() -> int:
        printed = base64.b64decode(crowded.send("Page.printToPDF", preferCSSPageSize=True)["data"])
        return len(re.findall(rb"/Type /Page\b", printed))

    folded = sheets()
    assert folded <= 8
    crowded.run("document.querySelectorAll('details.fold').forEach((fold) => { fold.open = true; })")
    assert sheets() > folded
