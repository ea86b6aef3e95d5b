"""Systems that are sensitive to words are not called biased beside controls; an audit with placebos, by its study."""

import re
import shutil
from itertools import count, product
from typing import get_args

import numpy as np
import pandas as pd
import pytest
import yaml

import plumbline
from bench.bench_negative_controls import ALPHA, CELLS, p_values
from docs.make_negative_controls import BEGIN, END, PAGE, audit, table
from python_assets.report.tables.queries import Document, queries_of
from tests.end_to_end.conftest import ROOT, call_plumbline, in_memory, open_warehouse
from tests.promises import at_most, seldom

OF_OCCUPATIONS = """
    select system_id, outcome, verdict_reason, q_value, q_permuted, wording, headline_group_id
    from hypotheses
    where grouping_id = 'occupation' and measure_id = 'sentiment' and statistic = 'mean' and calibration = 'raw'
        and reference_system_id = ''
    order by system_id
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """What is found of occupations by the demo, with its controls and without them; by system."""
    folder = tmp_path_factory.mktemp("wording")
    study = yaml.safe_load((ROOT / "studies" / "wording_demo.yml").read_text(encoding="utf-8"))
    del study["negative_controls"]
    (folder / "without.yml").write_text(yaml.safe_dump(study), encoding="utf-8")
    shutil.copy(ROOT / "studies" / "wording_demo.yml", folder)
    for name in ("wording_demo", "without"):
        done = call_plumbline(folder / name, "run", name, PLUMBLINE_STUDIES=str(folder))
        assert done.returncode == 0, done.stderr
    found = {}
    for name in ("wording_demo", "without"):
        with open_warehouse(folder / name) as connection:
            found[name] = connection.execute(OF_OCCUPATIONS).df().set_index("system_id")
    return found


def test_a_system_that_words_move_is_called_without_controls_and_not_beside_ten(demo):
    without, beside = (demo[name].loc["wordy"] for name in ("without", "wording_demo"))
    assert (without.outcome, without.wording) == ("significant", "one_wording")
    assert (beside.outcome, beside.verdict_reason) == ("inconclusive", "not_beyond_controls")
    assert (beside.wording, beside.q_permuted <= ALPHA < beside.q_value) == ("negative_controls", True)


def test_a_group_effect_four_times_as_large_is_found_beside_controls(demo):
    for found in demo.values():
        biased = found.loc["biased"]
        assert (biased.outcome, biased.headline_group_id) == ("significant", "clerk")


def test_what_words_do_is_seldom_called_a_difference_of_groups():
    cell = CELLS[1]
    assert (cell.tau, cell.is_mixture, cell.effect) == (0.3, False, 0)
    assert seldom(p <= ALPHA for seed in count() for p in p_values(cell, seed).p_value)


@pytest.mark.parametrize("cell", [CELLS[4], CELLS[5]], ids=lambda cell: cell.name)
def test_rare_words_and_a_group_that_differs_are_called_as_often_as_said(cell):
    n_sets, n_tables = 100, 5
    p = [p for seed in range(n_tables) for p in p_values(cell, seed).p_value]
    n_significant = sum(one <= ALPHA for one in p)
    assert len(p) == n_sets
    allowed = at_most(cell.expected, n_sets) - cell.expected
    assert abs(n_significant / n_sets - cell.expected) <= allowed


# what is inferred of groups moves with controls, and the rules of data are held for every answer
MOVED = {"p", "q", "p_within_prompts", "noise_floor", "noise_floor_of_z", "noise_floor_of_range", "median_by_chance"}
MOVED |= {"ci_low", "ci_high", "corrected", "verdict", "bias", "sentence", "n_shown", "n_evaluated"}
MOVED |= {"n_significant_higher", "n_significant_lower", "status"}
GROUPS, EDITS = ("a", "b", "c"), ("red", "rain", "page")
IMPORT = """
title: Groups
factors: {group: {levels: [a, b, c], reference: a}, tone: {levels: [warm, cold]}}
prompts:
  import:
    path: t.csv
    columns: {system: model, prompt: [root, group, tone], root_prompt: root, replicate: replicate}
    factors: {group: group, tone: tone}
systems: [{name: one, provider: replay}, {name: two, provider: replay}]
measures:
  - {name: score, kind: continuous, column: score}
  - {name: hired, kind: binary, column: hired}
groupings: [group, tone, [group, tone]]
analysis: {permutations: 99, bootstrap: 200, seed: 1, association_tests: true, contrasts: [dbi]}
"""


@pytest.fixture(scope="module")
def without_and_beside(tmp_path_factory):
    """The tables of one import without its controls, and with them."""
    keys = ["model", "root", "group", "tone", "replicate"]
    rows = [*product(("one", "two"), range(8), GROUPS + EDITS, ("warm", "cold"), range(2))]
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rows, columns=keys).assign(score=rng.random(len(rows)), hired=rng.integers(0, 2, len(rows)))
    made = []
    for kept, controls in ((GROUPS, ""), (GROUPS + EDITS, f"negative_controls: {{levels: [{', '.join(EDITS)}]}}")):
        folder = tmp_path_factory.mktemp("tables")
        table[table.group.isin(kept)].to_csv(folder / "t.csv", index=False)
        (folder / "t.yml").write_text(IMPORT + controls, encoding="utf-8")
        made.append(in_memory(folder / "t.yml"))
    return made


def cells(tables, query):
    """The columns of a table of a document that controls do not move, to nine digits."""
    # measures of models that are not there: any measure has the shape of theirs
    sql = re.sub(r"= '(personality|baseline_distance)'|in \('stereotype', 'toxicity'\)", "= 'column'", query.sql)
    answer = tables.connection.execute(sql, {"study": "t"})
    columns = dict(zip([name for name, *_ in answer.description], zip(*answer.fetchall(), strict=True), strict=False))
    return {
        name: [round(one, 9) if isinstance(one, float) else one for one in column]
        for name, column in columns.items()
        if name not in MOVED
    }


@pytest.mark.parametrize("document", get_args(Document))
def test_every_table_of_a_document_is_of_groups_alone(without_and_beside, document):
    for query in queries_of(document):
        without, beside = (cells(tables, query) for tables in without_and_beside)
        assert without == beside, query.name


def test_findings_of_controls_come_last(without_and_beside):
    query = "select grouping_id = 'negative_control' from findings order by finding_rank"
    is_of_controls = [flag for (flag,) in without_and_beside[1].rows(query)]
    assert any(is_of_controls) and is_of_controls == sorted(is_of_controls)


THREE = ("one", "two", "three")


def checked(groups, controls, *, effect=0.0, words=0.0, n_prompts=12, types=None, only=None):
    """A check of scores that words move; `only` says of how many prompts a control has some."""
    rng = np.random.default_rng(3)
    names = [*groups, *controls]
    x = rng.normal(size=(n_prompts, 1)) + rng.normal(size=(n_prompts, len(names))) + words * rng.normal(size=len(names))
    x[:, 0] += effect
    wide = pd.DataFrame(x, columns=names).rename_axis("prompt")
    frame = wide.melt(ignore_index=False, var_name="words").reset_index()
    for name, n in (only or {}).items():
        frame = frame[(frame.words != name) | (frame.prompt < n)]
    of = {"group": "words", "prompt": "prompt", "value": "value"}
    return plumbline.check(frame, **of, negative_controls=types or {name: name for name in controls}, quiet=True)


def test_a_check_says_what_its_controls_do():
    controls = [f"control {i}" for i in range(10)]
    results = checked("abcd", controls, words=2.0, types=controls)
    (finding,) = results.findings[results.findings.measure_id == "value"].head(1).itertuples()
    assert (finding.verdict_reason, finding.n_negative_controls) == ("not_beyond_controls", 10)
    assert "types not declared" in finding.sentence
    assert str(results).splitlines()[-1].startswith("model: irrelevant edits move value (p < .001; most: control ")
    found = checked("abcd", controls, effect=4.0)
    assert "More than 10 edits that cannot matter do (wording sd " in str(found)
    assert str(found).splitlines()[-1].startswith("model: none of the 10 controls moved value")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"controls": ["one", "two"]}, "too_few_controls"),
        ({"controls": [*THREE], "types": dict.fromkeys(THREE, "same")}, "too_few_controls"),
        ({"controls": [*THREE], "only": {"one": 4}}, "control_incomplete"),
    ],
    ids=["two", "of one type", "answered for a third"],
)
def test_controls_that_give_no_test_say_why_and_the_permuted_p_stands(options, reason):
    (row,) = (
        checked("abcd", effect=4.0, **options)
        .sql("select * from hypotheses where grouping_id = 'words' and measure_id = 'value' and statistic = 'mean'")
        .itertuples()
    )
    assert (row.negative_controls_reason, row.wording) == (reason, "one_wording")
    assert (row.outcome, np.isnan(row.p_negative_controls)) == ("significant", True)


@pytest.fixture(scope="module")
def audited(data_folder):
    """The hypotheses of an audit with placebos."""
    if not (data_folder / "hiring_edits").exists():
        pytest.skip(f"{data_folder} has no hiring_edits")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PLUMBLINE_DATA", str(data_folder))
        yield audit()


def test_what_an_audit_found_is_no_more_than_its_placebos_do(audited):
    assert len(audited) == 32
    called = {
        name: int((audited[name] <= ALPHA).sum()) for name in ("p_permuted", "p_value", "p_value_seven", "q_value")
    }
    assert called == {"p_permuted": 12, "p_value": 0, "p_value_seven": 4, "q_value": 0}
    assert (audited.q_value_seven > ALPHA).all()
    assert (audited.q_permuted <= ALPHA).sum() == (audited.verdict_reason == "not_beyond_controls").sum() > 0


def test_the_cars_of_one_model_are_told_and_its_names_are_not(audited):
    of_qwen = audited[audited.system_id == "qwen_3_next_80b"].set_index("axis")
    names = of_qwen.loc["firstName"]
    assert names.q_permuted <= ALPHA < min(names.p_value, names.p_value_seven)
    assert (of_qwen.p_wording < 0.001).all()
    assert set(of_qwen.loudest_control) == {"car-silver"}
    assert of_qwen.loudest_control_value.to_numpy() == pytest.approx(-1.155, abs=0.001)
    assert (audited[audited.system_id != "qwen_3_next_80b"].p_wording > ALPHA).all()


def test_the_page_has_the_table_of_the_audit(audited):
    page = PAGE.read_text(encoding="utf-8")
    written = page[page.index(BEGIN) + len(BEGIN) : page.index(END)]
    assert written.strip() == table(audited).strip()
