"""The sentences that a report opens with, over many combinations of verdicts."""

from itertools import product

import pytest

from python_assets.published.query import open_published
from python_assets.report.lead import lead_sentences
from python_assets.report.matrix import study_matrix
from python_assets.report.reader import Reader
from python_assets.report.result_cards import study_facts
from tests.account import account_of
from tests.python_assets.report.conftest import SENTIMENT
from tests.python_assets.report.test_result_cards import NO_P, OPEN, TOOL, hypotheses, standing

BEYOND = {"verdict": "beyond_margin", "headline_margin": 0.1, "headline_margin_origin": "declared"}
DIFFERENT = {"verdict": "different"}
EQUIVALENT = {"verdict": "equivalent"}
RATE = {"family_id": "secondary", "statistic": "selection_rate"}
INSIDE = "inside"  # significant, and every difference within the margin
PRIMARY = {"open": OPEN, "different": DIFFERENT, "beyond": BEYOND, "equivalent": EQUIVALENT, INSIDE: EQUIVALENT}
PRIMARY |= {"not tested": NO_P, "none": None}
OTHER = {"none": None, "open": OPEN, "different": DIFFERENT, "beyond": BEYOND}


@pytest.fixture
def opening(publish_small):
    """The lead, the matrix and the cards of the small study with these findings; inside: outcome of equivalent ones."""

    def read(findings, *, outcome=None, groups=(), pairs=()):
        account = [row | {"study_id": "small"} for row in account_of(findings, pairs)]
        for row in account:
            row["outcome"] = outcome if outcome and row["verdict"] == "equivalent" else row["outcome"]
        published = publish_small(
            findings=findings, finding_groups=groups, hypotheses=account, system_comparisons=pairs
        )
        with open_published(published) as connection:
            reader = Reader(connection, "small")
            matrix = study_matrix(reader)
            return lead_sentences(reader, matrix), matrix, study_facts(reader)

    return read


@pytest.mark.parametrize(("primary", "other"), [*product(PRIMARY, OTHER)])
def test_the_lead_contradicts_no_card_and_no_cell(opening, primary, other):
    rows = [*([PRIMARY[primary]] if PRIMARY[primary] else []), *([RATE | OTHER[other]] if OTHER[other] else [])]
    lead, matrix, facts = opening(hypotheses(*rows), outcome="significant" if primary == INSIDE else None)
    cells = [cell for line in matrix.lines for cell in line.cells if cell]
    is_beyond = any(row.get("verdict") == "beyond_margin" for row in rows)
    assert ("beyond margin" in lead) is is_beyond
    assert any(cell.verdict == "beyond_margin" for cell in cells) is is_beyond
    is_on_card = any(
        fact.badge["verdict"] == "beyond_margin" or "beyond_margin" in [line.verdict for line in fact.own_lines]
        for fact in facts.facts
    )
    assert is_on_card is is_beyond
    # what a card says of a system is in the lead, and where there is no card nothing is significant
    for fact in facts.facts:
        assert fact.hypothesis["system_id"] in lead
    is_primary_found = primary in ("different", "beyond", INSIDE)
    assert ("differs between" in lead) is (is_primary_found or (primary == "none" and other in ("different", "beyond")))
    if facts.facts and not is_primary_found and primary != "none":
        assert lead.startswith("Primary: "), "the families are named where the others have something"
        assert "Secondary: biased" in lead or "selection rate" in lead
    if not facts.facts:
        assert "differs" not in lead
        assert not any(cell.is_found for cell in cells)


@pytest.mark.parametrize("primary", ["open", "equivalent", "not tested"])
def test_primary_is_told_for_what_it_is_where_only_the_rest_is_significant(opening, snapshot, primary):
    assert opening(hypotheses(PRIMARY[primary], RATE | BEYOND, RATE | {"statistic": "variance"}))[0] == snapshot


def test_groups_are_named_on_their_side(opening, snapshot):
    groups = [standing("Chad", 1, value=-0.3), standing("Brazil", 2, value=0.2)]
    rows = hypotheses(DIFFERENT, BEYOND | {"measure_id": "toxicity"}, OPEN | {"system_id": "fair"})
    assert opening(rows, groups=groups)[0] == snapshot


def test_many_systems_are_told_in_one_sentence(opening, snapshot):
    named = [{"system_id": f"model_{i:02d}"} for i in range(9)]
    rows = [
        *named[:6],
        *(one | OPEN for one in named[6:]),
        *(one | BEYOND | {"measure_id": "joy"} for one in named[:2]),
    ]
    assert opening(hypotheses(*rows))[0] == snapshot


def test_only_tool_bias_is_not_told_as_a_difference_of_systems(opening, snapshot):
    lead, matrix, facts = opening(hypotheses(OPEN, TOOL))
    assert lead == snapshot
    assert facts.facts == []
    assert not any(cell.is_found for line in matrix.lines for cell in line.cells if cell)


def test_systems_that_differ_from_each_other_are_named(opening, snapshot):
    pair = SENTIMENT | {"grouping_id": "concept", "reference_system_id": "fair", "comparison": "groups_changed"}
    pair |= {"verdict": "different", "family_id": "comparison", "p_value": 0.001, "q_value": 0.01}
    assert opening(hypotheses(OPEN), pairs=[pair])[0] == snapshot


def test_families_are_told_in_the_order_of_their_table(opening):
    named = ("pooled", "undecided", "secondary", "mine", "primary")
    rows = [{"family_id": family, "measure_id": f"m_{family}"} for family in named]
    lead, _, _ = opening(hypotheses(*rows))
    heads = ["Primary:", "Mine:", "Secondary:", "Undecided:", "Pooled:"]
    assert sorted(heads, key=lead.index) == heads
