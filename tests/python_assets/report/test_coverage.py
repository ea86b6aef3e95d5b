"""The section on coverage: what is listed, what is drawn, and what is said where it is cut."""

import json

import pytest

from tests.python_assets.report.conftest import CONFIG

PAIR = "gender x title"


def coverage_row(factors, n_cells, n_covered, **changed):
    row = {"factors": factors, "n_factors": len(factors.split(" x ")), "n_cells": n_cells, "n_impossible": 0}
    row |= {"n_covered": n_covered, "coverage_percentage": n_covered / n_cells, "gini_index": 0.25}
    return row | {"n_prompts": 6, "n_responses": 8, "n_responses_ok": 7, "min_count": 0, "max_count": 4} | changed


def cells(factors, counts):
    return [{"factors": factors, "group_id": group, "n_prompts": n} for group, n in counts.items()]


def condition(position, **levels):
    rows = [{"factor": factor, "level": level} for factor, names in levels.items() for level in names]
    return [{"condition_position": position} | row for row in rows]


@pytest.fixture
def named(report):
    """A study of women and men by title, in which Mr and women cannot meet."""
    config = CONFIG | {"factors": {"gender": {"levels": ["m", "f"]}}}
    study = {
        "title": "Names",
        "domain": "",
        "config_json": json.dumps(config),
        "plumbline_version": "1",
        "significance_level": 0.05,
    }

    def page(**replaced):
        tables = {
            "studies": [study],
            "factors": [
                {"factor": "gender", "type": "domain", "n_levels": 2, "origin": "imported", "reference_level": "f"}
            ],
            "coverage": [
                coverage_row("gender", 2, 2),
                coverage_row("title", 3, 3),
                coverage_row(PAIR, 5, 4, n_impossible=1),
            ],
            "coverage_cells": [
                *cells("gender", {"f": 2, "m": 4}),
                *cells("title", {"Dr": 3, "Mr": 2, "Ms": 1}),
                *cells(PAIR, {"f x Dr": 1, "m x Dr": 2, "m x Mr": 2, "f x Ms": 1, "m x Ms": 0}),
            ],
            "impossible_cells": condition(0, gender=["f"], title=["Mr"]),
            "factor_aliasing": [
                {"factor_a": "gender", "factor_b": "title", "relation": "partial", "cramers_v": 0.4321, "n_prompts": 6}
            ],
        }
        return report(**{**tables, **replaced})

    return page


def heatmap(page):
    """The cells of the first heatmap by class, row by row."""
    found, is_inside = [], False
    for tag, attributes in page.tags:
        is_inside |= attributes.get("class") == "heat"
        if is_inside and tag == "tr":
            found.append([])
        elif is_inside and tag == "td":
            found[-1].append((attributes.get("class"), attributes.get("style")))
        elif tag == "ul" and is_inside:
            break
    return found[1:]


def test_a_heatmap_has_a_cell_for_each_two_levels_in_declared_order(named, snapshot):
    page = named()
    assert heatmap(page) == [  # Dr, Mr, Ms by m, f; of 4 prompts in the fullest
        [(None, "--share:50%"), (None, "--share:25%")],
        [(None, "--share:50%"), ("never", None)],
        [("gap", None), (None, "--share:25%")],
    ]
    assert page.blocks["coverage"][5] == snapshot


def test_cells_are_impossible_where_all_factors_of_one_condition_meet(named):
    conditions = [
        *condition(0, gender=["f"], title=["Mr", "Dr"]),
        *condition(1, gender=["m"], title=["Ms"]),
        *condition(2, gender=["m"], title=["Dr"], race=["a"]),  # of three factors: says nothing of two
    ]
    assert [[kind for kind, _ in row] for row in heatmap(named(impossible_cells=conditions))] == [
        [None, "never"],
        [None, "never"],
        ["never", None],
    ]


def test_sets_say_their_size_what_is_impossible_and_the_responses_that_came(named, snapshot):
    page = named()
    text = " ".join(page.sections["coverage"].split())
    assert f"{PAIR}51480 %0.25060 to 47 of 8" in text
    assert page.blocks["coverage"][1] == snapshot


def test_the_cells_of_the_whole_design_that_a_system_answered_are_told(named):
    row = {"n_cells": 5, "coverage_percentage": 0.6, "n_responses": 4, "n_responses_ok": 3}
    rows = [
        row | {"system_id": "good", "factors": PAIR, "n_factors": 2, "n_answered": 3},
        row | {"system_id": "good", "factors": "gender", "n_factors": 1, "n_answered": 2},
    ]
    text = " ".join(named(response_coverage=rows).sections["coverage"].split())
    assert f"What each generation answered of {PAIR}" in text
    assert "good360 %3 of 4" in text
    assert "good2" not in text


def test_factors_that_are_not_crossed_are_listed_with_their_v(named):
    text = " ".join(named().sections["coverage"].split())
    assert "genderpartly crossed withtitle0.4326" in text
    none = named(factor_aliasing=[{"factor_a": "a", "factor_b": "b", "relation": "crossed", "cramers_v": 0.0}])
    assert "not crossed" not in none.sections["coverage"]
    never = {"factor_a": "seed", "factor_b": "style", "n_prompts": 0, "reason": "no_shared_prompt"}
    text = " ".join(named(factor_aliasing=[never]).sections["coverage"].split())
    assert "seednever withstyleno shared prompt0" in text


def test_the_table_of_factors_is_that_of_the_document(named):
    text = " ".join(named().sections["asked"].split())
    assert "factortypelevelsreferenceGini index" in text
    assert "genderdomain2f0.250" in text


def test_a_vast_design_is_written_with_a_power_of_ten(named):
    page = named(coverage=[coverage_row("gender", 1e24, 2)])
    assert "1.0 × 10^24" in page.sections["coverage"]


def test_heatmaps_and_their_rows_are_cut_and_it_is_said(named, snapshot):
    levels = [f"l{k:03d}" for k in range(70)]
    factors = [f"f{k}" for k in range(5)]
    pairs = [f"{a} x {b}" for place, a in enumerate(factors) for b in factors[:place]]
    tables = {
        "coverage": [
            *(coverage_row(factor, 70, 70) for factor in factors),
            *(coverage_row(pair, 4_900, 70) for pair in pairs),
        ],
        "coverage_cells": [
            *(row for factor in factors for row in cells(factor, dict.fromkeys(levels, 1))),
            *(row for pair in pairs for row in cells(pair, {f"{level} x {level}": 1 for level in levels})),
        ],
    }
    blocks = named(**tables).blocks["coverage"]
    assert [blocks[5], blocks[6], blocks[73]] == snapshot


def test_target_shares_stand_beside_actual_ones_in_declared_order(named):
    shares = {"f": (2, 1 / 3, 0.6), "m": (4, 2 / 3, 0.4)}
    rows = [
        {"factors": "gender", "group_id": level, "n_prompts": n, "prompt_share": actual, "target_share": target}
        for level, (n, actual, target) in shares.items()
    ]
    assert "the study file declares" not in named().text
    text = " ".join(named(coverage_cells=rows).sections["coverage"].split())
    assert "promptstargetactual genderm440 %66.7 % genderf260 %33.3 %" in text.replace("gender m", "genderm")
