"""Which factors a block holds fixed: the SQL against its rule in a few lines of Python (inference.md 2.6)."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from python_assets.plan.group_models import build_group_models
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.warehouse.build import write_stage


def blocking(build, prompts, groupings, slices=()):
    """is_stratum and left_out_because by (slice, grouping, factor).

    prompts: one dict a prompt: its root prompt, unit, and levels by factor. slices: (name, factor, level).
    """
    frame = pd.DataFrame({"prompt_id": [f"p{n}" for n in range(len(prompts))]})
    frame["root_prompt_id"] = [str(prompt.get("root", n)) for n, prompt in enumerate(prompts)]
    frame["unit_id"] = [str(p.get("unit", p.get("root", n))) for n, p in enumerate(prompts)]
    filled = frame.assign(is_root=False, task="question", source_tag="", keyword="", document_id="")
    levels = pd.DataFrame(
        [
            (f"p{n}", factor, level)
            for n, prompt in enumerate(prompts)
            for factor, level in prompt.items()
            if factor not in ("root", "unit")
        ],
        columns=["prompt_id", "factor", "level"],
    )
    write_stage(build, "mine", "assemble", {"prompts": filled, "prompt_factors": levels})
    names = sorted(levels.factor.unique())
    known = levels[["factor", "level"]].drop_duplicates().sort_values(["factor", "level"])
    design = {
        "factors": pd.DataFrame({"factor": names}).assign(factor_type="domain", origin="imported", is_blocking=True),
        "factor_levels": known.assign(level_position=range(len(known))),
        "slice_ids": pd.DataFrame({"slice_id": ["all", *dict.fromkeys(name for name, _, _ in slices)]}),
        "slices": pd.DataFrame(slices, columns=["slice_id", "factor", "level"]),
        "groupings": pd.DataFrame(
            [
                (LEVEL_SEPARATOR.join(factors), at, factor, position)
                for at, factors in enumerate(groupings)
                for position, factor in enumerate(factors)
            ],
            columns=["grouping_id", "grouping_position", "factor", "factor_position"],
        ),
    }
    write_stage(build, "mine", "design", design)
    build_group_models(build)
    found = build.sql("from intermediate.int_blocking_factors").fetchall()
    return {row[1:4]: row[4:] for row in found}


def held_by_rule(prompts, grouping):
    """Factors that are held and those that are left out, of groups that meet within units."""
    outside = sorted({factor for prompt in prompts for factor in prompt} - {"root", "unit", *grouping})
    group = [tuple(prompt[factor] for factor in grouping) for prompt in prompts]
    level = {factor: [prompt.get(factor) for prompt in prompts] for factor in outside}

    def follows(factor, *others):
        """Whether prompts that agree in all others agree in the factor."""
        seen = dict(zip(zip(*others, strict=True), factor, strict=True))
        return all(seen[key] == one for key, one in zip(zip(*others, strict=True), factor, strict=True))

    left = [f for f in outside if len(set(group)) == 1 or not follows(group, level[f])]
    while True:
        many = [f for f in left if len(set(level[f])) > 1]
        following = [f for f in many if follows(level[f], group, *(level[o] for o in left if o != f))]
        if not following:
            return set(left), set(outside) - set(left)
        given = {f: [o for o in left if o not in following or o < f] for f in following}
        left = [
            f for f in left if f not in given or not follows(level[f], group, *(level[o] for o in given[f] if o != f))
        ]


def crossed(n_roots, **factors):
    """Every combination of levels on every root prompt."""
    return [
        {"root": root, **dict(zip(factors, levels, strict=True))}
        for root, *levels in product(range(n_roots), *factors.values())
    ]


DEMO = [{**prompt, "demo": prompt["race"] + prompt["gender"]} for prompt in crossed(6, race="abc", gender="fm")]


def test_a_factor_made_of_two_others_is_stratum_by_neither(build):
    found = blocking(build, DEMO, [("race",), ("gender",), ("demo",)])
    determines, held = (False, "determines_group"), (True, None)
    assert found == {
        ("all", "race", "gender"): held,
        ("all", "race", "demo"): determines,
        ("all", "gender", "race"): held,
        ("all", "gender", "demo"): determines,
        ("all", "demo", "race"): (False, "follows_from_others"),
        ("all", "demo", "gender"): (False, "follows_from_others"),
    }
    sizes = build.sql(
        "select grouping_id, count(distinct block_id) from intermediate.int_prompt_groups group by 1"
    ).fetchall()
    assert dict(sizes) == {"race": 6 * 2, "gender": 6 * 3, "demo": 6}


def test_of_two_names_of_one_factor_the_first_is_stratum(build):
    prompts = [{**prompt, "sex": prompt["gender"].upper()} for prompt in crossed(3, race="ab", gender="fm")]
    found = blocking(build, prompts, [("race",)])
    assert found["all", "race", "gender"] == (True, None)
    assert found["all", "race", "sex"] == (False, "follows_from_others")


def test_a_factor_of_one_level_and_one_that_some_prompts_lack_are_held(build):
    prompts = [{**prompt, "place": "here"} for prompt in crossed(3, race="ab", gender="fm", style="xy")]
    prompts = [{k: v for k, v in p.items() if (k, v) != ("style", "x")} for p in prompts]
    found = blocking(build, prompts, [("race",)])
    assert {key[2]: held for key, (held, _) in found.items()} == {"gender": 1, "place": 1, "style": 1}


def test_every_slice_decides_for_itself(build):
    prompts = [{"topic": "jobs", **prompt} for prompt in DEMO]
    prompts += [{"topic": "loans", **p, "demo": "?"} for p in crossed(6, race="abc", gender="fm")]
    found = blocking(build, prompts, [("race",)], [("jobs", "topic", "jobs")])
    assert found["jobs", "race", "demo"] == (False, "determines_group")
    assert found["all", "race", "demo"] == (True, None)  # holds all loans


def test_units_of_one_group_each_are_compared_within_what_they_keep(build):
    names = {"Ann": "fa", "Eva": "fb", "Bob": "ma", "Max": "mb"}
    prompts = [
        {"root": root, "unit": name, "gender": g, "race": r, "style": style, "origin": g + r}
        for root, (name, (g, r)), style in product(range(3), names.items(), "xy")
    ]
    found = blocking(build, prompts, [("gender",)])
    assert {key[2]: why for key, (_, why) in found.items()} == {
        "race": None,
        "style": "varies_within_unit",
        "origin": "determines_group",
    }
    strata = build.sql("select distinct stratum_id from intermediate.int_prompt_groups order by 1").fetchall()
    assert strata == [("race = a",), ("race = b",)]


@pytest.mark.parametrize("seed", range(12))
def test_the_rule_holds_in_designs_of_any_shape(build, seed):
    """Prompts of two factors, and of others that are made of them, of one another or of nothing."""
    rng = np.random.default_rng(seed)
    names = list(rng.permutation(["a", "b", "c", "d", "e"]))
    prompts = []
    tables = {name: rng.integers(0, rng.integers(2, 4), 4 ** len(names)) for name in names}
    given = {name: rng.random(len(names)) < 0.45 for name in names}
    for root, first, second in product(range(2), range(3), range(2)):
        prompt = {"root": root, "g": str(first)}
        known = [first, second]
        for name in names:
            inputs = [value for value, is_given in zip(known, given[name], strict=False) if is_given]
            noise = int(rng.integers(0, 2)) if not inputs else 0
            level = int(tables[name][sum(v * 4**n for n, v in enumerate([*inputs, noise]))])
            known.append(level)
            if rng.random() > 0.02:
                prompt[name] = str(level)
        prompts.append(prompt)
    held, left_out = held_by_rule(prompts, ["g"])
    found = blocking(build, prompts, [("g",)])
    assert {key[2] for key, (is_stratum, _) in found.items() if is_stratum} == held
    assert {key[2] for key, (is_stratum, _) in found.items() if not is_stratum} == left_out
