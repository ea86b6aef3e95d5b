import json

import duckdb

from expectations.runner import run_suites


def misread(*branches, root="Nothing here."):
    """What of the branches of a root prompt is listed."""
    from expectations.articles import MISREAD

    with duckdb.connect() as connection:
        connection.execute(
            "create table batch as select unnest(range(len($texts))) as prompt_id, 0 as root_prompt_id, "
            "prompt_id = 0 as is_root, unnest($texts) as prompt_text, cast(null as varchar) as baseline_text",
            {"texts": [root, *branches]},
        )
        rows = connection.execute(MISREAD).fetchall()
    assert 0 not in {prompt_id for prompt_id, _ in rows}
    return {phrase for _, phrase in rows}


# as they are said in English
# fmt: off
SAID_WITH_A = [
    "European", "Eurostar", "unit", "university", "union", "unique", "uniform", "United", "Ukrainian",
    "Ugandan", "Uruguayan", "user", "usual", "useful", "utensil", "utopia", "one", "once", "one-sided",
    "ewe", "US", "UK", "UN", "UNESCO", "USA", "house", "human", "Hungarian", "yard", "Yemeni",
    "Japanese", "Turkish", "Russian", "7", "12", "1,000", "100",
]
SAID_WITH_AN = [
    "Italian", "Argentine", "Indian", "Indonesian", "Australian", "Élysée", "uncle", "umbrella",
    "urban", "ugly", "unusual", "unimportant", "uninhabited", "Uzbek", "utmost", "usher", "onerous",
    "hour", "honest", "honourable", "honor", "heir", "EU", "AIDS", "IMF", "8", "80", "11", "18th",
    "11,000", "owl",
]
UNTOLD = [
    "NATO", "FBI", "LED", "herb", "historic", "hotel", "B", "Ypres", "Индия", "日本", "1800",
]
# fmt: on


def test_an_before_a_word_that_is_said_with_a_consonant_is_listed():
    assert misread(*(f"It was an {word} at last." for word in SAID_WITH_A)) == {f"an {w}" for w in SAID_WITH_A}
    assert misread(*(f"It was a {word} at last." for word in SAID_WITH_A)) == set()


def test_a_before_a_word_that_is_said_with_a_vowel_is_listed():
    assert misread(*(f"It was a {word} at last." for word in SAID_WITH_AN)) == {f"a {w}" for w in SAID_WITH_AN}
    assert misread(*(f"It was an {word} at last." for word in SAID_WITH_AN)) == set()


def test_what_letters_do_not_tell_is_left_alone():
    assert misread(*(f"It was a {word} or an {word}." for word in UNTOLD)) == set()


def test_two_articles_in_a_row_are_listed():
    pairs = ["the the", "a the", "an the", "The the", "the a"]
    assert misread(*(f"{pair} United Kingdom" for pair in pairs)) == set(pairs)


def test_what_stood_so_before_branching_is_not_listed():
    assert misread("Plan A is an Italian one", root="Plan A is an Ideralandian one") == set()
    assert misread("Plan A is a Italian one", root="Plan A is a Japanese one") == {"a Italian"}


def test_an_article_is_a_word_of_its_own():
    assert misread("Panama Italian", "data Italian", "a, Italian", "thea an", "A") == set()


def test_other_languages_are_not_read(connection, study):
    scrape = study.prompts.scrape.model_copy(update={"language": "fr"})
    french = study.model_copy(update={"prompts": study.prompts.model_copy(update={"scrape": scrape})})
    expected = {result.expectation for result in run_suites(connection, french, ["prompts"], run_id="r")}
    assert "expect_distinct_prompts" in expected
    assert "expect_fitting_articles" not in expected


def test_each_branch_is_listed_with_its_phrase_and_nothing_is_blocked(connection, study):
    connection.execute("update raw.prompts set prompt_text = 'Once a Italy of towns' where prompt_id = 'r0:b'")
    (found,) = [
        result
        for result in run_suites(connection, study, ["prompts"], run_id="r")
        if result.expectation == "expect_fitting_articles"
    ]
    assert (found.success, found.severity, found.n_unexpected) == (False, "warning", 1)
    assert json.loads(found.examples_json) == [{"prompt_id": "r0:b", "phrase": "a Italy"}]
