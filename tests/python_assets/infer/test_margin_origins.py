"""Whose a margin is: the study's, or a default that holds where it declares none."""

import numpy as np
import pandas as pd
import pytest

from python_assets.infer.options import margin_of, margin_origins
from python_assets.study.metrics import default_margins

DECLARED = {"risk_difference": 0.2, "cramers_v": 0.1, "asked": {"impact_ratio": 0.8, "range": 0.3}}


@pytest.mark.parametrize(
    ("measure_id", "effect", "origin"),
    [
        ("asked", "impact_ratio", "declared"),  # with the number of the default
        ("asked", "range", "declared"),
        ("other", "impact_ratio", "default"),
        ("other", "range", None),
        ("other", "cramers_v", "declared"),
        ("other", "fdi", "default"),
        ("other", "risk_difference", "declared"),
    ],
)
def test_a_margin_of_the_study_is_declared_and_another_one_a_default(measure_id, effect, origin):
    margin = margin_of(default_margins() | DECLARED, measure_id, "higher_worse", effect)
    rows = pd.DataFrame([{"measure_id": measure_id, "effect": effect, "margin": margin}])
    assert margin_origins(rows, "effect", DECLARED).tolist() == [origin]


def test_without_a_margin_there_is_no_origin():
    rows = pd.DataFrame([{"measure_id": "asked", "effect": "impact_ratio", "margin": np.nan}])
    assert margin_origins(rows, "effect", DECLARED).tolist() == [None]
    assert margin_origins(rows.assign(margin=0.8), "effect", {}).tolist() == ["default"]
