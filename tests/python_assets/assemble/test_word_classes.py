import pytest

from tests.python_assets.assemble.branches import branched, root, vocabulary

PEOPLES = {
    "Switzerland": {"name": "Switzerland", "adjective": "Swiss", "people": "Swiss people"},
    "Portugal": {"name": "Portugal", "adjective": "Portuguese", "people": "Portuguese people"},
    "Italy": {"name": "Italy", "adjective": "Italian", "people": "Italians"},
}


@pytest.mark.parametrize(
    ("prompt", "targets"),
    [
        ("In winter the Swiss have", ["Portugal"]),
        ("Swiss still raise", ["Portugal"]),
        ("In winter the bread of the Swiss in", ["Portugal"]),
        ("Swiss people bake", ["Portugal", "Italy"]),
        ("In winter the Swiss bakers sell", ["Portugal", "Italy"]),
        ("Switzerland bakes", ["Portugal", "Italy"]),
    ],
)
def test_an_adjective_for_a_people_gets_a_branch_only_where_another_can_stand(prompt, targets):
    words_of = vocabulary({"Switzerland": ["Switzerland"]}, list(PEOPLES), forms=PEOPLES)
    branches, n_dropped = branched([root(prompt, "Switzerland")], words_of)
    assert [branch.levels["concept"] for branch in branches] == targets
    assert n_dropped == ({} if len(targets) == 2 else {"word_without_replacement": 1})


@pytest.mark.parametrize(
    ("prompt", "targets"),
    [
        ("Every old Italian has", ["Switzerland", "Portugal"]),
        ("A day of an Italian in", ["Switzerland", "Portugal"]),
        ("Every Italian farmer has", ["Switzerland", "Portugal", "Ireland"]),
        ("In winter Italian is", ["Switzerland", "Portugal", "Ireland"]),
    ],
)
def test_one_of_a_people_gets_no_branch_where_nobody_is_called_that(prompt, targets):
    forms = PEOPLES | {"Ireland": {"name": "Ireland", "adjective": "Irish", "people": "Irish people"}}
    words_of = vocabulary({"Italy": ["Italy"]}, list(forms), forms=forms)
    branches, _ = branched([root(prompt)], words_of)
    assert [branch.levels["concept"] for branch in branches] == targets


@pytest.mark.parametrize(
    ("prompt", "targets"),
    [
        ("All farmers who are farming", ["bakers"]),
        ("Old farmers like farming their", ["bakers"]),
        ("Old farmers say that farming is", ["bakers", "lawyers"]),
        ("The farming of old farmers is", ["bakers", "lawyers"]),
    ],
)
def test_a_form_that_is_a_verb_gets_a_branch_only_where_a_verb_can_be_written(prompt, targets):
    forms = {
        "farmers": {"name": "farmers", "field": "farming"},
        "bakers": {"name": "bakers", "field": "baking"},
        "lawyers": {"name": "lawyers", "field": "law"},
    }
    words_of = vocabulary({"farmers": ["farmers"]}, list(forms), forms=forms)
    branches, _ = branched([root(prompt, "farmers", baseline=prompt)], words_of)
    assert [branch.levels["concept"] for branch in branches] == targets
