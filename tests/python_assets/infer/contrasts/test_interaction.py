"""Crossings against the golden numbers, least squares, their invariances, and their error rates."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from python_assets.infer.contrasts.interaction import BY_FLIPS, BY_T, alike, interaction
from python_assets.infer.contrasts.standing import standing_cells
from python_assets.infer.design.design import Unit
from python_assets.infer.design.parts import interaction_of
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.schemes.choose import InUnits
from python_assets.infer.schemes.units import Units
from python_assets.study.base import parts_of
from tests.promises import fewest, most, seldom

GOLDEN = json.loads(Path(__file__).with_name("crossings_golden.json").read_text())["cases"]
IN_BLOCKS = [name for name, case in GOLDEN.items() if "steps" in case]
NONE = np.array([np.nan])


def two_factors(rows, columns):
    """The parts of every combination of two factors, row by row."""
    return np.stack([np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)])


def table_of(case):
    return np.array([[np.nan if value is None else value for value in row] for row in case["values"]])


def asked(build, table, parts, without=(), *, margin=NONE, n_permutations=99, **options):
    """What cells have beyond their parts, of a table (root prompts, cells[, columns])."""
    left = np.array(table, dtype=float)
    left[:, list(without)] = np.nan
    scheme, x = build(left, n_permutations=n_permutations, **options)
    return interaction(scheme, x, parts, margin=np.broadcast_to(margin, x.shape[1:]), n_together=x.shape[1])


def standing(build, table, parts, alpha=0.05, **options):
    """The cells that stand of a question that is alone in its set."""
    p_hypothesis = asked(build, table, parts, **options).p_hypothesis[0, 0]

    def is_significant(p):
        return group_levels(p, p_hypothesis, np.array([p_hypothesis])) <= alpha

    return standing_cells(lambda without: asked(build, table, parts, without, **options), is_significant)


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_values_errors_and_p_are_the_golden_ones(build, name):
    case = GOLDEN[name]
    found = asked(build, table_of(case), two_factors(case["rows"], case["columns"]))
    first = case["first"]
    for own, golden in (
        (found.value, first["delta"]),
        (found.std_error, first["std_error"]),
        (np.abs(found.studentised), first["t"]),
        (found.df, first["df"]),
        (found.p_maxt, first["p_cell"]),
    ):
        np.testing.assert_allclose(own[0], golden, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.p_hypothesis, case["p_hypothesis"], rtol=1e-9)
    assert found.n_draws.max() == case["n_flips"]
    quantile = stats.t.isf(0.025, found.df)
    np.testing.assert_allclose(found.ci_high - found.value, quantile * found.std_error, rtol=1e-9)


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_the_cells_that_stand_are_the_golden_ones_round_by_round(build, name):
    case, columns = GOLDEN[name], GOLDEN[name]["columns"]
    parts = two_factors(case["rows"], columns)
    found = standing(build, table_of(case), parts)
    assert [[*divmod(cell, columns)] for cell in found.cells] == [one["cell"] for one in case["differs_on_its_own"]]
    for cell, one, golden in zip(found.cells, found.rounds, case["differs_on_its_own"], strict=True):
        assert one.value[0, cell] == pytest.approx(golden["value"], rel=1e-9)
        assert one.p_maxt[0, cell] == pytest.approx(golden["p"], rel=1e-9)
        says = alike(one.value[0], one.studentised[0]) == alike(one.value[0], one.studentised[0])[cell]
        mirrors = np.flatnonzero(says & (np.sign(one.value[0]) == -np.sign(one.value[0, cell])))
        assert [[*divmod(mirror, columns)] for mirror in mirrors] == golden["mirror_cells"]
    for number, step in enumerate(case["steps"]):
        own = asked(build, table_of(case), parts, found.cells[:number])
        at = [columns * row + column for row, column in step["cells"]]
        np.testing.assert_allclose(own.value[0, at], step["delta"], atol=1e-12)
        np.testing.assert_allclose(own.p_maxt[0, at], step["p_cell"], rtol=1e-9)


def nested(case):
    """Names in the cells of a golden case, each asked every prompt."""
    values, group = np.array(case["values"]), np.array(case["cell_of_unit"])
    n_units = len(values)
    units = Units(
        name=np.arange(n_units),
        cell=np.arange(values.size).reshape(values.shape),
        stratum=np.zeros(n_units, dtype=int),
        group=group,
        root_of_stratum=np.zeros(1, dtype=int),
        n_groups=case["rows"] * case["columns"],
        n_present=case["rows"] * case["columns"],
    )
    return InUnits(units, None, 0.05), values.reshape(-1, 1)


def test_names_nested_in_cells_are_the_golden_ones():
    case = GOLDEN["nested_names_2x3"]
    scheme, x = nested(case)
    found = interaction(scheme, x, two_factors(2, 3), margin=NONE)
    for own, golden in (
        (found.value, case["delta"]),
        (found.std_error, case["std_error"]),
        (found.df, case["df"]),
        (found.p_value, case["p_table"]),
        (found.p_maxt[:, case["distinct_cells"]], case["p_cell_holm"]),
        (found.p_hypothesis[:, :1], case["p_hypothesis"]),
    ):
        np.testing.assert_allclose(own[0], golden, rtol=1e-9)
    assert (found.scope == "these prompts").all()  # four names a cell: inference.md 2.7


def test_cells_of_few_names_have_no_p():
    case = GOLDEN["nested_names_2x3"]
    few = {**case, "values": case["values"][1:], "cell_of_unit": case["cell_of_unit"][1:]}
    scheme, x = nested(few)
    found = interaction(scheme, x, two_factors(2, 3), margin=NONE)
    assert np.isnan(found.p_hypothesis).all()
    assert set(found.reason[0]) == {"too_few_units"}
    assert not np.isnan(found.value).any()


def test_what_is_left_is_the_residual_of_least_squares():
    rng = np.random.default_rng(4)
    parts = two_factors(3, 4)[:, rng.permutation(12)[:10]]
    y = rng.normal(size=10)
    x = np.hstack([parts[place][:, None] == np.arange(4) for place in range(2)]).astype(float)
    x = np.column_stack([np.ones(10), x[:, 1:3], x[:, 5:]])  # a level of each part less, for no column to repeat others
    np.testing.assert_allclose(interaction_of(parts) @ y, sm.OLS(y, x).fit().resid, atol=1e-12)


def test_effects_of_the_parts_leave_every_number_alone(build):
    rng = np.random.default_rng(5)
    table, parts = rng.normal(size=(9, 6)), two_factors(2, 3)
    moved = table + np.array([3.0, -1.0])[parts[0]] + np.array([0.0, 7.0, -2.0])[parts[1]]
    moved += rng.normal(size=(9, 1)) * 5
    one, other = asked(build, table, parts), asked(build, moved, parts)
    for name in ("value", "std_error", "p_maxt", "p_hypothesis"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-7)


def test_three_factors_are_held_against_every_declared_part(build):
    rng = np.random.default_rng(6)
    levels = np.array([*product(range(2), range(2), range(3))]).T
    pairs = np.stack([levels[0] * 2 + levels[1], levels[0] * 3 + levels[2], levels[1] * 3 + levels[2]])
    table = rng.normal(size=(8, 12))
    of_pairs = rng.normal(size=4)[pairs[0]] + rng.normal(size=6)[pairs[1]] + rng.normal(size=6)[pairs[2]]
    left, moved = (asked(build, x, pairs) for x in (table, table + 10 * of_pairs))
    np.testing.assert_allclose(left.value, moved.value, atol=1e-9)
    # without the pairs among the parts, what pairs do is beyond them
    assert np.abs(asked(build, table + 10 * of_pairs, levels).value).max() > 1


def test_blocks_of_a_root_prompt_are_averaged(build):
    rng = np.random.default_rng(7)
    blocks = rng.normal(size=(16, 6))
    parts = two_factors(2, 3)
    of_blocks = asked(build, blocks, parts, root_of_block=np.repeat(np.arange(8), 2))
    of_means = asked(build, blocks.reshape(8, 2, 6).mean(axis=1), parts)
    np.testing.assert_allclose(of_blocks.value, of_means.value, rtol=1e-9)
    np.testing.assert_allclose(of_blocks.p_maxt, of_means.p_maxt, rtol=1e-9)


def test_a_part_that_holds_every_cell_leaves_nothing(build):
    rng = np.random.default_rng(8)
    found = asked(build, rng.normal(size=(8, 4)), np.array([[0, 1, 2, 3]]))
    assert set(found.reason[0]) == {"aliased"}
    assert np.isnan(found.p_hypothesis).all()


def test_five_root_prompts_have_t_and_four_no_p(build):
    rng = np.random.default_rng(9)
    table, parts = rng.normal(size=(6, 6)), two_factors(2, 3)
    six, five, four = (asked(build, table[:n], parts) for n in (6, 5, 4))
    assert (six.method[0, 0], five.method[0, 0]) == (BY_FLIPS, BY_T)
    p = 2 * stats.t.sf(np.abs(five.studentised[0]), 4)
    holm = np.minimum(np.maximum.accumulate(np.sort(p[:3]) * [3, 2, 1]), 1)  # the other row mirrors the first
    np.testing.assert_allclose(np.sort(five.p_maxt[0, :3]), holm, rtol=1e-9)
    assert five.p_hypothesis[0, 0] == pytest.approx(holm[0])
    assert set(five.reason[0]) == {"p_floor"}
    assert set(four.reason[0]) == {"too_few_root_prompts"}
    assert np.isnan(four.p_hypothesis).all()
    assert not np.isnan(four.value).any()


def test_few_prompts_as_blocks_have_no_p(build):
    rng = np.random.default_rng(10)
    roots = np.repeat(np.arange(2), 4)
    found = asked(build, rng.normal(size=(8, 6)), two_factors(2, 3), unit=Unit.BLOCK, root_of_block=roots)
    assert set(found.reason[0]) == {"too_few_root_prompts"}


def test_residuals_without_spread_are_no_finding_by_t(build):
    table = np.zeros((5, 4))
    table[:, 0] = 1
    found = asked(build, table, two_factors(2, 2))
    assert set(found.reason[0]) == {"no_error"}
    assert np.isnan(found.p_hypothesis).all()
    flat = asked(build, np.tile([1.0, 2.0, 4.0, 5.0], (8, 1)), two_factors(2, 2))
    assert (flat.p_hypothesis == 1).all()


def test_two_labels_are_one_hypothesis_and_one_test(build):
    rng = np.random.default_rng(11)
    share = rng.uniform(size=(9, 6))
    one = asked(build, share, two_factors(2, 3))
    both = asked(build, np.stack([share, 1 - share], axis=2), two_factors(2, 3))
    np.testing.assert_allclose(both.p_hypothesis[0], one.p_hypothesis[0])
    np.testing.assert_allclose(both.value[1], -one.value[0], atol=1e-12)
    few = asked(build, np.stack([share, 1 - share], axis=2)[:5], two_factors(2, 3))
    np.testing.assert_allclose(few.p_by_t[0], asked(build, share[:5], two_factors(2, 3)).p_by_t[0])


def test_margins_are_by_the_t_of_the_interval(build):
    rng = np.random.default_rng(12)
    found = asked(build, rng.normal(size=(20, 6)) * 0.1, two_factors(2, 3), margin=np.array([0.5]))
    size, error = np.abs(found.value[0]), found.std_error[0]
    np.testing.assert_allclose(found.p_equivalence[0], stats.t.sf((0.5 - size) / error, 19), rtol=0.01, atol=1e-9)


def test_parts_are_declared_groupings_of_fewer_factors():
    declared = ["gender", "race", "gender x race", "age", "race x gender x age"]
    assert parts_of("gender x race", declared) == ["gender", "race"]
    assert parts_of("race x gender x age", declared) == ["gender", "race", "gender x race", "age"]
    assert parts_of("gender", declared) == []


@pytest.mark.run
@pytest.mark.parametrize(
    ("rows", "columns", "n", "spread"), [(2, 3, 10, 1.0), (2, 4, 30, 6.0), (3, 7, 10, 3.0), (3, 3, 5, 1.0)]
)
def test_main_effects_are_significant_at_the_level_alone(build, rows, columns, n, spread):
    # a question of each set, one cell spreading more
    rng, parts, n_sets = np.random.default_rng(21), two_factors(rows, columns), fewest()
    noise = rng.normal(size=(n, rows * columns, n_sets))
    noise[:, 0] *= spread
    x = noise + rng.normal(size=(n, 1, n_sets)) + 1.5 * parts[0][:, None] - 2.0 * parts[1][:, None]
    scheme, cells = build(x, n_permutations=499)
    p = interaction(scheme, cells, parts, margin=np.full(n_sets, np.nan)).p_hypothesis[:, 0]
    assert (p <= 0.05).sum() <= most(n_sets)


@pytest.mark.run
def test_one_cell_is_found_and_no_other_stands(build):
    rng, parts, is_found = np.random.default_rng(22), two_factors(3, 3), []

    def another_stands():
        while True:
            x = rng.normal(size=(30, 9)) + rng.normal(size=(30, 1)) + 1.0 * parts[0] + parts[1]
            x[:, 4] += 1.5
            cells = standing(build, x, parts, n_permutations=499).cells
            is_found.append(4 in cells)
            yield any(cell != 4 for cell in cells)

    assert seldom(another_stands())
    assert np.mean(is_found) >= 0.95
