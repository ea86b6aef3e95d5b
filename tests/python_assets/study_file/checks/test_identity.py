import pytest

from tests.python_assets.study_file.sections import SCRAPE


def test_the_name_of_another_study_is_told(problem_texts):
    assert problem_texts({"study": "other", **SCRAPE}) == [
        "study: got \"other\"; expected the stem of the file, 'mine'; write study: mine"
    ]


@pytest.mark.parametrize("name", ["Mine", "2nd", "my-study"])
def test_a_file_name_that_cannot_be_an_id_is_told(problem_texts, name):
    assert problem_texts(SCRAPE, name=name) == [
        f'the file: got "{name}.yml"; expected a file name of lower-case letters, digits and _, a '
        "letter first; "
        "rename the file"
    ]


@pytest.mark.parametrize("name", ["raw", "intermediate", "marts", "inference"])
def test_a_study_is_not_called_like_a_schema_of_its_build_file(problem_texts, name):
    assert problem_texts(SCRAPE, name=name) == [
        f"the file: got \"{name}.yml\"; expected a file name other than 'raw', 'intermediate', 'marts', "
        "'inference', which are parts of the warehouse; rename the file"
    ]
