import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_assets.assemble.branching import Vocabulary, branch_prompts
from python_assets.assemble.prompts import Prompt
from python_assets.study import Branch, Scrape

FORMS = {
    "Italy": {"name": "Italy", "adjective": "Italian"},
    "United Kingdom": {"name": ["the United Kingdom", "the UK"], "adjective": ["British", "UK"]},
    "United States": {"name": ["the United States", "the US"], "adjective": ["American", "US"]},
    "European Union": {"name": "the European Union", "adjective": "European"},
}


def vocabulary(keywords=None, levels=None, **branch):
    keywords = keywords or {level: [level] for level in FORMS}
    scrape = Scrape(
        levels=levels or list(FORMS),
        keywords=keywords,
        sources=[{"tag": "t", "type": "local", "path": "a.txt"}],
    )
    return Vocabulary(scrape, Branch(**({"forms": FORMS} | branch)))


def root(text, level="Italy", baseline=None):
    return Prompt(
        prompt_id="a#1",
        root_prompt_id="a#1",
        is_root=True,
        task="completion",
        prompt_text=text,
        baseline_text=baseline or f"{text} more.",
        baseline_kind="actual",
        source_tag="t",
        levels={"concept": level},
        keyword=level,
        document_id="a",
    )


def written(text, source, target, **changes):
    return vocabulary(**changes).replace(text, source, target).text


def test_names_and_adjectives_are_replaced_by_the_same_form():
    text = "Italy and the Italian towns of Italy"
    assert (
        written(text, "Italy", "United Kingdom")
        == "The United Kingdom and the British towns of the United Kingdom"
    )


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Italy’s coast", "European Union", "The European Union’s coast"),
        ("“Italy” is old", "European Union", "“The European Union” is old"),
        ("ITALY WINS", "European Union", "THE EUROPEAN UNION WINS"),
        ("towns in Italy", "European Union", "towns in the European Union"),
        ("Italyan and NewItaly", "European Union", "Italyan and NewItaly"),
        ("non-Italian food", "United States", "non-American food"),
    ],
)
def test_whole_words_are_replaced_and_capitals_are_kept(text, target, expected):
    assert written(text, "Italy", target) == expected


def test_words_found_are_replaced_by_the_first_word_of_the_form():
    text = "The UK and the United Kingdom, with UK towns"
    assert written(text, "United Kingdom", "Italy") == "Italy and Italy, with Italian towns"


def test_the_pronoun_us_is_not_the_country():
    text = "The US told us so; tell US voters about us"
    assert written(text, "United States", "Italy") == "Italy told us so; tell Italian voters about us"


def test_the_longest_word_is_replaced():
    changes = {
        "keywords": {"York": ["York"]},
        "levels": ["York", "Bath"],
        "forms": {},
        "replacements": {"Bath": {"York": "Bath", "New York": "New Bath City"}},
    }
    assert written("York and New York", "York", "Bath", **changes) == "Bath and New Bath City"


def test_nothing_is_replaced_inside_a_replacement():
    changes = {
        "keywords": {"A": ["north"]},
        "levels": ["A", "B"],
        "forms": {},
        "replacements": {"B": {"north": "south", "south": "north"}},
    }
    assert written("from north to south", "A", "B", **changes) == "from south to north"


def test_without_words_of_its_own_a_level_is_written_by_its_name():
    changes = {"keywords": {"Italy": ["Italy"]}, "levels": ["Italy", "France"], "forms": {}}
    assert written("In Italy", "Italy", "France", **changes) == "In France"


@given(
    st.lists(
        st.sampled_from(["Italy", "Italian", "in", "towns,", "“Italy”", "Italy's", "(Italian)", "us", "😀"]),
        min_size=1,
    ),
    st.sampled_from(["United Kingdom", "United States", "European Union"]),
)
def test_there_and_back_gives_the_text(words, target):
    text = " ".join(words)
    words_of = vocabulary()
    assert words_of.replace(words_of.replace(text, "Italy", target).text, target, "Italy").text == text


def test_a_text_that_names_another_level_is_told():
    words_of = vocabulary()
    assert words_of.names_another_level("Italy", "Italy and the UK agree")
    assert words_of.names_another_level("Italy", "Italy and the European Parliament agree")
    assert not words_of.names_another_level("Italy", "Italy told us and Italian towns")


def test_a_branch_keeps_all_of_its_root_but_text_level_and_baseline():
    sentence = root("In Italy it", baseline="In Italy it rains on Italian towns.")
    branches, n_dropped = branch_prompts([sentence], "concept", vocabulary(), True)
    assert not n_dropped
    assert [branch.levels["concept"] for branch in branches] == [
        "United Kingdom",
        "United States",
        "European Union",
    ]
    assert branches[0] == sentence._replace(
        prompt_id="a#1 > United Kingdom",
        is_root=False,
        prompt_text="In the United Kingdom it",
        baseline_text="In the United Kingdom it rains on British towns.",
        baseline_kind="counterfactual",
        levels={"concept": "United Kingdom"},
        replacements={"Italy": "the United Kingdom", "Italian": "British"},
    )


def test_without_counterfactual_baselines_a_branch_keeps_the_actual_one():
    sentence = root("In Italy it", baseline="In Italy it rains.")
    branches, _ = branch_prompts([sentence], "concept", vocabulary(), False)
    assert {(branch.baseline_text, branch.baseline_kind) for branch in branches} == {
        ("In Italy it rains.", "actual")
    }


def test_a_prompt_without_a_word_to_replace_gets_no_branch():
    branches, n_dropped = branch_prompts(
        [root("In Rome it", baseline="In Rome it rains.")], "concept", vocabulary(), True
    )
    assert (branches, n_dropped) == ([], {"no_replacement": 3})


@pytest.mark.parametrize(("prompt", "rest"), [("Italy and ITA", " grow."), ("Italy", " and ITA grow.")])
def test_a_word_that_would_still_name_the_root_level_prevents_the_branch(prompt, rest):
    words_of = vocabulary(keywords={"Italy": ["Italy", "ITA"]})
    branches, n_dropped = branch_prompts([root(prompt, baseline=prompt + rest)], "concept", words_of, True)
    assert (branches, n_dropped) == ([], {"word_without_replacement": 3})


def test_a_word_in_the_dictionary_of_one_target_does_not_bind_the_others():
    changes = {
        "keywords": {"Italy": ["Italy"]},
        "levels": ["Italy", "France", "United States"],
        "forms": {},
        "replacements": {"United States": {"Italy": "the United States", "Italy's": "the United States'"}},
    }
    branches, n_dropped = branch_prompts([root("Of Italy's coast")], "concept", vocabulary(**changes), True)
    assert not n_dropped
    assert [branch.prompt_text for branch in branches] == ["Of France's coast", "Of the United States' coast"]


def test_only_the_levels_asked_for_are_branched_from_and_to():
    roots = [root("In Italy it"), root("In the UK it", "United Kingdom")]
    words_of = vocabulary(from_=["Italy"], to=["United Kingdom", "Italy"])
    branches, _ = branch_prompts(roots, "concept", words_of, True)
    assert [branch.prompt_text for branch in branches] == ["In the United Kingdom it"]
