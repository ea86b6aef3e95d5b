import re

import pytest

from python_assets.study.problems import StudyFileError
from python_assets.study_file.load import load_study
from tests.spelling import write_vectors


@pytest.fixture
def write_study(tmp_path):
    """Write a study file of these sections; returns its path."""

    def write(sections, name="mine"):
        path = tmp_path / f"{name}.yml"
        content = "".join(f"{key}: {value}\n" for key, value in sections.items())
        path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.fixture
def problems_of():
    """Load a study file with problems; returns the error."""

    def load(path, check_files=False):
        with pytest.raises(StudyFileError) as raised:
            load_study(path, check_files=check_files)
        return raised.value

    return load


@pytest.fixture
def problem_texts(write_study, problems_of):
    """The problems of a study file of these sections, as their texts less the place in the file."""

    def texts(sections, check_files=False, name="mine"):
        problems = problems_of(write_study(sections, name), check_files).problems
        return [problem._replace(line=None).text("f").removeprefix("f: ") for problem in problems]

    return texts


@pytest.fixture
def mistakes(write_study, problems_of):
    """Field and kind of each problem of such a file: what was expected, up to a name or number."""

    def find(sections):
        problems = problems_of(write_study(sections)).problems
        return [(one.field, re.split(r"[:;,('\"]|\d", one.expected)[0].strip()) for one in problems]

    return find


@pytest.fixture
def spelling_vectors(tmp_path):
    """Static vectors of the words of some texts; returns what a study file says of its embedding."""

    def write(*texts):
        write_vectors(tmp_path / "spelling.txt", *texts)
        return {"vectors": "spelling.txt"}

    return write
