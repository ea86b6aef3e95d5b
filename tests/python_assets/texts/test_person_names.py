import pytest

from python_assets.texts.keywords import WordFinder
from python_assets.texts.person_names import name_words, names_person


def test_a_name_is_written_whole_in_runs_and_in_single_words():
    found = name_words("Low Yi Ting")
    assert found.whole == ("Low Yi Ting", "Yi Ting Low", "Low Yi-Ting", "Yi-Ting Low")
    assert found.runs == ("Low Yi", "Yi Ting", "Yi-Ting")
    assert found.parts == ("Low", "Yi", "Ting")


def test_words_that_link_others_are_no_part_of_a_name():
    found = name_words("Siti binte Ahmad de Rosa")
    assert found.parts == ("Siti", "Ahmad", "Rosa")
    assert not any(run.split()[0] in ("binte", "de") or run.split()[-1] in ("binte", "de") for run in found.runs)


def test_a_word_that_links_others_is_a_name_with_a_capital():
    assert "Han Bin" in name_words("Han Bin Wong").runs


def test_one_word_is_a_part_alone():
    assert name_words("Grace") == ((), (), ("Grace",))


@pytest.mark.parametrize(
    ("text", "is_named", "expected"),
    [
        ("Low prices fell.", True, False),
        ("Low is good.", False, False),
        ("Low is good.", True, True),
        ("Low's plan", True, True),
        ("Then Low came.", False, True),
        ("We asked Low.", False, True),
        ("Ms Low came. Why?", False, True),
        ("He said:\nLow", True, False),
        ("Risk: Low", True, False),
        ("- Low turnout", True, False),
        ("It was called “Low”", True, False),
        ("on Low Street", True, False),
    ],
)
def test_an_ordinary_word_is_a_name_only_where_nothing_speaks_against_it(text, is_named, expected):
    (found,) = WordFinder(["Low"]).find(text)
    assert names_person(text, found, is_named=is_named) is expected


def test_a_part_all_in_capitals_is_no_name():
    (found,) = WordFinder(["Grace"]).find("Ask GRACE.")
    assert not names_person("Ask GRACE.", found, is_named=True)


def test_a_word_that_is_none_of_the_language_is_a_name_at_the_start_too():
    (found,) = WordFinder(["Nurul"]).find("Nurul came.")
    assert names_person("Nurul came.", found, is_named=False)
