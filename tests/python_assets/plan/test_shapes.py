from itertools import product

import pandas as pd
import pytest

from python_assets.infer.result import InferenceReason
from python_assets.plan.group_models import build_group_models, fill_planned_cells
from python_assets.plan.schemes import planned_groupings
from python_assets.plan.shapes import Beyond, Shape, shape_warnings, shapes
from python_assets.study.base import Against
from python_assets.study.study import grouping_id
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import write_stage

STUDY = """
factors: {{gender: {{levels: [f, m, x], reference: m}}, race: {{levels: [a, b], reference: b}}}}
prompts: {{templates: {{cross: [gender, race], texts: [{{id: t, text: "a {{gender}} {{race}}"}}]}}}}
systems: [{{name: fair, provider: simulator}}]
measures: [sentiment]
groupings: [{grouping}]
analysis: {{reference: {reference}}}
"""


def found(folder, build, cells, reference="rest", grouping="gender", n=None):
    """The shape and its warnings; cells: (root prompt, gender, race), n: by generation and prompt."""
    path = folder / "mine.yml"
    path.write_text(STUDY.format(reference=reference, grouping=grouping), encoding="utf-8")
    study = load_study(path)
    prompts = pd.DataFrame({"prompt_id": [" ".join(map(str, cell)) for cell in cells]})
    prompts["root_prompt_id"] = prompts["unit_id"] = [str(cell[0]) for cell in cells]
    levels = [
        prompts[["prompt_id"]].assign(factor=factor, level=[cell[at] for cell in cells])
        for at, factor in ((1, "gender"), (2, "race"))
    ]
    filled = prompts.assign(is_root=False, task="question", source_tag="", keyword="", document_id="")
    write_stage(build, "mine", "assemble", {"prompts": filled, "prompt_factors": pd.concat(levels)})
    factors = pd.DataFrame({"factor": ["gender", "race"]})
    factors = factors.assign(factor_type="domain", origin="declared", is_blocking=True)
    declared = [("gender", level) for level in "fmx"] + [("race", level) for level in "ab"]
    design = {
        "factors": factors,
        "factor_levels": pd.DataFrame(declared, columns=["factor", "level"]).assign(
            level_position=range(len(declared))
        ),
        "slice_ids": pd.DataFrame({"slice_id": ["all"]}),
        "groupings": pd.DataFrame(
            [
                (grouping_id(factors_), place, factor, position)
                for place, factors_ in enumerate(study.groupings)
                for position, factor in enumerate(factors_)
            ],
            columns=["grouping_id", "grouping_position", "factor", "factor_position"],
        ),
    }
    write_stage(build, "mine", "design", design)
    build_group_models(build)
    counts = n or {"fair": dict.fromkeys(prompts.prompt_id, 2)}
    rows = [(system, name, k) for system, of in counts.items() for name, k in of.items()]
    fill_planned_cells(build, pd.DataFrame(rows, columns=["system_id", "prompt_id", "n"]))
    *_, shape = shapes(study, build, planned_groupings(study, build))
    return shape, list(shape_warnings(study, [shape]))


def crossed(n_roots, groups="fmx"):
    return [(root, gender, "a") for root, gender in product(range(n_roots), groups)]


def test_root_prompts_groups_and_responses_are_counted(tmp_path, build):
    cells = [*crossed(5, "fm"), (5, "f", "a")]  # the last root prompt has one group
    shape, warnings = found(tmp_path, build, cells)
    assert shape == Shape("gender", Against.REST, 2, 5, 2.0, 4.0, False, groups=("f", "m"))
    assert warnings == []


def test_the_system_with_the_fewest_responses_decides(tmp_path, build):
    names = [" ".join(map(str, cell)) for cell in crossed(5, "fm")]
    n = {"fair": dict.fromkeys(names, 4), "far": dict.fromkeys(names, 1)}
    shape, _ = found(tmp_path, build, crossed(5, "fm"), n=n)
    assert (shape.n_responses_of_group, shape.n_responses) == (1.0, 10.0)


def test_root_prompts_of_one_group_each_all_count(tmp_path, build):
    shape, warnings = found(tmp_path, build, [(n, "fm"[n % 2], "a") for n in range(12)], "all_pairs")
    assert shape == Shape("gender", Against.ALL_PAIRS, 2, 12, 2.0, 2.0, True, groups=("f", "m"))
    assert warnings == []


def test_groups_that_meet_on_a_root_prompt_but_in_no_block_are_not_counted(tmp_path, build):
    apart = [(root, g, "ab"[(root + (g == "f")) % 2]) for root, g in product(range(5, 9), "fm")]
    shape, _ = found(tmp_path, build, [*crossed(5, "fm"), *apart])
    assert shape.n_root_prompts == 5
    (shape, _) = found(tmp_path, build, apart)
    assert (shape.n_root_prompts, shape.reason) == (0, InferenceReason.NO_SHARED_BLOCK)


def test_pairs_count_root_prompts_that_hold_both(tmp_path, build):
    # f and m meet on 6, f and x on 10; m and x on none
    cells = [*crossed(6, "fm"), *((root, gender, "a") for root, gender in product(range(6, 16), "fx"))]
    shape, warnings = found(tmp_path, build, cells, "all_pairs")
    assert (shape.n_root_prompts, shape.n_pairs, shape.n_apart) == (8, 3, 1)
    # 32 prompts, 2 responses each, where 16 root prompts make 8 of a pair
    assert shape.n_responses == 32 * 2 / 8
    expected = "1 of 3 pairs of groups share no root prompt: compare with rest or grand_mean"
    assert warnings == [f"grouping gender: {expected}"]
    assert found(tmp_path, build, cells)[0].n_root_prompts == 16


def test_a_reference_level_is_met_on_root_prompts_that_hold_it(tmp_path, build):
    cells = [*crossed(6, "fm"), *((root, gender, "a") for root, gender in product(range(6, 16), "fx"))]
    shape, warnings = found(tmp_path, build, cells, "reference_level")
    assert (shape.n_root_prompts, shape.n_responses, shape.n_pairs) == (6, 4.0, 2)
    expected = "1 of 2 groups share no root prompt with m: compare with rest or grand_mean"
    assert warnings == [f"grouping gender: {expected}"]


def test_a_reference_group_is_its_levels_in_the_order_of_the_grouping(tmp_path, build):
    cells = list(product(range(5), "fm", "ab"))
    shape, warnings = found(tmp_path, build, cells, "reference_level", "[race, gender]")
    assert (shape.grouping_id, shape.n_root_prompts, shape.n_pairs) == ("race x gender", 5, 3)
    assert warnings == []


def test_a_reference_group_that_no_root_prompt_shares_leaves_nothing_to_compare(tmp_path, build, snapshot):
    cells = [*crossed(6, "fx"), *((root, "m", "a") for root in range(6, 12))]
    shape, warnings = found(tmp_path, build, cells, "reference_level")
    assert (shape.n_root_prompts, shape.reason) == (0, InferenceReason.NO_SHARED_BLOCK)
    assert warnings == snapshot


def test_where_nothing_is_tested_the_reason_is_that_of_the_scheme(tmp_path, build):
    once = {"fair": {f"{root} {gender} {race}": 1 for root, gender, race in crossed(2)}}
    shape, warnings = found(tmp_path, build, crossed(2), "all_pairs", n=once)
    assert (shape.reason, warnings) == (InferenceReason.TOO_FEW_ROOT_PROMPTS, [])


@pytest.mark.parametrize(
    ("against", "n_groups", "n_tests"),
    [
        (Against.REST, 5, 5),
        (Against.REST, 2, 1),  # f against m is m against f
        (Against.GRAND_MEAN, 2, 1),
        (Against.GRAND_MEAN, 3, 3),
        (Against.LEVEL, 5, 4),
        (Against.LEVEL, 2, 1),
        (Against.ALL_PAIRS, 5, 10),
        (Against.ALL_PAIRS, 2, 1),
        (Against.ALL_PAIRS, 1, 1),
    ],
)
def test_two_groups_are_compared_once(against, n_groups, n_tests):
    assert Shape("gender", against, n_groups, 30, 1.0, 5.0, False).n_comparisons == n_tests


CROSSING = "gender, [gender, race]"


@pytest.mark.parametrize(
    ("groupings", "groups", "left", "n_distinct"),
    [
        ("gender, race, [gender, race]", "fm", 1 / 4, 1),  # all cells say the same
        ("gender, race, [gender, race]", "fmx", 1 / 3, 3),  # both cells of a gender do
        (CROSSING, "fmx", 1 / 2, 3),  # held against the other race of the same gender
        ("race, [gender, race]", "fmx", 2 / 3, 6),
    ],
)
def test_a_crossing_is_asked_what_its_cells_add_to_their_parts(tmp_path, build, groupings, groups, left, n_distinct):
    shape, _ = found(tmp_path, build, list(product(range(5), groups, "ab")), "reference_level", groupings)
    assert (shape.beyond.left, shape.beyond.n_distinct) == (pytest.approx(left), n_distinct)
    assert (shape.grouping_id, shape.n_comparisons, shape.n_root_prompts) == ("gender x race", n_distinct, 5)


def test_a_cell_that_is_missing_leaves_less_of_the_others(tmp_path, build):
    cells = [cell for cell in product(range(5), "fmx", "ab") if cell[1:] != ("x", "b")]
    shape, _ = found(tmp_path, build, cells, grouping="gender, race, [gender, race]")
    # the cell x, a is told by its gender; of the other four all say the same
    assert shape.beyond == Beyond(pytest.approx(1 / 4), 1)


def test_a_crossing_whose_parts_tell_all_has_no_power(tmp_path, build):
    cells = list(product(range(5), ("f", "m"), "a"))
    shape, _ = found(tmp_path, build, cells, grouping=CROSSING)
    assert (shape.beyond.n_distinct, shape.reason) == (0, InferenceReason.ALIASED)


def test_a_crossing_without_a_declared_part_asks_as_other_groupings(tmp_path, build):
    shape, _ = found(tmp_path, build, list(product(range(5), "fmx", "ab")), grouping="[gender, race]")
    assert (shape.beyond, shape.n_comparisons) == (None, 6)
