"""The first thing that a reader of the report sees."""

import pytest

from python_assets.published.query import open_published
from python_assets.report.matrix import MAX_LINES, VERDICTS, study_matrix, verdict_of
from python_assets.report.reader import Reader
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

    def read(findings, groups=(), outcome="significant"):
        account = [row | {"study_id": "small", "outcome": outcome} for row in account_of(findings)]
        published = publish_small(findings=findings, finding_groups=groups, hypotheses=account)
        with open_published(published) as connection:
            return study_matrix(Reader(connection, "small"))

    return read


def test_a_cell_names_the_groups_below_and_above_and_the_headline_says_it(matrix_of, snapshot):
    groups = [standing("Chad", 1, value=-0.3), standing("Brazil", 2, value=0.2)]
    matrix = matrix_of(hypotheses({}, {"system_id": "fair", "measure_id": "toxicity"}), groups)
    assert (matrix.family_id, matrix.kind, matrix.heads) == ("primary", "question", ["biased", "fair"])
    assert [line.name for line in matrix.lines] == ["sentiment by concept", "toxicity by concept"]
    assert matrix.lines[0].cells == [("different", True, ["Chad"], ["Brazil"]), None]
    assert matrix.headline == snapshot


def test_a_difference_beyond_its_margin_is_told_as_such(matrix_of, snapshot):
    matrix = matrix_of(hypotheses({"verdict": "beyond_margin"}))
    assert matrix.headline == snapshot


def test_a_difference_inside_its_margin_was_found(matrix_of, snapshot):
    matrix = matrix_of(hypotheses({"verdict": "equivalent"}, OPEN))
    assert matrix.lines[0].cells[0].is_inside
    assert matrix.headline == snapshot


def test_what_was_not_found_is_told_for_what_it_is(matrix_of, snapshot):
    left = {"inconclusive": OPEN, "equivalent": {"verdict": "equivalent"}, "not_observed": {"verdict": "not_tested"}}
    told = {outcome: matrix_of(hypotheses(row), outcome=outcome).headline for outcome, row in left.items()}
    assert told == snapshot


def test_long_matrices_are_cut_and_counted(matrix_of):
    matrix = matrix_of(hypotheses(*({"measure_id": f"m_{i:02d}"} for i in range(70))))
    assert (len(matrix.lines), matrix.n_all) == (MAX_LINES, 70)
    assert matrix.headline.endswith("67 more.")


def test_many_models_are_lines_and_told_in_one_sentence(matrix_of, snapshot):
    named = [{"system_id": f"model_{i:02d}"} for i in range(9)]
    matrix = matrix_of(hypotheses(*named, *(one | {"measure_id": "toxicity"} for one in named[:2])))
    assert (matrix.kind, matrix.heads, matrix.n_all) == ("model", ["sentiment by concept", "toxicity by concept"], 9)
    assert matrix.lines[8].cells == [("different", True, [], []), None]
    assert matrix.headline == snapshot
