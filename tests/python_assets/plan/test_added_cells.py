"""Which prompts are to be added: against looking at every cell, and through the command line."""

import csv
import io
from itertools import combinations, product

import numpy as np
import pytest

from python_assets.cli import main
from python_assets.plan.added_cells import FactorPair, PromptDesign, chosen_cells

STUDY = """
prompts:
  import:
    path: scores.csv
    columns: {prompt: id, root_prompt: id, system: model, response: answer}
    factors: {template: template, gender: gender, race: race}
systems: [{name: "*", provider: replay}]
groupings: [gender]
analysis: {coverage: {factors: [template, gender, race]%s}}
"""


def design(cells, sizes, *, depth=2, pairs=(), conditions=()):
    factors = [f"f{i}" for i in range(len(sizes))]
    subsets = [s for size in range(1, depth + 1) for s in combinations(range(len(sizes)), size)]
    return PromptDesign(
        factors=factors,
        levels=[[f"l{k}" for k in range(n)] for n in sizes],
        cells=np.array(cells, dtype=np.int64).reshape(-1, len(sizes)),
        sets=list(dict.fromkeys([*subsets, tuple(range(len(sizes)))])),
        pairs=list(pairs),
        conditions=list(conditions),
    )


def n_gaps(cells, sets):
    return {s: len({tuple(cell[i] for i in s) for cell in cells}) for s in sets}


def places(cell):
    return tuple(int(level.removeprefix("l")) for level in cell.levels)


@pytest.mark.parametrize("seed", range(20))
def test_no_other_cell_closes_more_gaps(seed):
    rng = np.random.default_rng(seed)
    sizes = tuple(int(n) for n in rng.integers(2, 5, 4))
    prompts = [tuple(int(rng.integers(n)) for n in sizes) for _ in range(rng.integers(1, 12))]
    given = design(prompts, sizes, depth=3)
    for cell in chosen_cells(given, 6):
        before = sum(n_gaps(prompts, given.sets).values())
        closed = {
            other: sum(n_gaps([*prompts, other], given.sets).values()) - before for other in product(*map(range, sizes))
        }
        assert cell.n_gaps_closed == closed[places(cell)] == max(closed.values()) > 0
        prompts.append(places(cell))


def test_added_cells_make_the_design_whole_and_then_there_are_no_more():
    found = chosen_cells(design([(0, 0)], (3, 2)), 100)
    assert {places(cell) for cell in found} == set(product(range(3), range(2))) - {(0, 0)}


def test_what_is_impossible_is_never_added():
    conditions = [{"f0": ["l0"], "f1": ["l1", "l2"]}, {"f2": ["l1"], "f0": ["l1"]}]
    found = {places(cell) for cell in chosen_cells(design([], (2, 3, 2), conditions=conditions), 100)}
    possible = {c for c in product(range(2), range(3), range(2)) if not (c[0] == 0 and c[1]) and c[::2] != (1, 1)}
    assert found == possible


def test_telling_factors_apart_comes_before_closing_gaps():
    # f0 tells f1; every combination with f2, of four levels, but the first is a gap
    prompts = [(0, 0, 0), (1, 1, 0), (2, 1, 0)]
    first, *others = chosen_cells(design(prompts, (3, 2, 4), pairs=[FactorPair(0, 1, is_aliased=False)]), 8)
    assert first.tells_apart == ("f0 and f1",)
    assert places(first)[:2] in {(0, 1), (1, 0), (2, 0)}
    assert first.n_gaps_closed == 5  # f0 x f1, f0 x f2, f1 x f2, f2, and all three
    assert all(cell.tells_apart == () for cell in others)


def test_aliased_factors_are_told_apart_by_a_level_of_either():
    # a third level of f1, which no prompt has yet, gives f0 a second one
    (cell,) = chosen_cells(design([(0, 0), (1, 1)], (2, 3), pairs=[FactorPair(0, 1, is_aliased=True)]), 1)
    assert cell.tells_apart == ("f0 and f1",)


def test_of_equally_good_cells_the_one_of_the_rarest_levels_is_added():
    # the gaps are (1, 1) and (2, 0); the second factor has its level 1 twice, 0 three times
    (cell,) = chosen_cells(design([(0, 0), (0, 0), (0, 1), (1, 0), (2, 1)], (3, 2)), 1)
    assert places(cell) == (1, 1)


def test_a_vast_design_is_added_to_without_writing_it_out():
    prompts = np.random.default_rng(2).integers(0, 100, (1_000, 12))
    found = chosen_cells(design(prompts, (100,) * 12), 2)
    assert [cell.n_gaps_closed for cell in found] == [67, 67]  # 66 pairs and the whole


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study whose template tells its gender: three templates, each with two races."""
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))

    def write(coverage=""):
        rows = [(f"{t}{r}", "m", "yes", t, "m" if t == "t3" else "f", r) for t in ("t1", "t2", "t3") for r in "ab"]
        lines = ["id,model,answer,template,gender,race", *map(",".join, rows)]
        (tmp_path / "scores.csv").write_text("\n".join(lines))
        path = tmp_path / "mine.yml"
        path.write_text(STUDY % coverage)
        return str(path)

    return write


def test_the_command_prints_the_cells_as_csv(study, capsys):
    assert main(["plan", "--add", "2", study()]) == 0
    header, first, second = csv.reader(io.StringIO(capsys.readouterr().out))
    assert header == ["template", "gender", "race", "n_gaps_closed", "tells_apart"]
    assert first[4] == "template and gender"
    assert first[:2] in (["t1", "m"], ["t2", "m"], ["t3", "f"])
    assert first[3] == second[3] == "2"  # template x gender, and all three
    assert second[4] == ""


def test_the_command_says_where_no_gap_is_left(study, capsys, snapshot):
    impossible = ", impossible: [{template: [t1, t2], gender: m}, {template: t3, gender: f}]"
    assert main(["plan", "--add", "3", study(impossible)]) == 0
    printed = capsys.readouterr()
    assert printed.out == "template,gender,race,n_gaps_closed,tells_apart\n"
    assert printed.err.strip() == snapshot


@pytest.mark.parametrize("number", ["0", "-3", "many"])
def test_a_number_of_prompts_is_a_positive_one(study, capsys, number):
    with pytest.raises(SystemExit):
        main(["plan", "--add", number, study()])
    assert f"'{number}'" in capsys.readouterr().err
