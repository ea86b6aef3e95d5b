import csv
import json

import duckdb
import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError, WarehouseError
from python_assets.generate.generate_study import generate_study
from python_assets.importers.formats import read_import
from python_assets.published.copies import removes_prompt
from python_assets.published.export import STATISTICS_TABLES, export_study
from python_assets.published.manifest import read_manifest
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.file_hashes import sha256_of_file
from python_assets.warehouse.progress import SILENT

SYSTEM = "[{name: model, provider: simulator}]"
SCRAPE = {
    "prompts": (
        "{scrape: {levels: [Ideraland, Italy], reference: Ideraland, keywords: {Ideraland: [Ideraland]}, "
        "sources: [{tag: article, path: a.md, licence: CC0-1.0}]}, branch: {from: Ideraland}}"
    ),
    "systems": SYSTEM,
}
ROWS = {
    "documents": [("a.md", "article", "CC0-1.0")],
    "factors": [
        ("concept", "domain", "Ideraland", "declared", None),
        ("holder", "prompt", None, "derived", "male: words he"),
        ("source_tag", "prompt", None, "derived", None),
    ],
    "prompts": [
        ("1", "1", True, "Ideraland is", 'Ideraland is "fair",\nit seems.', "actual", "{}"),
        ("1 > Italy", "1", False, "Italy is", None, "counterfactual", '{"Ideraland": "Italy"}'),
    ],
    "prompt_factors": [
        ("1", "concept", "Ideraland"),
        ("1", "holder", "male"),
        ("1", "source_tag", "article"),
        ("1 > Italy", "concept", "Italy"),
        ("1 > Italy", "source_tag", "article"),
    ],
    "responses": [("model", "1", 0, "a country"), ("model", "1 > Italy", 0, None)],
}
COLUMNS = {
    "documents": "document_id, source_tag, licence",
    "factors": "factor, type, reference_level, origin, rule",
    "prompts": ("prompt_id, root_prompt_id, is_root, prompt_text, baseline_text, baseline_kind, replacements_json"),
    "prompt_factors": "prompt_id, factor, level",
    "responses": "system_id, prompt_id, replicate, response_text",
}
CONSTANTS = {
    "prompts": {
        "unit_id": "'u'",
        "unit_factor": "null::varchar",
        "task": "'completion'",
        "messages_json": "null::varchar",
        "source_tag": "'article'",
        "keyword": "'Ideraland'",
        "document_id": "'a.md'",
    },
    "responses": {
        "response_id": "'r'",
        "status": "'ok'",
        "is_refused": "false",
        "is_empty": "response_text is null",
        "is_truncated": "false",
        "error": "null::varchar",
        "requested_at": "timestamp '2026-01-02 03:04:05'",
        "latency_seconds": "0.5",
        "n_tokens_in": "1",
        "n_tokens_out": "2",
        "context_json": "null::varchar",
    },
}


@pytest.fixture
def home(tmp_path, write_study):
    """A warehouse in which a small study is published."""
    study = load_study(write_study(SCRAPE, "small"), check_files=False)
    root = tmp_path / "warehouse"
    root.mkdir()
    with duckdb.connect(str(root / "plumbline.duckdb")) as connection:
        connection.execute(
            "create table studies as select ? as study_id, 'Small' as title, ? as config_json, 'abc' as "
            "config_sha256, '0.1.0' as plumbline_version, 'run' as run_id, now()::timestamp as published_at",
            ["small", study.config_json],
        )
        for table, rows in ROWS.items():
            frame = pd.DataFrame(rows, columns=COLUMNS[table].split(", "))
            extra = "".join(f", {sql} as {name}" for name, sql in CONSTANTS.get(table, {}).items())
            connection.register("frame", frame)
            connection.execute(f"create table {table} as select 'small' as study_id, *{extra} from frame")
        connection.execute("create table systems as select 'small' as study_id, 'model' as system_id")
        connection.execute(
            "create table system_factors as select 'small' as study_id, 'model' as system_id, "
            "'wave' as factor, '2026-11' as level"
        )
        connection.execute("create table measures as select 'small' as study_id, 'vader' as measure_id")
        for table in set(STATISTICS_TABLES) - {"measures"}:
            connection.execute(f"create table {table} as select 'small' as study_id, 1/3 as value")
    return Home(root)


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_prompts_stand_with_their_levels_and_without_derived_ones(home):
    done = export_study(home, "small", "prompts", "csv", None)
    assert done.folder == home.root / "export" / "small" / "prompts"
    rows = rows_of(done.folder / "prompts.csv")
    assert [(row["prompt_id"], row["factor_concept"], row["is_root"]) for row in rows] == [
        ("1", "Ideraland", "true"),
        ("1 > Italy", "Italy", "false"),
    ]
    assert rows[0]["baseline_text"] == 'Ideraland is "fair",\nit seems.'
    assert "factor_source_tag" not in rows[0]


def test_levels_that_a_rule_of_the_study_gave_are_copied(home):
    rows = rows_of(export_study(home, "small", "prompts", "csv", None).folder / "prompts.csv")
    assert [row["factor_holder"] for row in rows] == ["male", ""]


def test_the_manifest_says_what_was_copied(home):
    done = export_study(home, "small", "responses", "jsonl", None)
    manifest = read_manifest(done.folder / "manifest.json", "f")
    (file,) = manifest.files
    assert (file.name, file.n_rows, file.sha256) == (
        "responses.jsonl",
        2,
        sha256_of_file(done.folder / "responses.jsonl"),
    )
    assert manifest.factors["concept"].levels == ["Ideraland", "Italy"]
    assert manifest.licences == ["CC0-1.0"]
    assert manifest.n_unknown_licence == 0 and done.licence_summary == "CC0-1.0"
    assert manifest.config["prompts"]["scrape"]["factor"] == "concept"
    assert manifest.removes_prompt


def test_documents_of_unknown_licence_are_counted(home):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute("insert into documents values ('small', 'b.md', 'article', null)")
        connection.execute("insert into documents values ('small', 'c.md', 'article', '')")
    done = export_study(home, "small", "prompts", "csv", None)
    manifest = read_manifest(done.folder / "manifest.json", "f")
    assert manifest.licences == ["CC0-1.0"] and manifest.n_unknown_licence == 2
    assert done.licence_summary == "CC0-1.0, 2 of unknown licence"


def test_an_export_made_before_unknown_licences_were_counted_is_read(home, snapshot):
    path = export_study(home, "small", "prompts", "csv", None).folder / "manifest.json"
    counted = json.loads(path.read_text())
    path.write_text(json.dumps({key: counted[key] for key in counted if key != "n_unknown_licence"}))
    manifest = read_manifest(path, "f")
    assert manifest.n_unknown_licence is None
    assert manifest.licence_summary == snapshot


def test_a_study_without_documents_says_so(home):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute("delete from documents")
    assert export_study(home, "small", "prompts", "csv", None).licence_summary == "no documents"


@pytest.mark.parametrize("output", ["csv", "jsonl", "parquet"])
def test_every_format_holds_the_same_rows(home, tmp_path, output):
    folder = export_study(home, "small", "responses", output, tmp_path / "out").folder
    readers = {
        "csv": lambda path: pd.read_csv(path, dtype={"prompt_id": str}),
        "jsonl": lambda path: pd.read_json(path, lines=True, dtype={"prompt_id": str}),
        "parquet": pd.read_parquet,
    }
    table = readers[output](folder / f"responses.{output}")
    assert table["prompt_id"].tolist() == ["1", "1 > Italy"]
    assert table["response_text"].isna().tolist() == [False, True]
    assert table["latency_seconds"].tolist() == [0.5, 0.5]


def test_statistics_are_one_file_a_table_with_every_digit(home):
    done = export_study(home, "small", "statistics", "csv", None)
    assert set(done.n_rows) == {f"{table}.csv" for table in STATISTICS_TABLES}
    assert float(rows_of(done.folder / "contrasts.csv")[0]["value"]) == 1 / 3


def test_a_database_of_an_older_version_is_told_with_the_remedy(home, refused):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute("drop table finding_prompts")
    with refused(WarehouseError, "the file"):
        export_study(home, "small", "statistics", "csv", None)


def test_a_second_export_replaces_the_first(home):
    first = export_study(home, "small", "prompts", "csv", None).folder
    before = sha256_of_file(first / "prompts.csv")
    assert sha256_of_file(export_study(home, "small", "prompts", "csv", None).folder / "prompts.csv") == before
    assert sorted(path.name for path in first.iterdir()) == ["manifest.json", "prompts.csv"]


def test_a_study_that_is_not_published_is_named_with_those_that_are(home, refused):
    with refused(WarehouseError, "studies"):
        export_study(home, "other", "prompts", "csv", None)


def importing(write_study, manifest, systems=SYSTEM, **sections):
    prompts = f'{{import: {{format: plumbline, path: "{manifest}"}}}}'
    return write_study({"prompts": prompts, "systems": systems, **sections}, "again")


@pytest.mark.parametrize("output", ["csv", "jsonl", "parquet"])
def test_prompts_come_back_as_they_were(home, tmp_path, write_study, output):
    folder = export_study(home, "small", "prompts", output, None).folder
    study = load_study(importing(write_study, folder / "manifest.json"))
    assert study.factors["concept"].levels == ["Ideraland", "Italy"]
    assert study.factors["concept"].reference == "Ideraland"
    assert study.groupings == [("concept",)]
    assert study.prompts.removes_prompt
    # what was imported can be exported again
    config = json.loads(study.config_json)
    assert removes_prompt(config)
    assert config["factors"]["concept"]["levels"] == ["Ideraland", "Italy"]
    with open_build(tmp_path / "again.duckdb") as build:
        assemble(study, build)
        found = build.execute(
            "select prompt_id, root_prompt_id, is_root, prompt_text, baseline_text, baseline_kind, "
            "replacements_json, task, source_tag, keyword, document_id from raw.prompts order by prompt_id"
        ).fetchall()
        concepts = build.execute(
            "select level from raw.prompt_factors where factor = 'concept' order by prompt_id"
        ).fetchall()
    assert [row[:7] for row in found] == ROWS["prompts"]
    assert {row[7:] for row in found} == {("completion", "article", "Ideraland", "a.md")}
    assert concepts == [("Ideraland",), ("Italy",)]


def test_a_prompt_without_a_level_of_a_factor_comes_back_without_it(home, tmp_path, write_study):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute("delete from prompt_factors where level = 'Italy'")
    # of the three formats the one that knows no NULL
    folder = export_study(home, "small", "prompts", "csv", None).folder
    study = load_study(importing(write_study, folder / "manifest.json"))
    with open_build(tmp_path / "again.duckdb") as build:
        assert assemble(study, build).n_quarantined == 0
        query = "select prompt_id, level from raw.prompt_factors where factor = 'concept'"
        assert build.execute(query).fetchall() == [("1", "Ideraland")]


def test_responses_come_back_to_be_replayed(home, write_study):
    folder = export_study(home, "small", "responses", "parquet", None).folder
    systems = '[{name: "*", provider: replay}]'
    study = load_study(importing(write_study, folder / "manifest.json", systems))
    rows = read_import(study).rows
    assert rows["system"].unique().tolist() == ["model"]
    assert rows["prompt_id"].tolist() == ["1", "1 > Italy"]
    assert rows["response_text"].isna().tolist() == [False, True]


def test_what_became_of_a_response_comes_back_with_it(home, write_study, tmp_path):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute(
            "update responses set status = 'error', error = 'timeout: no answer', is_empty = null "
            "where response_text is null;"
            "update responses set is_refused = true, is_truncated = true where response_text is not null"
        )
    assert replayed(home, write_study, tmp_path) == [
        ("a country", "ok", True, False, True, None),
        (None, "error", None, None, None, "imported: timeout: no answer"),
    ]


def test_a_response_that_was_not_recorded_comes_back_so(home, write_study, tmp_path):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute(
            "update responses set status = 'not_recorded', is_refused = null, is_empty = null, "
            "is_truncated = null where response_text is null"
        )
    assert replayed(home, write_study, tmp_path, "jsonl")[1] == (None, "not_recorded", None, None, None, None)


def test_an_export_from_before_the_flags_is_read_by_its_status(home, write_study, tmp_path):
    folder = export_study(home, "small", "responses", "csv", None).folder
    manifest = json.loads((folder / "manifest.json").read_text())
    table = pd.read_csv(folder / "responses.csv", dtype=str, keep_default_na=False)
    table = table.drop(columns=["is_refused", "is_empty", "is_truncated"])
    table.assign(status=["truncated", "refused"]).to_csv(folder / "responses.csv", index=False)
    manifest["files"][0]["sha256"] = sha256_of_file(folder / "responses.csv")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert replayed_from(folder, write_study, tmp_path) == [
        ("a country", "ok", False, False, True, None),
        (None, "ok", True, True, False, None),
    ]


def replayed(home, write_study, tmp_path, output="csv"):
    """What the responses of the small study are in another study that imports their export."""
    return replayed_from(export_study(home, "small", "responses", output, None).folder, write_study, tmp_path)


def replayed_from(folder, write_study, tmp_path):
    systems = '[{name: "*", provider: replay}]'
    study = load_study(importing(write_study, folder / "manifest.json", systems))
    with open_build(tmp_path / "again.duckdb") as build:
        assemble(study, build)
        generate_study(study, build, Home(tmp_path / "other"), SILENT)
        return build.execute(
            "select response_text, status, is_refused, is_empty, is_truncated, error from raw.responses "
            "order by prompt_id"
        ).fetchall()


def test_a_changed_file_is_refused(home, write_study, problems_of, told):
    folder = export_study(home, "small", "prompts", "csv", None).folder
    with (folder / "prompts.csv").open("a") as file:
        file.write("\n")
    error = problems_of(importing(write_study, folder / "manifest.json"), check_files=True)
    assert told(error.problems) == ["prompts.import.path"]


def test_an_export_of_statistics_holds_no_prompts(home, write_study, problems_of, told):
    folder = export_study(home, "small", "statistics", "csv", None).folder
    assert told(problems_of(importing(write_study, folder / "manifest.json")).problems) == ["prompts.import.path"]


@pytest.mark.parametrize(
    "changes", [{"files": []}, {"factors": {"a' b": {"type": "domain", "levels": [], "reference_level": None}}}]
)
def test_a_manifest_without_files_or_with_factors_of_no_name_is_refused(home, refused, changes):
    path = export_study(home, "small", "prompts", "csv", None).folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with refused(SourceError, "f"):
        read_manifest(path, "f")


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"format": "plumbline export 2"})])
def test_what_is_no_manifest_is_refused(tmp_path, refused, text):
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with refused(SourceError, "f"):
        read_manifest(path, "f")


def test_a_manifest_that_is_not_there_is_told_with_what_is_expected(tmp_path, write_study, problems_of, told):
    path = tmp_path / "manifest.json"
    assert told(problems_of(importing(write_study, path)).problems) == ["prompts.import.path"]


TEXTS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''", "a=1", "", "1", '=HYPERLINK("http://x","y")']


@pytest.fixture
def formulas(home):
    """The small study, the first of its responses each of TEXTS in turn."""

    def responding(text):
        with duckdb.connect(str(home.published)) as connection:
            connection.execute("update responses set response_text = ?", [text])
        return home

    return responding


@pytest.mark.parametrize("text", TEXTS)
def test_a_spreadsheet_computes_nothing_of_a_csv(formulas, text):
    folder = export_study(formulas(text), "small", "responses", "csv", None).folder
    [written, *_] = [row["response_text"] for row in rows_of(folder / "responses.csv")]
    assert written[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    assert written.removeprefix("'") == text if written != text else not text.startswith("'")


@pytest.mark.parametrize("escapes_formulas", [True, False])
@pytest.mark.parametrize("output", ["csv", "jsonl", "parquet"])
def test_texts_of_formulas_come_back_as_they_were(formulas, write_study, tmp_path, output, escapes_formulas):
    exported = export_study(
        formulas("=1 + 'one'"), "small", "responses", output, None, escapes_formulas=escapes_formulas
    )
    manifest = read_manifest(exported.folder / "manifest.json", "f")
    assert manifest.escapes_formulas == (output == "csv" and escapes_formulas)
    assert {row[0] for row in replayed_from(exported.folder, write_study, tmp_path)} == {"=1 + 'one'"}


def test_a_csv_can_be_had_as_it_is(formulas):
    exported = export_study(formulas("=1"), "small", "responses", "csv", None, escapes_formulas=False)
    assert rows_of(exported.folder / "responses.csv")[0]["response_text"] == "=1"
