import pytest

from python_assets.assemble.portability.compounds import compound_word
from python_assets.texts.keywords import WordFinder

OWN = WordFinder(["engineer", "engineers", "teacher", "teachers", "man", "men", "child", "children", "Muslim"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Flight engineers can still", "Flight engineers"),
        ("Most school teachers say", "school teachers"),
        ("Most young teachers say", None),
        ("Teachers say", None),
        ("A house with child care is", "child care"),
        ("The child today is", None),
        ("The teacher works at", None),
        ("The rights of man are", "of man"),
        ("Man has always wanted", "Man"),
        ("A tall, rather old man has", None),
        ("History is what man has", "what man"),
        ("What man has", None),
        ("They were sold as small children", "as small children"),
        ("That man has a house", None),
        ("The town's best teacher has", None),
        ("In the street there was a children's choir", "a children"),
        ("Each of the children's hats", None),
        ("Those “rivers of men” are", '"men"'),
        ("“The men are late”, she said", None),
        ("Many couples with small children have", "with small children"),
        ("Most of the children have", None),
        ("A Muslim school has", None),
    ],
)
def test_what_stands_around_a_level_makes_another_thing_of_it(text, found):
    assert compound_word(text, OWN.find(text)) == found
