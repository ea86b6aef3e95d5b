import pytest

from python_assets.assemble.presuppositions import presupposing_words
from python_assets.texts.keywords import WordFinder

OWN = WordFinder(["Italy", "Italian", "Italians", "the Kingdom of Italy"])


def taken_for_granted(prompt):
    return presupposing_words(prompt, OWN.find(prompt))


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Few of the queens who lived in Italy were", "queens"),
        ("Royal palaces in Italy are open to", "Royal"),
        ("The farmers of Italy sold more wheat after independence than", "independence"),
        ("Schools in Italy were closed by the occupied", "occupied"),
        ("After the uprisings the towns of Italy were", "uprisings"),
        ("Bread was dear again in Italy when", "again"),
        ("In the next year Italy regained the trust of", "regained"),
        ("A presidential visit to Italy was", "presidential"),
    ],
)
def test_a_word_for_what_some_countries_alone_have_is_told(prompt, words):
    assert taken_for_granted(prompt) == words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Fishermen on the shores of Italy have", "the shores"),
        ("Many people in Italy's northern deserts live", "s northern deserts"),
        ("The towns of Italy lie along its volcanic islands and", "its volcanic islands"),
    ],
)
def test_the_lay_of_the_land_is_told_where_it_is_taken_for_granted(prompt, words):
    assert taken_for_granted(prompt) == words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("In 1931 Italy opened its second university for", "its second"),
        ("The only railway in the south of Italy was", "The only"),
        ("In 1890 the founding members of the Italian club met", "the founding"),
        ("The parliament of Italy is younger, for Italy was founded in the", "was founded"),
        ("Three Italian provinces were formed when the", "provinces were formed"),
        ("The text of Italy's 1948 charter was", "s 1948"),
        ("Farmers voted for its 1931 land law when Italy", "its 1931"),
        ("The judges of Italy read the 1948 charter and", "the 1948"),
        ("The boats of Italy's four ports carry", "s four"),
        ("The governors of the 20 regions of Italy meet", "the 20 regions of"),
        ("The valleys of what is now Italy were", "what is now"),
        ("The village that would later become Italy lay", "would later become"),
    ],
)
def test_what_is_singled_out_by_number_or_said_to_have_begun_is_told(prompt, words):
    assert taken_for_granted(prompt) == words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Having lost its trade, Italy turned to", "Having lost its trade,"),
        ("Largely driven by trade, Italy draws", "Largely driven by trade,"),
        ("A small country of farmers, Italy sells", "A small country of farmers,"),
        ("As one of six members, Italy has to", "As one of six members,"),
        ("With a population of nine million, Italy needs", "With a population of nine million,"),
        ("Known for good bread, the Italians bake", "Known for good bread,"),
        ("Italy, which sells much wheat, has to", "Italy,"),
        ("In 1990, Italy, after years of growth, had to", "Italy,"),
        ("When Italy changed the currency, prices rose for", "When"),
        ("In southern Italy, the poorest part of the land, wages rose by", "the poorest"),
        ("Selling wheat to its neighbours, Italy needs", "Selling wheat to its neighbours,"),
        ("Rich in wheat and wine, Italy needs", "Rich in wheat and wine,"),
        ("Home to many painters, Italy needs", "Home to many painters,"),
        ("One of the driest lands on earth, Italy has", "One of the driest lands on earth,"),
        ("The driest land on earth, Italy has", "The driest land on earth,"),
        ("Having lost their land, many Italians move", "Having lost their land,"),
        ("Despite high wages, Italy has", "Despite high wages,"),
        ("Thanks to good harvests, the Italians have", "Thanks to good harvests,"),
        ("After years of drought, Italy has", "After years of drought,"),
        ("As Italy turned to wheat, bread became", "As"),
        ("Bread became cheap when Italy joined the market and", "when Italy joined"),
        ("Farmers say that, as a dry country, Italy needs", "as a dry country"),
        ("In a dry country like Italy, wheat is", "a dry country like"),
        ("In Italy, a country of many farmers, wheat is", "a country"),
        ("In Italy where many own land, wheat is", "where"),
        ("Wheat from Italy, sold by its farmers, is", "sold by its farmers"),
        ("Farmers in Italy, who own their land, sell", "who"),
        ("The farmers of Italy and their sons, who own land, have", "who own land"),
        ("The drought that plagues Italy is", "The drought that plagues"),
        ("The collapse of the banks in Italy was", "The collapse of"),
        ("The half-hearted reform of Italy was", "The half-hearted reform of"),
        ("Divided by its hills, Italy is", "Divided by its hills,"),
        ("While Italy is a dry country that has", "While"),
        ("As a result of land laws Italian farms became", "As a result of"),
        ("Though rather dry, Italy is", "Though rather dry,"),
        ("Extremely dry Italy has", "Extremely dry"),
        ("The dark narrow streets of Italy are", "The dark narrow streets"),
        ("While wheat is cheap in Italy, wine is", "While"),
        ("Many firms wanted Italy's swift entry into the market and", "s swift entry"),
        ("Many firms speak of the fact that Italy has", "the fact that"),
    ],
)
def test_what_is_said_of_a_level_in_passing_is_told(prompt, words):
    assert taken_for_granted(prompt) == words


@pytest.mark.parametrize(
    "prompt",
    [
        "Italy has mountains, islands and a long coast, and tourists come",
        "After World War II the farmers of Italy sold",
        "Banks in Italy publish each conflict of interest that",
        "In the first half of the century Italians worked in",
        "In the last election in Italy many young people voted for",
        "Italy became the first country that taxed",
        "During the winter, Italy imports more",
        "According to a survey, Italians read more",
        "When prices rise, Italy imports more",
        "In Italy, the trains are fast and",
        "As prices rose, Italy imported more",
        "Roads in Italy were built by the",
        "The towns of the Kingdom of Italy were",
        "Whatever the reigning fashion, young Italians",
        "In 1948 the judges of Italy's highest court read",
        "In the 1950s Italy's trains were",
        "Italy's 20th-century painters were",
        "Two regions of Italy have",
        "Prior to 1990, Italians read",
        "Next to bread, Italians buy",
        "After school, Italian children play",
        "As bread is dear in winter, Italians buy",
        "Bread is cheap when Italy sells",
        "Italians work as a rule for",
        "In a country like Italy, wheat is",
        "In Italy, a baker who sells bread has",
        "Bread is cheap in Italy, where farmers sell",
        "Farmers in Italy who own their land sell",
        "Farmers in Italy sell wheat, baked bread, wine and",
        "The old towns that Italy rebuilt are",
        "The people that visit Italy in",
        "The price of bread in Italy is",
        "The end of the year in Italy is",
        "What is Italy known for when it comes to",
        "The present-day farmers of Italy sell",
        "The self-esteem of Italians is",
        "Modern Italy has",
        "Extremely dry Italian bread has",
        "The narrow streets of Italy are",
        "While wheat is cheap, wine is dear in Italy and",
    ],
)
def test_what_any_country_may_be_asked_is_not(prompt):
    assert taken_for_granted(prompt) is None


def test_a_word_that_is_replaced_takes_nothing_for_granted():
    prompt = "Few of the queens who lived in Italy were"
    replaced = WordFinder(["Italy", "queens"]).find(prompt)
    assert presupposing_words(prompt, replaced) is None


def test_a_prompt_of_one_word_or_without_its_level_is_read_too():
    assert taken_for_granted("Italy") is None
    assert taken_for_granted("(a town), Italy") is None
    assert taken_for_granted("The kings of the south were") == "kings"
    assert taken_for_granted("The people of the south were") is None
