from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.errors import ExtractionError
from python_assets.extract.vader import vader
from python_assets.warehouse.build import write_stage

YES_NO = {"name": "answer", "choices": ["yes", "no"]}


def vader_of(text: str) -> float:
    return vader([text], {})[0].value


def test_responses_and_baselines_are_measured_alike(build, make_study):
    build.prompts(p1="A good start.", p2=None, p3="  ")
    build.responses(("p1", "A terrible war."), ("p2", "A good start."), ("p3", "12 34"))
    counts = build.extract(make_study("vader"))
    good, bad = vader_of("A good start."), vader_of("A terrible war.")
    assert build.rows("vader") == [
        ("baseline", "p1", good, None, None, None),
        ("replayed", "p1", bad, good, None, None),
        ("replayed", "p2", good, None, None, None),
        ("replayed", "p3", None, None, None, "no_words"),
    ]
    assert build.rows("vader", "scorer_version")[0] == ("vader 1, vaderSentiment 3.3.2",)
    assert (counts.n_texts, counts.n_measured, counts.n_measures, counts.n_measurements) == (3, 3, 4, 13)


def test_what_was_not_answered_has_the_reason_for_that(build, make_study):
    build.prompts(p=None)
    rows = [("p", "good", "ok", 0), ("p", None, "error", 1), ("p", "I cannot", "refused", 2)]
    rows += [("p", " ", "empty", 3), ("p", "bad and so", "truncated", 4)]
    build.responses(*rows)
    counts = build.extract(make_study("vader", YES_NO))
    reasons = [None, "response_error", "response_refused", "response_empty", None]
    assert build.rows("vader", "reason") == [(reason,) for reason in reasons]
    assert [value is None for (value,) in build.rows("vader", "value")] == [False, True, True, True, False]
    assert build.rows("answer", "reason")[:4] == [("no_rule_matched",), *((reason,) for reason in reasons[1:4])]
    assert build.rows("answer_unscored", "value", "reason") == [
        (1.0, None),
        *((None, reason) for reason in reasons[1:4]),
        (1.0, None),
    ]
    assert build.rows("refusal", "value", "reason") == [
        (0.0, None),
        (None, "response_error"),
        (1.0, None),
        (0.0, None),
        (0.0, None),
    ]
    assert [value for (value,) in build.rows("empty", "value")] == [0.0, None, 0.0, 1.0, 0.0]
    assert [value for (value,) in build.rows("truncated", "value")] == [0.0, None, 0.0, 0.0, 1.0]
    assert counts.n_missing == 3 + 5 + 3 + 3 + 3


def test_a_response_can_be_refused_and_truncated(build, make_study):
    build.prompts(p=None)
    build.responses(("p", "I cannot", "refused truncated"), ("p", "", "empty truncated", 1))
    build.extract(make_study("vader"))
    assert build.rows("refusal", "value") == [(1.0,), (0.0,)]
    assert build.rows("truncated", "value") == [(1.0,), (1.0,)]
    assert build.rows("empty", "value") == [(0.0,), (1.0,)]
    assert build.rows("vader", "value", "reason") == [(None, "response_refused"), (None, "response_empty")]


def test_of_responses_that_were_not_recorded_nothing_is_observed(build, make_study):
    build.prompts(p=None)
    build.responses(("p", None, "not_recorded"))
    build.extract(make_study("vader", YES_NO))
    for measure in ("refusal", "empty", "truncated", "vader", "answer", "answer_unscored"):
        assert build.rows(measure, "value", "label", "reason") == [(None, None, "no_response_text")]


def test_flags_are_of_responses_only(build, make_study):
    build.prompts(p="A baseline.")
    build.responses(("p", "x"))
    build.extract(make_study())
    assert [row[0] for row in build.rows("refusal")] == ["replayed"]
    assert build.rows("refusal", "scorer_version") == [("refusal_en_4; decisions 2",)]


def test_labels_stand_in_the_label_column_and_their_rule_beside_them(build, make_study):
    build.prompts(p1="No", p2=None, p3=None)
    build.responses(("p1", "Yes, no doubt"), ("p2", "I say no"), ("p3", "both yes and no"))
    binary = {"name": "agrees", "kind": "binary", "choices": ["yes", "no"], "favourable": "yes"}
    build.extract(make_study(YES_NO, binary))
    columns = ("system_id", "value", "baseline_value", "label", "label_method", "reason")
    assert build.rows("answer", *columns) == [
        ("baseline", None, None, "no", "choice_start", None),
        ("replayed", None, None, "yes", "choice_start", None),
        ("replayed", None, None, "no", "choice_anywhere", None),
        ("replayed", None, None, None, None, "several_rules_matched"),
    ]
    assert build.rows("agrees", *columns) == [
        ("baseline", 0.0, None, None, "choice_start", None),
        ("replayed", 1.0, None, None, "choice_start", None),
        ("replayed", 0.0, None, None, "choice_anywhere", None),
        ("replayed", None, None, None, None, "several_rules_matched"),
    ]
    assert [value for (value,) in build.rows("answer_unscored", "value")] == [0.0, 0.0, 0.0, 1.0]


def test_the_distance_to_the_baseline_is_of_responses_with_one(build, make_study):
    same = "Paris is the capital of France."
    build.prompts(p1=same, p2=None, p3=same, p4=same)
    build.responses(
        ("p1", same), ("p2", same), ("p3", "Goats eat grass in the mountains."), ("p4", "I cannot", "refused")
    )
    measures = [
        {"name": metric, "scorer": "baseline_distance", "parameters": {"metric": metric}}
        for metric in ("cosine", "l1", "l2")
    ]
    counts = build.extract(make_study(*measures))
    assert (counts.n_texts, counts.n_measured) == (2, 2)
    cosine = build.rows("cosine")
    assert [(g, p, b, r) for g, p, _, b, _, r in cosine] == [
        ("replayed", "p1", None, None),
        ("replayed", "p2", None, "no_baseline"),
        ("replayed", "p3", None, None),
        ("replayed", "p4", None, "response_refused"),
    ]
    values = {name: [row[2] for row in build.rows(name)] for name in ("cosine", "l1", "l2")}
    assert all(value[0] == pytest.approx(0, abs=1e-9) and value[1] is None for value in values.values())
    assert 0.5 < values["cosine"][2] < 1.2
    assert values["l2"][2] ** 2 == pytest.approx(2 * values["cosine"][2], rel=1e-5)
    again = build.extract(make_study(*measures))
    assert (again.n_measured, again.n_cached) == (0, 2)
    assert {name: [row[2] for row in build.rows(name)] for name in values} == values


def test_a_rerun_measures_only_what_is_new(build, make_study):
    build.prompts(p1="A good start.", p2=None)
    build.responses(("p1", "A terrible war."), ("p2", "A terrible war."))
    study = make_study("vader", YES_NO)
    first = build.extract(study)
    before = build.rows("vader")
    assert (first.n_measured, first.n_cached) == (4, 0)
    again = build.extract(study)
    assert (again.n_measured, again.n_cached) == (0, 4)
    assert build.rows("vader") == before
    build.responses(("p1", "A terrible war."), ("p2", "Something new, good and fine."))
    new = build.extract(study)
    assert (new.n_measured, new.n_cached) == (2, 4)
    assert build.rows("vader", "value")[2] == (vader_of("Something new, good and fine."),)


def test_changed_rules_measure_anew(build, make_study):
    build.prompts(p=None)
    build.responses(("p", "Yeah"))
    build.extract(make_study(YES_NO))
    assert build.rows("answer", "label") == [(None,)]
    counts = build.extract(make_study({"name": "answer", "choices": {"yes": ["yeah"], "no": ["no"]}}))
    assert counts.n_measured == 1
    assert build.rows("answer", "label") == [("yes",)]


def test_a_damaged_cache_is_counted_and_changes_no_number(build, make_study):
    build.prompts(p="good")
    build.responses(("p", "bad"))
    build.extract(make_study("vader"))
    before = build.rows("vader")
    (build.cache_path / "study.duckdb").write_bytes(b"torn")
    counts = build.extract(make_study("vader"))
    assert (counts.n_caches_rebuilt, counts.n_measured) == (1, 2)
    assert build.rows("vader") == before


def test_functions_beside_the_study_file_measure(build, make_study, tmp_path: Path):
    source = "def size(texts): return [float('inf') if 'inf' in t else len(t) for t in texts]\n"
    source += "def tone(texts): return [None if len(t) > 3 else 'short\\ud800' for t in texts]\n"
    (tmp_path / "mine.py").write_text(source)
    build.prompts(p1="abcdef", p2=None, p3=None)
    build.responses(("p1", "abc"), ("p2", "inf!"), ("p3", 'it\'s "quoted"; drop table 😀'))
    size = {"name": "it's size", "kind": "continuous", "function": "mine:size"}
    tone = {"name": "tone", "kind": "categorical", "function": "mine:tone"}
    build.extract(make_study(size, tone))
    assert build.rows("it_s_size") == [
        ("baseline", "p1", 6.0, None, None, None),
        ("replayed", "p1", 3.0, 6.0, None, None),
        ("replayed", "p2", None, None, None, "not_finite"),
        ("replayed", "p3", 27.0, None, None, None),
    ]
    assert build.rows("tone", "label", "label_method", "reason") == [
        (None, None, "function_failed"),
        ("short?", "function", None),
        (None, None, "function_failed"),
        (None, None, "function_failed"),
    ]
    (tmp_path / "mine.py").write_text(source.replace("len(t) for", "2 * len(t) for"))
    assert build.extract(make_study(size)).n_measured == 4
    assert build.rows("it_s_size", "value")[0] == (12.0,)


def test_a_function_that_fails_writes_nothing(build, make_study, tmp_path: Path, refused):
    (tmp_path / "mine.py").write_text("def size(texts): raise KeyError('x')\n")
    build.prompts(p=None)
    build.responses(("p", "abc"))
    build.extract(make_study("vader"))
    with refused(ExtractionError, "size"):
        build.extract(make_study({"name": "size", "kind": "continuous", "function": "mine:size"}))
    assert len(build.rows("vader")) == 1


def test_a_measure_of_a_slice_has_rows_for_its_prompts_only(build, make_study):
    build.prompts(p1="Yes", p2="No", p3="No")
    build.factors(
        *(("p1", "category", "D3"), ("p2", "category", "D2"), ("p3", "category", "D3")),
        *(("p1", "race", "it's"), ("p2", "race", "it's"), ("p3", "race", "other")),
    )
    build.responses(("p1", "yes"), ("p2", "yes"), ("p3", "yes"))
    slices = {"d3": {"category": ["D3"], "race": ["it's", "absent"]}, "d2": {"category": ["D2"]}}
    one, both = {**YES_NO, "slice": "d3"}, {"name": "second", "choices": ["no"], "slice": ["d3", "d2"]}
    build.extract(make_study(one, both, {**YES_NO, "name": "third", "slice": ["d3", "all"]}, slices=slices))
    for measure in ("answer", "answer_unscored"):
        assert build.rows(measure, "system_id", "prompt_id") == [("baseline", "p1"), ("replayed", "p1")]
    assert [p for (p,) in build.rows("second", "prompt_id")] == ["p1", "p2", "p1", "p2"]
    assert len(build.rows("third")) == 6


def test_a_level_of_each_is_a_slice_though_only_prompts_tell_the_levels(build, make_study):
    build.prompts(p1="Yes", p2="No")
    build.factors(("p1", "area", "work"), ("p2", "area", "home"))
    build.responses(("p1", "yes"), ("p2", "yes"))
    build.extract(make_study({**YES_NO, "slice": "work"}, slices={}, each="area"))
    assert build.rows("answer", "system_id", "prompt_id") == [("baseline", "p1"), ("replayed", "p1")]


def test_every_declaration_reaches_the_table_of_measures(build, make_study):
    build.prompts(p=None)
    build.responses(("p", "x"))
    build.extract(make_study("vader", {**YES_NO, "favourable": "no"}, "baseline_distance"))
    rows = build.connection.execute(
        "select measure_id, kind, scale_low, favourable, scorer, model, parameters from raw.measures"
    ).fetchall()
    assert rows == [
        ("vader", "continuous", -1.0, None, "vader", None, "per=text;answer=kept"),
        ("answer", "categorical", None, "no", "choices", None, "labels=yes|no"),
        ("answer_unscored", "binary", 0.0, None, "unscored", None, "measure=answer"),
        ("answer_undecided", "binary", 0.0, None, "undecided", None, "measure=answer"),
        ("baseline_distance", "continuous", 0.0, None, "baseline_distance", "all-MiniLM-L6-v2", "metric=cosine"),
        ("refusal", "binary", 0.0, None, "refusal", None, ""),
        ("empty", "binary", 0.0, None, "empty", None, ""),
        ("truncated", "binary", 0.0, None, "truncated", None, ""),
    ]


def test_long_and_strange_texts_are_measured(build, make_study):
    build.prompts(p1="שלום", p2=None, p3=None, p4=None)
    long = "a good day " * 1_000_000
    build.responses(("p1", long), ("p2", "yes \x00 '\"; --"), ("p3", "👩‍👩‍👧 نعم yes"), ("p4", "\u2028 yes"))
    counts = build.extract(make_study("vader", YES_NO))
    assert counts.n_texts == 5
    assert build.rows("answer", "label")[2:] == [("yes",)] * 3
    assert build.rows("vader", "value")[1][0] > 0.99


def test_a_study_without_responses_has_measures_and_no_rows(build, make_study):
    build.prompts(p=None)
    counts = build.extract(make_study("vader", YES_NO, "baseline_distance"))
    assert (counts.n_measures, counts.n_measurements, counts.n_texts) == (8, 0, 0)


def test_a_study_of_many_measurements_is_written_whole(build, make_study):
    prompts = [f"p{i:04}" for i in range(1_575)]
    build.prompts(**dict.fromkeys(prompts, "yes"))
    pairs = pd.MultiIndex.from_product([[f"g{i}" for i in range(5)], prompts])
    frame = pairs.to_frame(index=False, name=["system_id", "prompt_id"])
    answers = np.where(np.arange(len(frame)) % 3 == 0, "yes", "no")
    texts = [f"{answer} {i}" for i, answer in enumerate(answers)]
    frame = frame.assign(replicate=0, response_id="r", status="ok", response_text=texts)
    frame = frame.assign(is_refused=False, is_empty=False, is_truncated=False)
    write_stage(build.connection, "study", "generate", {"responses": frame})
    measures = [{"name": f"m{chr(97 + i)}", "choices": ["yes", "no"]} for i in range(20)]
    study = make_study(*measures, "vader")
    counts = build.extract(study)
    assert counts.n_measures == 64
    assert counts.n_measurements == 61 * (7_875 + 1_575) + 3 * 7_875
    wrong = build.connection.execute(
        "select count(*) from raw.measurements "
        "join raw.responses using (system_id, prompt_id, replicate) "
        "where measure_id = 'mt' and label is distinct from split_part(response_text, ' ', 1)"
    ).fetchone()
    assert wrong == (0,)
    again = build.extract(study)
    assert (again.n_measured, again.n_cached) == (0, 2 * 7_876)


def test_temporary_tables_do_not_stay(build, make_study):
    build.prompts(p="x")
    build.responses(("p", "x"))
    build.extract(make_study())
    with pytest.raises(duckdb.CatalogException):
        build.connection.execute("select * from extract_texts")
