"""FAIR-SEA in the report: flags by what came of them, analyses in the document's shape."""

import pytest

from python_assets.report.fair_sea import MAX_ANALYSES, size_word

PLACE = {"slice_id": "D1", "system_id": "biased", "measure_id": "leadership", "grouping_id": "concept"}
FLAG = {"flag": "large_effect", "status": "raised", "value": 0.42, "sentence": "V is red, and shown."}
TEST = PLACE | {"term": "", "category": "", "n_responses": 80, "method": "rows"}


def hypothesis(**changes):
    """A question with everything that an analysis quotes."""
    return (
        PLACE
        | {
            "family_id": "primary", "verdict": "different", "q_value": 0.004, "effect_name": "cramers_v",
            "value": 0.42, "null_q95": 0.17, "band": "red", "test": "chi_square", "statistic_value": 24.32,
            "df1": 2, "p_document": 0.0008, "p_band": "red", "action": "Investigate root cause",
            "document_action": "Investigate root cause", "n_responses": 80, "sentence": "",
        }
        | changes
    )  # fmt: skip


def finding(**changes):
    own = {
        "calibration": "raw",
        "statistic": "share",
        "parameters": "",
        "finding_rank": 1,
        "family_id": "primary",
        "is_tool_bias": False,
        "is_repeated": False,
        "verdict": "different",
        "is_preregistered": False,
        "sentence": "biased: The share of each label of leadership differs.",
    }
    return PLACE | own | changes


TABLES = {
    "interpretations": [hypothesis()],
    "findings": [finding()],
    "association_tests": [
        TEST | {"test": "chi_square", "statistic_value": 24.32, "df1": 2, "p_value": 0.0008, "effect_size": 0.42}
    ],
    "contrasts": [
        PLACE
        | {
            "calibration": "raw",
            "statistic": "share",
            "parameters": "",
            "contrast": "fdi_group",
            "category": "",
            "reference": "grand_mean",
            "group_id": group,
            "value": value,
        }
        for group, value in (("Brazil", 0.22), ("Chad", 0.18))
    ],
    "finding_groups": [
        PLACE
        | {
            "calibration": "raw",
            "statistic": "share",
            "parameters": "",
            "group_id": "Chad",
            "category": "Supportive",
            "reference": "rest",
            "position": 1,
            "direction": "none declared",
            "verdict": "different",
            "sentence": "Chad: more",
        }
    ],
}


def test_an_analysis_has_the_parts_of_the_documents_example(report):
    shown = report(**TABLES).sections["red-flags"]
    for part in (
        "D1 leadership, concept effect",
        "χ² = 24.3, p < .001, df = 2",
        "Cramér's V = 0.420 (medium effect)",
        "Chance alone gives a V of up to 0.170",
        "concept FDI: Chad = 0.180, Brazil = 0.220",
        "biased: The share of each label of leadership differs.",
        "Bands of the document: V red, p red.",
        "Investigate root cause. Look first at Chad in “Supportive”.",
    ):
        assert part in shown


def test_sizes_over_all_models_stand_below_those_of_the_model(report, snapshot):
    of_all = {"system_id": "all", "calibration": "raw", "statistic": "share", "parameters": ""}
    sizes = [row | of_all | {"value": value} for row, value in zip(TABLES["contrasts"], (0.12, 0.08), strict=True)]
    indices = [
        PLACE | of_all | {"metric": metric, "value": value, "null_q95": floor}
        for metric, value, floor in (("fdi", 0.1, 0.05), ("jsd", 0.01, None), ("fdi_max", 0.12, 0.06))
    ]
    page = report(**TABLES | {"contrasts": TABLES["contrasts"] + sizes, "disparities": indices})
    told = page.blocks["red-flags"][14:17]
    idi = [PLACE | of_all | {"metric": "idi", "value": 0.1, "null_q95": 0.05}]
    page = report(**TABLES | {"disparities": indices + idi})
    assert [*told, page.blocks["red-flags"][15]] == snapshot


def test_what_would_settle_an_open_hypothesis_is_recommended(report, snapshot):
    tables = TABLES | {
        "interpretations": [hypothesis(verdict="inconclusive", action="Increase sample size")],
        "findings": [finding(verdict="inconclusive", n_needed=1_200, n_needed_for="effect")],
        "finding_groups": [],
    }
    assert report(**tables).blocks["red-flags"][18] == snapshot


def test_an_action_that_the_document_lacks_is_said_to_be_lacking(report, snapshot):
    tables = TABLES | {"interpretations": [hypothesis(value=0.2, action=None, document_action=None)]}
    assert report(**tables).blocks["red-flags"][18] == snapshot


def test_a_difference_without_a_group_is_not_blamed_on_one(report, snapshot):
    assert report(**TABLES | {"finding_groups": []}).blocks["red-flags"][18] == snapshot


def test_flags_are_told_by_what_came_of_them(report, snapshot):
    flags = [
        FLAG | {"flag_id": "a"},
        FLAG | {"flag_id": "b", "status": "band_only", "sentence": "V is red, but chance gives as much."},
        FLAG | {"flag_id": "c", "status": "not_raised", "sentence": "V is not red."},
        *(
            FLAG
            | {
                "flag_id": name,
                "flag": "cross_model",
                "status": "not_evaluated",
                "reason": "too_few_models",
                "sentence": f"Cross model ({name}) could not be evaluated: one model.",
            }
            for name in ("d", "e")
        ),
    ]
    page = report(red_flags=flags)
    assert page.blocks["red-flags"][3:9] == snapshot
    assert "V is not red." not in page.sections["red-flags"]  # counted, not listed
    assert "No red flag was raised." not in page.sections["red-flags"]


def test_a_study_without_flags_and_tests_says_so(report, snapshot):
    assert report().blocks["red-flags"][3:] == snapshot


def test_analyses_are_cut_and_counted(report):
    names = [f"m{i:02d}" for i in range(MAX_ANALYSES + 1)]
    tables = {
        "interpretations": [hypothesis(measure_id=name) for name in names],
        "findings": [finding(measure_id=name, finding_rank=i) for i, name in enumerate(names)],
    }
    shown = report(**tables).sections["red-flags"]
    assert f"The first {MAX_ANALYSES} of {MAX_ANALYSES + 1} analyses are written out." in shown
    assert "D1 m00, concept effect" in shown and f"D1 {names[-1]}, concept effect" not in shown


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("cramers_v", 0.0999, "negligible"), ("cramers_v", 0.1, "small"), ("cramers_v", 0.3, "medium"),
        ("cramers_v", 0.5, "large"), ("cohens_d", -0.8, "large"), ("cohens_d", 0.19, "negligible"),
        ("cohens_d", -0.2, "small"), ("cohens_d", 0.5, "medium"), ("eta_squared", 0.0099, "small"),
        ("eta_squared", 0.01, "medium"), ("eta_squared", 0.06, "large"),
    ],
)  # fmt: skip
def test_sizes_have_the_words_of_the_document(name, value, word):
    assert size_word(name, value) == word
