"""Coverage without dbt: sizes by arithmetic, gaps, what is impossible, the numbers of a published design."""

import csv
import gzip
import os
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from time import process_time

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.plan.coverage_sets import coverage_tables, n_met
from python_assets.plan.design_tables import design_tables
from python_assets.plan.group_models import build_models
from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import write_stage

SSQA = Path(os.environ.get("PLUMBLINE_DATA", "")) / "ssqa_design" / "ssqa_design_10360.csv.gz"
needs_ssqa = pytest.mark.skipif(
    "PLUMBLINE_DATA" not in os.environ or not SSQA.is_file(), reason="the design of SocialStigmaQA is in PLUMBLINE_DATA"
)
# multi-factor document, Table 1 and section 3.2.1
PUBLISHED_GINI = {"stigma": 0.007, "gender": 0.529, "prompt_style": 0.246, "biased_answer": 0.122, "template": 0}
STUDY = """
prompts: {{import: {{path: scores.csv, columns: {{prompt: id, system: model}}, factors: {{{factors}}}}}}}
systems: [{{name: "*", provider: replay}}]
groupings: [{groupings}]
analysis: {{coverage: {{{coverage}}}}}
"""

Design = list[dict[str, str]]


@pytest.fixture
def models(tmp_path: Path, build: duckdb.DuckDBPyConnection):
    """The coverage models of a design whose prompts are rows of levels."""

    def make(prompts: Design, *, coverage: str = "", depth: int = 2) -> duckdb.DuckDBPyConnection:
        factors = list(dict.fromkeys(factor for prompt in prompts for factor in prompt))
        path = tmp_path / "mine.yml"
        options = ", ".join([f"factors: [{', '.join(factors)}]", f"depth: {depth}", *filter(None, [coverage])])
        path.write_text(
            STUDY.format(
                factors=", ".join(f"{name}: {name}" for name in factors), groupings=factors[0], coverage=options
            )
        )
        study = load_study(path, check_files=False)
        rows = [
            (f"p{place}", factor, level) for place, prompt in enumerate(prompts) for factor, level in prompt.items()
        ]
        frame = pd.DataFrame(rows, columns=["prompt_id", "factor", "level"])
        ids = [f"p{place}" for place in range(len(prompts))]
        asked = pd.DataFrame({"prompt_id": ids, "root_prompt_id": ids, "unit_id": ids, "is_root": True})
        asked = asked.assign(task="question", source_tag="table", keyword="", document_id="")
        write_stage(build, study.study_id, "assemble", {"prompts": asked, "prompt_factors": frame})
        write_stage(build, study.study_id, "design", design_tables(study, build))
        build_models(build, ("coverage", "coverage_cells", "factor_aliasing"))
        return build

    return make


def table(connection: duckdb.DuckDBPyConnection, name: str) -> pd.DataFrame:
    return connection.execute(f"select * exclude (study_id) from marts.{name}").df()


def counts_of(prompts: Design, factors: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(prompt[factor] for factor in factors) for prompt in prompts)


def gini(counts: list[int], n_cells: int) -> float:
    """Equation 2 of the document as it is written, every empty cell included."""
    n = np.sort(np.concatenate([np.zeros(n_cells - len(counts)), counts]))
    k = np.arange(1, n_cells + 1)
    return float(1 - 2 * np.sum(n / n.sum() * (n_cells - k + 0.5) / n_cells))


def read_ssqa() -> Design:
    with gzip.open(SSQA, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@needs_ssqa
def test_coverage_of_social_stigma_qa_is_that_of_the_document(models):
    design = read_ssqa()
    factors = ("stigma", "gender", "prompt_style", "biased_answer")
    prompts = [{factor: row[factor] for factor in factors} for row in design]
    found = table(models(prompts), "coverage").set_index("factors")
    for factor in factors:
        assert round(found.loc[factor].gini_index, 3) == PUBLISHED_GINI[factor]
    whole = found.loc[" x ".join(factors)]
    assert (round(whole.coverage_percentage, 3), round(whole.gini_index, 3)) == (0.372, 0.711)
    n_levels = {factor: len({row[factor] for row in prompts}) for factor in factors}
    assert whole.n_cells == 94 * 4 * 4 * 2
    for size in (1, 2, 4):
        for chosen in combinations(factors, size):
            counts, n_cells = counts_of(prompts, chosen), int(np.prod([n_levels[name] for name in chosen]))
            row = found.loc[" x ".join(chosen)]
            assert row.n_covered == len(counts)
            assert row.coverage_percentage == pytest.approx(len(counts) / n_cells, abs=1e-15)
            assert row.gini_index == pytest.approx(gini([*counts.values()], n_cells), abs=1e-12)


@needs_ssqa
def test_in_social_stigma_qa_the_template_tells_gender_and_biased_answer(models):
    # section 3.2.1: each template has one value of them, so that their effects cannot be told from its own;
    # a template has a base prompt, without a stigma and without a gender, beside the others
    design = [row for row in read_ssqa() if row["stigma"] != "no stigma"]
    found = table(models(design, depth=1), "factor_aliasing")
    relations = {frozenset((row.factor_a, row.factor_b)): row for row in found.itertuples()}
    for other in ("gender", "biased_answer"):
        row = relations[frozenset(("template", other))]
        assert (row.relation, row.factor_a, row.factor_b) == ("nested", "template", other)
        assert row.cramers_v == pytest.approx(1, abs=0.01)
    assert relations[frozenset(("template", "prompt_style"))].relation == "crossed"
    assert relations[frozenset(("stigma", "gender"))].cramers_v == 0
    of_templates = table(models(read_ssqa(), depth=1), "coverage").set_index("factors").loc["template"]
    assert of_templates.gini_index == PUBLISHED_GINI["template"]


def random_design(n_factors: int, n_levels: int, n_prompts: int) -> Design:
    places = np.random.default_rng(1).integers(0, n_levels, (n_prompts, n_factors))
    return [{f"f{i:02d}": f"l{level}" for i, level in enumerate(row)} for row in places]


def test_twelve_factors_of_a_hundred_levels_are_counted_not_written_out(models):
    prompts = random_design(12, 100, 1_000)
    connection = models(prompts)
    started = process_time()
    build_models(connection, ("coverage",))
    assert process_time() - started < 2  # of a processor; docs/performance.md has what was measured
    whole = table(connection, "coverage").set_index("n_factors").loc[12]
    levels = [len({prompt[factor] for prompt in prompts}) for factor in prompts[0]]
    n_cells = float(np.prod(levels, dtype=object))
    assert whole.n_cells == n_cells > 1e23
    assert whole.coverage_percentage == pytest.approx(1_000 / n_cells, rel=1e-12)
    assert whole.gini_index == pytest.approx(1, abs=1e-15)
    cells = table(connection, "coverage_cells")
    of_whole = cells[cells.factors == whole.factors]
    assert len(of_whole) == 2_000  # the covered ones, and as many empty ones as a set may have
    assert len(of_whole.group_id.unique()) == 2_000
    assert (of_whole.n_prompts == 0).sum() == 1_000


def test_five_factors_of_thirty_levels_end(models):
    connection = models(random_design(5, 30, 300), depth=3)
    found = table(connection, "coverage").set_index("n_factors")
    assert found.loc[5].n_cells == 30**5
    assert len(found.loc[3]) == 10


def declared_designs() -> Iterator[tuple[list[dict[str, list[str]]], dict[str, list[str]]]]:
    rng = np.random.default_rng(7)
    levels = {"a": ["a0", "a1", "a2"], "b": ["b0", "b1"], "c": ["c0", "c1", "c2", "c3"], "d": ["d0"]}
    for _ in range(30):
        conditions = []
        for _ in range(rng.integers(0, 4)):
            named = rng.choice(list(levels), rng.integers(1, 4), replace=False)
            conditions.append(
                {f: list(rng.choice(levels[f], rng.integers(1, len(levels[f]) + 1), replace=False)) for f in named}
            )
        yield conditions, levels


def test_impossible_cells_are_counted_as_if_each_were_looked_at():
    for conditions, levels in declared_designs():
        cells = [dict(zip(levels, cell, strict=True)) for cell in product(*levels.values())]
        met = [any(all(cell[f] in names for f, names in c.items()) for c in conditions) for cell in cells]
        assert n_met(conditions, levels) == sum(met)


def test_impossible_cells_of_a_vast_design_are_counted():
    levels = {f"f{i}": [f"l{k}" for k in range(100)] for i in range(12)}
    conditions = [{f"f{i}": ["l0"], f"f{i + 1}": ["l1", "l2"]} for i in range(0, 12, 2)]
    assert n_met(conditions, levels) == 100**12 - (100**2 - 2) ** 6


NAMES = [{"gender": g, "title": t, "race": r} for g, t, r in product("fm", ["Ms", "Mr"], "ab") if (g, t) != ("f", "Mr")]


def test_what_is_declared_impossible_is_no_gap_and_is_stated(models):
    connection = models(NAMES, coverage="impossible: [{gender: f, title: [Mr]}]")
    found = table(connection, "coverage").set_index("factors")
    assert found.loc["gender x title x race"].coverage_percentage == 1
    sizes = found[["n_cells", "n_impossible"]].agg(tuple, axis=1)
    assert sizes["gender x title"] == (3, 1)
    assert sizes["gender x title x race"] == (6, 2)
    assert sizes["gender x race"] == (4, 0)
    assert (table(connection, "coverage_cells").n_prompts > 0).all()


def test_without_the_declaration_the_same_cells_are_gaps(models):
    cells = table(models(NAMES), "coverage_cells")
    empty = cells[cells.n_prompts == 0]
    assert sorted(empty.group_id) == ["f x Mr", "f x Mr x a", "f x Mr x b"]


def test_gaps_are_found_beyond_what_is_impossible(models):
    # 81 of every 1,000 numbers are impossible: more than 1,000 must be looked through
    prompts = [dict.fromkeys("abcd", f"l{k}") for k in range(10)]
    others = ", ".join(f"l{k}" for k in range(1, 10))
    alike = [dict.fromkeys("abc", "l0") | {"d": f"l{k}"} for k in range(9)]
    impossible = f"impossible: [{{a: [{others}], b: [{others}], c: [l0]}}]"
    cells = table(models([*alike, *prompts], coverage=impossible), "coverage_cells")
    empty = cells[(cells.n_prompts == 0) & (cells.factors == "a x b x c x d")]
    assert len(empty) == 1_000
    parts = empty.group_id.str.split(" x ", expand=True)
    assert not ((parts[0] != "l0") & (parts[1] != "l0") & (parts[2] == "l0")).any()


def test_a_prompt_in_an_impossible_cell_is_a_contradiction(refused, models):
    with refused(SourceError, "analysis.coverage.impossible[0]"):
        models(NAMES, coverage="impossible: [{gender: m, title: Mr}]")


def test_an_unknown_level_of_an_impossible_cell_is_told_when_the_data_are_read(refused, models):
    with refused(StudyError, "analysis.coverage.impossible[0].title"):
        models(NAMES, coverage="impossible: [{gender: m, title: Mx}]")


def test_more_cells_than_can_be_numbered_are_an_error(refused, models):
    with refused(StudyError, "analysis.coverage.factors"):
        models([{f"f{i:02d}": f"l{k}" for i in range(20)} for k in range(100)], depth=1)


def test_a_factor_of_one_level_is_covered_and_associated_with_nothing(models):
    connection = models([{"only": "x", "two": level} for level in "ab"])
    row = table(connection, "coverage").set_index("factors").loc["only"]
    assert (row.n_cells, row.coverage_percentage, row.gini_index) == (1, 1, 0)
    (pair,) = table(connection, "factor_aliasing").itertuples()
    assert (pair.relation, pair.reason) == ("crossed", "one_level")
    assert np.isnan(pair.cramers_v)


def test_factors_that_no_prompt_has_both_of(models):
    connection = models([{"seed": "1"}, {"seed": "2"}, {"style": "a"}, {"style": "b"}])
    row = table(connection, "coverage").set_index("factors").loc["seed x style"]
    assert (row.n_cells, row.n_covered, row.n_prompts) == (4, 0, 0)
    assert np.isnan(row.gini_index)
    (pair,) = table(connection, "factor_aliasing").itertuples()
    assert (pair.relation, pair.n_prompts, pair.reason) == (None, 0, "no_shared_prompt")


def test_ten_thousand_levels_and_more_cells_than_prompts(models):
    prompts = [{"name": f"名 {k}", "gender": "fm"[k % 2]} for k in range(10_000)]
    connection = models(prompts)
    row = table(connection, "coverage").set_index("factors").loc["name x gender"]
    assert (row.n_cells, row.n_covered, row.coverage_percentage) == (20_000, 10_000, 0.5)
    cells = table(connection, "coverage_cells")
    assert (cells[cells.factors == "name x gender"].n_prompts == 0).sum() == 1_000
    assert "名 7 x m" in set(cells.group_id)
    (pair,) = table(connection, "factor_aliasing").itertuples()
    assert (pair.factor_a, pair.relation, pair.factor_b, pair.reason) == ("name", "nested", "gender", "too_few_values")


FACTORS = """
factors:
  cot: {type: prompt, levels: ["yes", "no"]}
  seed: {type: prompt, levels: [none, "1", "2"], reference: none, when: {cot: "yes"}}
  side: {map: {from: cot, file: sides.csv}}
prompts: {templates: {cross: [cot, seed], texts: [{id: t, text: "{cot} {seed}"}]}}
systems: [{name: one, provider: simulator}]
groupings: [cot, seed, side]
"""


def _planned_coverage(folder, more=""):
    (folder / "sides.csv").write_text("cot,side\nyes,left\nno,right\n")
    (folder / "mine.yml").write_text(FACTORS + more)
    coverage = plan_study(load_study(folder / "mine.yml")).coverage
    return {row.factors: (row.n_cells, row.n_covered) for row in coverage}


def test_what_a_condition_forbids_stands_beside_what_is_declared_impossible(tmp_path):
    declared = "analysis: {coverage: {factors: [cot, seed, side], impossible: [{cot: no, side: [left, left]}]}}\n"
    (tmp_path / "mine.yml").write_text(FACTORS + declared.replace("cot: no", 'cot: "no"'))
    levels = {"cot": ["yes", "no"], "seed": ["none", "1", "2"], "side": ["left", "right"], "template": ["t"]}
    found = coverage_tables(load_study(tmp_path / "mine.yml", check_files=False), levels)["impossible_cells"]
    assert list(found.itertuples(index=False, name=None)) == [
        (0, "cot", "no"),
        (0, "side", "left"),
        (1, "cot", "yes"),
        (1, "seed", "none"),
        (2, "cot", "no"),
        (2, "seed", "1"),
        (2, "seed", "2"),
    ]


def test_what_a_condition_forbids_is_impossible_and_a_mapped_factor_is_crossed_where_asked(tmp_path):
    # of 2 x 3 cells yes x none, no x 1 and no x 2 cannot be
    alone = {"cot": (2, 2), "seed": (3, 3), "side": (2, 2), "template": (1, 1), "cot x seed": (3, 3)}
    assert _planned_coverage(tmp_path) == alone
    asked = _planned_coverage(tmp_path, "analysis: {coverage: {factors: [cot, side]}}\n")
    assert asked["cot x side"] == (4, 2)
