"""The page of disparities."""

import pytest

from tests.python_assets.report.scripts.conftest import BY_CONCEPT, cells, statistics


def disparity(metric: str, value: float | None, **changed) -> dict:
    return BY_CONCEPT | {"statistic": "mean", "parameters": "", "metric": metric, "value": value} | changed


EXTREMES = [
    disparity("max", 0.4, group_low="Chad", n_low=18, group_high="Brazil", n_high=1),
    disparity("mean", 0.25, group_low="Chad", n_low=18, group_high="Brazil", n_high=1),
    disparity("min", 0.1, group_low="Chad", n_low=18, group_high="Brazil", n_high=1),
]


@pytest.mark.parametrize("name", ["statistics", "disparity"])
def test_largest_mean_and_smallest_stand_with_their_groups(page, name):
    found = BY_CONCEPT | {"statistic": "mean", "parameters": "", "concentration": "dispersed"}
    opened = page(name, disparities=EXTREMES, summary_statistics=statistics(), concentrations=[found])
    assert cells(opened, f"#{name} table")[0] == [
        "biased",
        "",
        "0.400",
        "Brazil",
        "0.250",
        "0.100",
        "18 groups",
        "dispersed",
    ]


def test_a_number_stands_beside_its_noise_floor(page):
    rows = [
        disparity("range", 0.3, null_q95=0.2, q_value=0.004, verdict="different"),
        disparity("dixon_high", 0.1, null_q95=0.5, q_value=0.4, verdict="inconclusive"),
        disparity("standard_deviation", 0.1, value_responses=0.3, null_q95=0.2),
        disparity("impact_ratio", 0.5, null_q95=0.6, verdict="inconclusive"),
        disparity("min_max_ratio", None, reason="mixed_signs", inference_reason="ratio_undefined"),
    ]
    opened = page("disparity", disparities=rows)
    panels = opened.run(
        '[...document.querySelectorAll(".metric-panel")].map((panel) => panel.querySelector("h4").innerText)'
    )
    found = dict(zip(panels, cells(opened, ".metric-panel"), strict=True))
    assert found["range"][2:] == ["0.300", "≤ 0.200", ".004", "significant difference"]
    assert found["dixon high"][2:] == ["0.100", "≤ 0.500", ".400", "inconclusive"]
    assert found["impact ratio"][2:] == ["0.500", "≥ 0.600", "–", "inconclusive"]
    assert found["min max ratio"][2:] == ["mixed signs", "ratio undefined", "–", ""]
    beyond = opened.run(
        """[...document.querySelectorAll(".metric-panel")].map(
            (panel) => panel.querySelector(".beyond") !== null)"""
    )
    assert dict(zip(panels, beyond, strict=True)) == {
        "dixon high": False, "impact ratio": True, "min max ratio": False, "range": True,
        "standard deviation": False,
    }  # fmt: skip
