import json

import pandas as pd
import pytest

from expectations.runner import blocking, run_suites
from python_assets.study.analysis import Quality
from python_assets.study.study import AnalysisSpec
from python_assets.warehouse.build import write_stage

ALL, OF_GROUP = "expect_few_bad_pairs", "expect_few_bad_pairs_of_each_group"


@pytest.fixture
def held(study, connection):
    """What is blocked where branches of 20 root prompts and two groups were labelled, those bad by group."""

    def run(share, **bad):
        branches = [(root, group) for root in range(20) for group in ("warm", "cold")]
        ids = [f"p{root}_{group}" for root, group in branches]
        factors = {"prompt_id": ids, "factor": "tone", "level": [group for _, group in branches]}
        labels = pd.DataFrame(
            {
                "prompt_id": ids,
                "root_prompt_id": [f"r{root}" for root, _ in branches],
                "rater": "x",
                "is_automatic": False,
                "is_minimal_pair": [root >= bad.get(group, 0) for root, group in branches],
                "file_name": "pairs.csv",
                "file_row": 2,
            }
        )
        write_stage(connection, "s", "assemble", {"prompt_factors": pd.DataFrame(factors)})
        write_stage(connection, "s", "labels", {"pair_labels": labels})
        bounded = study.model_copy(update={"analysis": AnalysisSpec(quality=Quality(max_bad_pairs=share))})
        return blocking(run_suites(connection, bounded, ["pair_labels"], run_id="r"))

    return run


def test_nothing_is_stratum_where_no_bound_is_declared(held):
    assert held(None, warm=20, cold=20) == []


def test_bad_pairs_up_to_the_bound_pass(held):
    assert held(0.1, warm=2, cold=2) == []


def test_more_bad_pairs_than_the_bound_block(held, snapshot):
    failed = held(0.1, warm=3, cold=2)
    assert {one.expectation for one in failed} == {ALL, OF_GROUP}
    assert failed[0].description == snapshot


def test_a_group_with_many_blocks_though_all_together_have_few(held):
    (failed,) = held(0.1, warm=4)
    assert failed.expectation == OF_GROUP
    assert json.loads(failed.examples_json)[0]["group_id"] == "warm"


def test_one_bad_pair_says_nothing_of_a_group(held):
    assert held(0.03, warm=1) == []
