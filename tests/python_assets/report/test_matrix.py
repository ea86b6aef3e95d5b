"""The first thing that a reader of the report sees."""

import pytest

from python_assets.published.query import open_published
from python_assets.report.matrix import MAX_LINES, VERDICTS, study_matrix, verdict_of
from python_assets.report.reader import Reader
from python_assets.report.text import MINUS
from tests.account import account_of
from tests.python_assets.report.conftest import SENTIMENT
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
    assert matrix.lines[0].cells == [
        ("different", True, ["Chad"], ["Brazil"], f"Russia {MINUS}0.30", "", "", False),
        None,
    ]


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
    # of systems together the published number, of each one its own: errors of 0.01 and 0.07
    errors = [
        SENTIMENT
        | {"system_id": system, "grouping_id": "concept", "group_id": group, "contrast": "mean_difference"}
        | {"std_error": std_error, "category": "", "reference": "rest", "statistic": "mean", "parameters": ""}
        for system, std_error in (("biased", 0.01), ("fair", 0.07))
        for group in ("Chad", "Brazil")
    ]
    matrix = matrix_of(
        hypotheses(OPEN | limits, OPEN | {"system_id": "fair"}, OPEN | {"calibration": "calibrated"}),
        outcome="inconclusive",
        design_power=[power | {"minimum_detectable_effect": 0.25}],
        contrasts=errors,
    )
    cells = matrix.lines[0].cells
    assert cells[0].effect == "largest: Russia +0.11 (+0.02 to +0.20)"
    assert [cell.detectable for cell in cells] == ["0.050", "0.35"]
    assert matrix.has_detectable


def test_a_metric_of_all_groups_stands_above_the_group_that_differs_most(matrix_of):
    ratio = {"verdict": "beyond_margin", "headline_metric": "impact_ratio", "headline_group_id": None}
    groups = [standing("Chad", 1, value=-0.3), standing("Brazil", 2, value=0.4)]
    (cell,) = matrix_of(hypotheses(ratio | {"headline_value": 0.62}), groups).lines[0].cells
    assert cell.effect.startswith("impact ratio 0.62")
    assert cell.group_effect.startswith("Brazil +0.40")
    assert matrix_of(hypotheses({}), groups).lines[0].cells[0].group_effect == ""


def test_what_a_cell_has_beyond_its_factors_is_named(matrix_of):
    rows = hypotheses({"headline_metric": "interaction", "headline_group_id": "south x young"})
    assert matrix_of(rows).lines[0].cells[0].effect.endswith(" (interaction)")


def test_a_measure_that_is_significant_in_another_family_alone_has_a_line(matrix_of):
    secondary = {"measure_id": "refusal", "family_id": "secondary"}
    matrix = matrix_of(
        hypotheses(
            {},
            {"statistic": "variance", "family_id": "secondary"},
            secondary | {"statistic": "variance"},
            secondary,
            secondary | {"measure_id": "empty", "is_repeated": True},
        )
    )
    assert [(line.name, line.is_under, line.family_id) for line in matrix.lines] == [
        ("sentiment", False, ""),
        ("refusal", False, "secondary"),
    ]
    assert matrix.lines[1].cells[0].is_found


def test_what_is_beyond_its_margin_elsewhere_has_a_line_under_its_measure(matrix_of):
    rate = {"family_id": "secondary", "statistic": "selection_rate"}
    beyond = rate | {"verdict": "beyond_margin", "headline_margin": 0.1}
    matrix = matrix_of(hypotheses({}, beyond, rate | OPEN | {"system_id": "fair"}, rate | {"statistic": "variance"}))
    assert [(line.name, line.is_under) for line in matrix.lines] == [("sentiment", False), ("selection rate", True)]
    assert [cell.verdict for cell in matrix.lines[1].cells] == ["beyond_margin", "inconclusive"]
    # what the table itself has is in no line under it
    assert len(matrix_of(hypotheses({"verdict": "beyond_margin", "headline_margin": 0.1})).lines) == 1
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
    assert matrix.heads == ["sentiment", "toxicity", "sentiment: selection rate (secondary)"]
    assert [cell and cell.verdict for cell in matrix.lines[0].cells] == ["different", "different", "beyond_margin"]
    assert matrix.lines[8].cells[1:] == [None, None]
