"""Groups of models: which answers they are of, against the same rule in a few lines of pandas."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from python_assets.plan.group_models import build_models
from python_assets.warehouse.build import write_stage

ROLES = {"none": "", "british": "b", "french": "f"}


def systems(*rows):
    """Rows of system_factors from tuples of model, role and template; the generation is their name."""
    levels = []
    for row in rows:
        named = {"system": "_".join(row), **dict(zip(("model", "system_prompt", "template"), row, strict=False))}
        levels += [(named["system"], factor, level) for factor, level in named.items()]
    return pd.DataFrame(levels, columns=["system_id", "factor", "level"])


def written(build, of_systems, groupings, *, slices=(), missing=0.0, seed=1, n_roots=4):
    """Fill the raw tables of root prompts on 3 genders, and make the models; returns the measurements."""
    rng = np.random.default_rng(seed)
    cells = list(product(range(n_roots), ("f", "m", "o")))
    prompts = pd.DataFrame({"prompt_id": [f"p{root}{gender}" for root, gender in cells]})
    prompts["root_prompt_id"] = prompts["unit_id"] = [f"r{root}" for root, _ in cells]
    constants = {"is_root": False, "task": "question", "source_tag": "", "keyword": "", "document_id": ""}
    levels = prompts[["prompt_id"]].assign(factor="gender", level=[gender for _, gender in cells])
    write_stage(build, "s", "assemble", {"prompts": prompts.assign(**constants), "prompt_factors": levels})
    design = {
        "factors": pd.DataFrame({"factor": ["gender"]}).assign(
            factor_type="domain", origin="declared", is_blocking=True
        ),
        "factor_levels": pd.DataFrame(
            [("gender", "f", 0), ("gender", "m", 1), ("gender", "o", 2), ("system_prompt", "none", 0)],
            columns=["factor", "level", "level_position"],
        ),
        "slice_ids": pd.DataFrame({"slice_id": ["all", *dict.fromkeys(name for name, _, _ in slices)]}),
        "slices": pd.DataFrame(slices, columns=["slice_id", "factor", "level"]),
        "groupings": pd.DataFrame(
            [(" x ".join(g), at, f, i) for at, g in enumerate(groupings) for i, f in enumerate(g)],
            columns=["grouping_id", "grouping_position", "factor", "factor_position"],
        ),
        "measure_slices": pd.DataFrame(
            [("score", name) for name in ["all", *dict.fromkeys(name for name, _, _ in slices)]],
            columns=["measure_id", "slice_id"],
        ),
    }
    write_stage(build, "s", "design", design)
    names = of_systems.system_id.unique()
    ids = pd.DataFrame({"system_id": [*names, "baseline"]})
    columns = {"provider": "replay", "model": "", "system_prompt": "", "decoding_json": "{}"}
    columns |= {"extensions_json": "[]", "model_details_json": "{}", "is_simulated": False}
    made = ids.assign(is_baseline=ids.system_id == "baseline", **columns)
    write_stage(build, "s", "generate", {"systems": made, "system_factors": of_systems})
    keys = ids.merge(prompts[["prompt_id"]], how="cross")
    values = np.where(rng.random(len(keys)) < missing, np.nan, rng.normal(size=len(keys)))
    measured = keys.assign(replicate=0, measure_id="score", value=values, scorer_version="1")
    measured["reason"] = np.where(np.isnan(values), "response_error", None)
    measures = pd.DataFrame({"measure_id": ["score"], "kind": "continuous", "direction": "none"})
    measures = measures.assign(unit="1", scorer="column", parameters="")
    write_stage(build, "s", "extract", {"measures": measures, "measurements": measured})
    build_models(build, ["int_outcome_values", "int_comparisons"])
    return measured.merge(prompts, on="prompt_id").merge(levels[["prompt_id", "level"]], on="prompt_id")


def cells_of(build, grouping, slice_id="all"):
    """Mean of each cell at generation 'all', by root prompt and group."""
    return build.sql(
        f"""
        select unit_id, group_id, avg(x) as mean
        from intermediate.int_outcome_values
        join intermediate.int_prompt_groups using (prompt_position)
        join intermediate.int_outcomes using (outcome_position)
        where system_id = 'all' and grouping_id = '{grouping}' and slice_id = '{slice_id}'
        group by all order by all
        """
    ).df()


def compared(build, grouping, slice_id="all"):
    """The generations that are compared, with what is held fixed and what is left out."""
    rows = build.sql(
        "select system_id, held_factors, left_out_factors from intermediate.int_settings "
        f"where grouping_id = '{grouping}' and slice_id = '{slice_id}' order by all"
    ).fetchall()
    return [row[0] for row in rows], {row[1:] for row in rows}


@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_a_cell_of_a_role_is_the_mean_over_the_prompts_that_every_system_answered(build, missing):
    crossed = systems(*product(("one", "two"), ROLES))
    values = written(build, crossed, [("system_prompt",), ("gender", "system_prompt")], missing=missing)
    values = values[values.system_id != "baseline"].dropna(subset="value")
    n = values.groupby("prompt_id").system_id.nunique()
    kept = values[values.prompt_id.isin(n.index[n == 6])]
    assert (len(kept) == 72) == (missing == 0)
    role = kept.system_id.str.split("_").str[1]
    for grouping, group in (("system_prompt", role), ("gender x system_prompt", kept.level + " x " + role)):
        expected = kept.groupby([kept.unit_id, group]).value.mean()
        found = cells_of(build, grouping).dropna().set_index(["unit_id", "group_id"])["mean"]
        assert found.to_dict() == pytest.approx(expected.to_dict())


def test_blocks_of_roles_are_whole_root_prompts_and_declared_levels_come_first(build):
    written(build, systems(*product(("one", "two"), ROLES)), [("system_prompt",)])
    rows = build.sql("select distinct block_id, group_id, group_position from intermediate.int_prompt_groups").df()
    assert set(rows.block_id) == {"r0", "r1", "r2", "r3"}
    assert dict(zip(rows.group_id, rows.group_position, strict=True)) == {"none": 0, "british": 1, "french": 2}


def test_only_settings_that_hold_every_level_are_compared(build):
    written(build, systems(("one", "none"), ("one", "british"), ("two", "none")), [("system_prompt",), ("model",)])
    assert compared(build, "system_prompt") == (["one_british", "one_none"], {("model", "")})
    assert compared(build, "model") == (["one_none", "two_none"], {("system_prompt", "")})


def test_where_no_setting_holds_every_level_all_are_compared_and_the_others_named(build):
    apart = systems(("one", "none", "t1"), ("two", "british", "t1"), ("one", "british", "t2"))
    written(build, apart, [("system",), ("system_prompt",)])
    assert compared(build, "system_prompt")[1] == {("", "model, template")}
    # what a generation is made of follows from it
    assert compared(build, "system")[1] == {("", "model, system_prompt, template")}


def test_a_slice_of_models_compares_groups_of_prompts_in_the_answers_of_its_systems(build):
    crossed = systems(*product(("one", "two"), ROLES))
    of_one = [("of_one", "model", "one")]
    values = written(build, crossed, [("gender",), ("system_prompt",)], slices=of_one)
    values = values[values.system_id.str.startswith("one")]
    expected = values.groupby(["unit_id", "level"]).value.mean()
    found = cells_of(build, "gender", "of_one").set_index(["unit_id", "group_id"])["mean"]
    assert found.to_dict() == pytest.approx(expected.to_dict())
    assert compared(build, "gender", "of_one") == (["one_british", "one_french", "one_none"], {("", "")})
    where = "select distinct slice_id, grouping_id, system_id = 'all' from intermediate.int_comparisons"
    assert set(build.sql(where).fetchall()) == {
        ("all", "gender", False),
        ("all", "system_prompt", True),
        ("of_one", "gender", True),
        ("of_one", "system_prompt", True),
    }


def test_systems_that_share_no_prompt_leave_no_value_to_compare(build):
    apart = systems(("one", "none"), ("two", "none"))
    written(build, apart, [("model",)])
    build.execute(
        "update raw.measurements set value = null, reason = 'response_error' "
        "where (system_id = 'one_none') = (prompt_id < 'p2')"
    )
    build_models(build, ["int_outcome_values"])
    assert cells_of(build, "model")["mean"].isna().all()


def test_a_study_that_compares_no_models_has_no_answers_of_all(build):
    written(build, systems(("one", "none"), ("two", "none")), [("gender",)])
    assert build.sql("select count(*) from intermediate.int_answers").fetchall() == [(12,)]
    found = build.sql("select distinct system_id from intermediate.int_outcomes").fetchall()
    assert set(found) == {("one_none",), ("two_none",), ("baseline",)}
