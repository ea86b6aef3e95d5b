import pytest

from python_assets.errors import StudyError
from python_assets.new_study import new_study
from python_assets.plan import plan_study
from python_assets.study_file import load_study


def test_a_new_study_is_valid_and_can_be_asked_as_it_is(tmp_path):
    path = new_study("mine", tmp_path / "studies")
    assert path == tmp_path / "studies" / "mine.yml"
    plan = plan_study(load_study(path))
    assert [generation.provider for generation in plan.generations] == ["simulator", "simulator"]
    assert {(grouping.grouping_id, grouping.reason) for grouping in plan.groupings} == {("gender", None)}
    assert plan.warnings == []


def test_a_new_study_names_its_own_commands(tmp_path):
    text = new_study("mine", tmp_path).read_text(encoding="utf-8")
    assert "plumbline run mine " in text
    assert "{name}" not in text


def test_a_study_that_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "mine.yml").write_text("title: precious\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"mine\.yml is there already; nothing was written\. Choose another"):
        new_study("mine", tmp_path)
    assert (tmp_path / "mine.yml").read_text(encoding="utf-8") == "title: precious\n"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("My-Study", "Try: plumbline new my_study"),
        ("2nd", "Try: plumbline new nd"),
        ("../up", "Try: plumbline new up"),
        ("", "Choose another name."),
    ],
)
def test_a_name_that_cannot_be_an_id_is_refused_with_one_that_can(tmp_path, name, remedy):
    with pytest.raises(StudyError) as raised:
        new_study(name, tmp_path)
    assert str(raised.value).startswith(f"got the name {name!r}; expected lower-case letters, digits and _")
    assert str(raised.value).endswith(remedy)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "studies").touch()
    with pytest.raises(
        StudyError, match=r"mine\.yml cannot be written: .*Set PLUMBLINE_STUDIES to another folder"
    ):
        new_study("mine", tmp_path / "studies")
