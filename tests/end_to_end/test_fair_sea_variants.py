"""The repository's level sets and a third gender run as the document's do, and what is declared is found."""

import pytest

from python_assets.study_file.load import load_study
from python_assets.warehouse.paths import PROJECT


@pytest.fixture(scope="module")
def variants(run_study, with_few_draws):
    return run_study("fair_sea_variants", PLUMBLINE_STUDIES=with_few_draws("fair_sea_variants"))


def test_both_level_sets_can_be_written():
    own = load_study(PROJECT / "studies" / "fair_sea.yml").factors
    other = load_study(PROJECT / "studies" / "fair_sea_variants.yml").factors
    assert own["gender"].levels == ["Female", "Male"]
    assert other["gender"].levels == ["Female", "Male", "Non-binary"]
    assert own["nationality"].levels == ["Singapore", "PR", "Other"]
    assert len(other["nationality"].levels or []) == 6


def test_every_tone_is_read_and_every_cell_is_full(variants):
    tones = variants.rows("select distinct label from measurements where measure_id = 'tone' and label is not null")
    assert {tone for (tone,) in tones} == {"Rude", "Polite", "Incompetent", "Apologetic"}
    rules = dict(variants.rows("select rule, n_unexpected from v_quality_rules where n_evaluated > 0"))
    assert rules == dict.fromkeys(rules, 0)
    assert {"responses_per_cell", "only_slots_differ", "non_null_output"} <= set(rules)


def test_exactly_what_is_declared_is_significant(variants):
    significant = variants.rows(
        """
        select distinct system_id, grouping_id from findings
        where family_id = 'primary' and measure_id = 'tone' and q_value < 0.05
        """
    )
    assert set(significant) == {("uneven", "gender"), ("uneven", "nationality")}


def test_the_third_gender_is_worse_off_in_the_tone_that_is_heard(variants):
    found = variants.rows(
        """
        select group_id from contrasts
        where system_id = 'uneven' and grouping_id = 'gender' and measure_id = 'tone'
          and contrast = 'risk_difference' and category = 'Rude' and value > 0.1
        """
    )
    assert found == [("Non-binary",)]
