import pandas as pd
import pytest

from python_assets.errors import StudyError


def table(**columns: list) -> pd.DataFrame:
    n = len(next(iter(columns.values())))
    keys = {"system": "Replayed", "prompt_id": [f"p{i}" for i in range(n)], "replicate": 0}
    return pd.DataFrame(
        {**keys, "response_text": "x", **{name: pd.Series(v, dtype=object) for name, v in columns.items()}}
    )


def measured(build, make_study, make_imported, spec: dict, rows: pd.DataFrame):
    prompts = list(dict.fromkeys(rows["prompt_id"]))
    build.prompts(**dict.fromkeys(prompts))
    build.responses(*((prompt, "x") for prompt in prompts))
    return build.extract(make_study(spec), make_imported(rows))


SCORE = {"name": "score", "kind": "continuous", "column": "x"}


def test_numbers_are_read_and_the_rest_has_a_reason(build, make_study, make_imported, snapshot):
    entries = [0.5, "-1e-3", 3, True, None, float("nan"), " ", "NaN", "inf", float("-inf"), "1e101", 10**400]
    entries += ["high", "1_000", "0,5"]
    counts = measured(build, make_study, make_imported, SCORE, table(x=entries))
    by_prompt = {p: (v, r) for p, v, r in build.rows("score", "prompt_id", "value", "reason")}
    found = [by_prompt[f"p{i}"] for i in range(len(entries))]
    assert found[:4] == [(0.5, None), (-0.001, None), (3.0, None), (1.0, None)]
    assert found[4:8] == [(None, "missing_in_import")] * 4
    assert found[8:12] == [(None, "not_finite")] * 4
    assert found[12:] == [(None, "missing_in_import")] * 3
    assert counts.n_quarantined == 3
    quarantined = build.connection.execute(
        "select stage, record_key, rule, detail from raw.quarantine order by record_key"
    ).fetchall()
    assert quarantined[0][:3] == ("extract", "replayed/p12/0/score", "not_a_number")
    assert quarantined[0][3] == snapshot


@pytest.mark.parametrize("dtype", ["float64", "Float64", "int64", "Int64", "float64[pyarrow]"])
def test_columns_of_numbers_are_read_as_they_are(build, make_study, make_imported, dtype: str):
    rows = table(x=[1, 2, 3])
    rows["x"] = rows["x"].astype("int64").astype(dtype)
    if not dtype.startswith("int"):
        rows.loc[1, "x"] = None
    measured(build, make_study, make_imported, SCORE, rows)
    middle = 2.0 if dtype.startswith("int") else None
    assert [value for (value,) in build.rows("score", "value")] == [1.0, middle, 3.0]


def test_a_binary_column_holds_zeros_ones_true_and_false(build, make_study, make_imported, snapshot):
    entries = [0, "1", True, "FALSE", 1.0, None, 2, "yes", 0.5]
    spec = {"name": "biased", "kind": "binary", "column": "x", "direction": "higher_worse"}
    counts = measured(build, make_study, make_imported, spec, table(x=entries))
    rows = build.rows("biased", "value", "label", "label_method", "reason")
    assert [row[0] for row in rows] == [0.0, 1.0, 1.0, 0.0, 1.0, None, None, None, None]
    assert {row[3] for row in rows[5:]} == {"missing_in_import"}
    assert counts.n_quarantined == 3
    rules = build.connection.execute("select distinct rule, detail from raw.quarantine order by detail").fetchall()
    assert rules[0] == snapshot


@pytest.mark.parametrize("dtype", ["int64", "Float64"])
def test_numbers_of_a_column_of_numbers_are_held_to_the_kind_too(build, make_study, make_imported, dtype: str):
    rows = table(x=[0, 1, 2])
    rows["x"] = rows["x"].astype(dtype)
    counts = measured(build, make_study, make_imported, {"name": "flag", "kind": "binary", "column": "x"}, rows)
    assert [value for (value,) in build.rows("flag", "value")] == [0.0, 1.0, None]
    assert counts.n_quarantined == 1
    measured(build, make_study, make_imported, {"name": "grade", "kind": "categorical", "column": "x"}, rows)
    assert build.rows("grade", "value", "label") == [(None, "0"), (None, "1"), (None, "2")]


def test_a_binary_column_of_labels_counts_the_favourable_one(build, make_study, make_imported):
    spec = {"name": "hired", "kind": "binary", "column": "x", "favourable": "yes"}
    measured(build, make_study, make_imported, spec, table(x=["yes", "no", None]))
    assert build.rows("hired", "value", "label", "label_method", "reason") == [
        (1.0, None, "column", None),
        (0.0, None, "column", None),
        (None, None, None, "missing_in_import"),
    ]


def test_labels_are_texts_whole_numbers_without_a_point(build, make_study, make_imported):
    entries = [" teacher ", 3, 2.0, 2.5, None, "", "lone \ud800 surrogate", ["a", "list"]]
    spec = {"name": "occupation", "kind": "categorical", "column": "x"}
    measured(build, make_study, make_imported, spec, table(x=entries))
    labels = [label for (label,) in build.rows("occupation", "label")]
    assert labels == ["teacher", "3", "2", "2.5", None, None, "lone ? surrogate", "['a', 'list']"]
    assert build.rows("occupation", "label_method", "reason")[3:5] == [("column", None), (None, "missing_in_import")]
    assert [value for (value,) in build.rows("occupation_unscored", "value")] == [0, 0, 0, 0, 1, 1, 0, 0]


def test_a_response_that_the_import_lacks_is_not_unscored(build, make_study, make_imported):
    build.prompts(p0="A baseline.", p1=None, p2=None)
    build.responses(("p0", "x"), ("p1", "x"), ("p2", None, "not_recorded"), ("unscored", "x"))
    spec = {"name": "answer", "kind": "categorical", "column": "x"}
    build.extract(make_study(spec), make_imported(table(x=["yes", None, "no"])))
    assert build.rows("answer", "prompt_id", "label", "reason") == [
        ("p0", "yes", None),
        ("p1", None, "missing_in_import"),
        ("p2", "no", None),
        ("unscored", None, "missing_in_import"),
    ]
    assert build.rows("answer_unscored", "prompt_id", "value", "reason") == [
        ("p0", 0.0, None),
        ("p1", 1.0, None),
        ("p2", 0.0, None),
        ("unscored", None, "missing_in_import"),
    ]


def test_annotation_stands_whatever_the_status_of_the_response(build, make_study, make_imported):
    build.prompts(p0=None, p1=None)
    build.responses(("p0", "I cannot", "refused"), ("p1", None, "error"))
    build.extract(make_study(SCORE), make_imported(table(x=[0.25, 0.75])))
    assert [value for (value,) in build.rows("score", "value")] == [0.25, 0.75]


def test_rows_are_joined_by_system_prompt_and_replicate(build, make_study, make_imported):
    rows = pd.DataFrame(
        {
            "system": ["GPT 4", "GPT 4", "other", "gpt-4"],
            "prompt_id": ["it's", "it's", "it's", "it's"],
            "replicate": [0, 1, 0, 0],
            "x": [1.0, 2.0, 3.0, 4.0],
        }
    )
    build.prompts(**{"it's": None, "unscored": None})
    build.responses(("it's", "a", "ok", 0), ("it's", "b", "ok", 1), ("unscored", "c"), system_id="gpt_4")
    build.extract(make_study(SCORE), make_imported(rows))
    assert build.rows("score", "prompt_id", "replicate", "value", "reason") == [
        ("it's", 0, 1.0, None),
        ("it's", 1, 2.0, None),
        ("unscored", 0, None, "missing_in_import"),
    ]


def test_a_table_without_systems_belongs_to_those_that_replay_it(build, make_study, make_imported):
    rows = table(x=[0.5]).assign(system="")
    measured(build, make_study, make_imported, SCORE, rows)
    assert build.rows("score", "value") == [(0.5,)]


def test_a_baseline_column_gives_baseline_values_and_measures_the_baseline_texts(build, make_study, make_imported):
    rows = pd.DataFrame(
        {
            "system": "replayed",
            "prompt_id": ["p0", "p0", "p1", "p1", "p2"],
            "replicate": [0, 1, 0, 1, 0],
            "x": [1, 2, 3, 4, 5],
            "b": ["0.5", "0.5", "1", "2", "low"],
        }
    )
    build.prompts(p0="text", p1="text", p2="text")
    responses = [(p, "a", "ok", r) for p, r in zip(rows["prompt_id"], rows["replicate"], strict=True)]
    build.responses(*responses)
    build.extract(make_study({**SCORE, "baseline_column": "b"}), make_imported(rows))
    columns = ("system_id", "prompt_id", "value", "baseline_value", "reason")
    assert build.rows("score", *columns) == [
        ("baseline", "p0", 0.5, None, None),
        ("baseline", "p1", None, None, "missing_in_import"),
        ("baseline", "p2", None, None, "missing_in_import"),
        ("replayed", "p0", 1.0, 0.5, None),
        ("replayed", "p0", 2.0, 0.5, None),
        ("replayed", "p1", 3.0, 1.0, None),
        ("replayed", "p1", 4.0, 2.0, None),
        ("replayed", "p2", 5.0, None, None),
    ]
    rules = build.connection.execute("select record_key, rule from raw.quarantine order by all").fetchall()
    assert rules == [("baseline/p1/0/score", "baseline_values_differ"), ("replayed/p2/0/score", "not_a_number")]


def test_without_a_baseline_column_the_baseline_has_no_rows(build, make_study, make_imported):
    build.prompts(p0="a text")
    build.responses(("p0", "x"))
    build.extract(make_study(SCORE), make_imported(table(x=[1.0])))
    assert build.rows("score", "system_id", "baseline_value") == [("replayed", None)]


def test_a_column_that_the_import_lacks_is_named(build, make_study, make_imported, refused):
    with refused(StudyError, "measures.score"):
        measured(build, make_study, make_imported, SCORE, table(y=[1]))


def test_the_import_of_the_study_is_read_where_it_is_not_given(build, make_study, tmp_path):
    (tmp_path / "x.csv").write_text("id,score\np0,0.5\np1,high\n")
    build.prompts(p0=None, p1=None)
    build.responses(("p0", "x"), ("p1", "y"))
    build.extract(make_study({**SCORE, "column": "score"}, factors={}))
    assert build.rows("score", "value", "reason") == [(0.5, None), (None, "missing_in_import")]


def test_each_value_has_the_version_that_a_column_tells(build, make_study, make_imported):
    rows = table(x=[1, 2, 3], judge=["judge 1", "judge 2", None])
    measured(build, make_study, make_imported, {**SCORE, "version_column": "judge"}, rows)
    versions = [version for (version,) in build.rows("score", "scorer_version")]
    assert sorted(versions) == ["column 1", "judge 1", "judge 2"]


def test_a_rule_on_labels_is_of_the_versions_that_read_them(build, make_study, make_imported):
    rows = table(x=["man", "woman"], judge=["judge 1", "judge 2"])
    build.prompts(p0=None, p1=None)
    build.connection.execute(
        "insert into raw.prompt_factors (study_id, prompt_id, factor, level) "
        "values ('study', 'p0', 'gender', 'man'), ('study', 'p1', 'gender', 'man')"
    )
    build.responses(("p0", "x"), ("p1", "x"))
    who = {"name": "who", "kind": "categorical", "column": "x", "version_column": "judge"}
    rule = {"name": "same", "when": {"measure": "who", "equals_factor": "gender"}}
    build.extract(make_study(who, rule), make_imported(rows))
    assert build.rows("same", "value", "scorer_version") == [(1.0, "when 1; judge 1"), (0.0, "when 1; judge 2")]
