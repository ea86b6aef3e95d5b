"""Items that an engine writes and a judge passes, from the study file to the published tables, with no network."""

import pytest

STUDY = """
title: At work
prompts:
  scrape: {factor: job, levels: [nurse, engineer, carpenter]}
  assemble: {method: written, engine: writer, items: 24, themes: [housing, free time], form: plural}
  branch:
    forms:
      nurse: {plural: nurses}
      engineer: {plural: engineers}
      carpenter: {plural: carpenters}
    check: critic
systems:
  - {name: model, provider: simulator}
  - {name: writer, provider: simulator, engine: true}
  - {name: critic, provider: simulator, engine: true, options: {pairs: {missed: 0.2, refused: 0.1}}}
analysis: {permutations: 199, bootstrap: 200}
"""

pytestmark = pytest.mark.run


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    (folder / "at_work.yml").write_text(STUDY, encoding="utf-8")
    return {"PLUMBLINE_STUDIES": str(folder)}


@pytest.fixture(scope="module")
def at_work(run_study, environment):
    return run_study("at_work", **environment)


def test_items_are_root_prompts_and_pairs_that_the_judge_passes_are_asked(at_work):
    n_roots, n_prompts = at_work.rows(
        "select count(*) filter (where is_root), count(*) from prompts where study_id = 'at_work'"
    )[0]
    assert n_roots == 24
    refused = at_work.value(
        "select count(*) from quarantined_records where study_id = 'at_work' and rule = 'refused_by_judge'"
    )
    assert n_prompts == 3 * 24 - refused
    assert refused > 0
    answered = at_work.rows(
        "select count(distinct prompt_id) from responses where study_id = 'at_work' and system_id = 'model'"
    )
    assert answered == [(n_prompts,)]


def test_what_the_judge_found_is_published_and_told(at_work):
    rows = at_work.rows("select fault, n_pairs, n_unusable from pair_judges where study_id = 'at_work' order by fault")
    faults = ("grammatical", "no_source_fact", "none", "same_meaning", "sounds_natural")
    assert rows == [(fault, 8 if fault == "none" else 4, 0) for fault in faults]
    found = at_work.value("select sum(n_refused) from pair_judges where study_id = 'at_work' and fault <> 'none'")
    assert f"the judge critic found {found} of 16 planted bad pairs" in at_work.done.stderr
