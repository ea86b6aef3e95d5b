"""The page of measurements: rows, filters, parts of a whole."""

import json

import numpy as np
import pytest

from python_assets.report.text import number
from tests.python_assets.report.conftest import CONFIG, GROUPS, ROOTS
from tests.python_assets.report.scripts.conftest import (
    BASELINE,
    SENTIMENTS,
    SYSTEMS,
    VALUES,
    cells,
    mean,
    measure,
    measured,
    strips,
    system,
)


def test_a_row_has_the_mean_and_the_counts_of_its_values(page):
    found = strips(page("measurements"))
    assert found == {name: [mean(key for key in VALUES if key[0] == name), "6", "0"] for name in SYSTEMS}


def test_rows_may_be_groups(page):
    found = strips(page("measurements?rows=group"))
    assert list(found) == list(GROUPS)
    assert found["Chad"] == [mean(key for key in VALUES if key[2] == "Chad"), "4", "0"]


def test_means_of_every_cell_stand_in_a_table(page):
    opened = page("measurements")
    opened.click("#open-means")
    assert cells(opened, "#means table") == [
        [
            group,
            *(f"{np.mean([VALUES[name, root, group] for root in ROOTS]):.3f}".replace("-", "−") for name in SYSTEMS),
        ]
        for group in GROUPS
    ]


def test_a_calibrated_value_is_less_its_own_baseline(page):
    expected = np.mean([VALUES[key] - BASELINE[key[1]] for key in VALUES if key[0] == "fair"])
    assert strips(page("measurements?calibration=calibrated"))["fair"][0] == number(float(expected))


@pytest.mark.parametrize(
    ("fragment", "keeps"),
    [
        ("system_id=fair", lambda g, root, group: g == "fair"),
        ("factor.concept=Chad", lambda g, root, group: group == "Chad"),
        ("factor.concept=Chad&factor.concept=Brazil", lambda g, root, group: group != "Ideraland"),
        ("factor.keyword=k_r2", lambda g, root, group: root == "r2"),
        ("factor.source_tag=s_r1&system_id=biased", lambda g, root, group: root == "r1" and g == "biased"),
        ("slice_id=part", lambda g, root, group: group in ("Chad", "Brazil")),
        ("system_prompt_name=pirate", lambda g, root, group: g == "fair"),
    ],
)
def test_a_filter_leaves_what_it_names(page, fragment, keeps):
    factors = [
        {"prompt_id": f"{root}_{group}", "factor": factor, "level": level}
        for root in ROOTS
        for group in GROUPS
        for factor, level in (("concept", group), ("keyword", f"k_{root}"), ("source_tag", f"s_{root}"))
    ]
    config = CONFIG | {"slices": {"part": {"concept": ["Chad", "Brazil"]}}}
    study = {
        "title": "t",
        "domain": "d",
        "config_json": json.dumps(config),
        "config_sha256": "c",
        "significance_level": 0.05,
    }
    study |= {"plumbline_version": "v", "run_id": "r"}
    roles = [
        system("biased"),
        system("fair", system_prompt_name="pirate"),
        system("other", system_prompt_name="pirate"),
    ]
    without = SENTIMENTS[0] | {"system_id": "other", "value": None, "reason": "no_words"}
    study_of_roles = {"studies": [study], "systems": roles, "measurements": [*SENTIMENTS, without]}
    found = strips(page(f"measurements?{fragment}", prompt_factors=factors, **study_of_roles))
    found.pop("other", None)
    expected = {
        name: [mean(kept), str(len(kept)), "0"]
        for name in SYSTEMS
        if (kept := [key for key in VALUES if key[0] == name and keeps(*key)])
    }
    assert found == expected


def test_a_list_ticked_by_hand_filters_and_stays_open(page):
    opened = page("measurements")
    opened.click("#open-system_id")
    opened.click("#choose-system_id-1")
    assert list(strips(opened)) == ["fair"]
    assert opened.run('document.getElementById("several-system_id").open')
    assert opened.run("document.activeElement.id") == "choose-system_id-1"
    opened.click("#clear-system_id")
    assert list(strips(opened)) == list(SYSTEMS)


def test_measures_of_one_tool_are_parts_of_a_whole(page):
    names = ("openness", "conscience", "agreeing")
    parts = {name: place + 1.0 for place, name in enumerate(names)}
    opened = page(
        "measurements",
        measures=[measure(name, scorer="personality") for name in names],
        measurements=[row for name in names for row in measured(name, value=lambda *key, name=name: parts[name])],
    )
    row = dict(zip(sorted(names), cells(opened, ".composition")[0][2:], strict=True))
    assert row == {name: number(value) for name, value in parts.items()}
    widths = opened.run('[...document.querySelector(".stack").children].map((part) => parseFloat(part.style.width))')
    assert widths == pytest.approx([100 * parts[name] / 6 for name in sorted(names)], abs=0.01)


def test_labels_are_shown_as_shares(page):
    opened = page(
        "measurements?label=agrees",
        measures=[measure("stance", "categorical", "choice")],
        measurements=measured("stance", label=lambda g, root, group: "agrees" if group == "Chad" else "disagrees"),
    )
    assert strips(opened)["fair"] == [number(1 / 3), "6", "0"]
