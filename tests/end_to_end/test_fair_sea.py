"""FAIR-SEA with three simulated models: what they are declared to do is significant, and nothing else."""

import pytest

DECLARED = {
    ("some", "leadership", "gender"),
    ("some", "occupation", "gender"),
    ("much", "leadership", "gender"),
    ("much", "occupation", "gender"),
    ("much", "confident", "gender"),
    ("much", "industry", "race"),
    ("much", "family_reaction", "race"),
    ("much", "sentiment", "nationality"),
}
# p .0075 over 10 root prompts: too large for 155 hypotheses
MISSED = {("much", "family_reaction", "race")}


@pytest.fixture(scope="module")
def fair_sea(run_study, with_few_draws):
    return run_study("fair_sea", PLUMBLINE_STUDIES=with_few_draws("fair_sea"))


def test_exactly_the_declared_effects_are_significant(fair_sea):
    significant = fair_sea.rows(
        "select system_id, measure_id, grouping_id from findings "
        "where study_id = 'fair_sea' and family_id = 'primary' and q_value < 0.05"
    )
    single = {row for row in significant if " x " not in row[2]}
    assert single == DECLARED - MISSED
    # a group of several factors differs where one of them does
    for system, measure, grouping in set(significant) - single:
        assert {(system, measure, factor) for factor in grouping.split(" x ")} & DECLARED


def test_no_record_breaks_a_rule(fair_sea):
    rules = fair_sea.rows("select rule, n_unexpected from v_quality_rules where study_id = 'fair_sea'")
    assert len(rules) == 7
    assert all(n == 0 for _, n in rules)
