"""The picture of factor importance: intervals, what is greyed, and the document's filter."""

import re

import duckdb
import pytest

from python_assets.report.importance import MAX_TERMS, importance_section
from python_assets.report.reader import Reader

KEYS = {"regression_id": "why", "slice_id": "all", "system_id": "biased", "measure_id": "wrong"}
WHOLE = {"n_responses": 100, "n_events": 40, "n_clusters": 20, "converged": True, "separated": False}


def model(factor, **numbers):
    return KEYS | WHOLE | {"factor": factor, "method": "maximum likelihood", "deviance": 90.0} | numbers


def term(factor, level, coefficient, **numbers):
    row = {"reference": "none", "coefficient": coefficient, "role": "none", "probability_at_reference": 0.4}
    return KEYS | row | {"factor": factor, "level": level} | numbers


def significant(p, role):
    return {"p_value": p, "q_value": p, "role": role, "ci_low": 0.2, "ci_high": 2.0}


MODELS = [
    model("", mcfadden_r2=0.12),
    model("style", deviance_drop=4.0, p_value=0.03, q_value=0.03, p_value_permutation=0.02),
    model("stigma <x>", deviance_drop=30.0, p_value=0.001, q_value=0.002),
    model("template", deviance=None, reason="aliased"),
]
TERMS = [
    term("(intercept)", "", -0.433, probability_at_reference=0.393, reference="", inference_reason="descriptive"),
    term("style", "rude", 0.9, **significant(0.03, "risk")),
    term("style", "polite", -0.1, p_value=0.7, q_value=0.7, ci_low=-0.6, ci_high=0.4),
    term("stigma <x>", "liar", 1.6, **significant(0.001, "risk")),
    term("stigma <x>", "few", 0.4, inference_reason="too_few_clusters"),
    term("template", "t2", None, reason="aliased", aliased_with="style=rude", probability_at_reference=None),
]


ROWS = {"factor_models": MODELS, "factor_importance": TERMS}


@pytest.fixture
def read(publish_small):
    def section(**tables):
        connection = duckdb.connect(str(publish_small(**tables)), read_only=True)
        return importance_section(Reader(connection, "small"))

    return section


def test_factors_stand_by_their_drop_and_levels_by_their_coefficient(read):
    (figure,) = read(**ROWS).figures
    assert [factor.row["factor"] for factor in figure.factors] == ["stigma <x>", "style", "template"]
    levels = [one.row["level"] for one in figure.terms]
    assert levels == ["liar", "few", "rude", "polite", "t2"]
    assert figure.references == ["stigma <x> none", "style none", "template none"]


def test_what_is_not_significant_is_greyed_and_what_is_over_the_documents_p_can_be_hidden(read):
    (figure,) = read(**ROWS).figures
    assert {one.row["level"]: (one.is_significant, one.is_over) for one in figure.terms} == {
        "liar": (True, False),
        "few": (False, True),
        "rude": (True, True),
        "polite": (False, True),
        "t2": (False, True),
    }


def test_a_level_without_an_interval_has_a_dot_and_no_line_across(read):
    (figure,) = read(**ROWS).figures
    pictures = {one.row["level"]: str(one.picture) for one in figure.terms}
    (start, end) = re.search(r'"interval" d="M(\d+) 12H(\d+)"', pictures["few"]).groups()
    assert start == end
    assert "dot" not in pictures["t2"]


def test_all_levels_are_reachable_however_many(read):
    many = [term("stigma <x>", f"level {n:03}", n / 100, p_value=0.5, q_value=0.5) for n in range(95)]
    (figure,) = read(factor_models=MODELS, factor_importance=TERMS[:1] + many).figures
    assert len(figure.terms) == MAX_TERMS and len(figure.folded) == 95 - MAX_TERMS


def test_the_page_tells_the_reference_prompt_the_reasons_and_the_switch(report, snapshot):
    page = report(**ROWS)
    shown = page.sections["importance"]
    assert page.blocks["importance"][2] == snapshot
    assert "aliased with style=rude" in shown
    assert "only levels with p ≤ 0.01" in shown
    assert "stigma <x>: liar" in shown  # as text
    classes = [attributes.get("class") or "" for tag, attributes in page.tags if tag == "tr"]
    assert (classes.count("faint over"), classes.count(" over")) == (3, 1)


def test_a_regression_that_was_not_fitted_says_why(report):
    page = report(factor_models=[KEYS | {"factor": "", "reason": "no_variation"}])
    assert "not fitted, no variation" in page.sections["importance"]
