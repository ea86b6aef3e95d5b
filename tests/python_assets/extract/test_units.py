import pytest

from python_assets.extract.units import prompts_in_slices, read_units, without_prompt
from python_assets.study.study import Prompts

SENTENCE = "Ideraland is a country whose king rules alone."
PROMPT = "Ideraland is a country whose"


@pytest.mark.parametrize(
    ("text", "prompts", "rest"),
    [
        (SENTENCE, [PROMPT], "king rules alone."),
        (f"  ideraland  IS a\ncountry whose   {'king.'}", [PROMPT], "king."),
        ("The king rules alone.", [PROMPT], "The king rules alone."),
        ("Ideraland is a country whosever king", [PROMPT], "Ideraland is a country whosever king"),
        ("Well, " + SENTENCE, [PROMPT], "Well, " + SENTENCE),
        (PROMPT, [PROMPT], ""),
        (PROMPT + ", as all know, king", [PROMPT], ", as all know, king"),
        (SENTENCE, ["Italy is a country whose", PROMPT], "king rules alone."),
        ("Is it (.*)+? true: yes", ["Is it (.*)+? true:"], "yes"),
        ("中国是一个国家", ["中国是"], "一个国家"),
        ("भारत एक देश है", ["भारत एक"], "देश है"),
        (SENTENCE, ["", "  "], SENTENCE),
        ("", [PROMPT], ""),
    ],
)
def test_the_prompt_is_taken_from_the_start_and_from_nowhere_else(text, prompts, rest):
    assert without_prompt(text, prompts) == rest


def test_a_long_text_is_read_in_linear_time():
    assert without_prompt("a " * 500_000, ["a " * 20_000 + "b"]) == "a " * 500_000


def prompted(build, **baselines):
    build.prompts(**baselines)
    build.connection.execute(f"update raw.prompts set prompt_text = '{PROMPT}'")


def texts_of(units, *names):
    return [[units.texts[i] if i >= 0 else None for i in units.column(name)] for name in names]


def test_response_and_baseline_lose_their_prompt_alike(build):
    prompted(build, p=SENTENCE, q=None, r=SENTENCE)
    build.responses(("p", SENTENCE.upper()), ("q", "the queen."), ("r", PROMPT))
    units = read_units(build.connection, "study", removes_prompt=True)
    assert texts_of(units, "text_id", "baseline_id") == [
        ["KING RULES ALONE.", "the queen.", None, "king rules alone.", "king rules alone."],
        ["king rules alone.", None, "king rules alone.", None, None],
    ]
    assert len(units.texts) == len(set(units.texts)) == units.n_measured + 1 == 4


def test_the_baseline_of_a_branch_may_begin_as_its_root_prompt_does(build):
    prompted(build, root=SENTENCE, branch=SENTENCE)
    build.connection.execute(
        "update raw.prompts set prompt_text = 'Italy is a country whose', root_prompt_id = 'root', "
        "is_root = false where prompt_id = 'branch'"
    )
    build.responses(("branch", "Italy is a country whose king rules"), ("root", "x"))
    units = read_units(build.connection, "study", removes_prompt=True)
    assert texts_of(units, "text_id", "baseline_id") == [
        ["king rules", "x", "king rules alone.", "king rules alone."],
        ["king rules alone.", "king rules alone.", None, None],
    ]


def test_the_prompt_may_be_put_before_the_response(build):
    prompted(build, p=SENTENCE)
    build.responses(("p", "king is old."), ("p", None, "error", 1), ("p", " ", "empty", 2))
    units = read_units(build.connection, "study", adds_prompt=True)
    assert texts_of(units, "text_id") == [[f"{PROMPT} king is old.", None, None, SENTENCE]]


def test_nothing_but_the_prompt_is_an_empty_response(build, make_study):
    prompted(build, p=SENTENCE)
    build.responses(("p", PROMPT))
    settings = {"import": {"path": "x.csv", "columns": {"prompt": "id"}}, "remove_prompt": True}
    build.extract(make_study("vader", prompts=Prompts.model_validate(settings)))
    assert build.rows("vader", "system_id", "reason") == [("baseline", None), ("replayed", "response_empty")]


def test_texts_stay_as_they_are_where_nothing_is_asked_of_them(build):
    prompted(build, p=SENTENCE)
    build.responses(("p", SENTENCE))
    assert read_units(build.connection, "study").texts == [SENTENCE, PROMPT]


@pytest.mark.parametrize("options", [{"adds_prompt": True}, {"removes_prompt": True}])
def test_a_prompt_without_a_text_changes_no_response(build, options):
    build.prompts(p=SENTENCE)
    build.connection.execute("update raw.prompts set prompt_text = null")
    build.responses(("p", "the queen."))
    units = read_units(build.connection, "study", **options)
    assert texts_of(units, "text_id", "baseline_id") == [["the queen.", SENTENCE], [SENTENCE, None]]


def test_controls_are_where_groups_of_their_root_prompt_are_and_in_no_slice_of_another_study(build):
    build.prompts(woman=None, other=None, day=None)
    build.factors(("woman", "topic", "work"), ("other", "topic", "home"))
    build.connection.execute("update raw.prompts set root_prompt_id = 'r' where prompt_id <> 'other'")
    build.connection.execute("update raw.prompts set negative_control = 'day' where prompt_id = 'day'")
    build.connection.execute(
        "insert into raw.prompts by name select * replace ('another' as study_id, 'theirs' as prompt_id) "
        "from raw.prompts where prompt_id = 'day'"
    )
    assert prompts_in_slices(build.connection, "study", [{"topic": ["work"]}]) == {"woman", "day"}
    assert prompts_in_slices(build.connection, "study", [{"topic": ["home"]}]) == {"other"}
