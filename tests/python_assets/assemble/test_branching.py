import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_assets.assemble.branching import Rewriter, branch_prompts, merge_levels
from python_assets.study.study import Branch
from tests.python_assets.assemble.branches import branched, root, vocabulary


def written(text, source, target, **changes):
    return vocabulary(**changes).replace(text, source, target).text


def test_names_and_adjectives_are_replaced_by_the_same_form():
    text = "Italy and the Italian towns of Italy"
    assert written(text, "Italy", "United Kingdom") == "The United Kingdom and the British towns of the United Kingdom"


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
        st.sampled_from(["Italy", "Italian", "in", "towns,", "“Italy”", "Italy's", "(Italian)", "us", "😀"]), min_size=1
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
    branches, n_dropped = branched([sentence], vocabulary())
    assert not n_dropped
    assert [branch.levels["concept"] for branch in branches] == ["United Kingdom", "United States", "European Union"]
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
    branches, _ = branched([sentence], vocabulary(), counterfactual_baseline=False)
    assert {(branch.baseline_text, branch.baseline_kind) for branch in branches} == {("In Italy it rains.", "actual")}


def test_a_prompt_without_a_word_to_replace_gets_no_branch():
    branches, n_dropped = branched([root("In Rome it", baseline="In Rome it rains.")], vocabulary())
    assert (branches, n_dropped) == ([], {"no_replacement": 3})


@pytest.mark.parametrize(("prompt", "rest"), [("Italy and ITA", " grow."), ("Italy", " and ITA grow.")])
def test_a_word_that_would_still_name_the_root_level_prevents_the_branch(prompt, rest):
    words_of = vocabulary(keywords={"Italy": ["Italy", "ITA"]})
    branches, n_dropped = branched([root(prompt, baseline=prompt + rest)], words_of)
    assert (branches, n_dropped) == ([], {"word_without_replacement": 3})


def test_a_word_of_two_forms_is_written_as_what_it_is_in_its_place():
    forms = {
        "New Zealand": {"name": "New Zealand", "adjective": "New Zealand", "people": "New Zealanders"},
        "Hong Kong": {"name": "Hong Kong", "adjective": "Hong Kong", "people": "Hong Kongers"},
        "Italy": {"name": "Italy", "adjective": "Italian", "people": "Italians"},
    }
    words_of = vocabulary({"New Zealand": ["New Zealand"], "Italy": ["Italy"]}, list(forms), forms=forms)
    roots = [
        root("New Zealand farmers", "New Zealand")._replace(root_prompt_id="a"),
        root("The farms of New Zealanders", "New Zealand")._replace(root_prompt_id="b"),
        root("Italian farms in Italy")._replace(root_prompt_id="c"),
    ]
    branches, n_dropped = branched(roots, words_of)
    assert {prompt.prompt_id: prompt.prompt_text for prompt in branches} == {
        "a > Hong Kong": "Hong Kong farmers",
        "a > Italy": "Italian farmers",
        "b > Hong Kong": "The farms of Hong Kongers",
        "b > Italy": "The farms of Italians",
        "c > New Zealand": "New Zealand farms in New Zealand",
        "c > Hong Kong": "Hong Kong farms in Hong Kong",
    }
    assert not n_dropped


def test_a_word_in_the_dictionary_of_one_target_does_not_bind_the_others():
    changes = {
        "keywords": {"Italy": ["Italy"]},
        "levels": ["Italy", "France", "United States"],
        "forms": {},
        "replacements": {"United States": {"Italy": "the United States", "Italy's": "the United States'"}},
    }
    branches, n_dropped = branched([root("Of Italy's coast")], vocabulary(**changes))
    assert not n_dropped
    assert [branch.prompt_text for branch in branches] == ["Of France's coast", "Of the United States' coast"]


def test_only_the_levels_asked_for_are_branched_from_and_to():
    roots = [root("In Italy it"), root("In the UK it", "United Kingdom")]
    words_of = vocabulary(from_=["Italy"], to=["United Kingdom", "Italy"])
    branches, _ = branched(roots, words_of)
    assert [branch.prompt_text for branch in branches] == ["In the United Kingdom it"]


ROOTS = {"keywords": {"Italy": ["Italy"], "France": ["France"]}, "levels": ["Italy", "France", "Japan"], "forms": {}}


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ({}, {"Italy > France", "Italy > Japan", "France > Italy", "France > Japan"}),
        ({"pairs": [["Italy", "Japan"]]}, {"Italy > Japan"}),
        ({"pairs": [["Italy", "France"]]}, {"Italy > France"}),
        ({"pairs": [["Italy", "France"]], "both_directions": True}, {"Italy > France", "France > Italy"}),
        ({"pairs": [["Italy", "France"], ["France", "Italy"]]}, {"Italy > France", "France > Italy"}),
        ({"from_": ["Italy"], "to": ["Japan"]}, {"Italy > Japan"}),
    ],
)
def test_pairs_are_branched_one_way_or_both(branch, expected):
    roots = [
        root(f"In {level} it", level)._replace(prompt_id=level, root_prompt_id=level) for level in ("Italy", "France")
    ]
    branches, n_dropped = branched(roots, vocabulary(**ROOTS, **branch))
    assert {prompt.prompt_id for prompt in branches} == expected
    assert not n_dropped


def test_root_prompts_of_other_source_tags_are_not_branched():
    roots = [root("In Italy it"), root("In Italy they")._replace(source_tag="wiki", root_prompt_id="b#1")]
    branches, n_dropped = branched(roots, vocabulary(), source_tags=["wiki"])
    assert {prompt.root_prompt_id for prompt in branches} == {"b#1"}
    assert not n_dropped


def test_merged_levels_are_one_level_and_keep_ids_and_texts():
    merging = Branch(merge={"X": ["bad", "ok"]})
    levels = {"levels": ["bad", "ok", "Apple"], "keywords": {"bad": ["bad"], "ok": ["ok"]}, "forms": {}}
    roots = [root("A bad stock", "bad"), root("An ok stock", "ok")._replace(prompt_id="b#1", root_prompt_id="b#1")]
    words_of = vocabulary(**levels, merge={"X": ["bad", "ok"]})
    prompts = [*roots, *branch_prompts(roots, "concept", Rewriter(words_of, merging)).branches]
    merged = merge_levels(prompts, "concept", merging)
    assert [(prompt.prompt_id, prompt.levels["concept"], prompt.prompt_text) for prompt in merged] == [
        ("a#1", "X", "A bad stock"),
        ("b#1", "X", "An ok stock"),
        ("a#1 > Apple", "Apple", "An Apple stock"),
        ("b#1 > Apple", "Apple", "An Apple stock"),
    ]


LANDS = {
    "keywords": {"Ideraland": ["Ideraland", "Ideralander"]},
    "levels": ["Ideraland", "Italy", "France", "Japan"],
    "forms": {},
    "replacements": {
        "Italy": {"Ideralander": "Italian"},
        "France": {"Ideralander": "French citizen", "woman": "man"},
        "Japan": {"Ideralander": "Japanese"},
    },
}


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("two Ideralanders", "Italy", "two Italians"),
        ("Ideralanders’ rights", "Italy", "Italians’ rights"),
        ("IDERALANDERS", "Italy", "ITALIANS"),
        ("two Ideralanders", "France", "two French citizens"),
        ("all women", "France", "all men"),
        ("Women of all", "France", "Men of all"),
        ("two Ideralanders", "Japan", "two Japanese"),
    ],
)
def test_the_plural_of_a_word_in_the_dictionary_becomes_the_plural_of_its_counterpart(text, target, expected):
    replaced = vocabulary(**LANDS).replace(text, "Ideraland", target)
    assert (replaced.text, replaced.left) == (expected, ())


def test_a_plural_that_the_dictionary_has_is_written_as_it_says():
    changes = LANDS | {"replacements": {"Italy": {"Ideralander": "Italian", "Ideralanders": "people of Italy"}}}
    assert written("two Ideralanders", "Ideraland", "Italy", **changes) == "two people of Italy"


@pytest.mark.parametrize("text", ["two Ideralands", "two Ideralanders"])
def test_a_plural_without_a_counterpart_still_names_the_root_level(text):
    changes = LANDS | {"replacements": {"Italy": {"Ideralandian": "Italian"}}}
    branches, n_dropped = branched([root(f"Ideraland has {text}", "Ideraland")], vocabulary(**changes))
    assert (branches, n_dropped) == ([], {"word_without_replacement": 3})


def test_words_that_are_found_are_replaced_and_given_ones_go_before_them():
    found = {("Italy", "France"): {"pizza": "crêpe", "Italian": "found"}}
    words_of = vocabulary(
        keywords={"Italy": ["Italy"]},
        levels=["Italy", "France", "Japan"],
        forms={},
        replacements={"France": {"Italian": "French"}},
        found=found,
    )
    text = "In Italy an Italian pizza and pizzas"
    assert words_of.replace(text, "Italy", "France").text == "In France a French crêpe and crêpes"
    assert words_of.replace(text, "Italy", "Japan").text == "In Japan an Italian pizza and pizzas"


def test_a_found_word_of_the_target_is_not_swapped_back():
    found = {("men", "women"): {"he": "she", "she": "he"}, ("women", "men"): {"she": "he"}}
    words_of = vocabulary(keywords={"men": ["men"], "women": ["women"]}, levels=["men", "women"], forms={}, found=found)
    assert words_of.replace("Of men he told what she knew", "men", "women").text == "Of women she told what he knew"


def test_each_pair_of_root_and_level_says_why_it_has_no_branch_and_by_which_words():
    words_of = vocabulary(keywords={"Italy": ["Italy", "ITA"]}, levels=["Italy", "France"], forms={})
    texts = ["In Italy it", "Italy, ITA and ITA", "Italy and France", "In Rome it"]
    roots = [root(text, baseline=text)._replace(root_prompt_id=f"{n}") for n, text in enumerate(texts)]
    assert branch_prompts(roots, "concept", Rewriter(words_of, Branch())).outcomes == [
        ("0", "Italy", "France", None, None),
        ("1", "Italy", "France", "word_without_replacement", "ITA"),
        ("2", "Italy", "France", "names_another_level", "France"),
        ("3", "Italy", "France", "no_replacement", None),
    ]


def test_a_pair_of_words_of_two_word_classes_is_told():
    levels = ["Switzerland", "Italy"]
    forms = {"Switzerland": {"people": "Swiss"}, "Italy": {"people": "Italian"}}
    words_of = vocabulary(keywords={"Switzerland": ["Swiss"]}, levels=levels, forms=forms)
    found = branch_prompts([root("The Swiss have", "Switzerland")], "concept", Rewriter(words_of, Branch())).outcomes
    assert [(one.dropped_reason, one.words) for one in found] == [("word_without_replacement", "Swiss -> Italian")]


def test_a_prompt_that_names_another_level_has_no_branch_to_any():
    roots = [root("How does Italy compare with the UK?", baseline="Italy is a country.")]
    assert branched(roots, vocabulary(), from_=["Italy"]) == ([], {"names_another_level": 3})


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("In present-day Italy it", "Italy", "United States", "In the present-day United States it"),
        ("Modern Italy was", "Italy", "United Kingdom", "The modern United Kingdom was"),
        ("a modern Italy that", "Italy", "United States", "a modern United States that"),
        ("an Italian baker and An Italian", "Italy", "European Union", "a European baker and A European"),
        ("a British hat of an Italian", "Italy", "United States", "a British hat of an American"),
        ("Plan A Italian", "Italy", "European Union", "Plan A European"),
        ("its old Italy", "Italy", "United States", "its old United States"),
        ("much of Italy", "Italy", "European Union", "much of the European Union"),
        ("Italian Italy", "Italy", "United States", "American the United States"),
        ("the modern United States is", "United States", "Italy", "modern Italy is"),
        ("The modern United States is", "United States", "Italy", "Modern Italy is"),
        ("the modern United States is", "United States", "United Kingdom", "the modern United Kingdom is"),
    ],
)
def test_an_article_goes_before_adjectives_and_not_after_a_determiner(text, source, target, expected):
    assert written(text, source, target) == expected


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("Italy's and Italy’s", "Italy", "United States", "The United States' and the United States’"),
        ("the United States' coast", "United States", "Italy", "Italy's coast"),
        ("on the United States’s coast", "United States", "European Union", "on the European Union’s coast"),
        ("as 'the United States' they", "United States", "Italy", "as 'Italy' they"),
        ("ITALY'S COAST", "Italy", "United States", "THE UNITED STATES' COAST"),
    ],
)
def test_a_possessive_fits_the_word_before_it(text, source, target, expected):
    assert written(text, source, target) == expected


def test_a_replacement_is_recorded_with_what_was_fitted_to_it():
    replaced = vocabulary().replace("Towns of present-day Italy's coast", "Italy", "United States")
    assert replaced.replacements == {"present-day Italy's": "the present-day United States'"}


def test_a_root_prompt_is_written_once_for_its_check_and_its_branches():
    words_of = vocabulary({"Italy": ["Italy", "Italian"]}, ["Italy", "Mali"])
    rewriter = Rewriter(words_of, Branch())
    checked = rewriter.of("Italy has", "Italy has a coast", "Italy")
    assert rewriter.of("Italy has", "Italy has a coast", "Italy") is checked
    assert rewriter.of("Italy has", "Italy has a town", "Italy") is not checked
    assert rewriter.of("Italy has", None, "Mali") == {}
