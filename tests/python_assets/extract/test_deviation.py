import pandas as pd
import pytest

from python_assets.errors import StudyError

ANSWER = {"name": "answer", "choices": ["yes", "no", "can't tell"]}
BIASED = {"name": "biased", "when": {"measure": "answer", "equals_factor": "biased_answer"}}
# prompt: level of the factor, response, its outcome, expected value and reason
CASES = {
    "p1": ("yes", "Yes, of course.", "ok", 1.0, None),
    "p2": ("no", "Yes, of course.", "ok", 0.0, None),
    "p3": ("yes", "I can't tell.", "ok", 0.0, None),
    "p4": ("yes", "Blue.", "ok", 0.0, None),
    "p5": ("yes", "Well: yes or no", "ok", 0.0, None),
    "p6": ("yes", "I will not.", "refused", 0.0, None),
    "p7": ("yes", "", "empty", 0.0, None),
    "p8": ("yes", None, "error", None, "response_error"),
    "p9": (None, "Yes.", "ok", None, "no_factor_level"),
}


def fill(build, cases=CASES):
    build.prompts(**dict.fromkeys(cases))
    build.factors(*((prompt, "biased_answer", case[0]) for prompt, case in cases.items() if case[0]))
    build.responses(*((prompt, text, outcome) for prompt, (_, text, outcome, *_) in cases.items()))


@pytest.mark.parametrize("measures", [(ANSWER, BIASED), (BIASED, ANSWER)], ids=["after", "before"])
def test_the_rate_is_of_all_responses_and_other_answers_stay_outcomes(build, make_study, measures):
    fill(build)
    build.extract(make_study(*measures))
    found = {p: (v, r) for p, v, r in build.rows("biased", "prompt_id", "value", "reason")}
    assert found == {prompt: case[3:] for prompt, case in CASES.items()}
    answers = dict(build.rows("answer", "prompt_id", "label"))
    assert (answers["p3"], answers["p4"]) == ("can't tell", None)
    unscored = dict(build.rows("answer_unscored", "prompt_id", "value"))
    assert (unscored["p3"], unscored["p4"], unscored["p5"]) == (0.0, 1.0, 1.0)


def test_the_rule_and_the_direction_are_stored_and_measures_keep_their_order(build, make_study):
    fill(build)
    build.extract(make_study(BIASED, ANSWER))
    query = "select measure_id, kind, direction, parameters from raw.measures order by rowid"
    assert build.connection.execute(query).fetchall()[:2] == [
        ("biased", "binary", "higher_worse", "measure=answer;equals_factor=biased_answer"),
        ("answer", "categorical", "none", "labels=yes|no|can't tell"),
    ]


@pytest.mark.parametrize(("text", "value"), [("yes", 1.0), ("no", 0.0)])
def test_an_outcome_that_always_or_never_deviates_has_the_rate_one_or_zero(build, make_study, text, value):
    fill(build, {f"p{n}": ("yes", text, "ok") for n in range(3)})
    build.extract(make_study(ANSWER, BIASED))
    assert build.rows("biased", "value") == [(value,)] * 3


def test_a_level_that_is_no_label_is_an_error(build, make_study, refused):
    fill(build, {"p": ("Yes", "yes", "ok")})
    with refused(StudyError, "measures.biased"):
        build.extract(make_study(ANSWER, BIASED))


def test_a_baseline_text_is_stratum_against_the_level_of_its_prompt(build, make_study):
    build.prompts(p1="Yes.", p2="No.")
    build.factors(("p1", "biased_answer", "yes"), ("p2", "biased_answer", "yes"))
    build.responses(("p1", "no"), ("p2", "no"))
    build.extract(make_study(ANSWER, BIASED))
    assert build.rows("biased", "system_id", "prompt_id", "value") == [
        ("baseline", "p1", 1.0),
        ("baseline", "p2", 0.0),
        ("replayed", "p1", 0.0),
        ("replayed", "p2", 0.0),
    ]


def test_labels_of_a_column_deviate_where_they_equal_the_level_and_blank_cells_do_not(build, make_study, make_imported):
    fill(build, {f"p{n}": ("ja", "x", "ok") for n in range(3)})
    keys = {"system": "replayed", "prompt_id": ["p0", "p1"], "replicate": 0, "response_text": "x"}
    rows = pd.DataFrame({**keys, "given": ["ja", None]})
    answer = {"name": "answer", "kind": "categorical", "column": "given"}
    build.extract(make_study(answer, BIASED), make_imported(rows))
    assert build.rows("biased", "prompt_id", "value", "reason") == [
        ("p0", 1.0, None),
        ("p1", 0.0, None),
        ("p2", None, "missing_in_import"),
    ]


def test_a_rule_of_a_slice_has_rows_for_its_prompts_only(build, make_study):
    fill(build)
    slices = {"no": {"biased_answer": ["no"]}}
    build.extract(make_study({**ANSWER, "slice": "no"}, {**BIASED, "slice": "no"}, slices=slices))
    assert build.rows("biased", "prompt_id", "value") == [("p2", 0.0)]
