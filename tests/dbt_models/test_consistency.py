"""How alike repeats and models are, in the irregular study, against pandas and scipy on the raw rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import MEASURE_SLICES, MEASURES, SLICES


def test_repeats_are_as_alike_as_scipy_and_numpy_say(built: Built):
    published = built.table("marts.repetition_consistency").set_index(
        ["slice_id", "system_id", "measure_id"]
    )
    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    systems = built.raw["systems"]
    models = set(systems.system_id[~systems.is_baseline])
    measured = built.raw["measurements"]
    measured = measured[measured.system_id.isin(models) & measured.reason.isna()]
    n_compared = 0
    for (system, measure), rows in measured.groupby(["system_id", "measure_id"]):
        for slice_id in MEASURE_SLICES[measure]:
            inside = levels
            for factor, allowed in SLICES[slice_id].items():
                inside = inside[inside[factor].isin(allowed)]
            own = rows[rows.prompt_id.isin(inside.index)]
            if own.empty:
                continue
            found = published.loc[slice_id, system, measure]
            repeated = [prompt for _, prompt in own.groupby("prompt_id") if len(prompt) > 1]
            assert found.n_prompts == len(repeated)
            assert found.n_responses == sum(map(len, repeated))
            if not repeated:
                assert found.reason == "no_replicates"
                continue
            value, n_alike = consistency(repeated, MEASURES[measure][0])
            assert found.value == pytest.approx(value, abs=1e-12), (slice_id, system, measure)
            assert found.n_prompts_alike == n_alike
            n_compared += 1
    assert n_compared > 10


def consistency(repeated: list[pd.DataFrame], kind: str) -> tuple[float, int]:
    """Mean over prompts of the modal share of answers, or of the standard deviation of scores."""
    if kind == "continuous":
        spread = [prompt.value.std(ddof=1) for prompt in repeated]
        return float(np.mean(spread)), sum(prompt.value.nunique() == 1 for prompt in repeated)
    answers = [
        pd.factorize(prompt.label if kind == "categorical" else prompt.value)[0] for prompt in repeated
    ]
    shares = [stats.mode(codes).count / len(codes) for codes in answers]
    return float(np.mean(shares)), sum(share == 1 for share in shares)


def test_models_agree_by_the_signs_of_their_contrasts(built: Built):
    """The irregular study names no model, so that every generation is one of its own."""
    keys = ["slice_id", "measure_id", "grouping_id", "group_id", "category", "reference"]
    contrasts = built.table("marts.contrasts")
    systems = built.raw["systems"]
    models = set(systems.system_id[~systems.is_baseline])
    rows = contrasts[
        (contrasts.calibration == "raw")
        & contrasts.contrast.isin(["mean_difference", "risk_difference", "interaction"])
        & contrasts.statistic.isin(["mean", "share"])
        & (contrasts.parameters == "")
        & (contrasts.inference_reason != "told_by_parts")  # of a crossing what it adds to its parts is the answer
        & contrasts.system_id.isin(models)
        & contrasts.value.notna()
    ]
    of_place = dict(list(rows.groupby(keys)))
    published = built.table("marts.cross_model_consistency")
    assert len(published) > 50
    for row in published.itertuples():
        own = of_place[tuple(getattr(row, key) for key in keys)]
        n_higher, n_lower = (own.value > 1e-12).sum(), (own.value < -1e-12).sum()
        assert (row.n_models, row.n_higher, row.n_lower) == (len(own), n_higher, n_lower)
        if len(own) == 1:
            assert (row.reason, np.isnan(row.value)) == ("too_few_models", True)
        else:
            assert row.value == pytest.approx(max(n_higher, n_lower) / len(own))
        shown = own[own.verdict.isin(["beyond_margin", "different"]) & own.explained_by.isna()]
        assert row.n_significant_higher == (shown.value > 0).sum()
        assert row.n_significant_lower == (shown.value < 0).sum()


def test_of_two_groups_one_has_a_row(built: Built):
    published = built.table("marts.cross_model_consistency")
    of_gender = published[(published.grouping_id == "gender") & (published.measure_id == "score")]
    assert not of_gender.duplicated(["slice_id"]).any()


def test_a_flag_has_evidence_where_it_was_raised(built: Built):
    flags, evidence = built.table("marts.red_flags"), built.table("marts.red_flag_evidence")
    lit = set(flags.flag_id[flags.status.isin(["raised", "band_only"])])
    assert lit == set(evidence.flag_id)
    for table, key in (("contrasts", "contrast"), ("disparities", "metric")):
        own = evidence[evidence.evidence_table == table].rename(columns={"metric": key})
        joined = own.merge(built.table(f"marts.{table}"), how="left", indicator=True)
        assert (joined._merge == "both").all() and len(joined) == len(own)
