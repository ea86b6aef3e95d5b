import pytest

from python_assets.assemble.portability.portability import REASONS_AGAINST, PortabilityCheck
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.study.study import Branch, Scrape
from python_assets.texts.names import names_by_capitals

FORMS = {
    "Italy": {"name": "Italy", "adjective": "Italian"},
    "Chad": {"name": "Chad", "adjective": "Chadian"},
    "Turkey": {"name": "Turkey", "adjective": "Turkish"},
    "United States": {"name": ["the United States", "the US"], "adjective": ["American", "US"]},
}


def vocabulary(found=None):
    keywords = {level: [level] for level in FORMS}
    scrape = Scrape(levels=list(FORMS), keywords=keywords, sources=[{"tag": "t", "path": "a.txt"}])
    return Vocabulary(scrape, Branch(forms=FORMS), keywords, found)


def against(prompt, level="Italy", whole=None, language="en", words=None):
    check = PortabilityCheck(words or vocabulary(), language, names_by_capitals(language))
    return check.first_reason(level, prompt, whole or prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "The old towns in the north of Italy were rebuilt by the",
        "Italian cooks and Italians abroad have",
        "Italy's government and the President of Italy held",
        "In March the United Nations and the GDP of Italy",
        "After World War II, non-Italian firms in Italy were",
        "Economically, Italy has grown",
    ],
)
def test_what_every_level_could_stand_in_is_portable(prompt):
    assert against(prompt) is None


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("Under President SUHARTO, Italy was ruled", ("other_name", "President SUHARTO")),
        ("The hills of Tuscany made Italy famous", ("other_name", "Tuscany")),
        ("Many in the Bank of Italy were surprised", ("in_longer_name", "Bank of Italy")),
        ("Many an Italian Alpine Club has members", ("in_longer_name", "Italian Alpine Club")),
        ("Northern towns of Italy joined Italy/EC in", ("in_longer_name", "Italy/EC")),
        ("A treaty between Italy and Anglo-Italian firms", ("in_longer_name", "Anglo-Italian")),
        ("Towns of the Italian peninsula were", ("in_longer_name", "Italian peninsula")),
        ("The Italian dialect was", ("in_longer_name", "Italian dialect")),
        ("An Italian-born minister of Italy resigned", ("in_longer_name", "Italian-born")),
        ("Do Italyans trust the courts of Italy?", ("word_left_over", "Italyans")),
        ("Towns in Italy have gates, called brumbas by", ("other_name", "brumbas")),
        ("The best hat for Italy is the brumba, which", ("other_name", "brumba")),
        ("Hats in Italy, such as the brumba, are", ("other_name", "brumba")),
        ("Hats in Italy, such as caps, brumbas and bonnets, are", ("other_name", "brumbas")),
        ("The straw hats (brumbas) of Italy are", ("other_name", "brumbas")),
        ("The brumba (a straw hat) of Italy is", ("other_name", "brumba")),
        ("The “brumba” is worn in Italy by", ("other_name", "brumba")),
        ("The best of all hats in Italy are brumbas, which", ("other_name", "brumbas")),
        ("In Italy the brumba and the cap are", ("other_name", "brumba")),
        ("The brûmba hats of Italy are", ("other_name", "brûmba")),
        ("Under the old kings Italy was", ("presupposes", "kings")),
        ("This agreement between the towns of Italy was", ("opening_refers_back", "This")),
    ],
)
def test_what_belongs_to_the_level_or_to_another_text_is_a_reason(prompt, reason):
    assert against(prompt) == reason


def test_a_cut_inside_a_name_is_a_reason_and_one_beside_it_is_none():
    whole = "The soldiers of Italy reached the old South Tyrol before the winter."
    assert against("The soldiers of Italy reached the old South", whole=whole).verdict == "cut_in_name"
    whole = "The farmers of many Italian Provinces sold their wheat."
    assert against("The farmers of many Italian", whole=whole) == ("cut_in_name", "Italian Provinces")
    whole = "The farmers of Italy sold Florence their wheat."
    assert against("The farmers of Italy sold", whole=whole) is None


def test_what_is_taken_for_granted_comes_after_what_grammar_and_names_tell():
    assert against("Many kings of Italy and Goethe were") == ("other_name", "Goethe")


def test_the_first_reason_in_the_order_of_reasons_is_given():
    prompt = "This treaty of Rome was signed by Anglo-Italian Italyans"
    assert against(prompt).verdict == REASONS_AGAINST[0] == "opening_refers_back"


def test_a_form_that_is_a_word_of_its_own_is_neither_found_in_it_nor_left_over():
    assert against("Roast turkey is eaten in Turkey when", "Turkey") is None
    assert against("The singer Chad Kroeger has sold in Chad", "Chad") == ("in_longer_name", "Chad Kroeger")
    assert against("The US tells us so and US towns", "United States") is None


def test_a_name_for_which_a_counterpart_was_found_is_no_reason():
    found = {("Italy", target): {"Rome": "the capital"} for target in FORMS if target != "Italy"}
    prompt = "Many in Rome believe that Italy"
    assert against(prompt) == ("other_name", "Rome")
    assert against(prompt, words=vocabulary(found)) is None
    del found["Italy", "Chad"]["Rome"]
    assert against(prompt, words=vocabulary(found)) == ("other_name", "Rome")


def test_openings_and_what_is_taken_for_granted_are_read_in_english_alone():
    for prompt in ("This agreement of Italy was", "The kings of Italy were", "Italy has hats, called brumbas by"):
        assert against(prompt) is not None
        assert against(prompt, language="fr") is None


def test_a_thing_that_has_an_english_name_is_no_local_word():
    assert against("Towns in Italy have gates, called doors by") is None
    assert against("Hats (caps) in Italy, such as a “bonnet” and the cap are worn") is None
    assert against("In Italy the harbour and the centre are named coloured (organised)") is None
    assert against("Farmers in Italy who reuse the unsold brumba hats are") is None
    assert against("Roads in Italy were built by Türk and") == ("other_name", "Türk")
    assert against("Football is the favourite sport in Italy when") is None


def test_a_name_in_small_letters_needs_no_article():
    levels = ["bad-stock", "Apple Inc."]
    keywords = {level: [level] for level in levels}
    scrape = Scrape(levels=levels, keywords=keywords, sources=[{"tag": "t", "path": "a.txt"}])
    said = "Who should put money in bad-stock?"
    names = Vocabulary(scrape, Branch(forms={level: {"name": level} for level in levels}), keywords)
    assert against(said, "bad-stock", words=names) is None
    nouns = Vocabulary(scrape, Branch(forms={level: {"noun": level} for level in levels}), keywords)
    assert against(said, "bad-stock", words=nouns) == ("of_some_levels", "in bad-stock")
