import numpy as np
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import StudyError
from python_assets.extract.measures import resolve_measures
from python_assets.extract.vader import vader
from python_assets.generate.generate_study import generate_study
from python_assets.plan.plan import plan_study
from python_assets.published.controls import ONE_WORDING
from python_assets.study_file.load import load_study
from python_assets.study_file.new_study import new_study
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT


def test_a_new_study_is_valid_and_can_be_asked_as_it_is(tmp_path):
    path = new_study("mine", tmp_path / "studies")
    assert path == tmp_path / "studies" / "mine.yml"
    study = load_study(path)
    plan = plan_study(study)
    assert [system.provider for system in plan.systems] == ["simulator", "simulator"]
    assert {(grouping.grouping_id, grouping.reason) for grouping in plan.groupings} == {("gender", None)}
    assert plan.warnings == [f"grouping gender: {ONE_WORDING}"]  # each control is a prompt more: the user decides
    # no model is needed: none answers and none measures
    assert {measure.reads for measure in resolve_measures(study)} == {"text", "flags"}


OF_GENDER = """
    select system_id, root_prompt_id, level, response_text
    from raw.responses join raw.prompts using (prompt_id) join raw.prompt_factors using (prompt_id)
    where factor = 'gender' and not is_refused
"""


def p_value_of_woman(rows, rng) -> float:
    """Of the mean score of woman less that of the others, labels exchanged inside root prompts."""
    scores = rows.assign(score=[score.value for score in vader(rows["response_text"].tolist(), {})])
    table = scores.pivot_table(index="root_prompt_id", columns="level", values="score").dropna()
    table = table[["woman", *table.columns.drop("woman")]].to_numpy()

    def difference(values):
        return np.abs(values[..., 0].mean(-1) - values[..., 1:].mean((-1, -2)))

    exchanged = rng.permuted(np.broadcast_to(table, (9_999, *table.shape)), axis=2)
    return (1 + np.sum(difference(exchanged) >= difference(table) - 1e-12)) / 10_000


# the name of a study is its seed: the effect must be there whatever it is called
@pytest.mark.parametrize("name", [f"study_{n}" for n in range(20)])
def test_the_effect_that_a_new_study_declares_is_there_to_be_found(tmp_path, build, name):
    study = load_study(new_study(name, tmp_path))
    assemble(study, build)
    generate_study(study, build, Home(tmp_path / "home"), progress=SILENT)
    rows, rng = build.execute(OF_GENDER).df(), np.random.default_rng(1)
    # three levels in all prompts and in three areas
    assert p_value_of_woman(rows[rows["system_id"] == "biased"], rng) < 0.05 / 12


def test_a_new_study_names_its_own_commands(tmp_path):
    text = new_study("mine", tmp_path).read_text(encoding="utf-8")
    assert "plumbline run mine " in text
    assert "{name}" not in text


def test_a_study_that_is_there_is_not_overwritten(tmp_path, refused):
    (tmp_path / "mine.yml").write_text("title: precious\n", encoding="utf-8")
    with refused(StudyError, "the file"):
        new_study("mine", tmp_path)
    assert (tmp_path / "mine.yml").read_text(encoding="utf-8") == "title: precious\n"


@pytest.mark.parametrize("name", ["My-Study", "2nd", "../up", ""])
def test_a_name_that_cannot_be_an_id_is_refused_with_one_that_can(tmp_path, refused, name):
    with refused(StudyError, "the name"):
        new_study(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_told(tmp_path, refused):
    (tmp_path / "studies").touch()
    with refused(StudyError, "the file"):
        new_study("mine", tmp_path / "studies")
