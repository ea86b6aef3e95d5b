import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError, StudyError
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import expand_systems, generate_study, read_prompts
from python_assets.generate.model_factors import system_factors
from python_assets.importers import table
from python_assets.importers.formats import forget_import, read_import
from python_assets.study.study import make_id
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.paths import PROJECT
from python_assets.warehouse.progress import SILENT

TABLE = [
    {"p": "p1", "root": "r1", "c": "Italy", "q": "Who?", "g": "gpt 4", "r": "me", "n": 0, "s": 0.5},
    {"p": "p1", "root": "r1", "c": "Italy", "q": "Who?", "g": "gpt 4", "r": "you", "n": 1, "s": 0.25},
    {"p": "p2", "root": "r1", "c": "France", "q": "Who?", "g": "gpt 4", "r": None, "n": 0, "s": None},
    {"p": "p2", "root": "r1", "c": "France", "q": "Who?", "g": "llama", "r": " ", "n": 0, "s": float("inf")},
]
COLUMNS = {"prompt": "p", "root_prompt": "root", "prompt_text": "q", "system": "g", "response": "r"}


@pytest.fixture
def read(make_study, tmp_path):
    """Import rows under the given columns; rows are written as parquet."""

    def run(
        rows, replicate="n", columns=COLUMNS, factors=None, measures=("vader",), levels=None, declared=None, **parts
    ):
        pd.DataFrame(rows).to_parquet(tmp_path / "t.parquet")
        columns = {**columns, **({"replicate": replicate} if replicate else {})}
        spec = {"path": "t.parquet", "columns": columns, "factors": {"concept": "c"} if factors is None else factors}
        declared = declared or ({"concept": levels} if levels else {})
        parts = {"systems": [{"name": "*", "provider": "replay"}], "factors": declared, **parts}
        return read_import(make_study({"import": spec}, measures=list(measures), **parts))

    return run


def rules(imported):
    return [(row.record_key, row.rule) for row in imported.quarantine]


def changed(position, **changes):
    return [{**row, **(changes if n == position else {})} for n, row in enumerate(TABLE)]


def test_prompts_factors_and_responses(read):
    imported = read(TABLE)
    prompts = imported.prompts[["prompt_id", "root_prompt_id", "unit_id", "is_root", "task", "prompt_text"]]
    assert prompts.values.tolist() == [
        ["p1", "r1", "r1", True, "question", "Who?"],
        ["p2", "r1", "r1", False, "question", "Who?"],
    ]
    assert imported.prompt_factors.values.tolist() == [["p1", "concept", "Italy"], ["p2", "concept", "France"]]
    assert imported.rows.fillna("-").values.tolist() == [
        ["gpt 4", "p1", 0, "me"],
        ["gpt 4", "p1", 1, "you"],
        ["gpt 4", "p2", 0, "-"],
        ["llama", "p2", 0, " "],
    ]
    assert (rules(imported), imported.n_rows) == ([], 4)


def test_without_a_column_of_responses_none_was_recorded(read):
    columns = {name: column for name, column in COLUMNS.items() if name != "response"}
    rows = read(TABLE, columns=columns).rows
    assert set(rows["finish_reason"]) == {"not_recorded"}
    assert rows["response_text"].isna().all()
    assert "finish_reason" not in read(TABLE).rows


def test_columns_that_measures_name_come_along(read):
    measures = [{"name": "score", "kind": "continuous", "column": "s", "baseline_column": "n"}]
    imported = read(TABLE, measures=measures)
    np.testing.assert_array_equal(imported.rows["s"], [0.5, 0.25, np.nan, np.inf])
    assert imported.rows["n"].tolist() == [0, 1, 0, 0]


def test_auto_numbers_equal_rows_in_the_order_of_the_file(read):
    imported = read([TABLE[0], TABLE[2], TABLE[0], TABLE[3], TABLE[0]], replicate="auto")
    assert imported.rows["replicate"].tolist() == [0, 0, 1, 0, 2]


def test_without_replicates_equal_prompts_of_a_system_are_quarantined(read):
    imported = read(TABLE, replicate=None)
    assert rules(imported) == [("t.parquet:row 2", "duplicate_key")]
    assert json.loads(imported.quarantine[0].record_json)["r"] == "you"
    assert imported.rows["response_text"].fillna("-").tolist() == ["me", "-", " "]


def test_equal_replicates_are_quarantined(read):
    assert rules(read(changed(1, n=0))) == [("t.parquet:row 2", "duplicate_key")]


@pytest.mark.parametrize("number", ["x", "1.5", None, "2147483648"])
def test_a_replicate_that_is_no_whole_number_is_quarantined(read, number):
    rows = [{**row, "n": str(row["n"])} for row in TABLE]
    rows[1]["n"] = number
    assert rules(read(rows)) == [("t.parquet:row 2", "invalid_replicate")]


@pytest.mark.parametrize("prompt", [None, "", "  "])
def test_a_response_for_an_unknown_prompt_is_quarantined(read, prompt):
    assert rules(read(changed(0, p=prompt))) == [("t.parquet:row 1", "unknown_prompt")]


@pytest.mark.parametrize("system", [None, " "])
def test_a_response_of_an_unknown_system_is_quarantined(read, system):
    assert rules(read(changed(3, g=system))) == [("t.parquet:row 4", "unknown_system")]


@pytest.mark.parametrize("level", [None, "", " ", "Italy x France", "It\x1b[31maly"])
def test_a_level_that_can_be_none_is_quarantined(read, level):
    assert rules(read(changed(3, c=level))) == [("t.parquet:row 4", "invalid_level")]


def test_a_level_that_is_not_declared_is_quarantined(read):
    imported = read(TABLE, levels={"levels": ["Italy", "Spain"]})
    assert rules(imported) == [("t.parquet:row 3", "invalid_level"), ("t.parquet:row 4", "invalid_level")]


@pytest.mark.parametrize("changes", [{"c": "Spain"}, {"q": "Why?"}, {"root": "r2"}, {"q": None}])
def test_rows_that_disagree_with_the_first_of_their_prompt_are_quarantined(read, changes):
    assert rules(read(changed(1, **changes))) == [("t.parquet:row 2", "conflicting_prompt")]


def test_a_conflict_names_its_column_and_both_values(read, snapshot):
    conflicts = [{"c": "Spain"}, {"q": None}, {"q": "W" * 200, "c": "Spain"}]
    assert [read(changed(1, **changes)).quarantine[0].detail for changes in conflicts] == snapshot


def test_every_column_of_several_tells_systems_apart_and_is_a_factor_of_models(read):
    rows = [{**row, "v": version} for version in ("α 1", "β") for row in TABLE]
    imported = read(rows, columns={**COLUMNS, "system": ["g", "v"]}, factors={"concept": "c", "tuned": "v"})
    assert imported.quarantine == []
    assert imported.rows["system"].value_counts().to_dict() == {
        "gpt 4 | α 1": 3,
        "llama | α 1": 1,
        "gpt 4 | β": 3,
        "llama | β": 1,
    }
    assert set(imported.prompt_factors["factor"]) == {"concept"}
    of_models = imported.system_factors.set_index(["system", "factor"])["level"]
    # g is called by its column, v as factors call it; where no column is the model, all of them are
    assert of_models["llama | β"].to_dict() == {"g": "llama", "tuned": "β", "model": "llama | β"}


def test_a_row_that_leaves_one_of_the_system_columns_blank_is_quarantined(read):
    rows = [{**row, "v": " " if n == 2 else "one"} for n, row in enumerate(TABLE)]
    imported = read(rows, columns={**COLUMNS, "system": ["g", "v"]})
    assert rules(imported) == [("t.parquet:row 3", "unknown_system")]


def test_a_rejected_row_does_not_speak_for_its_prompt(read):
    imported = read(changed(0, c=None, q="Why?"))
    assert rules(imported) == [("t.parquet:row 1", "invalid_level")]
    assert imported.rows["response_text"].fillna("-").tolist() == ["you", "-", " "]


def test_blank_and_null_responses_are_kept(read):
    texts = read(TABLE).rows["response_text"]
    assert (texts.isna().sum(), (texts == " ").sum()) == (1, 1)


def test_emoji_right_to_left_text_quotes_and_ten_megabytes_come_through(read):
    text = "😀 שלום \"it's\" 'so'\n" * 400_000
    assert len(text.encode()) > 10_000_000
    imported = read(changed(0, r=text, c='Cote d\'"Ivoire"'))
    assert imported.rows["response_text"].iloc[0] == text


def test_several_columns_make_a_key(read):
    imported = read(TABLE, columns={**COLUMNS, "prompt": ["p", "c"]})
    assert imported.prompts["prompt_id"].tolist() == ["p1 | Italy", "p2 | France"]


def test_a_key_column_may_be_blank_but_not_all_of_them(read):
    rows = [*changed(2, p=None), {**TABLE[0], "p": None, "root": "", "g": "x"}]
    imported = read(rows, columns={**COLUMNS, "prompt": ["p", "root"]})
    assert imported.prompts["prompt_id"].tolist() == ["p1 | r1", " | r1", "p2 | r1"]
    assert rules(imported) == [("t.parquet:row 5", "unknown_prompt")]


def test_the_prompt_is_its_own_root_by_default(read):
    imported = read(TABLE, columns={k: v for k, v in COLUMNS.items() if k != "root_prompt"})
    assert imported.prompts["root_prompt_id"].tolist() == ["p1", "p2"]
    assert imported.prompts["is_root"].tolist() == [True, True]


def test_numbers_in_key_columns_are_written_as_a_person_would(read):
    rows = [{**row, "p": number} for row, number in zip(TABLE, [1.0, 1.0, 2.5, 2.5], strict=True)]
    assert read(rows).prompts["prompt_id"].tolist() == ["1", "2.5"]


def test_the_reference_level_is_the_root(read):
    imported = read(TABLE, levels={"levels": ["Italy", "France"], "reference": "France"})
    assert imported.prompts["is_root"].tolist() == [False, True]


def test_a_baseline_text_is_an_actual_one(read):
    rows = [{**row, "b": "base" if row["p"] == "p1" else None} for row in TABLE]
    prompts = read(rows, columns={**COLUMNS, "baseline_text": "b"}).prompts
    assert prompts[["baseline_text", "baseline_kind"]].fillna("-").values.tolist() == [["base", "actual"], ["-", "-"]]


def test_only_the_prompt_column_is_required(read):
    sections = {"systems": [{"name": "one", "provider": "simulator"}], "groupings": ["document"]}
    rows = [{"p": "a"}, {"p": "b"}, {"p": "a"}]
    imported = read(rows, replicate=None, columns={"prompt": "p"}, factors={}, **sections)
    assert imported.prompts["prompt_id"].tolist() == ["a", "b"]
    assert rules(imported) == [("t.parquet:row 3", "duplicate_key")]


def test_a_missing_column_is_an_error_that_lists_those_there(refused, read):
    with refused(StudyError, "prompts.import.path"):
        read(TABLE, columns={**COLUMNS, "response": "nope"})


def test_a_table_of_rejected_rows_alone_is_an_error(refused, read):
    with refused(SourceError, "prompts.import.path"):
        read([{**TABLE[0], "c": None}])


def test_several_files_are_one_table(make_study):
    files = {"a.csv": "p,g\n1,x\n", "b.csv": "g,p\nx,2\nx,\n"}
    spec = {"path": "*.csv", "columns": {"prompt": "p", "system": "g"}}
    study = make_study({"import": spec}, files, systems=[{"name": "*", "provider": "replay"}], groupings=["document"])
    imported = read_import(study)
    assert imported.prompts[["prompt_id", "document_id"]].values.tolist() == [["1", "a.csv"], ["2", "b.csv"]]
    assert rules(imported) == [("b.csv:row 2", "unknown_prompt")]


def test_sheets_are_one_table_whose_rows_say_where_they_stand(make_study, tmp_path):
    with pd.ExcelWriter(tmp_path / "b.xlsx") as writer:
        pd.DataFrame({"p": ["1", None]}).to_excel(writer, sheet_name="one", index=False)
        pd.DataFrame({"p": ["2", "3", " "]}).to_excel(writer, sheet_name="two", index=False)
    spec = {"path": "b.xlsx", "sheet": ["two", "one"], "columns": {"prompt": "p"}}
    imported = read_import(make_study({"import": spec}, check_files=True, groupings=["document"]))
    assert imported.prompts["prompt_id"].tolist() == ["2", "3", "1"]
    assert ("b.xlsx:two:row 3", "unknown_prompt") in rules(imported)


def test_files_of_a_list_are_one_table_in_its_order(make_study):
    files = {"a.csv": "p\n1\n", "b.jsonl": '{"p": 2}\n', "c1.csv": "p\n3\n", "c2.csv": "p\n4\n"}
    spec = {"path": ["b.jsonl", "c*.csv", "a.csv"], "columns": {"prompt": "p"}}
    imported = read_import(make_study({"import": spec}, files, check_files=True, groupings=["document"]))
    assert imported.prompts["prompt_id"].tolist() == ["2", "3", "4", "1"]


def test_the_responses_of_fair_sea(plumbline_data):
    imported = read_import(load_study(PROJECT / "studies" / "fair_sea_responses.yml"))
    assert (imported.n_rows, len(imported.rows), imported.quarantine) == (5_760, 5_760, [])
    assert imported.rows["system"].value_counts().to_dict() == dict.fromkeys(
        ["gpt-4o-mini", "gpt-4.1-nano", "gpt-3.5-turbo"], 1_920
    )
    # SOURCE.md: every prompt was asked five times of every model
    assert imported.rows["replicate"].value_counts().to_dict() == dict.fromkeys(range(5), 1_152)
    assert set(imported.prompts["root_prompt_id"]) == {"D1", "D2", "D3", "D4", "I1", "I2", "I3", "I4"}
    assert imported.prompts.groupby("root_prompt_id")["is_root"].sum().eq(1).all()
    labelled = imported.rows.dropna(subset="category")
    assert len(labelled) == 5_760 - 2_550


def test_all_codes_of_decodingtrust_are_of_a_system_that_its_columns_tell(plumbline_data):
    study = load_study(PROJECT / "studies" / "decodingtrust_stereotype.yml")
    imported = read_import(study)
    assert (imported.n_rows, len(imported.rows), imported.quarantine) == (691_200, 691_200, [])
    # SOURCE.md: 16 topics x 24 groups x 3 templates; 8 models, which the files call by 12 names, x 3 prompts
    assert (len(imported.prompts), imported.prompts["root_prompt_id"].nunique()) == (1_152, 48)
    assert imported.rows["system"].value_counts().to_dict() == dict.fromkeys(imported.rows["system"].unique(), 28_800)
    names = imported.rows["system"].map(make_id).unique()
    levels = system_factors(study, expand_systems(study, list(names)), imported)
    of_models = levels.pivot(index="system_id", columns="factor", values="level")
    pairs = of_models.groupby(["model_name", "system_prompt_type"]).size()
    assert (len(of_models), len(pairs), set(pairs)) == (24, 24, {1})


def test_the_design_of_social_stigma_qa_has_its_prompts_and_no_responses(plumbline_data):
    imported = read_import(load_study(PROJECT / "studies" / "social_stigma_qa_design.yml"))
    assert (len(imported.prompts), imported.quarantine) == (10_360, [])
    levels = imported.prompt_factors.groupby("factor")["level"].nunique().to_dict()
    assert levels == {"stigma": 94, "gender": 4, "template": 37, "prompt_style": 4, "biased_answer": 2}
    assert set(imported.rows["finish_reason"]) == {"not_recorded"}


def test_of_an_import_of_codes_alone_no_refusal_empty_or_truncated_is_measured(data_folder, write_study, tmp_path):
    """Codes of 600 answers whose texts were dropped (DecodingTrust, one model, topic and template)."""
    codes = pd.read_parquet(data_folder / "decodingtrust_stereotype" / "agreeability_long.parquet")
    chosen = "org == 'openai' and system_prompt_type == 'benign' and stereotype_topic == 'drug_dealers'"
    codes = codes.query(f"{chosen} and template_idx == 0")
    codes = codes[codes["model"] == codes["model"].iloc[0]]
    codes.to_parquet(tmp_path / "codes.parquet")
    columns = "{prompt: [stereotype_topic, target_group], root_prompt: stereotype_topic, replicate: gen_idx}"
    sections = {
        "factors": "{target_group: {type: domain}}",
        "prompts": f"{{import: {{path: codes.parquet, columns: {columns}, factors: {{target_group: target_group}}}}}}",
        "systems": "[{name: coded, provider: replay}]",
        "measures": "[vader, {name: agreeability, kind: continuous, column: agreeability}]",
        "groupings": "[target_group]",
    }
    study = load_study(write_study(sections))
    with open_build(tmp_path / "build.duckdb") as build:
        assemble(study, build)
        generate_study(study, build, Home(tmp_path / "home"), SILENT)
        extract(study, build, tmp_path / "cache")
        responses = build.execute(
            "select status, is_refused, is_empty, is_truncated, count(*) from raw.responses group by all"
        ).fetchall()
        measured = build.execute(
            "select measure_id, reason, count(*), sum(value) from raw.measurements group by all order by all"
        ).fetchall()
    n = len(codes)
    assert n == 600
    assert responses == [("not_recorded", None, None, None, n)]
    assert measured == [
        ("agreeability", None, n, float(codes["agreeability"].sum())),
        *((name, "no_response_text", n, None) for name in ("empty", "refusal", "truncated", "vader")),
    ]


SEEDS = {"cot": {}, "seed": {"reference": "none", "when": {"cot": "yes"}}}


def seeded(read, seeds):
    rows = [{"p": f"p{n}", "cot": cot, "seed": seed, "r": "."} for n, (cot, seed) in enumerate(seeds)]
    factors = {"cot": "cot", "seed": "seed"}
    columns = {"prompt": "p", "response": "r"}
    systems = [{"name": "one", "provider": "replay"}]
    return read(
        rows, replicate=None, columns=columns, factors=factors, groupings=["cot"], systems=systems, declared=SEEDS
    )


def test_a_blank_level_is_the_reference_where_its_condition_fails(read):
    imported = seeded(read, [("yes", "1"), ("yes", "2"), ("no", None), ("no", "none")])
    seeds = imported.prompt_factors[imported.prompt_factors["factor"] == "seed"]
    assert seeds["level"].tolist() == ["1", "2", "none", "none"]
    assert imported.quarantine == []


def test_a_level_that_its_condition_does_not_allow_is_rejected(read):
    imported = seeded(read, [("no", "1"), ("yes", "none"), ("yes", None), ("yes", "2")])
    assert rules(imported) == [
        ("t.parquet:row 1", "condition_not_met"),
        ("t.parquet:row 2", "condition_not_met"),
        ("t.parquet:row 3", "invalid_level"),
    ]


def chat(*contents, roles=("user", "assistant")):
    return [{"role": roles[place % 2], "content": content} for place, content in enumerate(contents)]


CHATS = {**COLUMNS, "messages": "m"}
ALONE = {name: column for name, column in CHATS.items() if name != "prompt_text"}


@pytest.mark.parametrize("written", [json.dumps, list], ids=["JSON", "lists of parquet"])
def test_of_a_column_of_conversations_the_last_message_is_the_prompt(read, written):
    chats = [chat("Hi", "Hello", f"Who from {row['c']}?") for row in TABLE]
    imported = read([{**row, "m": written(one)} for row, one in zip(TABLE, chats, strict=True)], columns=ALONE)
    assert list(imported.prompts["prompt_text"]) == ["Who from Italy?", "Who from France?"]
    assert [json.loads(one) for one in imported.prompts["messages_json"]] == [chat("Hi", "Hello")] * 2
    assert (rules(imported), len(imported.rows)) == ([], 4)


def test_beside_a_column_of_texts_all_messages_stand_before_them_and_none_need(read):
    told = [json.dumps(chat("Hi", "Hello")), json.dumps(chat("Hi", "Hello")), None, " "]
    imported = read([{**row, "m": one} for row, one in zip(TABLE, told, strict=True)], columns=CHATS)
    prompts = imported.prompts.set_index("prompt_id")
    assert json.loads(prompts.loc["p1", "messages_json"]) == chat("Hi", "Hello")
    assert pd.isna(prompts.loc["p2", "messages_json"])
    assert set(prompts["prompt_text"]) == {"Who?"}


def test_rows_whose_messages_cannot_be_asked_are_in_quarantine_with_the_remedy(read, snapshot):
    told = [json.dumps(chat("Why?")), json.dumps(chat("Why?", "So.")), json.dumps(chat("Why?")), "Why?"]
    rows = [{**row, "p": f"p{place}", "m": one} for place, (row, one) in enumerate(zip(TABLE, told, strict=True))]
    imported = read(rows, columns=ALONE)
    assert rules(imported) == [("t.parquet:row 2", "invalid_messages"), ("t.parquet:row 4", "invalid_messages")]
    assert imported.quarantine[0].detail == snapshot


def test_a_row_whose_messages_differ_from_those_of_its_prompt_is_in_quarantine(read):
    told = [json.dumps(chat("Hi", answer)) for answer in ("A", "B", "C", "C")]
    imported = read([{**row, "m": one} for row, one in zip(TABLE, told, strict=True)], columns=CHATS)
    assert rules(imported) == [("t.parquet:row 2", "conflicting_prompt")]
    assert "column 'm'" in imported.quarantine[0].detail


def test_a_table_of_nothing_but_conversations_that_cannot_be_asked_is_refused(read, refused):
    with refused(SourceError, "prompts.import.path"):
        read([{**row, "m": json.dumps(chat("Be kind.", roles=("system", "")))} for row in TABLE], columns=ALONE)


def test_a_conversation_of_jsonl_is_asked_of_a_model_in_order(make_study, tmp_path):
    rows = [{"p": "p1", "c": "Italy", "m": chat("Hi", "Hello", "Who?")}, {"p": "p2", "c": "France", "m": chat("Who?")}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    spec = {"path": "t.jsonl", "columns": {"prompt": "p", "messages": "m"}, "factors": {"concept": "c"}}
    study = make_study({"import": spec}, systems=[{"name": "g", "provider": "simulator"}])
    with open_build(tmp_path / "b.duckdb") as build:
        assemble(study, build)
        first, second = read_prompts(build)
        generate_study(study, build, Home(tmp_path / "home"), SILENT)
        answered = build.execute("select count(*) from raw.responses where status = 'ok'").fetchall()
    assert (first.messages, first.prompt_text) == (tuple(chat("Hi", "Hello")), "Who?")
    assert (second.messages, second.prompt_text) == ((), "Who?")
    assert answered == [(2,)]


def test_a_table_is_read_once_a_run_and_again_where_it_has_changed(make_study, tmp_path, monkeypatch):
    files, read_file = [], table.read_table_file

    def counted(path, *given, **named):
        files.append(path)
        return read_file(path, *given, **named)

    monkeypatch.setattr(table, "read_table_file", counted)
    pd.DataFrame(TABLE).to_csv(tmp_path / "t.csv")
    study = make_study({"import": {"path": "t.csv", "columns": COLUMNS, "factors": {"concept": "c"}}})
    rows = read_import(study).rows
    rows["more"] = 1
    assert "more" not in read_import(study).rows
    assert len(files) == 1
    pd.DataFrame(TABLE[:2]).to_csv(tmp_path / "t.csv")
    assert read_import(study).n_rows == 2
    forget_import()
    read_import(study)
    read_import(study.model_copy())  # of another run
    assert len(files) == 4


def test_two_studies_that_are_read_at_once_have_each_its_own_table(make_study, tmp_path):
    studies = {}
    for name, n_rows in (("one", 3_000), ("two", 5_000)):
        lines = "\n".join(f"p{i},Italy" for i in range(n_rows))
        (tmp_path / f"{name}.csv").write_text(f"id,c\n{lines}\n")
        columns = {"prompt": "id"}
        study = make_study({"import": {"path": f"{name}.csv", "columns": columns, "factors": {"concept": "c"}}})
        studies[n_rows] = study
    with ThreadPoolExecutor(2) as threads:
        for _ in range(3):
            forget_import()
            tables = threads.map(read_import, studies.values())
            assert [table.n_rows for table in tables] == list(studies)
    assert [read_import(study).n_rows for study in studies.values()] == list(studies)
    forget_import()
