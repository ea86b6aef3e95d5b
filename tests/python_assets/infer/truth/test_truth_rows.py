"""Questions of the set truth: what is drawn, what is written, and why there is no p."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.infer.hypotheses import Families, family_ids
from python_assets.infer.options import Options
from python_assets.infer.truth.truth_rows import truth_rows
from python_assets.study.analysis import HypothesisFamily

OPTIONS = Options(seed=1, n_permutations=199, n_bootstrap=0, alpha=0.05, margins={}, references={}, contrasts=())
KEYS = {"slice_id": "all", "system_id": "g", "measure_id": "job", "grouping_id": "gender"}


def answers(n_units, n_roots=1, n_repeats=2, unit="name", groups=("Female", "Male")):
    """Units nested in groups, or root prompts that hold all of them."""
    generator, rows, position = np.random.default_rng(0), [], 0
    for root in range(n_roots):
        for number in range(n_units):
            own = groups if unit == "root" else [groups[number % len(groups)]]
            for group in own:
                position += 1
                for category in generator.integers(0, 2, n_repeats):
                    rows.append(
                        {
                            **KEYS,
                            "parameters": "table=t;period=1",
                            "category": "ab"[category],
                            "category_position": category,
                            "group_id": group,
                            "root_prompt_position": root if unit == "name" else number,
                            "unit_id": {"name": f"n{number}", "root": f"r{number}", "none": "r"}[unit],
                            "prompt_position": position,
                            "n": 1,
                        }
                    )
    return pd.DataFrame(rows)


def truth(n_persons=(10.0, 10.0, 20.0, 20.0), share=0.5, groups=("Female", "Male")):
    places = [(category, group) for category in (0, 1) for group in groups]
    return pd.DataFrame(
        [
            {**KEYS, "category": "ab"[c], "category_position": c, "group_id": g, "share": share, "n_persons": n}
            for (c, g), n in zip(places, n_persons, strict=True)
        ]
    )


def rows(answered, real=None, measures=None):
    """All rows of each table."""
    connection = duckdb.connect()
    connection.execute("create schema intermediate; create schema raw")
    connection.register("answered", answered)
    connection.register("real_shares", truth() if real is None else real)
    connection.execute("create table intermediate.int_truth_answers as from answered")
    connection.execute("create table raw.ground_truths as from real_shares")
    found = {"hypotheses": [], "disparities": []}
    for name, table in truth_rows(connection, OPTIONS, measures):
        (n,) = {len(values) for values in table.values()}
        found[name] += [{key: values[row] for key, values in table.items()} for row in range(n)]
    return found


def found(answered, real=None):
    """The row of the question, and those of its sizes by metric."""
    of_table = rows(answered, real)
    (hypothesis,) = of_table["hypotheses"]
    return hypothesis, {row["metric"]: row for row in of_table["disparities"]}


def digits(answered):
    """Everything that is found, NaN alike."""
    return repr(found(answered))


@pytest.mark.parametrize(
    ("answered", "n_units", "scope"),
    [
        (answers(12), 12, "similar units, these prompts"),
        (answers(12, n_roots=6), 12, "similar units and prompts"),
        (answers(8, unit="root"), 8, "similar prompts"),
        # no unit is declared: one root prompt, whose prompts stand for themselves alone
        (answers(12, unit="name").assign(unit_id="r"), 12, "these prompts"),
    ],
)
def test_what_is_drawn_is_the_unit_of_the_study(answered, n_units, scope):
    hypothesis, sizes = found(answered)
    assert (hypothesis["n_units"], hypothesis["scope"], hypothesis["inference_reason"]) == (n_units, scope, None)
    assert 0 < hypothesis["p_value"] <= 1
    assert hypothesis["statistic"] == "ground_truth"
    assert f"{n_units} units" in hypothesis["method"]
    assert set(sizes) == {"jsd_truth_weighted", "jsd_truth_unweighted", "jsd_truth_marginal", "jsd_truth_by_group"}
    assert sizes["jsd_truth_weighted"]["inference_reason"] == "interval_not_validated"
    assert sizes["jsd_truth_marginal"]["inference_reason"] == "descriptive"
    assert all(0 < size["p_value"] <= 1 and size["null_q95"] > 0 for size in sizes.values())


def test_the_same_answers_give_the_same_digits_in_any_order():
    answered = answers(12)
    assert digits(answered) == digits(answered.sample(frac=1, random_state=0))


def test_the_hypotheses_of_some_measures_are_those_of_all_together():
    answered = pd.concat([answers(12), answers(9, n_roots=6).assign(measure_id="pay")])
    real = pd.concat([truth(), truth(share=0.4).assign(measure_id="pay")])
    whole, parts = rows(answered, real), [rows(answered, real, [measure]) for measure in ("job", "pay")]
    assert len(whole["hypotheses"]) == 2
    for table, of_all in whole.items():
        assert repr([row for part in parts for row in part[table]]) == repr(of_all)
    assert rows(answered, real, ["else"]) == {"hypotheses": [], "disparities": []}


@pytest.mark.parametrize(
    ("answered", "reason"),
    [
        (answers(4), "too_few_root_prompts"),
        (answers(12, groups=("Female",)), "one_group"),
        (answers(12).assign(category="else", category_position=None), "no_values"),
        (answers(12, groups=("x", "y")), "no_values"),
    ],
)
def test_a_hypothesis_without_a_p_says_why(answered, reason):
    hypothesis, sizes = found(answered)
    assert np.isnan(hypothesis["p_value"])
    assert hypothesis["inference_reason"] == reason
    assert hypothesis["method"] is None
    assert sizes["jsd_truth_weighted"]["inference_reason"] == reason


def test_a_truth_of_shares_alone_tells_nothing_of_categories():
    hypothesis, sizes = found(answers(12), truth(n_persons=(np.nan,) * 4))
    assert hypothesis["p_value"] > 0
    assert set(sizes) == {"jsd_truth_weighted", "jsd_truth_unweighted"}


def test_labels_and_groups_that_the_truth_lacks_change_nothing():
    answered = answers(12)
    strange = answered.assign(group_id="Nonbinary", unit_id="x")
    other = answered.assign(category="else", category_position=None)
    assert digits(pd.concat([answered, strange, other])) == digits(answered)


def test_no_set_of_the_study_names_a_hypothesis_of_truth():
    hypotheses = pd.DataFrame([{**KEYS, "calibration": "raw", "statistic": "ground_truth", "parameters": ""}])
    everything = HypothesisFamily(statistics=["ground_truth"], measures=["job"])
    sets = Families(everything, {"own": everything}, ["job"], {})
    assert family_ids(hypotheses, sets).tolist() == ["truth"]
