import pytest

from python_assets.texts.articles import indefinite_article


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("Greek", "a"),
        ("Iranian", "an"),
        ("Ukrainian", "a"),
        ("European", "a"),
        ("Ecuadorian", "an"),
        ("hour", "an"),
        ("EU", "an"),
        ("UK", "a"),
        ("NATO", None),
        ("hotel", None),
        ("日本", None),
    ],
)
def test_the_article_follows_the_sound_where_letters_tell_it(word, article):
    assert indefinite_article(word) == article
