"""A study whose texts have units of their own: prompts with names beside others, run to its report."""

from itertools import product

import pytest

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
generations: [{name: fair, provider: simulator}]
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
        select slice_id, grouping_id, inference_reason, set_id, n_units, scope from findings
        where study_id = 'names' and measure_id = 'vader' and calibration = 'raw' and statistic = 'mean'
          and parameters = ''
        """
    )
    in_blocks, on_names = "prompts like these", "units like these, these prompts"
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
        -- one refused answer is missing, so values are less the mean of their root prompt
        centred as (
            select group_id, unit_id, value - avg(value) over (partition by root_prompt_id) as value
            from measurements
            join groups using (prompt_id)
            join prompts using (study_id, prompt_id)
            where study_id = 'names' and measure_id = 'vader' and generation_id = 'fair'
              and unit_factor = 'name' and value is not null
        ),
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
          and generation_id = 'fair' and calibration = 'raw' and statistic = 'mean' and parameters = ''
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
        where study_id = 'names' and measure_id = 'refusal' and generation_id = 'fair'
        group by all
        """
    )
    assert {(slice_id, *rest) for slice_id, *rest in found} == {
        ("all", True, False),
        ("D", False, True),
        ("I", False, True),
    }


def test_an_import_of_the_kept_run_has_its_units_and_its_findings(names, run_study, tmp_path):
    (archive,) = (names.home / "archive" / "names").iterdir()
    imports = f'prompts: {{import: {{format: plumbline, path: "{archive / "manifest.json"}"}}}}'
    (tmp_path / "again.yml").write_text(
        f"title: Again\n{imports}\ngenerations: [{{name: '*', provider: replay}}]\nkeep: 0\n{ASKED}", encoding="utf-8"
    )
    run_study("again", PLUMBLINE_STUDIES=str(tmp_path))
    first, again = (
        names.rows(
            """
            select slice_id, grouping_id, measure_id, group_id, n_units, scope, inference_reason,
                round(value, 12), round(p_value, 12), round(ci_low, 12)
            from contrasts
            where study_id = ? and statistic = 'mean' and parameters = ''
            order by all
            """,
            study_id,
        )
        for study_id in ("names", "again")
    )
    assert again == first
    units = "select prompt_id, unit_id, unit_factor from prompts where study_id = ? order by all"
    assert names.rows(units, "again") == names.rows(units, "names")


def test_the_report_says_why_and_names_the_parts(names):
    page = (names.home / "report" / "names.html").read_text(encoding="utf-8")
    assert "groupings by either part are tested" in page
    assert "slices that each have one kind of unit are tested" in page
