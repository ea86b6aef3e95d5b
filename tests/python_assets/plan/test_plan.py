import csv
import re
from itertools import product

import pytest

from python_assets.errors import StudyError
from python_assets.infer.result import InferenceReason
from python_assets.plan.negative_controls import ONE_WORDING
from python_assets.plan.plan import DECLARE_UNIT, plan_study
from python_assets.plan.text import PlannedCoverage, _coverage_cells
from python_assets.scrape.scrape_study import scrape
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext

TEMPLATES = """
factors: {{gender: {{levels: [woman, man]}}, race: {{levels: [a, b, c]}}}}
prompts:
  templates:
    cross: [gender, race]
    texts: [{texts}]
systems:
  - {{name: fair, provider: simulator, replicates: {replicates}}}
  - {{name: "{{model}}", provider: openai, base_url: http://h, model: [m1, m2], decoding: {{temperature: 1}}}}
groupings: [gender, [gender, race]]
"""
IMPORT = """
prompts:
  import:
    path: scores.csv
    columns: {prompt: id, root_prompt: root, replicate: auto, system: model, response: answer}
    factors: {gender: gender, race: race}
systems: [{name: "*", provider: replay}]
groupings: [gender, [gender, race]]
"""
TEXT = """\
Study mine: valid. Nothing was generated.

what                      number
documents                      0
sentences with a keyword       0
root prompts                   5
prompts                       30
measures                       4
calls                        120

system  provider   model  responses  calls
fair    simulator                60     60
m1      openai     m1            30     30
m2      openai     m2            30     30

still to ask  answered  calls  tokens in  tokens out  at most  usd       usd at most  minutes
m1                   0     30        195     unknown    7,680  no price  no price     unknown
m2                   0     30        195     unknown    7,680  no price  no price     unknown
all                  0     60        390     unknown   15,360  unknown   unknown      unknown

factor    type    levels  reference  share with a level  rule
gender    domain       2  -                       1.000  -
race      domain       3  -                       1.000  -
system    model        3  -                       1.000  -
model     model        2  -                       0.667  -
template  prompt       5  -                       1.000  -
decoding  model        2  -                       1.000  -

grouping       slice  groups  units  blocks or strata  cells  stratified by  what is exchanged, what it speaks of
gender         all         2      5                15     30  race           \
labels inside blocks; unit root prompt; similar prompts
gender x race  all         6      5                 5     30  -              \
labels inside blocks; unit root prompt; similar prompts

factors        cells  impossible  covered  share covered  Gini index
gender             2           0        2          1.000       0.000
race               3           0        3          1.000       0.000
template           5           0        5          1.000       0.000
gender x race      6           0        6          1.000       0.000

system  compared with  units asked of both  of one alone
m1      fair                             5             0
m2      fair                             5             0

family      hypotheses
comparison          12
primary             12
secondary           54

Not checked, for a plan asks nobody:
- whether http://h answers and has what m1, m2 ask of it

Warnings:
- groupings gender, gender x race: Each group has one wording and no control edit: how far the score moves when any \
words change is unknown. Add a second wording, or declare negative_controls."""


def plan_of(folder, text):
    path = folder / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return plan_study(load_study(path))


def planned_templates(folder, n_texts, replicates=2):
    texts = ", ".join(f'{{id: t{n}, text: "{n}: a {{gender}} {{race}}"}}' for n in range(n_texts))
    return plan_of(folder, TEMPLATES.format(texts=texts, replicates=replicates))


def planned_import(folder, rows, text=IMPORT):
    """rows: (prompt, root prompt, generation, gender, race)."""
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "root", "model", "gender", "race", "answer"), *[(*r, "x") for r in rows]])
    return plan_of(folder, text)


def test_pooled_models_are_one_system_whose_replicates_they_are(tmp_path):
    pooled = IMPORT.replace("system: model, ", "").replace('name: "*"', "name: pooled")
    rows = [(f"{root}{g}", root, model, g, "a") for root in "123" for g in "fm" for model in ("m1", "m2")]
    plan = planned_import(tmp_path, rows, pooled)
    assert [(one.system_id, one.n_responses, one.n_calls) for one in plan.systems] == [("pooled", 12, 0)]
    assert (plan.n_prompts, plan.n_root_prompts) == (6, 3)
    assert not [warning for warning in plan.warnings if "no response" in warning]


def schemes(plan):
    return {grouping.grouping_id: grouping.scheme for grouping in plan.groupings}


def test_prompts_calls_and_cells_of_crossed_templates(tmp_path):
    plan = planned_templates(tmp_path, 5)
    # 5 texts x 2 x 3 levels; 2 replicates of the simulator, 1 of each of two models
    assert (plan.n_root_prompts, plan.n_prompts, plan.n_calls) == (5, 30, 30 * (2 + 1 + 1))
    assert [(g.n_groups, g.n_blocks, g.n_cells, g.is_complete) for g in plan.groupings] == [
        (2, 15, 30, True),
        (6, 5, 30, True),
    ]
    assert plan.warnings == [f"groupings gender, gender x race: {ONE_WORDING}"]


def test_a_plan_reads_as_tables(tmp_path):
    assert planned_templates(tmp_path, 5).text() == TEXT


def test_blocks_take_the_place_of_few_root_prompts(tmp_path, snapshot):
    # gender x race: 4 blocks only, and a single response of the models in each cell
    assert schemes(planned_templates(tmp_path, 4)) == snapshot


def test_replicates_take_the_place_of_a_few_blocks(tmp_path, snapshot):
    rows = [(f"{g} {r}", "root", "m", g, r) for g, r in product("fm", "ab") for _ in range(3)]
    plan = planned_import(tmp_path, rows)
    assert set(schemes(plan).values()) == snapshot
    assert (plan.n_calls, plan.systems[0].n_responses) == (0, 12)


def test_one_root_prompt_without_replicates_has_no_inference(tmp_path):
    plan = planned_import(tmp_path, [("1", "root", "m", "f", "a"), ("2", "root", "m", "m", "a")])
    assert {grouping.reason for grouping in plan.groupings} == {InferenceReason.TOO_FEW_ROOT_PROMPTS}
    assert plan.warnings[0] == (
        f"grouping gender: no inference, because {InferenceReason.TOO_FEW_ROOT_PROMPTS.meaning}"
    )


def test_one_root_prompt_with_replicates_in_some_cells_only_has_no_inference(tmp_path):
    plan = planned_import(tmp_path, [(g, "root", "m", g, "a") for g in "ffm"])
    assert plan.groupings[0].reason is InferenceReason.TOO_FEW_REPLICATES


def test_several_prompts_in_a_cell_need_a_unit(tmp_path):
    rows = [(f"{n} {g}", "root", "m", g, "a") for n, g in product(range(3), "fm")]
    plan = planned_import(tmp_path, rows)
    assert schemes(plan)["gender"] == "no inference: several_prompts"
    assert plan.warnings[0] == (f"grouping gender: no inference, because {InferenceReason.SEVERAL_PROMPTS.meaning}")
    assert "unit: root_prompt averages them" in plan.warnings[0]


def test_several_prompts_in_a_cell_are_averaged_where_root_prompts_are_declared_units(tmp_path, snapshot):
    rows = [(f"{root} {n} {g}", str(root), "m", g, "a") for root, n, g in product(range(6), range(3), "fm")]
    plan = planned_import(tmp_path, rows, f"unit: root_prompt{IMPORT}")
    assert schemes(plan)["gender"] == snapshot
    assert (plan.groupings[0].n_units, plan.groupings[0].n_cells) == (6, 12)


def test_one_group_has_nothing_to_be_compared_with(tmp_path):
    plan = planned_import(tmp_path, [(str(n), str(n), "m", "f", "a") for n in range(6)])
    assert plan.groupings[0].reason is InferenceReason.ONE_GROUP


def test_root_prompts_of_one_group_each_are_units(tmp_path, snapshot):
    plan = planned_import(tmp_path, [(str(n), str(n), "m", "fm"[n % 2], "a") for n in range(12)])
    gender = plan.groupings[0]
    assert gender.scheme == snapshot
    assert (gender.n_groups, gender.n_units, gender.n_blocks, gender.n_cells) == (2, 12, 1, 2)
    assert gender.is_complete


NAMED = """
unit: name
prompts:
  import:
    path: scores.csv
    columns: {prompt: id, root_prompt: root, replicate: auto, system: model, response: answer}
    factors: {gender: gender, race: race, name: name}
systems: [{name: "*", provider: replay}]
groupings: [gender, race, [gender, race]]
slices: {women: {gender: f}, each: race}
"""


def planned_names(folder, n_names, n_roots=3, text=NAMED, races="ab"):
    """Names in every gender and race, each on every root prompt."""
    rows = [
        (f"{g} {r} {name} {root}", f"r{root}", "m", g, r, f"{g}{r}{name}", "x")
        for g, r, name, root in product("fm", races, range(n_names), range(n_roots))
    ]
    header = ("id", "root", "model", "gender", "race", "name", "answer")
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return plan_of(folder, text)


def test_names_inside_groups_are_units_and_what_they_keep_is_a_stratum(tmp_path):
    plan = planned_names(tmp_path, 5)
    like_these = "whole units among groups{}; unit name; similar units, these prompts"
    assert {(g.grouping_id, g.slice_id): g.scheme for g in plan.groupings} == {
        ("gender", "all"): like_these.format(" inside 2 strata"),
        ("gender", "a"): like_these.format(""),
        ("gender", "b"): like_these.format(""),
        ("gender", "women"): "no inference: one_group",
        ("race", "all"): like_these.format(" inside 2 strata"),
        ("race", "a"): "no inference: one_group",
        ("race", "b"): "no inference: one_group",
        ("race", "women"): like_these.format(""),
        ("gender x race", "all"): like_these.format(""),
    }
    gender = plan.groupings[0]
    assert (gender.n_groups, gender.n_units, gender.n_blocks, gender.n_cells) == (2, 20, 2, 4)
    assert plan.warnings == []  # a slice of one group is what was asked for


def test_few_units_are_named(tmp_path):
    plan = planned_names(tmp_path, 3)
    found = {(g.grouping_id, g.slice_id): g for g in plan.groupings}
    assert found["gender", "all"].scheme.endswith("similar units, these prompts")  # 6 names in 2 strata
    assert found["gender x race", "all"].reason is InferenceReason.TOO_FEW_UNITS
    assert found["gender", "a"].reason is InferenceReason.TOO_FEW_UNITS
    assert any("gender, slice a: no inference" in w for w in plan.warnings)


@pytest.mark.parametrize(
    ("n_names", "n_roots", "scope"),
    [(5, 5, "similar units and prompts"), (5, 4, "similar units, these prompts"), (4, 5, "these prompts")],
)
def test_the_scope_is_of_units_and_of_prompts(tmp_path, n_names, n_roots, scope):
    assert schemes(planned_names(tmp_path, n_names, n_roots))["gender x race"].endswith(f"; {scope}")


def test_a_group_is_no_use_beside_too_few_others(tmp_path):
    levels = ["f"] * 9 + ["m"] * 3
    plan = planned_import(tmp_path, [(str(n), str(n), "m", g, "a") for n, g in enumerate(levels)])
    assert plan.groupings[0].reason is InferenceReason.TOO_FEW_UNITS


def test_a_group_with_few_units_is_a_warning(tmp_path, snapshot):
    levels = ["f"] * 6 + ["m"] * 5 + ["x"] * 2
    plan = planned_import(tmp_path, [(str(n), str(n), "m", g, "a") for n, g in enumerate(levels)])
    assert [plan.groupings[0].scheme, plan.warnings[0]] == snapshot


def test_names_without_a_declared_unit_have_no_scheme(tmp_path):
    plan = planned_names(tmp_path, 5, text=NAMED.replace("unit: name\n", "").replace(", name: name", ""))
    assert schemes(plan)["gender x race"] == "no inference: several_prompts"


def test_a_unit_that_meets_every_group_is_a_block_for_them(tmp_path, snapshot):
    rows = [
        (f"{c} {r}", f"r{r}", "m", c, "a", f"name{n}", "x")
        for n in range(6)
        for r, c in ((f"{n}{i}", c) for i in range(2) for c in "fm")
    ]
    header = ("id", "root", "model", "gender", "race", "name", "answer")
    with (tmp_path / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    plan = plan_of(tmp_path, NAMED.replace("slices: {women: {gender: f}, each: race}\n", ""))
    gender = plan.groupings[0]
    assert gender.scheme == snapshot
    assert (gender.n_units, gender.n_blocks, gender.n_cells) == (6, 12, 24)


OF_TEXTS = """
factors:
  gender: {levels: [f, m]}
  land: {levels: [a, b, c]}
  category: {type: prompt, levels: [plain, named]}
prompts:
  templates:
    cross: [gender, land]
    texts:
      - {id: d1, text: "A {gender} of {land}.", factors: {category: plain}}
      - {id: d2, text: "{land} has a {gender}.", factors: {category: plain}}
      - id: i
        text: "{name} of {land}."
        factors: {category: named}
        units: {file: names.csv, nested_in: [gender]}
systems: [{name: fair, provider: simulator}]
slices: {each: category}
groupings: [[gender, land]]
"""


def test_a_plan_says_what_is_tested_where_texts_have_units(tmp_path, snapshot):
    names = "".join(f"{gender},{gender}{n}\n" for gender in "fm" for n in range(5))
    (tmp_path / "names.csv").write_text(f"gender,name\n{names}", encoding="utf-8")
    plan = plan_of(tmp_path, OF_TEXTS)
    assert plan.n_prompts == 2 * 6 + 10 * 3
    planned = {f"{one.grouping_id}, {one.slice_id}": f"{one.n_units}; {one.scheme}" for one in plan.groupings}
    assert [planned, plan.warnings[0]] == snapshot


def test_a_text_without_the_slot_of_its_units_is_a_warning(tmp_path, snapshot):
    (tmp_path / "names.csv").write_text("gender,name\nf,Ann\nm,Bob\n", encoding="utf-8")
    plan = plan_of(tmp_path, OF_TEXTS.replace("{name} of", "{gender} of"))
    assert plan.warnings[-1] == snapshot


def test_units_that_are_left_out_are_a_warning(tmp_path, snapshot):
    rows = [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(6), "fm")]
    rows += [("7", "7", "m", "f", "a"), ("8", "8", "m", "m", "a")]
    plan = planned_import(tmp_path, rows)
    assert [plan.groupings[0].scheme, plan.warnings[0]] == snapshot


def apart():
    """Women and men of every root prompt in another race each, in turn."""
    return [(f"{n} {g}", str(n), "m", g, "ab"[(n + (g == "f")) % 2]) for n, g in product(range(6), "fm")]


def test_groups_that_differ_in_a_blocking_factor_share_no_block(tmp_path):
    plan = planned_import(tmp_path, apart())
    assert plan.groupings[0].reason is InferenceReason.NO_SHARED_BLOCK
    assert DECLARE_UNIT in plan.warnings[0]


def test_a_factor_that_determines_the_group_is_not_held_fixed_and_named(tmp_path, snapshot):
    rows = [(f"{n} {g} {r}", str(n), "m", g, f"{g} {r}") for n, g, r in product(range(6), "fm", "ab")]
    plan = planned_import(tmp_path, rows, f"unit: root_prompt{IMPORT}")
    assert [schemes(plan)["gender"], *plan.warnings] == snapshot
    assert plan.groupings[0].left_out == (("race", "determines_group"),)
    (alone,) = planned_import(tmp_path, rows, IMPORT.replace("[gender, [gender, race]]", "[gender]")).groupings
    assert alone.reason is InferenceReason.SEVERAL_PROMPTS


def test_a_reference_that_no_contrast_compares_with_is_a_warning(tmp_path, snapshot):
    rows = [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(6), "fm")]
    factors = "factors: {gender: {reference: m}, race: {reference: a}}"
    grouped = "groupings: [gender]\n"
    text = IMPORT.replace("groupings: [gender, [gender, race]]\n", grouped)
    declared = [factors + text, f"{factors}{text}analysis: {{reference: reference_level}}\n"]
    unused, used = [
        [one for one in planned_import(tmp_path, rows, text).warnings if one.startswith("factors.")]
        for text in declared
    ]
    assert unused == snapshot
    assert used == unused[1:]


def test_a_study_with_a_unit_is_not_told_to_declare_one(tmp_path):
    text = "unit: name" + IMPORT.replace("race: race}", "race: race, name: root}")
    plan = planned_import(tmp_path, apart(), text.replace("[gender, [gender, race]]", "[gender]"))
    assert plan.groupings[0].reason is InferenceReason.NO_SHARED_BLOCK
    assert plan.warnings == [f"grouping gender: no inference, because {InferenceReason.NO_SHARED_BLOCK.meaning}"]


def test_units_whose_strata_hold_one_group_share_none(tmp_path):
    pairs = {"f": ("ax", "ay", "bx", "cz"), "m": ("az", "by", "bz", "cx")}  # of race and style; none in both
    rows = [(g, *pair) for g, of_group in pairs.items() for pair in of_group for _ in range(2)]
    with (tmp_path / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "root", "model", "gender", "race", "style", "answer"))
        writer.writerows((str(n), str(n), "m", *row, "x") for n, row in enumerate(rows))
    plan = plan_of(tmp_path, IMPORT.replace("race: race}", "race: race, style: style}"))
    assert plan.groupings[0].reason is InferenceReason.NO_SHARED_BLOCK


def test_pairs_that_share_no_root_prompt_are_a_warning(tmp_path):
    rows = [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(6), "fm")]
    rows += [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(6, 12), "fx")]
    plan = planned_import(tmp_path, rows, IMPORT + "analysis: {reference: all_pairs}\n")
    note = "1 of 3 pairs of groups share no root prompt: compare with rest or grand_mean"
    assert f"grouping gender: {note}" in plan.warnings


def test_incomplete_blocks_are_a_warning(tmp_path, snapshot):
    rows = [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(6), "fmx") if (n, g) != (3, "x")]
    plan = planned_import(tmp_path, rows)
    assert not plan.groupings[0].is_complete
    assert plan.groupings[0].n_cells == 17
    assert plan.warnings[0] == snapshot


def test_coverage_counts_prompts_over_all_combinations(tmp_path):
    cells = [("f", "a"), ("f", "b"), ("m", "b"), ("m", "b")]
    plan = planned_import(tmp_path, [(str(n), "r", "m", g, r) for n, (g, r) in enumerate(cells)])
    by_factors = {row.factors: row for row in plan.coverage}
    # gender x race: counts 0, 1, 1, 2 of 4 cells; 1 - 2 (1/4 * 2.5/4 + 1/4 * 1.5/4 + 2/4 * 0.5/4) = 0.375
    assert by_factors["gender x race"][1:] == (4, 0, 3, 0.75, pytest.approx(0.375))
    # race: counts 1, 3; 1 - 2 (1/4 * 1.5/2 + 3/4 * 0.5/2) = 0.25
    assert by_factors["race"][1:] == (2, 0, 2, 1.0, pytest.approx(0.25))


def test_factors_that_cannot_be_told_apart_are_shown(tmp_path):
    rows = [(f"{n} {g}", str(n), "m", g, {"f": "a", "m": "b", "x": "b"}[g]) for n in range(5) for g in "fmx"]
    plan = planned_import(tmp_path, rows)
    ((factor_a, factor_b, relation, _),) = plan.aliasing
    assert (factor_a, factor_b, relation) == ("gender", "race", "nested")
    assert "V\ngender  nested in  race    0.9" in plan.text()


def test_a_vast_design_and_what_is_impossible_are_written_shortly():
    row = PlannedCoverage("a x b", 1e24, 3.0, 5, 0.0, None)
    assert _coverage_cells(row) == ("a x b", "1.0e+24", 3, 5, 0.0, None)


def test_imported_systems_are_counted_one_by_one_and_cost_no_call(tmp_path):
    rows = [(f"{n} {g}", str(n), model, g, "a") for n, g, model in product(range(5), "fm", ("GPT 4", "other"))]
    plan = planned_import(tmp_path, rows)
    assert [g[:4] for g in plan.systems] == [("gpt_4", "replay", "", 10), ("other", "replay", "", 10)]
    assert plan.n_calls == 0
    one = planned_import(tmp_path, rows, IMPORT.replace('"*"', "GPT 4"))
    assert [g.system_id for g in one.systems] == ["gpt_4"]


def test_a_system_that_goes_step_by_step_counts_the_most_calls_it_can_need(tmp_path):
    (tmp_path / "book.txt").write_text("Tea is hot.", encoding="utf-8")
    stepwise = "model: [m1, m2], extension: {type: react, path: book.txt, max_steps: 4}"
    text = TEMPLATES.replace("model: [m1, m2]", stepwise.replace("{", "{{").replace("}", "}}"))
    plan = plan_of(tmp_path, text.format(texts='{id: t, text: "a {gender} {race}"}', replicates=1))
    assert [(g.n_responses, g.n_calls) for g in plan.systems] == [(6, 6), (6, 24), (6, 24)]


def test_a_system_that_the_import_lacks_ends_a_plan_as_it_would_end_a_run(tmp_path, refused):
    rows = [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(5), "fm")]
    text = IMPORT.replace('[{name: "*"', "[{name: m, provider: replay}, {name: gone")
    with refused(StudyError, "systems"):
        planned_import(tmp_path, rows, text)


def test_rejected_records_are_a_warning(tmp_path, snapshot):
    rows = [(f"{n} {g}", str(n), "m", g, "a") for n, g in product(range(5), "fm")]
    plan = planned_import(tmp_path, [*rows, ("", "", "m", "f", "a")])
    assert plan.warnings[0] == snapshot


def test_replicates_at_temperature_0_are_a_warning(tmp_path, snapshot):
    text = TEMPLATES.format(texts="{id: t, text: a}", replicates=1).replace("temperature: 1", "temperature: 0")
    plan = plan_of(tmp_path, text.replace("model: [m1, m2]", "replicates: 3, model: [m1]"))
    assert plan.warnings[1] == snapshot


def test_sentences_and_branches_of_a_scraped_study_are_counted_and_no_function_is_significant(tmp_path, snapshot):
    (tmp_path / "my_models.py").write_text("raise SystemExit", encoding="utf-8")
    (tmp_path / "a.txt").write_text(
        "The harbour of the old town in Ideraland was built by merchants from many distant shores. "
        "Most visitors who come by train to Ideraland stay for at least a week in summer.",
        encoding="utf-8",
    )
    plan = plan_of(
        tmp_path,
        """
prompts:
  scrape:
    levels: [Ideraland, Italy, France]
    keywords: {Ideraland: [Ideraland, Ideralander]}
    sources: [{tag: article, path: a.txt}]
  branch: {from: Ideraland}
systems: [{name: own, provider: "my_models:answer"}]
""",
    )
    assert (plan.n_documents, plan.n_sentences) == (1, 2)
    assert plan.n_prompts == plan.n_calls == 3 * plan.n_root_prompts > 0
    assert [warning for warning in plan.warnings if "Ideralander" in warning] == snapshot


ASKING = """
prompts:
  scrape:
    levels: [Italy]
    keywords: {{Italy: [Italy]}}
    sources: [{{tag: a, {source}}}]
  assemble: {{{assemble}}}
systems:
  - {{name: fair, provider: simulator}}
  - {{name: writer, provider: simulator, engine: true}}
measures: [vader]
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    return paths.home()


def _of_a_model(study):
    """The study with a model for an engine: the simulator is asked in a plan, too."""
    simulated = "name: writer, provider: simulator"
    assert simulated in study
    return study.replace(simulated, "name: writer, provider: ollama, model: any")


@pytest.mark.usefixtures("home")
def test_what_an_engine_has_not_written_yet_is_unknown_and_said_with_the_remedy(tmp_path, snapshot):
    source = "type: synthetic, engine: writer, template: 'About {level}.'"
    plan = plan_of(tmp_path, _of_a_model(ASKING.format(source=source, assemble="")))
    assert plan[1:6] == (None, None, None, None, None)
    assert plan.systems == [("fair", "simulator", "", None, None, "")]
    lines = plan.text().splitlines()
    assert lines[2] == snapshot
    assert "documents                 unknown" in lines
    assert "measures                        4" in lines


@pytest.mark.usefixtures("home")
def test_what_was_scraped_is_known_where_hypotheses_are_not(tmp_path):
    (tmp_path / "a.txt").write_text("Italy has many old towns along its coast.", encoding="utf-8")
    plan = plan_of(tmp_path, _of_a_model(ASKING.format(source="path: a.txt", assemble="engine: writer")))
    assert (plan.n_documents, plan.n_sentences, plan.n_prompts) == (1, 1, None)


def test_what_an_earlier_run_asked_is_planned_with(tmp_path, home):
    source = "type: synthetic, engine: writer, template: 'About {level}.'"
    path = tmp_path / "mine.yml"
    path.write_text(ASKING.format(source=source, assemble=""), encoding="utf-8")
    study = load_study(path)
    with open_build(tmp_path / "build.duckdb") as connection:
        counts = scrape(study, connection, RunContext(home, progress=SILENT))
    plan = plan_study(study)
    assert plan.unknown is None
    assert (plan.n_documents, plan.n_sentences) == (1, counts.n_sentences_kept)
    assert plan.n_calls == plan.n_prompts + 1 > 1
    assert [(one.system_id, one.asked_for, one.n_calls) for one in plan.engines] == [("writer", "scrape", 1)]


FACTORS = """
factors:
  cot: {levels: ["yes", "no"], type: prompt}
  seed: {levels: [none, "1", "2"], reference: none, when: {cot: "yes"}, type: prompt}
  age: {levels: [old]}
  holder:
    rules: {male: [he], female: [she], other: [they]}
    otherwise: none
    reference: none
  side: {map: {from: cot, file: sides.csv}}
  family: {type: model, map: {from: model, file: families.csv}, reference: big}
prompts:
  templates:
    cross: [cot, seed, age]
    texts:
      - {id: a, text: "he {cot}"}
      - {id: b, text: "she {cot}"}
      - {id: c, text: "it {cot}"}
      - {id: d, text: "he or she"}
systems: [{name: "{model}", provider: openai, model: [m1, m2, m3]}]
groupings: [cot]
"""


def test_a_plan_has_every_factor_with_type_levels_reference_share_and_rule(tmp_path, snapshot):
    (tmp_path / "sides.csv").write_text("cot,side\nyes,left\nno,right\n")
    (tmp_path / "families.csv").write_text("model,family\nm1,big\nm2,small\nm3,small\n")
    path = tmp_path / "mine.yml"
    path.write_text(FACTORS)
    plan = plan_study(load_study(path))
    assert [tuple(row)[:-1] for row in plan.factors] == [
        ("cot", "prompt", 2, None, 1.0),
        ("seed", "prompt", 3, "none", 1.0),
        ("age", "domain", 1, None, 1.0),
        ("holder", "domain", 3, "none", 0.75),
        ("side", "domain", 2, None, 1.0),
        ("family", "model", 2, "big", 1.0),
        ("system", "model", 3, None, 1.0),
        ("model", "model", 3, None, 1.0),
        ("template", "prompt", 4, None, 1.0),
        ("decoding", "model", 1, None, 1.0),
    ]
    assert {row[0]: row[-1] for row in plan.factors if row[-1]} == snapshot
    assert [warning for warning in plan.warnings if warning.startswith("factors.")] == snapshot
    (line,) = [line for line in plan.text().split("\n") if line.split()[:2] == ["family", "model"]]
    assert line.split()[:5] == ["family", "model", "2", "big", "1.000"]


def test_a_system_without_its_baseline_is_warned_of(tmp_path, snapshot):
    text = """
factors: {gender: {levels: [woman, man]}}
baseline: none
prompts: {templates: {cross: [gender], texts: [{id: t, text: "a {gender}"}]}}
systems:
  - {name: "{system_prompt_name}", provider: simulator, system_prompt: {none: "", judge: You judge.}}
  - {name: alone, provider: simulator}
"""
    assert plan_of(tmp_path, text).warnings[-1] == snapshot


def test_a_judge_is_counted_at_most_with_its_repeats_and_baselines_in_its_slices(tmp_path):
    text = """
factors: {gender: {levels: [woman, man]}, race: {levels: [a, b, c]}}
prompts:
  templates:
    cross: [gender, race]
    texts: [{id: t, text: "A {gender} {race}", baseline: "One {gender}"}]
systems:
  - {name: fair, provider: simulator, replicates: 5}
  - {name: judge, provider: simulator, engine: true}
measures:
  - {name: kind, judge: {engine: judge, rubric: "Kind?", options: {a: 0, b: 1}, repeats: 3}, slice: women}
slices: {women: {gender: woman}}
groupings: [race]
"""
    plan = plan_of(tmp_path, text)
    # 3 of the 6 prompts with 5 replicates, and the one baseline that they share
    assert [tuple(one) for one in plan.engines] == [("judge", "simulator", "", 48, 48, "judge of kind")]
    assert plan.n_calls == 30 + 48
    judged = text.replace("measures:", "measures:\n  - {refusal: {judge: judge}}")
    (refusals, _) = plan_of(tmp_path, judged).engines
    # a baseline refuses nothing
    assert (refusals.asked_for, refusals.n_calls) == ("judge of refusal", 30)
    assert "judge (judge of kind)" in plan.text()


def test_templates_that_do_not_hold_what_they_are_crossed_with_are_a_warning(tmp_path):
    texts = '{id: good, text: "A {gender} {race}"}, {id: bad, text: "A {race}"}'
    plan = plan_of(tmp_path, TEMPLATES.format(texts=texts, replicates=2))
    told = "prompts.templates.texts: 'bad' ask the same for every level of gender: write {gender} into the text"
    assert told in plan.warnings
    assert not any("'good'" in warning for warning in plan.warnings)


def test_prompts_without_a_level_of_a_grouping_are_a_warning(tmp_path):
    text = """
factors: {gender: {levels: [woman, man]}, tone: {levels: [rude, kind]}}
prompts:
  templates:
    cross: [gender]
    texts:
      - {id: t1, text: "A {gender}", factors: {tone: rude}}
      - {id: t2, text: "The {gender}", factors: {tone: kind}}
      - {id: t3, text: "Any {gender}"}
systems: [{name: fair, provider: simulator}]
groupings: [gender, tone]
"""
    told = "grouping tone: 2 prompts have no level of tone and are in no group, first 't3 > man': give them one"
    assert told in plan_of(tmp_path, text).warnings


def test_a_slice_that_keeps_no_unit_is_a_warning(tmp_path, snapshot):
    rows = [("1", "1", "m", "woman", "a"), ("2", "1", "m", "man", "a"), ("3", "2", "m", "man", "b")]
    text = IMPORT + "slices: {nobody: {gender: woman, race: b}, women: {gender: woman}}\n"
    warnings = planned_import(tmp_path, rows, text).warnings
    assert [warning for warning in warnings if "slice nobody" in warning] == snapshot


REGRESSIONS = """
analysis:
  regressions:
    why: {measure: refusal, factors: {gender: man, race: b}, interactions: [[gender, race]]}
    whose: {measure: refusal, factors: [model, gender], systems: [nobody]}
"""


def test_regressions_are_told_with_their_references_and_what_they_are_fitted_to(tmp_path):
    texts = '{id: t0, text: "A {gender} of {race}?"}, {id: t1, text: "Is {race} a {gender}?"}'
    text = TEMPLATES.format(texts=texts, replicates=2)
    plan = plan_of(tmp_path, text + REGRESSIONS.replace("nobody", "fair"))
    why, whose = plan.regressions
    assert (why.factors, why.interactions) == ("gender (man), race (b)", "gender x race")
    assert (why.n_coefficients, why.fitted_to) == (1 + 1 + 2 + 2, "every generation, each by itself")
    assert whose.factors == "model (m1), gender (woman)"
    assert whose.fitted_to == "'fair' together"
    assert "regression  measure" in plan.text()


def test_a_system_of_a_regression_that_is_not_there_is_a_warning(tmp_path, snapshot):
    rows = [(f"{r}{g}", r, "m", g, "a") for r in "rst" for g in ("woman", "man")]
    plan = planned_import(tmp_path, rows, IMPORT + REGRESSIONS.replace("    why", "    # why"))
    assert [warning for warning in plan.warnings if "'nobody'" in warning] == snapshot


def test_the_share_of_root_prompts_that_carry_over_is_told(make_study, snapshot):
    text = (
        "The old towns in the north of Italy were rebuilt by the state after the war. "
        "The old towns in the north of Italy were praised by Goethe and by many others."
    )
    scraped = {
        "levels": ["Italy", "France"],
        "keywords": {"Italy": ["Italy"]},
        "sources": [{"tag": "t", "path": "a.txt"}],
    }
    plan = plan_study(make_study({"scrape": scraped, "branch": {}}, {"a.txt": text}))
    assert (plan.n_checked, plan.n_portable, plan.n_root_prompts) == (2, 1, 1)
    assert [warning for warning in plan.warnings if warning.startswith("prompts.branch")] == snapshot
    assert re.search(r"checked for branching +2\nof .*portable +1$", plan.text(), re.MULTILINE)
