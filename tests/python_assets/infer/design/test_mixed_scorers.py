"""Groups that were read by different instruments are not compared."""

import numpy as np
import pandas as pd
import pytest

from python_assets.infer.design.mixed_scorers import mixed_scorers
from python_assets.infer.run import infer_study
from tests.python_assets.infer.test_run import analysis, rows

DESIGN = ("all", "gender")


def built(study, versions):
    """Of 30 prompts and 2 groups, the version that read each answer of a group."""
    study.add("tone", np.random.default_rng(2).normal(size=(30, 2)))
    study.add("other", np.random.default_rng(3).normal(size=(30, 2)))
    study.scorers = pd.DataFrame(
        [
            ("other" if measure else "tone", "model", "rules" if measure else version, 1.0, None, f"p{root}_{group}")
            for measure in (0, 1)
            for group, of_group in enumerate(versions)
            for root, version in enumerate(of_group)
        ],
        columns=["measure_id", "system_id", "scorer_version", "value", "label", "prompt_id"],
    )
    return study.write()


@pytest.mark.parametrize(
    ("annotated", "is_mixed"),
    [((30, 0), True), ((10, 0), True), ((9, 0), False), ((10, 1), False), ((30, 30), False), ((0, 0), False)],
)
def test_an_scorer_that_one_group_lacks_counts_where_five_of_its_values_would_be_there(study, annotated, is_mixed):
    connection = built(study, [["column"] * n + ["rules"] * (30 - n) for n in annotated])
    found = mixed_scorers(connection).get(DESIGN, set())
    assert ("model", "tone") in found if is_mixed else not found
    assert ("model", "other") not in found


def test_its_hypotheses_have_a_reason_and_those_of_others_stay(study):
    """Labels by people of one group alone made it worse, with q .029, of answers that were all the same."""
    infer_study(connection := built(study, [["column"] * 30, ["rules"] * 30]), analysis())
    hypotheses = rows(connection, "hypotheses").set_index("measure_id")
    assert hypotheses.inference_reason["tone"] == "scorer_differs"
    assert np.isnan(hypotheses.p_value["tone"]) and hypotheses.p_value["other"] >= 0
    assert rows(connection, "contrasts", "measure_id = 'tone'").p_value.isna().all()
