import pytest

from python_assets.audit.benchmarks import benchmark_lines, benchmark_names, benchmarks, copy_of_benchmark, path_of
from python_assets.errors import StudyError
from python_assets.study_file.load import load_study

NAMES = "name,gender\nAda,Female\nBob,Male\n"
WITH_NAMES = """\
title: Names
factors: {gender: {levels: [Female, Male]}}
prompts:
  templates:
    texts: [{id: "1", text: "May {name} come?", units: {file: names.csv, nested_in: [gender]}}]
systems: [{name: fair, provider: simulator}]
"""


@pytest.fixture
def with_names(packaged):
    (packaged / "names.yml").write_text(WITH_NAMES)
    (packaged / "names.csv").write_text(NAMES)
    return packaged


def test_the_benchmarks_tells_what_each_study_asks_of_one_model(with_names, home):
    (with_names.parent / "fair_sea.yml").write_text(
        (with_names / "names.yml").read_text().replace("names.csv", "n.csv")
    )
    (with_names.parent / "n.csv").write_text(NAMES)
    for name in ("bbq", "decodingtrust_stereotype", "social_stigma_qa_design"):
        text = 'title: T\nprompts: {import: {path: "${NOWHERE}/a.csv", columns: {prompt: a}}}\nsystems: []\n'
        (with_names.parent / f"{name}.yml").write_text(text)
    found = {one.name: one for one in benchmarks()}
    assert benchmark_names() == ["grants", "names"]
    assert found["grants"][1:] == ("Grants", 240, 720, "a model")
    assert (found["names"].n_root_prompts, found["names"].n_calls) == (1, 2)
    assert found["bbq"][2:] == (None, None, "its data, in NOWHERE")
    assert benchmark_lines().splitlines()[1].split() == ["grants", "240", "720", "Grants", "a", "model"]


def test_a_copy_can_be_run_where_it_lies(with_names, home, tmp_path):
    path = copy_of_benchmark("mine", "names", tmp_path / "studies")
    assert path == tmp_path / "studies" / "mine.yml"
    study = load_study(path)
    assert (study.study_id, study.title) == ("mine", "Names")
    copy_of_benchmark("other", "names", tmp_path / "studies")  # its names are there already


def test_another_file_of_its_name_is_left_alone(with_names, tmp_path):
    studies = tmp_path / "studies"
    studies.mkdir()
    (studies / "names.csv").write_text("mine")
    with pytest.raises(StudyError, match="a file of another content"):
        copy_of_benchmark("mine", "names", studies)
    assert [path.name for path in studies.iterdir()] == ["names.csv"]


@pytest.mark.parametrize(("name", "source"), [("Mine!", "grants"), ("mine", "nothing"), ("taken", "grants")])
def test_a_copy_that_cannot_be_made_writes_nothing(packaged, tmp_path, name, source):
    (tmp_path / "taken.yml").write_text("here")
    with pytest.raises(StudyError):
        copy_of_benchmark(name, source, tmp_path)
    assert (tmp_path / "taken.yml").read_text() == "here"
    assert not (tmp_path / "mine.yml").exists()


def test_a_study_beside_the_benchmarks_is_none_of_it(packaged):
    (packaged.parent / "secret.yml").write_text("title: S")
    with pytest.raises(StudyError, match="one of grants, fair_sea, bbq"):
        path_of("secret")
