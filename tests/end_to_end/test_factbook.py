"""Real public-domain texts, a document a country; skipped where PLUMBLINE_DATA has none."""

import json

import pytest

from python_assets.warehouse import paths
from tests.spelling import write_vectors

N_COUNTRIES = 20
MIN_ROOTS = 14


@pytest.fixture(scope="session")
def factbook(run_study, data_folder, tmp_path_factory):
    """The study as it is, but for its encoder; the demo has the real one."""
    studies = tmp_path_factory.mktemp("studies")
    texts = (path.read_text(encoding="utf-8") for path in (data_folder / "factbook").glob("*.txt"))
    write_vectors(studies / "spelling.txt", *texts)
    study = paths.study_path("factbook").read_text(encoding="utf-8")
    (studies / "factbook.yml").write_text(f"{study}\nembedding: {{vectors: spelling.txt}}\n", encoding="utf-8")
    return run_study("factbook", PLUMBLINE_DATA=str(data_folder), PLUMBLINE_STUDIES=str(studies))


def test_every_country_is_reached_from_every_root_prompt_or_the_lack_is_counted(factbook):
    rows = factbook.rows(
        """
        select root_prompt_id, count(*) from prompts where study_id = 'factbook' group by root_prompt_id
        """
    )
    assert len(rows) >= MIN_ROOTS
    assert {n for _, n in rows} == {N_COUNTRIES}


def test_roots_of_sentences_have_actual_baselines_and_their_branches_counterfactual_ones(factbook):
    kinds = factbook.rows(
        "select distinct task, is_root, baseline_kind from prompts where study_id = 'factbook' order by all"
    )
    assert kinds == [
        ("completion", False, "counterfactual"),
        ("completion", True, "actual"),
        ("question", False, None),
        ("question", True, None),
    ]


def test_a_branch_differs_from_its_root_by_its_replacements_alone(factbook):
    rows = factbook.rows(
        """
        select root.prompt_text, branch.prompt_text, branch.replacements_json
        from prompts as branch
        join prompts as root using (study_id, root_prompt_id)
        where study_id = 'factbook' and root.is_root and not branch.is_root
        """
    )
    for root, branch, replacements in rows:
        assert root != branch
        assert any(word.lower() in root.lower() for word in json.loads(replacements)), (root, replacements)


def test_nothing_is_found_where_the_simulator_has_no_effect(factbook):
    shown = factbook.rows(
        """
        select system_id, group_id from contrasts
        where study_id = 'factbook' and measure_id in ('sentiment', 'refusal') and calibration = 'raw'
          and system_id = 'fair' and verdict in ('beyond_margin', 'different')
        """
    )
    assert shown == []
