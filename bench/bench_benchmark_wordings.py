"""What wordings do to the benchmarks: how often a group that does not differ is called, and how often one that does.

    python -m bench.bench_benchmark_wordings [--benchmarks age,faiths] [--sets 1000] [--permutations 999]

Answers are made up: yes or no, rate .5, correlation .5 of two groups on one text, and every text of a group in one of
its wordings, which move the group by a normal amount whose sd is tau of a cell's sd (.5). They go through the engine as
the cells of a study do, in its designs quick and full, today's and those without wordings (one wording a group, root
prompts as units). Controls are ten edits more on each text, by the formula of infer.formulas.negative_controls where it
is called so. The pages of the benchmarks keep the numbers.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from bench.error_rates.names import tables_of
from python_assets.infer.design.cells import Cells
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.formulas.multiplicity import hypothesis_levels
from python_assets.infer.formulas.negative_controls import Wording, wording

ALPHA: Final = 0.05
CORRELATION: Final = np.sin(0.5 * np.pi / 2)  # of the normal values behind answers that correlate by .5
OF_GROUP: Final = np.sin(0.6 * np.pi / 2) - CORRELATION  # of a text and a level: answers of one level by .6
SD_OF_CELL: Final = 0.5 / norm.pdf(0)  # of a rate of .5, in the unit of the normal values
AT_ONCE: Final = 250
N_CONTROLS: Final = 10


class Design(NamedTuple):
    """A benchmark: levels of its one or two factors, wordings of a group, and texts of quick and full.

    before: texts of quick and full where each group had one wording.
    """

    name: str
    levels: tuple[int, ...]
    n_wordings: int
    texts: tuple[int, int]
    before: tuple[int, int]


DESIGNS: Final = (
    Design("age", (5,), 10, (130, 200), (85, 186)),
    Design("disability", (8,), 10, (130, 200), (85, 187)),
    Design("faiths", (7,), 10, (130, 200), (85, 186)),
    Design("health_advice", (2, 4), 10, (105, 200), (66, 142)),
    Design("nationalities", (19,), 10, (160, 200), (92, 200)),
    Design("occupations", (12,), 10, (150, 200), (88, 192)),
    Design("sexual_orientation", (3, 2), 10, (110, 200), (70, 151)),
)


class Answers(NamedTuple):
    """Answers, shape (texts, groups, sets); wording of each text, all 0 where there is one; levels of groups."""

    x: Floats
    wording: Ints
    levels: Ints


def turns(n_texts: int, n_wordings: int) -> Ints:
    """The wording of each text, as assemble/templates.py deals them."""
    turn = np.arange(n_texts)
    return (turn + turn // n_wordings) % n_wordings


def answers(
    rng: np.random.Generator,
    design: Design,
    n_texts: int,
    *,
    n_wordings: int,
    tau: float,
    effect: float,
    n_sets: int,
    pairs: bool = False,
) -> Answers:
    """Answers of which the first level of the last but one factor with most levels differs by the effect.

    Args:
        rng: of everything random.
        design: the benchmark.
        n_texts: texts asked.
        n_wordings: of a group.
        tau: sd of what a wording does to a group, in sds of a cell.
        effect: difference of rates.
        n_sets: data sets.
        pairs: whether wordings are copies of each other two by two.
    """
    levels = np.stack([part.ravel() for part in np.indices(design.levels)])
    n_groups, wording = levels.shape[1], turns(n_texts, n_wordings)
    z = np.sqrt(CORRELATION) * rng.normal(size=(n_texts, 1, n_sets)) + np.zeros((1, n_groups, 1))
    rest = 1 - CORRELATION
    if len(design.levels) > 1:
        for level, n_levels in zip(levels, design.levels, strict=True):
            z = z + np.sqrt(OF_GROUP) * rng.normal(size=(n_texts, n_levels, n_sets))[:, level]
            rest -= OF_GROUP
    z += np.sqrt(rest) * rng.normal(size=z.shape)
    moved = tau * SD_OF_CELL * rng.normal(size=(n_wordings, n_groups, n_sets))
    z += moved[wording // 2 if pairs else wording]
    shifted = levels[_factor(design)] == 0
    z[:, shifted] += norm.ppf(0.5 + effect) * np.sqrt(1 + (tau * SD_OF_CELL) ** 2)
    return Answers((z > 0).astype(float), wording, levels)


def _factor(design: Design) -> int:
    """The factor with most levels."""
    return int(np.argmax(design.levels))


def cells_of(given: Answers, factor: int | None, *, is_worded: bool) -> Cells:
    """The cells of one grouping, as int_prompt_groups lays them out.

    Args:
        given: the answers.
        factor: the one that is compared, inside the levels of the other; all together where None.
        is_worded: whether wordings are the units.
    """
    n_texts, n_groups, n_sets = given.x.shape
    of_group = np.arange(n_groups) if factor is None else given.levels[factor]
    other = np.zeros(n_groups, np.intp) if factor is None else np.delete(given.levels, factor, axis=0).sum(axis=0)
    unit = given.wording if is_worded else np.arange(n_texts)
    text, cell = (part.ravel() for part in np.indices((n_texts, n_groups)))
    order = np.lexsort((of_group[cell], other[cell], text, unit[text]))
    text, cell = text[order], cell[order]
    block = np.unique(np.stack([unit[text], text, other[cell]]), axis=1, return_inverse=True)[1].ravel()
    root_of_block = np.zeros(block.max() + 1, np.intp)
    root_of_block[block] = unit[text]
    text_of_block = np.zeros_like(root_of_block)
    text_of_block[block] = text
    frame = Frame(block, of_group[cell], root_of_block, int(of_group.max()) + 1)
    columns = pd.DataFrame(
        {
            "system_id": [f"set {n:05d}" for n in range(n_sets)],
            "measure_id": "favoured",
            "calibration": "raw",
            "category": "",
            "statistic": "mean",
            "parameters": "",
            "kind": "binary",
            "direction": "none",
        }
    )
    return Cells(
        slice_id="all",
        grouping_id="groups",
        columns=columns,
        group_ids=[f"g{n:02d}" for n in range(of_group.max() + 1)],
        frame=frame._replace(root_prompt_of_block=text_of_block) if is_worded else frame,
        x=given.x[text, cell],
        n_responses=np.ones((len(text), n_sets)),
        has_several_prompts=False,
    )


def found_with_controls(
    design: Design, n_texts: int, *, tau: float, effect: float, n_sets: int, n_permutations: int
) -> tuple[float, float]:
    """Shares of data sets in which the question, and the group that is shifted, is called beside ten controls.

    Of a design of one factor: one wording a group, and ten edits on one branch, which words move as they move groups.
    """
    rng, called = np.random.default_rng(1), []
    n_groups = design.levels[0]
    with_controls = design._replace(levels=(n_groups + N_CONTROLS,))
    weights = (np.eye(n_groups) - 1 / n_groups) * n_groups / (n_groups - 1)
    for start in range(0, n_sets, AT_ONCE):
        n = min(AT_ONCE, n_sets - start)
        given = answers(rng, with_controls, n_texts, n_wordings=1, tau=tau, effect=effect, n_sets=n)
        groups = given._replace(x=given.x[:, :n_groups], levels=given.levels[:, :n_groups])
        tables = tables_of(cells_of(groups, None, is_worded=False), n_permutations)
        p = tables["hypotheses"].p_value.to_numpy(dtype=float)
        rows = tables["contrasts"].query("contrast == 'risk_difference' and group_id == 'g00'")
        p_group = rows.p_value_maxt.to_numpy(dtype=float)
        ones = np.ones((n_texts, n_groups)), np.ones((n_texts, N_CONTROLS))
        types = [str(number) for number in range(N_CONTROLS)]
        for i in range(n):
            words = wording(groups.x[:, :, i], given.x[:, n_groups:, i], types, ones)
            assert isinstance(words, Wording)
            is_significant = max(p[i], words.p_value) <= ALPHA
            is_group = max(p_group[i], words.p_of_contrasts(weights)[0]) <= ALPHA
            called.append((is_significant, is_significant and is_group))
    first, second = np.mean(called, axis=0)
    return float(first), float(second)


class Found(NamedTuple):
    """Shares of data sets: any question called; the group that is shifted called; its interval holds the effect."""

    any_called: float
    group_called: float
    covered: float
    above_floor: float


def found(
    design: Design,
    n_texts: int,
    *,
    n_wordings: int,
    tau: float,
    effect: float,
    n_sets: int,
    n_permutations: int,
    pairs: bool = False,
) -> Found:
    """What the engine calls of made-up answers; one wording: root prompts are the units."""
    rng, parts = np.random.default_rng(1), []
    for start in range(0, n_sets, AT_ONCE):
        n = min(AT_ONCE, n_sets - start)
        given = answers(rng, design, n_texts, n_wordings=n_wordings, tau=tau, effect=effect, n_sets=n, pairs=pairs)
        parts.append(_looked_at(design, given, effect, n_permutations, is_worded=n_wordings > 1))
    return Found(*np.concatenate(parts, axis=1).mean(axis=1))


def _looked_at(design: Design, given: Answers, effect: float, n_permutations: int, *, is_worded: bool) -> Floats:
    factors = range(len(design.levels)) if len(design.levels) > 1 else [None]
    tables = [tables_of(cells_of(given, factor, is_worded=is_worded), n_permutations) for factor in factors]
    p = np.stack([one["hypotheses"].p_value.to_numpy(dtype=float) for one in tables])
    at = _factor(design) if len(design.levels) > 1 else 0
    rows = tables[at]["contrasts"].query("contrast == 'risk_difference' and group_id == 'g00'")
    p_group, n_sets = rows.p_value_maxt.to_numpy(dtype=float), p.shape[1]
    q = [hypothesis_levels(p[:, i], p_group[i : i + 1], np.array([at])) for i in range(n_sets)]
    spread = tables[at]["disparities"].query("metric == 'range'")
    return np.stack(
        [
            np.array([(one.of_hypothesis <= ALPHA).any() for one in q]),
            np.array([one.of_group[0] <= ALPHA for one in q]),
            ((rows.ci_low <= effect) & (rows.ci_high >= effect)).to_numpy(),
            (spread.value > spread.null_q95).to_numpy(),
        ]
    ).astype(float)


def studies_of(effect: float) -> list[tuple[float, float]]:
    """Wording effects and differences that are made up, in the order of the lines."""
    return [(0, 0), (0.3, 0), (0.6, 0), (0, effect), (0.1, effect), (0.3, effect)]


def table(designs: Sequence[Design], n_sets: int, n_permutations: int) -> Iterator[str]:
    """Lines of the table: a benchmark's size without and with wording effects, and what quick and full find."""
    for design in designs:
        for label, effect, place in (("quick", 0.15, 0), ("full", 0.1, 1)):
            for n_texts, n_wordings in ((design.before[place], 1), (design.texts[place], design.n_wordings)):
                for tau, shift in studies_of(effect):
                    got = found(
                        design,
                        n_texts,
                        n_wordings=n_wordings,
                        tau=tau,
                        effect=shift,
                        n_sets=n_sets,
                        n_permutations=n_permutations,
                    )
                    yield _line(
                        design,
                        label,
                        n_texts=n_texts,
                        words=f"{n_wordings} wordings",
                        tau=tau,
                        effect=shift,
                        shares=got,
                    )
            for tau, shift in studies_of(effect) if len(design.levels) == 1 else ():
                controlled = found_with_controls(
                    design, design.before[place], tau=tau, effect=shift, n_sets=n_sets, n_permutations=n_permutations
                )
                yield _line(
                    design,
                    label,
                    n_texts=design.before[place],
                    words=f"{N_CONTROLS} controls",
                    tau=tau,
                    effect=shift,
                    shares=controlled,
                )


def _line(
    design: Design, label: str, n_texts: int, words: str, tau: float, effect: float, shares: Sequence[float]
) -> str:
    told = " ".join(f"{share:.3f}" for share in shares)
    return f"{design.name} {label} {n_texts} texts {words} tau {tau} effect {effect}: {told}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", default=",".join(one.name for one in DESIGNS))
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--permutations", type=int, default=999)
    options = parser.parse_args(arguments)
    wanted = options.benchmarks.split(",")
    print("question called, group called, interval holds, range above its floor")
    for line in table([one for one in DESIGNS if one.name in wanted], options.sets, options.permutations):
        print(line, flush=True)


if __name__ == "__main__":
    main()
