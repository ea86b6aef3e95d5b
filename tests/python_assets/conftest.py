import pytest

from python_assets.errors import StudyFileError
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
def mistaken(write_study, problems_of, told):
    """The fields that a study file of these sections has problems in, whose texts are in the snapshot."""

    def fields(sections, check_files=False, name="mine"):
        return told(problems_of(write_study(sections, name), check_files).problems)

    return fields


@pytest.fixture
def spelling_vectors(tmp_path):
    """Static vectors of the words of some texts; returns what a study file says of its embedding."""

    def write(*texts):
        write_vectors(tmp_path / "spelling.txt", *texts)
        return {"vectors": "spelling.txt"}

    return write
