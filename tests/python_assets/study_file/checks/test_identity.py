import pytest

from tests.python_assets.study_file.sections import SCRAPE


def test_the_name_of_another_study_is_told(mistaken):
    assert mistaken({"study": "other", **SCRAPE}) == ["study"]


@pytest.mark.parametrize("name", ["Mine", "2nd", "my-study"])
def test_a_file_name_that_cannot_be_an_id_is_told(mistaken, name):
    assert mistaken(SCRAPE, name=name) == ["the file"]


@pytest.mark.parametrize("name", ["raw", "intermediate", "marts", "inference"])
def test_a_study_is_not_called_like_a_schema_of_its_build_file(mistaken, name):
    assert mistaken(SCRAPE, name=name) == ["the file"]
