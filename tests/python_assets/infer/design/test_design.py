"""tests/python_assets/infer/test_design.py - mirrors python_assets/infer/design.py."""

from dataclasses import replace

import numpy as np
import pytest

from python_assets.infer.design.design import Unit, choose_unit, presence_patterns, scopes
from python_assets.infer.result import InferenceReason
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.pair_contrast import PairContrast


@pytest.mark.parametrize(
    ("n_roots", "n_blocks", "replicates", "expected"),
    [
        (5, 5, 1, Unit.ROOT_PROMPT),
        (75, 300, 9, Unit.ROOT_PROMPT),
        (4, 8, 1, Unit.BLOCK),
        (1, 5, 9, Unit.BLOCK),
        (1, 1, 2, Unit.REPLICATE),
        (4, 4, 2, Unit.REPLICATE),
        (4, 4, 1, Unit.ROOT_PROMPT),
        (2, 4, 1, Unit.BLOCK),
        (1, 1, 1, InferenceReason.TOO_FEW_ROOT_PROMPTS),
        (2, 2, 1, InferenceReason.TOO_FEW_ROOT_PROMPTS),
    ],
)
def test_unit_is_the_widest_that_there_is_enough_of(n_roots, n_blocks, replicates, expected):
    assert choose_unit(n_roots, n_blocks, replicates) is expected


@pytest.mark.parametrize("replicates", [1, 9])
def test_units_that_move_whole_have_nothing_in_their_place(replicates):
    found = [choose_unit(n, 36, replicates, moves_whole_units=True) for n in (2, 3, 4, 5)]
    assert found == [InferenceReason.TOO_FEW_ROOT_PROMPTS, *[Unit.ROOT_PROMPT] * 3]


def test_scope_needs_five_root_prompts_as_units():
    n = np.array([4, 5])
    of_prompts = scopes(n, Unit.ROOT_PROMPT, has_own_prompts=True)
    assert of_prompts.tolist() == ["these prompts", "similar prompts"]
    assert scopes(n, Unit.BLOCK, has_own_prompts=True).tolist() == ["these prompts"] * 2
    of_units = scopes(n, Unit.ROOT_PROMPT, has_own_prompts=False)
    assert of_units.tolist() == ["these prompts", "similar units, these prompts"]


def test_smallest_p_is_the_share_of_the_most_extreme_arrangements(build):
    pairs, triples = build(np.zeros((5, 2)))[0].design, build(np.zeros((4, 3)))[0].design
    assert pairs.smallest_p() == pytest.approx([2 / 32] * 2)
    assert triples.smallest_p() == pytest.approx([1 / 81] * 3)


def test_groups_that_move_in_whole_units_have_as_many_arrangements_as_units_allow(build):
    design = build(np.zeros((6, 2)))[0].design
    halved = np.array([0, 0, 0, 1, 1, 1])
    frame = design.frame._replace(root_of_block=halved, root_prompt_of_block=design.frame.root_of_block)
    assert replace(design, frame=frame).smallest_p() == pytest.approx([2 / 4] * 2)
    assert len(np.unique(frame.moved_with)) == 4


def test_of_wordings_root_prompts_are_counted_apart_and_errors_speak_of_both(build):
    design = build(np.zeros((10, 2)))[0].design
    wordings = np.arange(5).repeat(2)
    frame = design.frame._replace(root_of_block=wordings, root_prompt_of_block=design.frame.root_of_block)
    worded = replace(design, frame=frame)
    assert (worded.n_units, worded.n_root_prompts, worded.roots_of_group.tolist()) == (5, 10, [10, 10])
    assert worded.scopes(np.array([4, 5])).tolist() == ["these prompts", "similar units and prompts"]
    rows = BlockContrast(worded).rows
    assert (rows.n_units.tolist(), rows.n_root_prompts.tolist()) == ([5, 5], [10, 10])
    assert set(rows.scope) == {"similar units and prompts"}
    pair = PairContrast(worded, np.array([0]), np.array([1])).rows
    assert (pair.n_units.tolist(), pair.n_root_prompts.tolist()) == ([5], [10])


def test_columns_with_the_same_gaps_are_taken_together():
    x = np.zeros((10, 5))
    x[3, [1, 4]] = np.nan
    found = [(present.sum(), columns.tolist()) for present, columns in presence_patterns(x)]
    assert found == [(10, [0, 2, 3]), (9, [1, 4])]


def test_every_reason_has_a_meaning():
    words = [reason.value for reason in InferenceReason]
    assert len(set(words)) == len(words)
    for reason in InferenceReason:
        assert reason.value == reason.value.lower().replace(" ", "_")
        assert reason.meaning
        assert "\n" not in reason.meaning
