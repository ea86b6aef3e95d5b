import sys
from pathlib import Path

import pytest

from python_assets.errors import SourceError
from python_assets.texts.names import names_by_capitals, names_by_model, tokens


def found(text, language="en"):
    return [text[name.start : name.end] for name in names_by_capitals(language)(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The old towns of the coast were rebuilt.", []),
        ("The party of Nelson MANDELA won in Natal.", ["Nelson MANDELA", "Natal"]),
        ("A treaty with the Bank of England and Paris was signed.", ["Bank of England", "Paris"]),
        ("Nelson's party and I won.", ["Nelson"]),
        ("Silla allied with its neighbours.", ["Silla"]),
        ("Economists fear that prices rise.", []),
        ("Industrialising towns grew.", []),
        ("West Germany grew, as western Germany did.", ["West Germany", "Germany"]),
        ("West of the river nobody lives.", []),
        ("East Timor", ["East Timor"]),
        ("East timor", []),
        ("Many Sino-Indian talks were held.", ["Sino-Indian"]),
        ("Many of the People’s Party’s Congress members left.", ["People’s Party’s Congress"]),
        ("China and its neighbours traded.", ["China"]),
        ("Polish is spoken there.", ["Polish"]),
        ("LA bakers sell bread.", ["LA"]),
        ('The mayor asked: "Did they come to Rome?"', ["Rome"]),
        ('The mayor asked, "Polish or not?"', ["Polish"]),
        ('They call it the "Great River".', ["Great River"]),
        ("", []),
    ],
)
def test_runs_of_capitals_are_names(text, names):
    assert found(text) == names


def test_german_nouns_are_no_names_and_other_languages_count_no_first_word():
    assert found("Die Städte an der Küste von Rom wurden gebaut.", "de") == []
    assert found("Roma creció cerca de Madrid.", "es") == ["Madrid"]


def test_a_possessive_ending_and_what_a_hyphen_joins_are_no_part_of_a_word():
    words = [word.text for word in tokens("Argentina's O’Brien’s U.S.-backed 'quoted' AT&T")]
    assert words == ["Argentina", "O’Brien", "U.S", "backed", "quoted", "AT&T"]


def test_without_spacy_the_error_says_what_to_install(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with refused(SourceError, "spacy_model"):
        names_by_model("m", (Path("s.yml"), "spacy_model"))


def test_a_spacy_pipeline_by_path_finds_names_and_no_numbers(tmp_path, refused):
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    with refused(SourceError, "f"):
        names_by_model(str(tmp_path / "absent"), "f")
    pipeline.to_disk(tmp_path / "blank")
    with refused(SourceError, "f"):
        names_by_model(str(tmp_path / "blank"), "f")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ORG", "pattern": "the bank"}, {"label": "DATE", "pattern": "Monday"}])
    pipeline.to_disk(tmp_path / "ruled")
    assert names_by_model(str(tmp_path / "ruled"), "f")("On Monday the bank closed.") == [(10, 18)]
