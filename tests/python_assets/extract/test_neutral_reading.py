import pandas as pd
import pytest

from python_assets.extract.neutral_words import NEUTRAL_WORDS_VERSION
from python_assets.study.prompts import Prompts
from python_assets.study.study import Factor, Vectors
from python_assets.texts.group_words import group_words
from tests.spelling import write_vectors

LOW, HUDA = "Low Yi Ting", "Nurul Huda"
FACTORS = {"name": Factor(levels=[LOW, HUDA])}


def prompts_by_name(build, **baselines):
    build.prompts(low=baselines.get("low"), huda=baselines.get("huda"))
    build.factors(("low", "name", LOW), ("huda", "name", HUDA))


def values(build, measure):
    return [row[0] for row in build.rows(measure, "value")]


def ids(build):
    return [row[0] for row in build.connection.execute("select measure_id from raw.measures order by 1").fetchall()]


def test_answers_alike_but_for_the_name_have_one_value(build, make_study):
    prompts_by_name(build)
    build.responses(("low", f"{LOW} came to a good end."), ("huda", f"{HUDA} came to a good end."))
    counts = build.extract(make_study("vader", factors=FACTORS))
    first, second = values(build, "vader")
    assert first == second > 0
    huda, low = values(build, "vader_as_written")
    assert low < huda == first
    assert counts.n_texts == 2
    assert {row[0].endswith(f"; {NEUTRAL_WORDS_VERSION}") for row in build.rows("vader", "scorer_version")} == {True}
    assert {row[0].endswith(NEUTRAL_WORDS_VERSION) for row in build.rows("vader_as_written", "scorer_version")} == {
        False
    }


def test_values_that_names_do_not_change_are_not_told_twice(build, make_study):
    prompts_by_name(build)
    build.responses(("low", "A good end."), ("huda", f"{HUDA} came to a good end."))
    build.extract(make_study("vader", factors=FACTORS))
    assert "vader_as_written" not in ids(build)


def test_the_plain_reading_has_the_systems_that_it_moves_and_no_baseline_values(build, make_study):
    prompts_by_name(build, low=f"{LOW} came to a good end.", huda=f"{HUDA} came to a good end.")
    build.responses(("low", "A good end."), ("huda", "A good end."))
    build.extract(make_study("vader", factors=FACTORS))
    rows = build.rows("vader", "system_id", "value", "baseline_value")
    assert [row[0] for row in rows] == ["baseline", "baseline", "replayed", "replayed"]
    assert rows[0][1] == rows[1][1] == rows[2][2] == rows[3][2]
    plain = build.rows("vader_as_written", "system_id", "baseline_value")
    assert plain == [("baseline", None)] * 2


@pytest.mark.parametrize(
    "measure",
    [
        {"name": "own", "patterns": {"low": "Low", "other": "Huda"}},
        {"name": "own", "choices": {"low": ["Low"], "other": ["Huda"]}},
    ],
)
def test_rules_for_labels_read_what_was_written(build, make_study, measure):
    prompts_by_name(build)
    build.responses(("low", LOW), ("huda", HUDA))
    build.extract(make_study(measure, factors=FACTORS))
    assert [row[0] for row in build.rows("own", "label")] == ["other", "low"]
    assert not any(key.endswith("_as_written") for key in ids(build))


def test_distances_are_of_texts_with_neutral_words(build, make_study, tmp_path):
    low, huda = f"{LOW} came to a good end.", f"{HUDA} came to a good end."
    prompts_by_name(build, low=low, huda=huda)
    build.responses(("low", "Low Yi Ting won."), ("huda", "Nurul Huda won."))
    write_vectors(tmp_path / "spelling.txt", low, huda, "won", "Robin", "Carter")
    embedding = Vectors(vectors=str(tmp_path / "spelling.txt"))
    build.extract(make_study("baseline_distance", factors=FACTORS, embedding=embedding))
    first, second = values(build, "baseline_distance")
    assert first == second
    assert len(set(values(build, "baseline_distance_as_written"))) == 2


def test_an_answer_of_a_name_only_has_the_value_of_a_neutral_name(build, make_study):
    prompts_by_name(build)
    build.responses(("low", LOW), ("huda", HUDA))
    build.extract(make_study("vader", factors=FACTORS))
    assert values(build, "vader") == [0.0, 0.0]


def test_names_that_stand_in_imported_prompts_alone_are_replaced(build, make_study):
    build.prompts(low=None, huda=None, one=None)
    build.factors(("low", "race", "Chinese"), ("huda", "race", "Malay"), ("one", "race", "Malay"))
    set_text = "update raw.prompts set prompt_text = ?, root_prompt_id = ? where prompt_id = ?"
    for prompt, root, text in (
        ("low", "r", f"Should {LOW} be hired? Monday."),
        ("huda", "r", f"Should {HUDA} be hired? Monday."),
        ("one", "alone", "Should Grace be hired?"),
    ):
        build.connection.execute(set_text, [text, root, prompt])
    build.responses(("low", f"Yes, {LOW}."), ("huda", f"Yes, {HUDA}."), ("one", "Yes, Grace."))
    build.extract(make_study("vader", factors={"race": Factor(levels=["Chinese", "Malay"])}))
    huda, low, alone = values(build, "vader")
    assert huda == low < alone


def test_an_annotation_wins_over_both_readings(build, make_study, make_imported):
    prompts_by_name(build)
    build.responses(("low", f"{LOW} came."), ("huda", f"{HUDA} came."))
    imported = make_imported(
        pd.DataFrame(
            {"prompt_id": ["low", "huda"], "system": ["replayed"] * 2, "replicate": [0, 0], "score": ["0.5", ""]}
        )
    )
    prompts = Prompts.model_validate({"import": {"path": "x.csv", "columns": {"prompt": "id"}}})
    study = make_study({"name": "vader", "scorer": "vader", "annotation": "score"}, factors=FACTORS, prompts=prompts)
    build.extract(study, imported)
    assert values(build, "vader") == [0.0, 0.5]
    assert "vader_as_written" not in ids(build)


CONTROL = "low > day"


def controlled(build, control):
    """Prompts by name, and one that was edited, which has no level of what differs in its root prompt."""
    build.prompts(**dict.fromkeys(["low", "huda", control]))
    build.factors(("low", "name", LOW), ("huda", "name", HUDA), (control, "negative_control", "day"))
    build.connection.execute("update raw.prompts set root_prompt_id = 'r', is_root = prompt_id = 'low'")
    build.connection.execute("update raw.prompts set negative_control = 'day' where prompt_id = ?", [control])
    for prompt, text in (("low", f"Hire {LOW}?"), ("huda", f"Hire {HUDA}?"), (control, f"Hire {LOW}? On a Tuesday.")):
        build.connection.execute("update raw.prompts set prompt_text = ? where prompt_id = ?", [text, prompt])
    build.responses(*((name, f"{LOW} came to a good end.") for name in ("low", control)))


def test_an_answer_to_a_control_is_read_as_one_to_the_prompt_that_was_edited(build, make_study):
    controlled(build, CONTROL)
    build.extract(make_study("vader", factors=FACTORS))
    of_branch, of_control = values(build, "vader")
    assert of_branch == of_control > 0
    assert len(set(values(build, "vader_as_written"))) == 1


def test_a_control_of_an_import_has_the_names_of_groups_that_stand_in_it(build, make_study):
    controlled(build, "r | car")
    spec = {"import": {"path": "x.csv", "columns": {"prompt": "id"}}}
    study = make_study(
        "vader", factors={"race": Factor(levels=["Chinese", "Malay"])}, prompts=Prompts.model_validate(spec)
    )
    names = group_words(study, build.connection).names
    assert names == {"low": (LOW,), "huda": (HUDA,), "r | car": (LOW,)}
