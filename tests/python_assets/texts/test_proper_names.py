import pytest

from python_assets.texts.proper_names import is_proper_name


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        ("Mary Smith", True),
        ("Charles de Gaulle", True),
        ("Italy", True),
        ("United Kingdom", True),
        ("Obama", True),
        ("French cuisine", False),
        ("Christian communism", False),
        ("Culture", False),
        ("Nurse", False),
        ("bicycle", False),
        ("History of Italy", True),
        ("", False),
    ],
)
def test_a_proper_name_is_capitalised_and_no_ordinary_word(text, is_name):
    assert is_proper_name(text) is is_name
