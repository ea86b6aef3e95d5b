"""The first thing that a reader of the report sees."""

import pytest

from python_assets.published.query import open_published
from python_assets.report.matrix import MAX_LINES, VERDICTS, study_matrix, verdict_of
from python_assets.report.reader import Reader
from python_assets.report.text import MINUS
from tests.account import account_of
from tests.python_assets.report.test_result_cards import OPEN, hypotheses, standing


@pytest.mark.parametrize(
    ("verdicts", "strongest"),
    [
        (["inconclusive", "different", "beyond_margin"], "beyond_margin"),
        (["different", "not_tested"], "different"),
        (["inconclusive", "equivalent"], "inconclusive"),
        (["equivalent", "not_tested"], "equivalent"),
        (["not_tested"], "not_tested"),
        ([], "not_tested"),
    ],
)
def test_the_strongest_verdict_of_a_models_hypotheses(verdicts, strongest):
    assert verdict_of({"verdict": verdict} for verdict in verdicts) == strongest
    assert strongest in VERDICTS


@pytest.fixture
def matrix_of(publish_small):
    """The matrix of the small study with these findings and groups, each finding with this outcome."""

    def read(findings, groups=(), outcome="significant", **replaced):
        account = [row | {"study_id": "small", "outcome": outcome} for row in account_of(findings)]
        published = publish_small(findings=findings, finding_groups=groups, hypotheses=account, **replaced)
        with open_published(published) as connection:
            return study_matrix(Reader(connection, "small"))

    return read


def test_a_cell_names_the_groups_below_and_above_with_the_strongest_effect(matrix_of):
    groups = [standing("Chad", 1, value=-0.3), standing("Brazil", 2, value=0.2)]
    matrix = matrix_of(hypotheses({}, {"system_id": "fair", "measure_id": "toxicity"}), groups)
    assert (matrix.family_id, matrix.kind, matrix.heads) == ("primary", "measure", ["biased", "fair"])
    assert (matrix.grouping_id, [line.name for line in matrix.lines]) == ("concept", ["sentiment", "toxicity"])
    assert matrix.lines[0].cells == [("different", True, ["Chad"], ["Brazil"], f"Russia {MINUS}0.30", ""), None]


def test_groupings_are_named_where_there_are_several(matrix_of):
    matrix = matrix_of(hypotheses({}, {"grouping_id": "gender", "slice_id": "letters"}))
    assert (matrix.grouping_id, [line.name for line in matrix.lines]) == (
        "",
        ["sentiment by concept", "sentiment by gender, slice letters"],
    )


def test_a_difference_inside_its_margin_was_found(matrix_of):
    assert matrix_of(hypotheses({"verdict": "equivalent"}, OPEN)).lines[0].cells[0].is_inside


def test_where_nothing_is_significant_the_largest_difference_stands_with_what_is_detectable(matrix_of):
    limits = {"largest_value": 0.11, "largest_ci_low": 0.02, "largest_ci_high": 0.2}
    power = {"grouping_id": "concept", "measure_id": "sentiment", "contrast": "mean_difference", "source": "observed"}
    matrix = matrix_of(
        hypotheses(OPEN | limits, {"system_id": "fair"}),
        outcome="inconclusive",
        design_power=[power | {"minimum_detectable_effect": 0.213}],
    )
    (cell, _) = matrix.lines[0].cells
    assert (cell.effect, cell.detectable) == ("largest: Russia +0.11 (+0.02 to +0.20)", "0.21")
    assert matrix.has_detectable


def test_what_is_beyond_its_margin_elsewhere_has_a_line_under_its_measure(matrix_of):
    rate = {"family_id": "secondary", "statistic": "selection_rate"}
    beyond = rate | {"verdict": "beyond_margin", "headline_margin": 0.1}
    matrix = matrix_of(hypotheses({}, beyond, rate | OPEN | {"system_id": "fair"}, rate | {"statistic": "variance"}))
    assert [(line.name, line.is_under) for line in matrix.lines] == [("sentiment", False), ("selection rate", True)]
    assert [cell.verdict for cell in matrix.lines[1].cells] == ["beyond_margin", "inconclusive"]
    other = matrix_of(hypotheses({}, beyond | {"measure_id": "joy"}))
    assert [(line.name, line.is_under) for line in other.lines] == [
        ("sentiment", False),
        ("joy: selection rate", False),
    ]


def test_long_matrices_are_cut_and_counted(matrix_of):
    matrix = matrix_of(hypotheses(*({"measure_id": f"m_{i:02d}"} for i in range(70))))
    assert (len(matrix.lines), matrix.n_all) == (MAX_LINES, 70)


def test_many_systems_are_lines(matrix_of):
    named = [{"system_id": f"model_{i:02d}"} for i in range(9)]
    rate = {"family_id": "secondary", "statistic": "selection_rate", "verdict": "beyond_margin"}
    matrix = matrix_of(hypotheses(*named, *(one | {"measure_id": "toxicity"} for one in named[:2]), named[0] | rate))
    assert (matrix.kind, matrix.n_all) == ("system", 9)
    assert matrix.heads == ["sentiment", "toxicity", "sentiment: selection rate"]
    assert [cell and cell.verdict for cell in matrix.lines[0].cells] == ["different", "different", "beyond_margin"]
    assert matrix.lines[8].cells[1:] == [None, None]
