"""A measure that finds a label in too few answers of a generation is asked nothing there."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from python_assets.infer.groups.unscored import too_many_unscored
from python_assets.infer.run import infer_study
from python_assets.study.analysis import Quality
from python_assets.study.measures import MeasureSpec
from python_assets.study.study import Study
from tests.python_assets.infer.test_run import analysis, rows

PROTOTYPES = MeasureSpec(name="style", prototypes={"labels": {"a": ["one"], "b": ["two"]}})
CHOICES = MeasureSpec(name="style", choices=["a", "b"])
TAXONOMY = MeasureSpec(name="style", taxonomy={"labels": {"a": [], "b": []}, "steps": ["exact"]})


def quality(spec=PROTOTYPES, **declared):
    return analysis(unscored_allowed=Study.unscored_allowed.fget(declaring(spec, **declared)))


def declaring(spec, **declared):
    return SimpleNamespace(measures=[spec], analysis=SimpleNamespace(quality=Quality(**declared)))


def built(study, reason="no_label_near", **n_unscored):
    """Two labels of 10 prompts and 2 groups for each generation, which has so many of 40 answers without a label."""
    first = np.random.default_rng(3).integers(0, 2, size=(10, 2)).astype(float)
    for system in n_unscored:
        for label, x in (("a", first), ("b", 1 - first)):
            study.add("style", x, kind="categorical", category=label, system_id=system)
    study.scorers = pd.DataFrame(
        [
            (system, "style", "v", 1.0, "a", reason if at < n else None)
            for system, n in n_unscored.items()
            for at in range(40)
        ],
        columns=["system_id", "measure_id", "scorer_version", "value", "label", "reason"],
    )
    return study.write()


def test_its_hypotheses_have_no_p_and_the_reason_and_those_of_others_stay(study):
    connection = built(study, read=20, unscored=21)
    infer_study(connection, quality())
    of_groups = "measure_id = 'style' and reference_system_id = ''"
    hypotheses = rows(connection, "hypotheses", of_groups).set_index("system_id")
    assert hypotheses.inference_reason["unscored"] == "too_many_unscored"
    assert np.isnan(hypotheses.p_value["unscored"])
    assert hypotheses.p_value["read"] >= 0
    contrasts = rows(connection, "contrasts", "system_id = 'unscored'")
    assert contrasts.p_value.isna().all()
    assert set(contrasts.verdict.dropna()) == {"not_tested"}
    changes = rows(connection, "system_comparisons", "comparison in ('mean_change', 'groups_changed')")
    assert changes.p_value.isna().all()
    assert set(changes.inference_reason) == {"too_many_unscored"}


@pytest.mark.parametrize(
    ("spec", "share", "is_unscored"),
    [(PROTOTYPES, None, False), (CHOICES, None, False), (TAXONOMY, None, True), (CHOICES, 0.05, True)],
)
def test_half_may_be_without_a_label_unless_the_study_or_a_taxonomy_says_less(study, spec, share, is_unscored):
    connection = built(study, model=3)
    declared = quality(spec, max_unscored_share=share)
    expected = {("model", "style"), ("all", "style")} if is_unscored else set()
    assert too_many_unscored(connection, declared) == expected


def test_an_undecided_response_was_read(study):
    connection = built(study, reason="undecided", model=40)
    assert too_many_unscored(connection, quality(CHOICES, max_unscored_share=0.05)) == set()
