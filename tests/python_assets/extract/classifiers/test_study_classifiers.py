import subprocess
import sys

import pytest
import yaml

from python_assets.extract.classifiers.study_classifiers import classifier_problems
from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study

ABSENT = {"name": "mood", "classifier": {"model": "nobody/nothing", "scores": {"good": 1, "bad": -1}}}
LOOK_UP = """
import sys
from pathlib import Path
from python_assets.extract.classifiers.study_classifiers import classifier_problems
from python_assets.study_file.load import load_study
assert len(list(classifier_problems(load_study(Path(sys.argv[1]))))) == 1
print(*{"torch", "transformers"} & set(sys.modules))
"""


@pytest.fixture
def study(tmp_path):
    """A study with one absent classifier, which two measures read."""
    parts = {
        "factors": {"gender": {"levels": ["Female", "Male"]}},
        "prompts": {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}},
        "systems": [{"name": "one", "provider": "simulator"}],
        "measures": [ABSENT, {**ABSENT, "name": "humour"}, "vader"],
        "groupings": ["gender"],
    }
    (tmp_path / "mine.yml").write_text(yaml.safe_dump(parts), encoding="utf-8")
    return load_study(tmp_path / "mine.yml")


def test_an_absent_classifier_is_told_once_with_both_remedies(study, told):
    assert told(classifier_problems(study)) == ["classifier"]


def test_a_plan_warns_of_it(study):
    (problem,) = classifier_problems(study)
    assert str(problem) in map(str, plan_study(study).would_fail)


def test_a_simulated_study_lacks_none(study):
    assert list(classifier_problems(study.model_copy(update={"has_stand_in": True}))) == []


def test_a_folder_starts_from_that_of_the_study_file(study, tmp_path):
    (tmp_path / "nobody" / "nothing").mkdir(parents=True)
    (problem,) = classifier_problems(study)
    assert problem.got == f"no weights in {tmp_path / 'nobody' / 'nothing'}"


def test_looking_up_loads_no_model_library(study):
    done = subprocess.run([sys.executable, "-c", LOOK_UP, str(study.path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
