"""A study whose texts have units of their own: prompts with names beside others, run to its report."""

from itertools import product

import duckdb
import pandas as pd
import pytest

from tests.end_to_end.conftest import in_memory

STUDY = """
title: Names and groups
factors:
  gender: {type: domain, levels: [Female, Male], texts: {Female: woman, Male: man}}
  race: {type: domain, levels: [Chinese, Malay]}
  nationality: {type: domain, levels: [Singaporean, Thai, Filipino]}
  category: {type: prompt, levels: [D, I]}
prompts:
  templates:
    cross: [gender, race, nationality]
    texts:
      - {id: D1, text: "A {nationality} {race} {gender} leads.", factors: {category: D}}
      - {id: D2, text: "A {nationality} {race} {gender} sings.", factors: {category: D}}
      - {id: D3, text: "A {nationality} {race} {gender} walks.", factors: {category: D}}
      - {id: D4, text: "A {nationality} {race} {gender} cooks.", factors: {category: D}}
      - {id: D5, text: "A {nationality} {race} {gender} reads.", factors: {category: D}}
      - id: I1
        text: "{name}, a {nationality}, leads."
        factors: {category: I}
        units: &names {file: names.csv, nested_in: [gender, race]}
      - {id: I2, text: "{name}, a {nationality}, sings.", factors: {category: I}, units: *names}
systems: [{name: fair, provider: simulator}]
measures: [vader]
"""
ASKED = """
slices: {each: category}
groupings: [[gender, race, nationality]]
analysis: {permutations: 199, bootstrap: 200, seed: 1}
"""
PARTS = ("gender x race", "nationality")
ALL = "gender x race x nationality"


@pytest.fixture(scope="module")
def names(run_study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    people = [
        f"{gender},{race},{gender[0]}{race[0]} {n}"
        for gender, race, n in product(("Female", "Male"), ("Chinese", "Malay"), range(5))
    ]
    (folder / "names.csv").write_text("\n".join(["gender,race,name", *people]), encoding="utf-8")
    (folder / "names.yml").write_text(STUDY + ASKED, encoding="utf-8")
    return run_study("names", PLUMBLINE_STUDIES=str(folder))


def test_every_slice_is_tested_as_its_units_allow(names):
    found = names.rows(
        """
        select slice_id, grouping_id, inference_reason, family_id, n_units, scope from findings
        where study_id = 'names' and measure_id = 'vader' and calibration = 'raw' and statistic = 'mean'
          and parameters = ''
        """
    )
    in_blocks, on_names = "similar prompts", "similar units, these prompts"
    assert set(found) == {
        *(("all", grouping, "mixed_units", "secondary", 0, None) for grouping in (ALL, *PARTS)),
        *(("D", grouping, None, "primary", 5, in_blocks) for grouping in (ALL, *PARTS)),
        ("I", ALL, "partly_nested", "primary", 20, on_names),
        *(("I", grouping, None, "primary", 20, on_names) for grouping in PARTS),
    }


def test_all_factors_together_have_values_and_noise_floors_on_names(names):
    of_responses = names.rows(
        """
        with groups as (
            select prompt_id, string_agg(level, ' x ' order by list_position(?, factor)) as group_id
            from prompt_factors
            where study_id = 'names' and list_contains(?, factor)
            group by prompt_id
        ),
        answers as (
            select group_id, unit_id, root_prompt_id, value
            from measurements
            join groups using (prompt_id)
            join prompts using (study_id, prompt_id)
            where study_id = 'names' and measure_id = 'vader' and system_id = 'fair'
              and unit_factor = 'name' and value is not null
        ),
        -- one refused answer is missing, so values are less what their root prompt adds, groups taken off
        of_groups as (select group_id, root_prompt_id, avg(value) as mean from answers group by all),
        less as (select *, mean - avg(mean) over (partition by group_id) as left_over from of_groups),
        effects as (select root_prompt_id, avg(left_over) as effect from less group by all),
        centred as (select group_id, unit_id, value - effect as value from answers join effects using (root_prompt_id)),
        units as (select group_id, unit_id, avg(value) as mean from centred group by all),
        means as (select group_id, avg(mean) as mean from units group by group_id)
        select group_id, round(mean - (sum(mean) over () - mean) / 11, 12) from means
        """,
        ALL.split(" x "),
        ALL.split(" x "),
    )
    found = names.rows(
        """
        select group_id, round(value, 12), null_q95 > 0, p_value, inference_reason from contrasts
        where study_id = 'names' and slice_id = 'I' and grouping_id = ? and measure_id = 'vader'
          and system_id = 'fair' and calibration = 'raw' and statistic = 'mean' and parameters = ''
        """,
        ALL,
    )
    assert len(of_responses) == 12
    assert names.value("select count(*) from responses where study_id = 'names' and is_refused") == 1
    assert {(group, value) for group, value, *_ in found} == set(of_responses)
    assert {(floor, p, reason) for _, _, floor, p, reason in found} == {(True, None, "partly_nested")}


def test_subgroups_of_mixed_units_have_no_interval(names):
    found = names.rows(
        """
        select slice_id, inference_reason = 'mixed_units', count(ci_low) > 0 from subgroups
        where study_id = 'names' and measure_id = 'refusal' and system_id = 'fair'
        group by all
        """
    )
    assert {(slice_id, *rest) for slice_id, *rest in found} == {
        ("all", True, False),
        ("D", False, True),
        ("I", False, True),
    }


def test_an_import_of_the_kept_run_has_its_units_and_its_findings(names, tmp_path):
    (archive,) = (names.home / "archive" / "names").iterdir()
    imports = f'prompts: {{import: {{format: plumbline, path: "{archive / "manifest.json"}"}}}}'
    (tmp_path / "again.yml").write_text(
        f"title: Again\n{imports}\nsystems: [{{name: '*', provider: replay}}]\nkeep: 1\n{ASKED}", encoding="utf-8"
    )
    imported = in_memory(tmp_path / "again.yml")
    first, again = (
        run.rows(
            """
            select slice_id, grouping_id, measure_id, group_id, n_units, scope, inference_reason,
                round(value, 12), round(p_value, 12), round(ci_low, 12)
            from contrasts
            where study_id = ? and statistic = 'mean' and parameters = ''
            order by all
            """,
            study_id,
        )
        for run, study_id in ((names, "names"), (imported, "again"))
    )
    assert again == first
    units = "select prompt_id, unit_id, unit_factor from prompts where study_id = ? order by all"
    assert imported.rows(units, "again") == names.rows(units, "names")


def test_the_report_says_why_and_names_the_parts(names):
    page = (names.home / "report" / "names.html").read_text(encoding="utf-8")
    assert "by either part are tested" in page
    assert "one kind of unit are" in page


SHY = """
title: Names of three races, one of which gets no answer to hard prompts
factors:
  race: {type: domain, levels: [Chinese, Malay, Thai]}
  kind: {type: prompt, levels: [easy, hard]}
prompts:
  templates:
    texts:
      - {id: P1, text: "{name} leads.", factors: {kind: easy}, units: &names {file: shy.csv, nested_in: [race]}}
      - {id: P2, text: "{name} sings.", factors: {kind: easy}, units: *names}
      - {id: P3, text: "{name} walks.", factors: {kind: easy}, units: *names}
      - {id: P4, text: "{name} cooks.", factors: {kind: easy}, units: *names}
      - {id: P5, text: "{name} reads.", factors: {kind: easy}, units: *names}
      - {id: P6, text: "{name} falls.", factors: {kind: hard}, units: *names}
      - {id: P7, text: "{name} fails.", factors: {kind: hard}, units: *names}
systems:
  - name: shy
    provider: simulator
    options:
      sentiment: {effects: {race: {Malay: 0.3}, kind: {hard: -0.4}}}
      refusal: {base: 0.1, effects: {race x kind: {Malay x hard: 0.9}}}
measures: [vader]
groupings: [race]
analysis: {permutations: 199, bootstrap: 200, seed: 1}
"""


def test_a_prompt_that_one_group_lacks_leaves_one_number_by_sql_and_by_inference(run_study, tmp_path):
    people = [f"{race},{race[0]} {n}" for race, n in product(("Chinese", "Malay", "Thai"), range(8))]
    (tmp_path / "shy.csv").write_text("\n".join(["race,name", *people]), encoding="utf-8")
    (tmp_path / "shy.yml").write_text(SHY, encoding="utf-8")
    done = run_study("shy", PLUMBLINE_STUDIES=str(tmp_path))
    answers = pd.DataFrame(
        done.rows(
            """
            select level, unit_id, root_prompt_id, value from measurements
            join prompts using (study_id, prompt_id) join prompt_factors using (study_id, prompt_id)
            where study_id = 'shy' and measure_id = 'vader' and factor = 'race' and value is not null
            """
        ),
        columns=["race", "unit", "prompt", "value"],
    )
    of_groups = answers.groupby(["prompt", "race"]).value.mean().unstack()
    assert of_groups.Malay.isna().sum() == 2
    effect = (of_groups - of_groups.dropna().mean()).mean(axis=1)
    centred = answers.assign(value=answers.value - answers.prompt.map(effect))
    of_race = centred.groupby(["race", "unit"]).value.mean().groupby("race").mean()
    with duckdb.connect(str(done.home / "build" / "shy.duckdb"), read_only=True) as build:
        found = build.execute(
            """
            select group_id, sql.value, inference.value_cells from intermediate.int_contrast_values as sql
            join inference.contrasts as inference using
                (slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id,
                contrast, category, reference)
            where slice_id = 'all' and measure_id = 'vader' and calibration = 'raw' and contrast = 'mean_difference'
              and parameters = '' and inference.selected_reason is distinct from 'differs_later'
            """
        ).fetchall()
    assert len(found) >= 2
    for group, *values in found:
        others = of_race.drop(group).mean()
        assert values == pytest.approx([of_race[group] - others] * 2, abs=1e-9)
