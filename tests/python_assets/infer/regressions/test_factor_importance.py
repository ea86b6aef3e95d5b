"""Factor importance against published numbers, on bad input, and how often it errs."""

import json
import os
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.bench_factor_importance import Setting, errors_of_sets, measured
from python_assets.infer.options import Options
from python_assets.infer.regressions.coding import RegressionDesign
from python_assets.infer.regressions.factor_importance import ClusterResponses, factor_importance
from python_assets.infer.regressions.factor_tests import BY_BLOCKS, BY_CLUSTERS, T_BY_CLUSTERS
from python_assets.warehouse import paths
from tests.promises import seldom

DATA = Path(os.environ.get("PLUMBLINE_DATA") or paths.PROJECT.parent / "shared" / "data")
HAS_DATA = pytest.mark.skipif(not (DATA / "reference.json").exists(), reason="PLUMBLINE_DATA is not set")
OPTIONS = Options(seed=1, n_permutations=499, n_bootstrap=200, alpha=0.05, margins={}, references={}, contrasts=())


def importance(frame, references, interactions=(), options=OPTIONS, order=None):
    """Of one row a response: cluster, y and factors; terms by (factor, level), models by factor."""
    factors = list(references)
    sums = frame.groupby(["cluster", *factors], observed=True).y.agg(["count", "sum"]).reset_index()
    order = {name: sorted(frame[name].unique()) for name in factors} | (order or {})
    responses = ClusterResponses(
        sums[factors], pd.factorize(sums.cluster)[0], sums["count"].to_numpy(float), sums["sum"].to_numpy(float)
    )
    found = factor_importance(responses, RegressionDesign(references, list(interactions), order), options)
    return found.terms.set_index(["factor", "level"]), found.models.set_index("factor")


def made(n_clusters=12, seed=3):
    """Topics of whole clusters (a, b, c) and styles inside each (plain, polite, rude)."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"r{cluster}", "abc"[cluster % 3], style, int(rng.random() < 0.4 + 0.2 * (style == "rude")))
        for cluster in range(n_clusters)
        for style in ("plain", "polite", "rude")
        for _ in range(8)
    ]
    return pd.DataFrame(rows, columns=["cluster", "topic", "style", "y"])


def published(name):
    return json.loads((DATA / "reference.json").read_text(encoding="utf-8"))[name]


@HAS_DATA
def test_bbq_gives_the_published_coefficients():
    reference = published("bbq_unifiedqa_race")
    answers = pd.read_parquet(DATA / "bbq" / "bbq_unifiedqa_predictions_6cat.parquet")
    items = pd.read_parquet(DATA / "bbq" / "bbq_items_6cat.parquet")
    frame = answers[answers.model == "unifiedqa_race"].merge(items, on=["category", "example_id"])
    frame = frame.assign(
        cluster=frame.category + "/" + frame.question_index.astype(str),
        unknown_position=frame.unknown_loc.astype(str),
        y=(frame.pred_label != frame.label).astype(int),
    )
    terms, models = importance(frame, reference["logit_race_incorrect_refs"])
    expected = reference["logit_race_incorrect"]
    assert len(terms) == len(expected) == 10
    for name, (coefficient, std_error, _) in expected.items():
        key = tuple(name.split("=")) if "=" in name else ("(intercept)", "")
        assert terms.coefficient[key] == pytest.approx(coefficient, abs=1e-6)
        assert terms.std_error_model[key] == pytest.approx(std_error, abs=1e-6)
    whole, fit = models.loc[""], reference["logit_race_incorrect_fit"]
    assert (whole.n_responses, whole.n_events, whole.n_clusters) == (fit["n"], fit["events"], 150)
    assert whole.mcfadden_r2 == pytest.approx(fit["mcfadden_r2"], abs=1e-9)
    assert whole.deviance == pytest.approx(-2 * fit["loglik"], rel=1e-9)
    # categories lie between root prompts, contexts inside them; the document's p counts every response
    assert terms.method["category", "Nationality"] == T_BY_CLUSTERS
    assert terms.method["context_condition", "ambig"].startswith(BY_BLOCKS)
    assert (terms.std_error > 1.1 * terms.std_error_model).all()
    assert terms.p_value["category", "Nationality"] > 0.1 > 1e-8 > expected["category=Nationality"][2]


@HAS_DATA
def test_decodingtrust_gives_the_published_coefficients():
    reference = published("decodingtrust")
    frame = pd.read_parquet(DATA / "decodingtrust_stereotype" / "agreeability_long.parquet")
    frame = frame[(frame.model == "gpt-4-0314") & (frame.system_prompt_type == "targeted")]
    factors = ["stereotype_topic", "target_group"]
    frame = frame.assign(
        **{name: frame[name].astype(str) for name in factors},
        cluster=frame.stereotype_topic.astype(str) + "/" + frame.template_idx.astype(str),
        y=(frame.agreeability == 1).astype(int),
    )
    terms, models = importance(frame, reference["logit_refs"])
    expected = reference["logit_gpt4_targeted"]
    assert len(terms) == len(expected) == 39
    for name, (coefficient, std_error) in expected.items():
        key = tuple(name.split("=", 1)) if "=" in name else ("(intercept)", "")
        assert terms.coefficient[key] == pytest.approx(coefficient, abs=1e-6)
        assert terms.std_error_model[key] == pytest.approx(std_error, abs=1e-6)
    assert models.n_responses[""] == 28_800
    # three templates a topic: no error over them can be trusted, but which topic it is matters all the same
    topics = terms.loc["stereotype_topic"]
    assert set(topics.inference_reason) == {"too_few_clusters"} and topics.p_value.isna().all()
    assert topics.ci_low.isna().all() and topics.n_clusters_level.eq(3).all()
    assert models.p_value_permutation["stereotype_topic"] <= 0.01
    assert models.p_value["target_group"] <= 0.01


def test_the_probability_of_the_reference_prompt_is_that_of_the_document():
    # intercept -.433: 39.3 % (multi-factor document, 3.4.1)
    rows = [(f"r{cluster}", level, 1) for cluster in range(10) for level in "ab" for _ in range(393)]
    rows += [(f"r{cluster}", level, 0) for cluster in range(10) for level in "ab" for _ in range(606)]
    terms, _ = importance(pd.DataFrame(rows, columns=["cluster", "style", "y"]), {"style": "a"})
    intercept = terms.loc[("(intercept)", "")]
    assert intercept.coefficient == pytest.approx(-0.433, abs=5e-4)
    assert intercept.probability_at_reference == pytest.approx(0.393, abs=5e-4)
    assert np.isnan(intercept.get("p_value", np.nan)) and intercept.inference_reason == "descriptive"


def test_probabilities_of_levels_together_hold_the_effects_of_each():
    frame = made(n_clusters=18)
    terms, _ = importance(frame, {"topic": "a", "style": "plain"}, [("topic", "style")])
    cell = frame[(frame.topic == "b") & (frame["style"] == "rude")].y.mean()  # saturated
    assert terms.probability_at_reference["topic x style", "b x rude"] == pytest.approx(cell, abs=1e-6)


def test_a_factor_inside_clusters_is_compared_at_the_references_of_what_it_interacts_with():
    frame = made(n_clusters=30)
    interacting, _ = importance(frame, {"topic": "a", "style": "plain"}, [("topic", "style")])
    alone, _ = importance(frame[frame.topic == "a"], {"style": "plain"})
    assert interacting.p_value["style", "rude"] == alone.p_value["style", "rude"]


def test_aliased_factors_are_named_and_the_others_stay():
    frame = made()
    frame["template"] = frame.topic.map({"a": "t1", "b": "t2", "c": "t3"})
    terms, models = importance(frame, {"topic": "a", "template": "t1", "style": "plain"})
    assert terms.reason["template", "t2"] == "aliased"
    assert terms.aliased_with["template", "t2"] == "topic=b"
    assert np.isnan(terms.coefficient["template", "t2"]) and models.reason["template"] == "aliased"
    without, _ = importance(frame, {"topic": "a", "style": "plain"})
    assert terms.coefficient["topic", "b"] == pytest.approx(without.coefficient["topic", "b"])


def separated_rows():
    """Five clusters without a single 1, beside seven with some."""
    frame = made()
    frame["kind"] = np.where(frame.cluster.isin([f"r{i}" for i in range(5)]), "never", "some")
    frame.loc[frame.kind == "never", "y"] = 0
    return frame


def test_a_separated_level_has_firths_coefficient_and_the_p_of_permuted_clusters():
    terms, models = importance(separated_rows(), {"kind": "some", "style": "plain"})
    level = terms.loc[("kind", "never")]
    assert models.separated[""] and models.method[""].startswith("Firth")
    assert -8 < level.coefficient < -2
    assert (level.inference_reason, level.method) == ("separated", BY_CLUSTERS)
    assert level.p_value < 0.02
    # leaving a cluster out tells nothing where no cluster has a 1
    assert np.isnan(level.std_error) and np.isnan(level.ci_low)
    assert terms.inference_reason.isna()["style", "rude"]


def test_a_constant_outcome_has_a_reason_and_no_number():
    for y in (0, 1):
        terms, models = importance(made().assign(y=y), {"topic": "a"})
        assert set(models.reason) == {"no_variation"} and set(terms.reason) == {"no_variation"}
        assert "coefficient" not in terms


def test_a_reference_without_a_response_has_a_reason():
    frame = made()
    order = {"topic": ["z", "a", "b", "c"]}
    _, models = importance(frame, {"topic": "z", "style": "plain"}, order=order)
    assert set(models.reason) == {"no_reference"}


def test_a_factor_of_one_level_is_left_out_and_said_so():
    frame = made().assign(language="en")
    terms, models = importance(frame, {"language": "en", "topic": "a"}, order={"language": ["en", "de"]})
    assert models.reason["language"] == "one_group" and terms.reason["language", "de"] == "no_values"
    assert not np.isnan(models.deviance_drop["topic"])
    _, alone = importance(frame, {"language": "en"})
    assert set(alone.reason) == {"one_group"}


def test_too_few_clusters_have_no_p_and_five_have_one():
    for n_with, method in ((3, None), (4, BY_CLUSTERS), (5, T_BY_CLUSTERS)):
        frame = made(n_clusters=20)
        frame["kind"] = np.where(frame.cluster.isin([f"r{i}" for i in range(n_with)]), "rare", "usual")
        terms, _ = importance(frame, {"kind": "usual"})
        found = terms.loc[("kind", "rare")]
        assert (None if pd.isna(found.method) else found.method) == method
        assert np.isnan(found.p_value) == (method is None)
        assert np.isnan(found.ci_low) == (method != T_BY_CLUSTERS)
        assert pd.isna(found.inference_reason) == (method == T_BY_CLUSTERS)


def test_few_arrangements_have_no_p():
    frame = made(n_clusters=8)  # 70 arrangements of 4 and 4; a p of .05 needs 400
    frame["kind"] = np.where(frame.cluster.isin([f"r{i}" for i in range(4)]), "rare", "usual")
    terms, _ = importance(frame, {"kind": "usual"})
    assert terms.inference_reason["kind", "rare"] == "too_few_clusters"


def test_too_many_clusters_are_not_left_out_one_by_one(monkeypatch):
    monkeypatch.setattr("python_assets.infer.regressions.logistic._MOST_SECONDS", 0.0)
    terms, models = importance(made(n_clusters=20), {"topic": "a"})
    assert models.inference_reason[""] == "too_many_clusters"
    assert set(terms.inference_reason[1:]) == {"too_many_clusters"}
    assert terms.std_error.isna().all() and set(terms.method[1:]) == {BY_CLUSTERS}


def test_one_cluster_is_no_sample():
    frame = made(n_clusters=1)
    terms, models = importance(frame, {"style": "plain"})
    assert models.inference_reason[""] == "too_few_clusters"
    assert terms.p_value[1:].isna().all() and terms.inference_reason[1:].notna().all()


def test_the_same_rows_in_another_order_give_the_same_digits():
    frame = made()
    terms, models = importance(frame, {"topic": "a", "style": "plain"})
    again = importance(frame.sample(frac=1, random_state=1), {"topic": "a", "style": "plain"})
    pd.testing.assert_frame_equal(terms, again[0])
    pd.testing.assert_frame_equal(models, again[1])


KINDS = ("level", "any", "p_value", "p_value_permutation", "covered")


@pytest.mark.run
@pytest.mark.parametrize(
    ("setting", "effect", "has_not"),
    [
        (Setting((15, 5)), "topic", ""),
        (Setting((12,), 3, cases=2, wobble=0.5), "style", ""),
        (Setting((8, 8), 2, interacts=True), "topic x style", "p_value_permutation"),
        (Setting((10, 10), rate=0.01), "topic", "covered"),  # where one level has no 1
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_factors_without_an_effect_are_found_no_more_often_than_alpha(setting, effect, has_not):
    sets, drawn = errors_of_sets(setting, 199), []

    def wrong(kind):
        for at in count():
            if at == len(drawn):
                drawn.append(dict(next(sets)[-1]))
            yield drawn[at][f"{effect} {kind}"] != (kind == "covered")

    for kind in KINDS:
        assert kind == has_not or seldom(wrong(kind)), kind


@pytest.mark.run
def test_errors_by_the_model_find_what_is_not_there():
    assert measured(Setting((15, 5)), 60, 99)["topic model"] > 0.2
