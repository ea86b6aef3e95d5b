"""Variances of crossed sources, against the analysis of variance by hand and a mixed model."""

from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.infer.subgroups.variance import Partition, sources_of, variance_rows, variances


def crossed(a, b, n, *, sd, rng):
    """Answers of a x b cells with n repeats, and the codes of both."""
    of_a, of_b = sd[0] * rng.normal(size=a), sd[1] * rng.normal(size=b)
    rows = np.array(list(product(range(a), range(b), range(n))))
    x = of_a[rows[:, 0]] + of_b[rows[:, 1]] + sd[2] * rng.normal(size=len(rows))
    return x, rows[:, 0], rows[:, 1]


def test_in_balanced_data_they_are_those_of_the_analysis_of_variance():
    x, a, b = crossed(5, 7, 3, sd=(1, 0.5, 0.8), rng=np.random.default_rng(1))
    table = x.reshape(5, 7, 3)
    grand = table.mean()
    ms_a = 21 * ((table.mean(axis=(1, 2)) - grand) ** 2).sum() / 4
    ms_b = 15 * ((table.mean(axis=(0, 2)) - grand) ** 2).sum() / 6
    cells = table.mean(axis=2)
    between = cells - table.mean(axis=(1, 2))[:, None] - table.mean(axis=(0, 2)) + grand
    ms_ab = 3 * (between**2).sum() / 24
    ms_e = ((table - cells[:, :, None]) ** 2).sum() / 70
    # expected mean squares: e; e + 3 ab; e + 3 ab + 15 b; e + 3 ab + 21 a
    expected = [(ms_a - ms_ab) / 21, (ms_b - ms_ab) / 15, (ms_ab - ms_e) / 3, ms_e]
    found = variances(x, Partition(["a", "b", "ab"], [a, b, a * 7 + b]))
    assert found == pytest.approx(expected)


def test_without_repeats_the_interaction_is_in_what_remains():
    x, a, b = crossed(6, 9, 1, sd=(1, 1, 1), rng=np.random.default_rng(2))
    table = x.reshape(6, 9)
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    found = variances(x, Partition(["a", "b"], [a, b]))
    assert found[2] == pytest.approx((residual**2).sum() / 40)


def test_a_mixed_model_by_restricted_likelihood_gives_the_same_in_a_balanced_design():
    statsmodels = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    x, a, b = crossed(8, 10, 4, sd=(1, 0.7, 0.5), rng=np.random.default_rng(3))
    frame = pd.DataFrame({"x": x, "a": a, "b": b, "all": 1})
    variance_of = {"a": "0 + C(a)", "b": "0 + C(b)"}
    model = statsmodels.MixedLM.from_formula("x ~ 1", groups="all", vc_formula=variance_of, data=frame)
    fitted = model.fit(reml=True)
    found = variances(x, Partition(["a", "b"], [a, b]))
    assert found == pytest.approx([*fitted.vcomp, fitted.scale], rel=1e-3)


def test_they_are_unbiased_where_cells_are_missing():
    rng = np.random.default_rng(4)
    total = np.zeros(3)
    for _ in range(400):
        x, a, b = crossed(8, 8, 2, sd=(1, 0.6, 0.9), rng=rng)
        kept = rng.random(len(x)) < 0.5
        codes = [np.unique(code[kept], return_inverse=True)[1] for code in (a, b)]
        total += variances(x[kept], Partition(["a", "b"], codes))
    assert total / 400 == pytest.approx([1, 0.36, 0.81], rel=0.1)


def test_an_offset_changes_nothing():
    x, a, b = crossed(5, 6, 2, sd=(1, 1, 1), rng=np.random.default_rng(5))
    sources = Partition(["a", "b"], [a, b])
    assert variances(x + 1e4, sources) == pytest.approx(variances(x, sources))


def test_sources_that_cannot_be_told_apart_have_none():
    x, a, _ = crossed(5, 6, 2, sd=(1, 1, 1), rng=np.random.default_rng(5))
    assert variances(x, Partition(["a", "again"], [a, a])) is None


def answers(n_replicates):
    rows = [
        (f"g{g}", f"r{r}", f"{model}_{role}", f"{model}_{role}|p{g}{r}")
        for g, r, model, role in product(range(2), range(3), ("one", "two"), ("none", "french"))
    ]
    return pd.DataFrame(rows * n_replicates, columns=["group", "root_prompt", "system", "interaction"])


LEVELS = {
    "system": {f"{m}_{r}": f"{m}_{r}" for m in ("one", "two") for r in ("none", "french")},
    "model": {f"{m}_{r}": m for m in ("one", "two") for r in ("none", "french")},
    "system_prompt": {f"{m}_{r}": r for m in ("one", "two") for r in ("none", "french")},
    "decoding": {f"{m}_{r}": "temperature 0" for m in ("one", "two") for r in ("none", "french")},
    "family": {f"{m}_{r}": m.upper() for m in ("one", "two") for r in ("none", "french")},
}


def test_sources_are_what_differs_each_once():
    assert sources_of(answers(1), LEVELS).names == ["group", "root_prompt", "model", "system_prompt"]
    # repeats tell what a prompt and a generation share apart from the repeat itself
    found = sources_of(answers(2), LEVELS)
    assert found.names == ["group", "root_prompt", "model", "system_prompt", "interaction"]
    assert found.n_levels == [2, 3, 2, 2, 24]


def test_systems_that_no_factor_tells_apart_are_a_source():
    levels = {"system": LEVELS["system"]}
    assert sources_of(answers(1), levels).names == ["group", "root_prompt", "system"]


TABLES = """
    create schema raw;
    create schema intermediate;
    create table raw.system_factors (system_id varchar, factor varchar, level varchar);
    create table raw.groupings (study_id varchar, grouping_id varchar, factor varchar);
    create table intermediate.int_model_factors (study_id varchar, factor varchar);
    create table raw.systems as select 'g' as system_id, false as is_baseline;
    create table raw.measures as
    select * from (values ('tone', 'continuous'), ('said', 'categorical'), ('d3', 'binary'), ('none', 'binary'))
        as t(measure_id, kind);
    create table raw.measure_slices as
    select * from (values
        ('tone', 'all'), ('tone', 'D3'), ('said', 'all'), ('d3', 'D3'), ('none', 'all')) as t(measure_id, slice_id);
    create table intermediate.int_prompt_groups as
    select slice_id, 'race' as grouping_id, 'p' || i as prompt_id, 'r' || i // 2 as unit_id, 'g' || i % 2 as group_id
    from range(8) as t(i), (values ('all'), ('D3')) as s(slice_id)
    where slice_id = 'all' or i < 6;
    create table raw.measurements as
    select 'g' as system_id, 'p' || i as prompt_id, 'tone' as measure_id, (i * 7 % 5) / 5 as value
    from range(8) t(i)
    union all select 'g', 'p' || i, 'd3', i % 3 % 2 from range(6) t(i);
"""


def test_a_measure_is_decomposed_in_all_prompts_or_in_the_slices_that_it_is_of():
    with duckdb.connect() as connection:
        connection.execute(TABLES)
        rows = variance_rows(connection)
    of_measure = rows.groupby(["measure_id", "slice_id"], sort=False).n_responses.first().to_dict()
    assert of_measure == {("none", "all"): 0, ("said", "all"): 0, ("tone", "all"): 8, ("d3", "D3"): 6}
    reasons = rows[rows.share.isna()].set_index("measure_id").reason.to_dict()
    assert reasons == {"none": "no_values", "said": "labels_have_no_variance"}
    assert rows[~rows.measure_id.isin(reasons)].share.notna().all()
