"""Archives and exports of several runs, imported together."""

import json
import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import PlumblineError
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import generate_study
from python_assets.importers.formats import read_import
from python_assets.plan.plan import plan_study
from python_assets.published.archive import archive_study
from python_assets.published.export import export_study
from python_assets.published.manifest import sha256_of_file
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.progress import SILENT

ANSWERS = {"p1": "good", "p2": "bad"}
CONFIG = {"prompts": {"templates": {"texts": [{"id": "t", "text": "A"}]}}}
VADER = "vader 1"
COLUMNS = {
    "prompts": "prompt_id, root_prompt_id, unit_id, is_root, task, prompt_text, baseline_text, "
    "baseline_kind, source_tag, keyword, document_id, replacements_json",
    "prompt_factors": "prompt_id, factor, level",
    "responses": "generation_id, prompt_id, replicate, response_id, response_text, status, is_refused, "
    "is_empty, is_truncated, error, requested_at, latency_seconds, n_tokens_in, n_tokens_out, context_json",
    "measurements": "generation_id, prompt_id, replicate, measure_id, value, baseline_value, label, "
    "extractor_version",
    "generation_factors": "generation_id, factor, level",
    "measures": "measure_id, kind, unit, scale_low, scale_high, direction, favourable, segment_factor",
}
TYPES = {"baseline_value": "double", "value": "double", "is_refused": "boolean"}
MEASURES = [
    ("vader", "continuous", "score", -1.0, 1.0, "higher_better", None, ""),
    ("verdict", "categorical", "label", None, None, "none", "fair", ""),
    ("verdict_unmatched", "binary", "share", 0.0, 1.0, "none", None, ""),
    ("refusal", "binary", "share", 0.0, 1.0, "higher_worse", None, ""),
    ("near_clusters", "continuous", "score", None, None, "none", None, "gender"),
]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


def publish_run(home: Home, run_id: str, answers: dict[str, str], **told: str) -> None:
    """A published database with one run of a study whose generation g gave these answers.

    told: wave, study, vader and refusal (what measured), at (when it was published).
    """
    study, refusal = told.get("study", "months"), told.get("refusal", "rules 1")
    rows = {
        "prompts": [
            (key, key[:2], key[:2], True, "question", f"Text {key}?", None, None, "", "", "", "{}")
            for key in answers
        ],
        "prompt_factors": [(key, "gender", level) for key in answers for level in ("man",)],
        "responses": [
            (
                "g",
                key,
                0,
                f"{run_id}{key}",
                text,
                "ok",
                text == "no",
                False,
                False,
                None,
                None,
                1.0,
                1,
                1,
                None,
            )
            for key, text in answers.items()
        ],
        "measurements": [
            ("g", key, 0, *measured)
            for key, text in answers.items()
            for measured in (
                ("vader", float(len(text)), None, None, told.get("vader", VADER)),
                ("verdict", None, None, "fair" if text == "good" else "unfair", "labels 1"),
                ("refusal", float(text == "no"), None, None, refusal),
            )
        ],
        "generation_factors": [
            ("g", "generation", "g"),
            *([("g", "wave", told["wave"])] if "wave" in told else []),
        ],
        "measures": MEASURES,
    }
    home.root.mkdir(exist_ok=True)
    home.parquet.mkdir(exist_ok=True)
    home.published.unlink(missing_ok=True)
    with duckdb.connect(str(home.published)) as connection:
        connection.execute(
            "create table studies as select ? as study_id, 'Months' as title, ? as config_json, 'abc' as "
            "config_sha256, '0.1.0' as plumbline_version, ? as run_id, ?::timestamp as published_at",
            [study, json.dumps(CONFIG), run_id, told.get("at", "2026-10-01 00:00:00")],
        )
        connection.execute(
            "create table publications as select study_id, run_id, published_at, "
            "null::varchar as archive_path, null::timestamp as archive_removed_at from studies"
        )
        connection.execute("create table documents (study_id varchar, document_id varchar, licence varchar)")
        connection.execute(
            "create table factors as select ? as study_id, 'gender' as factor, 'domain' as type, "
            "null::varchar as reference_level, 'declared' as origin, null::varchar as rule",
            [study],
        )
        connection.execute(
            "create table generations as select ? as study_id, 'g' as generation_id, false as is_engine",
            [study],
        )
        for table, of_table in rows.items():
            frame = pd.DataFrame(of_table, columns=COLUMNS[table].split(", "))
            connection.register("frame", frame)
            connection.execute(f"create table {table} as select ? as study_id, * from frame", [study])
            for column in frame.columns[frame.isna().all()]:
                connection.execute(f"alter table {table} alter {column} type {TYPES.get(column, 'varchar')}")


def archived(home: Home, run_id: str, answers: dict[str, str], **told: str) -> Path:
    """The manifest of an archive of such a run."""
    publish_run(home, run_id, answers, **told)
    study = told.get("study", "months")
    home.report(study).parent.mkdir(exist_ok=True)
    home.report(study).write_text("report")
    study_file = home.root / f"{study}.yml"
    study_file.write_text("# the study")
    folder = archive_study(home, study, study_file, 9).folder
    return folder / "manifest.json"


@pytest.fixture
def importing(write_study):
    """The path of a study that imports manifests: importing(manifests, **sections)."""

    def write(manifests, **sections):
        paths = ", ".join(f'"{path}"' for path in manifests)
        prompts = f"{{import: {{format: plumbline, path: [{paths}]}}}}"
        generations = '[{name: "*", provider: replay}]'
        return write_study({"prompts": prompts, "generations": generations, **sections}, "both")

    return write


@pytest.fixture
def months(home):
    """Two archives: the second month has another answer to p2, and p3 instead of p4."""
    return (
        archived(home, "october", {**ANSWERS, "p4": "old"}, wave="2026-10"),
        archived(home, "november", {**ANSWERS, "p2": "worse", "p3": "new"}, wave="2026-11", at="2026-11-01"),
    )


def test_prompts_of_two_waves_pair_by_their_id(importing, months):
    imported = read_import(load_study(importing(months)))
    answers = imported.rows.pivot(index="prompt_id", columns="generation", values="response_text")
    assert answers.loc[["p1", "p2"]].to_dict() == {
        "g 2026-10": {"p1": "good", "p2": "bad"},
        "g 2026-11": {"p1": "good", "p2": "worse"},
    }
    assert imported.prompts["prompt_id"].tolist() == ["p1", "p2", "p4", "p3"]
    assert imported.n_unpaired == 2


def test_study_and_wave_are_factors_of_models(importing, months):
    levels = read_import(load_study(importing(months))).generation_factors
    assert set(levels.itertuples(index=False, name=None)) == {
        ("g 2026-10", "model", "g"),
        ("g 2026-10", "study", "months"),
        ("g 2026-10", "wave", "2026-10"),
        ("g 2026-11", "model", "g"),
        ("g 2026-11", "study", "months"),
        ("g 2026-11", "wave", "2026-11"),
    }


def test_the_plan_tells_how_many_prompts_are_unpaired(importing, months, monkeypatch, tmp_path):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "planned"))
    warnings = plan_study(load_study(importing(months))).warnings
    assert [
        one for one in warnings if one.startswith("prompts.import: 2 of 4 prompts are not in all of the ")
    ]


def test_runs_without_a_wave_are_told_apart_by_when_they_were_published(importing, home):
    manifests = [
        archived(home, "one", ANSWERS, at="2026-10-01 09:00:00"),
        archived(home, "two", ANSWERS, at="2026-11-01 09:00:00"),
    ]
    levels = read_import(load_study(importing(manifests))).generation_factors
    waves = levels[levels["factor"] == "wave"].set_index("generation")["level"].to_dict()
    assert waves == {
        "g 2026-10-01 09:00:00": "2026-10-01 09:00:00",
        "g 2026-11-01 09:00:00": "2026-11-01 09:00:00",
    }


def test_generations_of_different_studies_are_told_apart_by_them(importing, home):
    manifests = [archived(home, "one", ANSWERS), archived(home, "two", ANSWERS, study="others")]
    imported = read_import(load_study(importing(manifests)))
    assert imported.rows["generation"].unique().tolist() == ["months g", "others g"]


def measured(path, tmp_path):
    study = load_study(path)
    with open_build(tmp_path / "both.duckdb") as build:
        assemble(study, build)
        generate_study(study, build, Home(tmp_path / "other"), SILENT)
        extract(study, build, tmp_path / "cache")
        return build.execute(
            "select generation_id, prompt_id, measure_id, coalesce(label, value::varchar), extractor_version "
            "from raw.measurements order by all"
        ).fetchall()


def test_measures_are_those_that_were_recorded_with_what_measured_them(importing, home, tmp_path):
    manifests = [
        archived(home, "october", ANSWERS, wave="10"),
        archived(home, "november", ANSWERS, wave="11", vader="vader 2"),
    ]
    rows = measured(importing(manifests), tmp_path)
    assert [row for row in rows if row[1] == "p2" and row[2] in ("vader", "verdict")] == [
        ("g_10", "p2", "vader", "3.0", "vader 1"),
        ("g_10", "p2", "verdict", "unfair", "labels 1"),
        ("g_11", "p2", "vader", "3.0", "vader 2"),
        ("g_11", "p2", "verdict", "unfair", "labels 1"),
    ]
    # numbers of clusters belong to the clusters, which are not there
    assert {row[2] for row in rows} == {
        "vader",
        "verdict",
        "verdict_unmatched",
        "refusal",
        "empty",
        "truncated",
    }


@pytest.mark.parametrize(("november", "refused"), [("rules 1", {"good"}), ("rules 2", set())])
def test_refusals_that_different_rules_told_are_told_anew(importing, home, november, refused):
    archived_at = [
        archived(home, "october", {"p1": "no", "p2": "yes"}, wave="10"),
        archived(home, "november", {"p1": "no", "p2": "yes"}, wave="11", refusal=november),
    ]
    rows = read_import(load_study(importing(archived_at))).rows
    assert rows["finish_reason"].notna().any() == bool(refused)


def test_measures_can_be_read_anew_under_another_name(importing, months, tmp_path):
    rows = measured(importing(months, measures="[vader, {name: now, extractor: vader}]"), tmp_path)
    versions = {row[2]: row[4] for row in rows}
    assert versions["vader"] == VADER
    assert versions["now"].startswith("vader 1, vaderSentiment")


def test_an_archive_and_an_export_stand_together(importing, home):
    october = archived(home, "october", ANSWERS, wave="10")
    publish_run(home, "november", ANSWERS, wave="11", at="2026-11-01")
    november = export_study(home, "months", "responses", "csv", None).folder / "manifest.json"
    rows = read_import(load_study(importing([october, november]))).rows
    assert rows["generation"].unique().tolist() == ["g 10", "g 11"]


def refusal_of(problems_of, path):
    (problem,) = problems_of(path, check_files=True).problems
    assert problem.field.startswith("prompts.import.path")
    return problem.text("")


def test_one_run_twice_is_refused(importing, months, problems_of):
    text = refusal_of(problems_of, importing([months[0], months[0]]))
    assert "expected every run once" in text and "are both of run october; remove one of them" in text


def test_runs_whose_factors_differ_are_refused(importing, months, problems_of):
    manifest = json.loads(months[1].read_text())
    manifest["factors"]["gender"]["reference_level"] = "man"
    months[1].write_text(json.dumps(manifest))
    text = refusal_of(problems_of, importing(months))
    assert "differ in type and reference of gender (('domain', None) and ('domain', 'man'))" in text


@pytest.mark.parametrize("mart", ["responses", "measurements"])
def test_a_damaged_parquet_file_is_refused(importing, months, problems_of, mart):
    file = months[1].parent / "marts" / f"{mart}.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    text = refusal_of(problems_of, importing(months))
    assert f"{mart}.parquet has sha256" in text
    assert "changed or damaged: take another run" in text


def test_a_file_that_is_no_parquet_though_the_manifest_says_so_is_told(importing, months):
    file = months[1].parent / "marts" / "responses.parquet"
    file.write_text("no parquet")
    manifest = json.loads(months[1].read_text())
    for one in manifest["files"]:
        if one["name"] == "responses.parquet":
            one["sha256"] = sha256_of_file(file)
    months[1].write_text(json.dumps(manifest))
    study = load_study(importing(months), check_files=False)
    with pytest.raises(
        PlumblineError, match=r"november/manifest.json was written by Plumbline 0\.1\.0 \(.*\)\. Re"
    ):
        read_import(study)


def test_an_archive_of_an_older_version_is_named_with_the_remedy(importing, months, problems_of):
    manifest = json.loads(months[0].read_text())
    months[0].write_text(
        json.dumps(manifest | {"format": "plumbline export 0", "plumbline_version": "0.0.9"})
    )
    text = refusal_of(problems_of, importing(months))
    assert (
        "has 'plumbline export 0': it was written by Plumbline 0.0.9; read it with that version, or run"
        in text
    )


def test_an_archive_without_a_table_of_this_version_is_named(importing, months, problems_of):
    manifest = json.loads(months[0].read_text())
    files = [file for file in manifest["files"] if file["name"] != "measurements.parquet"]
    months[0].write_text(json.dumps(manifest | {"files": files}))
    text = refusal_of(problems_of, importing(months))
    assert "of Plumbline 0.1.0 has no measurements.parquet" in text


def test_one_of_two_waves_that_is_empty_is_named(importing, home):
    manifests = [archived(home, "october", ANSWERS, wave="10"), archived(home, "empty", {}, wave="11")]
    study = load_study(importing(manifests), check_files=False)
    with pytest.raises(
        PlumblineError, match=r"empty/manifest\.json holds no rows of run empty, so that noth"
    ):
        read_import(study)


def test_an_archive_that_is_not_there_is_told(importing, months, problems_of):
    shutil.rmtree(months[1].parent)
    assert "there is none at" in refusal_of(problems_of, importing(months))
