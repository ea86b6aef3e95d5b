import pytest

from python_assets.plan.assembling import list_branches
from python_assets.plan.plan import plan_study

TEXT = (
    "The old towns in the north of Italy were rebuilt by the state after the war. "
    "The old towns in the north of Italy were rebuilt by the church after the war. "
    "The old towns in the north of Italy were praised by Goethe and by many others. "
    "The new roads in the south of Italy have linked it to France and beyond. "
    "The old towns on the far coast were rebuilt at great cost by Italy after all. "
    "The new roads of the Italians in the south have changed the life of many families."
)


@pytest.fixture
def study(make_study):
    scraped = {
        "levels": ["Italy", "France", "Chad"],
        "keywords": {"Italy": ["Italy", "Italians"]},
        "sources": [{"tag": "t", "path": "a.txt"}],
    }
    replacements = {"France": {"Italians": "French people"}}
    return make_study(
        {"scrape": scraped, "branch": {"from": "Italy", "replacements": replacements, "incomplete": "keep"}},
        {"a.txt": TEXT},
        groupings=["concept"],
    )


def test_each_step_says_what_is_left_and_what_went(study, snapshot):
    assert [f"{one.step}: {one.n_left} {one.n_dropped}" for one in plan_study(study).steps] == snapshot


def test_groups_in_fewer_blocks_are_named_with_the_reason(study, snapshot):
    plan = plan_study(study)
    assert [one.n_blocks for one in plan.blocks] == [{"Chad": 1, "France": 2, "Italy": 2}]
    assert plan.warnings[-1] == snapshot
    assert "Chad 1, France 2, Italy 2" in plan.text()


def test_every_root_prompt_and_what_went_is_listed_with_its_reason(study):
    rows = [" ".join(line.split()) for line in list_branches(study).split("\n\n")[1].splitlines()]
    assert [row.split(" The ")[0] for row in rows[1:]] == [
        "a.txt#1 Italy kept, 2 of 2 branches",
        "a.txt#6 Italy kept, 1 of 2 branches",
        "a.txt#6 Italy Chad word_without_replacement Italians",
        "a.txt#2 Italy same_text a.txt#1",
        "a.txt#3 Italy other_name Goethe",
        "a.txt#4 Italy names_another_level France",
        "a.txt#5 Italy keyword_not_in_prompt",
    ]


def test_a_crossed_design_has_no_table_of_blocks(make_study):
    spec = {"templates": {"texts": [{"id": "t", "text": "A {sex}."}], "cross": ["sex"]}}
    plan = plan_study(make_study(spec, factors={"sex": {"levels": ["a", "b"]}}, groupings=["sex"]))
    assert (plan.blocks, plan.steps) == ([], [])
    assert list_branches(make_study(spec, factors={"sex": {"levels": ["a", "b"]}})).count("kept, not branched") == 1
