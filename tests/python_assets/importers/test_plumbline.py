"""Archives and exports of several runs, imported together."""

import json
import shutil
import sys
from pathlib import Path

import duckdb
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError, StudyFileError
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import generate_study
from python_assets.importers.formats import read_import
from python_assets.plan.plan import plan_study
from python_assets.published.export import export_study
from python_assets.study.factors import study_factors
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.file_hashes import sha256_of_file
from python_assets.warehouse.progress import SILENT
from tests.python_assets.kept_runs import ANSWERS, VADER, archived, publish_run


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


@pytest.fixture
def importing(write_study):
    """The path of a study that imports manifests: importing(manifests, **sections)."""

    def write(manifests, **sections):
        paths = ", ".join(f'"{path}"' for path in manifests)
        prompts = f"{{import: {{format: plumbline, path: [{paths}]}}}}"
        systems = '[{name: "*", provider: replay}]'
        return write_study({"prompts": prompts, "systems": systems, **sections}, "both")

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
    answers = imported.rows.pivot(index="prompt_id", columns="system", values="response_text")
    assert answers.loc[["p1", "p2"]].to_dict() == {
        "g 2026-10": {"p1": "good", "p2": "bad"},
        "g 2026-11": {"p1": "good", "p2": "worse"},
    }
    assert imported.prompts["prompt_id"].tolist() == ["p1", "p2", "p4", "p3"]
    assert imported.n_unpaired == 2


def test_study_and_wave_are_factors_of_models(importing, months):
    levels = read_import(load_study(importing(months))).system_factors
    assert set(levels.itertuples(index=False, name=None)) == {
        ("g 2026-10", "model", "g"),
        ("g 2026-10", "study", "months"),
        ("g 2026-10", "wave", "2026-10"),
        ("g 2026-11", "model", "g"),
        ("g 2026-11", "study", "months"),
        ("g 2026-11", "wave", "2026-11"),
    }


def test_the_plan_tells_how_many_prompts_are_unpaired(importing, months, monkeypatch, tmp_path, snapshot):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "planned"))
    warnings = plan_study(load_study(importing(months))).warnings
    assert [one for one in warnings if one.startswith("prompts.import: 2 of 4")] == snapshot


def test_runs_without_a_wave_are_told_apart_by_when_they_were_published(importing, home):
    manifests = [
        archived(home, "one", ANSWERS, at="2026-10-01 09:00:00"),
        archived(home, "two", ANSWERS, at="2026-11-01 09:00:00"),
    ]
    levels = read_import(load_study(importing(manifests))).system_factors
    waves = levels[levels["factor"] == "wave"].set_index("system")["level"].to_dict()
    assert waves == {"g 2026-10-01 09:00:00": "2026-10-01 09:00:00", "g 2026-11-01 09:00:00": "2026-11-01 09:00:00"}


def test_systems_of_different_studies_are_told_apart_by_them(importing, home):
    manifests = [archived(home, "one", ANSWERS), archived(home, "two", ANSWERS, study="others")]
    imported = read_import(load_study(importing(manifests)))
    assert imported.rows["system"].unique().tolist() == ["months g", "others g"]


def measured(path, tmp_path):
    study = load_study(path)
    with open_build(tmp_path / "both.duckdb") as build:
        assemble(study, build)
        generate_study(study, build, Home(tmp_path / "other"), SILENT)
        extract(study, build, tmp_path / "cache")
        return build.execute(
            "select system_id, prompt_id, measure_id, coalesce(label, value::varchar), scorer_version "
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
    assert {row[2] for row in rows} == {"vader", "verdict", "verdict_unscored", "refusal", "empty", "truncated"}


def test_what_was_recorded_as_undecided_is_not_unscored_too(importing, home, tmp_path):
    rows = measured(importing([archived(home, "october", {**ANSWERS, "p3": "open", "p4": "odd"})]), tmp_path)
    assert [row[1:4] for row in rows if row[1] > "p2" and row[2].startswith("verdict")] == [
        ("p3", "verdict", None),
        ("p3", "verdict_undecided", "1.0"),
        ("p3", "verdict_unscored", "0.0"),
        ("p4", "verdict", None),
        ("p4", "verdict_undecided", "0.0"),
        ("p4", "verdict_unscored", "1.0"),
    ]


@pytest.mark.parametrize(("november", "refused"), [("rules 1", {"good"}), ("rules 2", set())])
def test_refusals_that_different_rules_told_are_told_anew(importing, home, november, refused):
    archived_at = [
        archived(home, "october", {"p1": "no", "p2": "yes"}, wave="10"),
        archived(home, "november", {"p1": "no", "p2": "yes"}, wave="11", refusal=november),
    ]
    rows = read_import(load_study(importing(archived_at))).rows
    assert rows["finish_reason"].notna().any() == bool(refused)


@pytest.fixture
def hidden(home):
    """Two archives without texts; p3 has no answer."""
    answers = {**ANSWERS, "p3": ""}
    return [
        archived(home, "october", answers, wave="10", hides_texts="yes"),
        archived(home, "november", {**answers, "p2": "worse"}, wave="11", at="2026-11-01", hides_texts="yes"),
    ]


def test_an_archive_of_a_study_that_hides_its_texts_holds_none(hidden):
    for path in hidden:
        manifest = json.loads(path.read_text())
        assert manifest["hides_texts"]
        assert set(manifest["beside"]) == {"report.html"}  # the study file holds the texts of templates
        assert manifest["config"]["prompts"]["templates"]["texts"] == [{"id": "t", "text": "(hidden)"}]
        texts = "select distinct prompt_text from read_parquet(?)"
        assert duckdb.execute(texts, [str(path.parent / "marts" / "prompts.parquet")]).fetchall() == [("(hidden)",)]
        texts = "select distinct response_text from read_parquet(?) order by 1"
        answered = duckdb.execute(texts, [str(path.parent / "marts" / "responses.parquet")]).fetchall()
        assert answered == [("",), ("(hidden)",)]


def test_what_was_recorded_of_hidden_texts_is_compared_as_that_of_others(importing, home, hidden, tmp_path):
    shown = [
        archived(home, run, answers, wave=wave, at=f"2026-{wave}-01")
        for run, wave, answers in (
            ("open10", "10", {**ANSWERS, "p3": ""}),
            ("open11", "11", {**ANSWERS, "p3": "", "p2": "worse"}),
        )
    ]
    of_hidden, of_shown = (
        sorted(map(str, ((row[0], *row[2:]) for row in measured(importing(paths), made))))  # less prompts
        for made, paths in ((tmp_path / "hidden", hidden), (tmp_path / "shown", shown))
    )
    assert of_hidden == of_shown
    assert any("'verdict', 'fair'" in row for row in of_hidden)
    assert any("'empty', '1.0'" in row for row in of_hidden)


def test_hidden_and_shown_runs_of_a_study_pair_by_the_names_of_prompts(importing, home, hidden):
    shown = archived(home, "september", {**ANSWERS, "p3": "new"}, wave="09", at="2026-09-01")
    imported = read_import(load_study(importing([shown, *hidden])))
    assert len(imported.prompts) == 3 and imported.n_unpaired == 0
    assert imported.prompts["prompt_text"].is_unique
    assert "Text" not in imported.prompts.to_csv()
    assert set(imported.rows["response_text"]) == {"(hidden)", ""}


def test_an_archive_without_texts_is_not_imported_as_if_it_had_them(importing, hidden, snapshot):
    asking = [
        {"measures": "[{name: now, scorer: vader}]"},
        {"measures": "[vader, {name: said, kind: categorical, column: response_text}]"},
        {"systems": '[{name: "*", provider: replay}, {name: new, provider: simulator}]'},
    ]
    told = set()
    for sections in asking:
        with pytest.raises(StudyFileError) as raised:
            load_study(importing(hidden, **sections))
        told.add(str(raised.value).strip().splitlines()[0])
    assert told == snapshot


def test_refusals_of_hidden_texts_are_not_told_anew(importing, home, hidden, refused):
    later = archived(home, "december", ANSWERS, wave="12", refusal="rules 2", hides_texts="yes")
    study = load_study(importing([*hidden, later]))
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


def test_measures_can_be_read_anew_under_another_name(importing, months, tmp_path):
    rows = measured(importing(months, measures="[vader, {name: now, scorer: vader}]"), tmp_path)
    versions = {row[2]: row[4] for row in rows}
    assert versions["vader"] == VADER
    assert versions["now"].startswith("vader 1, vaderSentiment")


def test_an_archive_and_an_export_stand_together(importing, home):
    october = archived(home, "october", ANSWERS, wave="10")
    publish_run(home, "november", ANSWERS, wave="11", at="2026-11-01")
    november = export_study(home, "months", "responses", "csv", None).folder / "manifest.json"
    rows = read_import(load_study(importing([october, november]))).rows
    assert rows["system"].unique().tolist() == ["g 10", "g 11"]


def units_of(path, tmp_path):
    study = load_study(path)
    with open_build(tmp_path / "units.duckdb") as build:
        assemble(study, build)
        found = build.execute("select prompt_id, unit_id, unit_factor from raw.prompts order by 1")
        return study, found.fetchall()


def test_the_units_of_texts_stay_units(importing, home, tmp_path):
    months = [
        archived(home, "october", ANSWERS, wave="10", unit="name"),
        archived(home, "november", ANSWERS, wave="11", unit="name", at="2026-11-01"),
    ]
    study, units = units_of(importing(months), tmp_path)
    assert units == [("p1", "name p1", "name"), ("p2", "name p2", "name")]
    assert study.unit is None and study_factors(study)["name"].is_unit
    assert study.groupings == [("gender",)]


@pytest.mark.parametrize("output", ["csv", "jsonl", "parquet"])
def test_the_units_of_texts_stay_units_of_an_export(importing, home, tmp_path, output):
    publish_run(home, "october", ANSWERS, unit="name")
    with duckdb.connect(str(home.published)) as connection:
        connection.execute("update prompt_factors set level = 'woman' where level = 'man' and prompt_id = 'p2'")
    manifest = export_study(home, "months", "prompts", output, None).folder / "manifest.json"
    study, units = units_of(
        importing([manifest], systems="[{name: g, provider: simulator}]", measures="[vader]"), tmp_path
    )
    assert units == [("p1", "name p1", "name"), ("p2", "name p2", "name")]
    assert study.prompts.units == {"name": ["gender"]}


def test_no_unit_is_declared_beside_those_of_texts(importing, home, problems_of, snapshot):
    manifest = archived(home, "october", ANSWERS, unit="name")
    problems = problems_of(importing([manifest], unit="gender"), check_files=True).problems
    (text,) = (str(one) for one in problems if one.field == "unit")
    assert text == snapshot


def without_units(path):
    """Make an archive one of before prompts had units of their own."""
    file = path.parent / "marts" / "prompts.parquet"
    duckdb.sql(f"copy (select * exclude (unit_id, unit_factor) from '{file}') to '{file}.older' (format parquet)")
    file.with_name("prompts.parquet.older").replace(file)
    manifest = json.loads(path.read_text())
    for one in manifest["files"]:
        if one["name"] == "prompts.parquet":
            one["sha256"] = sha256_of_file(file)
    for factor in manifest["factors"].values():
        del factor["nested_in"]
    path.write_text(json.dumps(manifest))


def test_root_prompts_are_the_units_of_an_archive_of_before_texts_had_some(importing, months, tmp_path):
    without_units(months[0])
    _, units = units_of(importing(months), tmp_path)
    assert units == [(key, key, None) for key in ("p1", "p2", "p3", "p4")]


def test_the_declared_unit_of_such_an_archive_stays_the_unit(importing, home, tmp_path):
    path = archived(home, "october", ANSWERS, unit="name")
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"config": manifest["config"] | {"unit": "name"}}))
    without_units(path)
    _, units = units_of(importing([path]), tmp_path)
    assert units == [("p1", "name p1", "name"), ("p2", "name p2", "name")]


def test_a_manifest_that_lacks_the_units_its_prompts_have_is_named_with_the_remedy(refused, importing, home):
    path = archived(home, "october", ANSWERS, unit="name")
    manifest = json.loads(path.read_text())
    for factor in manifest["factors"].values():
        del factor["nested_in"]
    path.write_text(json.dumps(manifest))
    study = load_study(importing([path]), check_files=False)
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


def test_one_run_twice_is_refused(importing, months, refused):
    with refused(StudyFileError, "prompts.import.path"):
        load_study(importing([months[0], months[0]]))


def test_runs_whose_factors_differ_are_refused(importing, months, refused):
    manifest = json.loads(months[1].read_text())
    manifest["factors"]["gender"]["reference_level"] = "man"
    months[1].write_text(json.dumps(manifest))
    with refused(StudyFileError, "prompts.import.path"):
        load_study(importing(months))


@pytest.mark.parametrize("mart", ["responses", "measurements"])
def test_a_damaged_parquet_file_is_refused(importing, months, refused, mart):
    file = months[1].parent / "marts" / f"{mart}.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    with refused(StudyFileError, "prompts.import.path[1]"):
        load_study(importing(months))


def test_a_file_that_is_no_parquet_though_the_manifest_says_so_is_told(refused, importing, months):
    file = months[1].parent / "marts" / "responses.parquet"
    file.write_text("no parquet")
    manifest = json.loads(months[1].read_text())
    for one in manifest["files"]:
        if one["name"] == "responses.parquet":
            one["sha256"] = sha256_of_file(file)
    months[1].write_text(json.dumps(manifest))
    study = load_study(importing(months), check_files=False)
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


def test_an_archive_of_an_older_version_is_named_with_the_remedy(importing, months, refused):
    manifest = json.loads(months[0].read_text())
    months[0].write_text(json.dumps(manifest | {"format": "plumbline export 0", "plumbline_version": "0.0.9"}))
    with refused(StudyFileError, "prompts.import.path"):
        load_study(importing(months))


def test_an_archive_without_a_table_of_this_version_is_named(importing, months, refused):
    manifest = json.loads(months[0].read_text())
    files = [file for file in manifest["files"] if file["name"] != "measurements.parquet"]
    months[0].write_text(json.dumps(manifest | {"files": files}))
    with refused(StudyFileError, "prompts.import.path[0]"):
        load_study(importing(months))


def test_one_of_two_waves_that_is_empty_is_named(refused, importing, home):
    manifests = [archived(home, "october", ANSWERS, wave="10"), archived(home, "empty", {}, wave="11")]
    study = load_study(importing(manifests), check_files=False)
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


def _rewritten(path, change):
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


def _reverse_levels(manifest):
    manifest["config"]["factors"] = {"gender": {"levels": ["man", "woman"]}}
    manifest["factors"]["gender"]["levels"] = ["woman", "man"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda one: one["files"][0].update(name="../../x"), id="outside"),
        pytest.param(lambda one: one["files"][0].update(name="..\\x"), id="outside_by_a_backslash"),
        pytest.param(lambda one: one.update(format="plumbline export 99"), id="version_99"),
        pytest.param(lambda one: one["files"][0].update(n_rows=-1.5), id="no_whole_n_rows"),
        pytest.param(lambda one: one["files"][0].update(n_rows=10**5000), id="digits_without_end"),
        pytest.param(_reverse_levels, id="reversed_levels"),
        pytest.param(lambda one: one["factors"]["gender"]["levels"].append("man"), id="level_twice"),
        pytest.param(lambda one: one.pop("stage"), id="missing_key"),
        pytest.param(lambda one: one["files"][0].pop("sha256"), id="missing_key_of_a_file"),
        pytest.param(lambda one: one.update(systems=[]), id="no_systems"),
        pytest.param(lambda one: one["systems"][0].pop("system_id"), id="system_without_id"),
        pytest.param(lambda one: one["measures"][0].pop("kind"), id="measure_without_kind"),
        pytest.param(lambda one: one["files"][0]["columns"].append(one["files"][0]["columns"][0]), id="column_twice"),
        pytest.param(lambda one: one["factors"].update(all=one["factors"]["gender"]), id="factor_all"),
    ],
)
def test_a_manifest_that_no_export_has_is_refused_with_field_and_remedy(change, importing, months, refused):
    sys.set_int_max_str_digits(0)
    try:
        _rewritten(months[1], change)
    finally:
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    with refused(StudyFileError, "prompts.import.path"):
        load_study(importing(months))


@pytest.mark.parametrize("mart", ["prompts", "responses", "measurements"])
def test_rows_that_are_not_as_many_as_the_manifest_says_are_refused(importing, months, refused, mart):
    def one_more(manifest):
        (file,) = [one for one in manifest["files"] if one["name"] == f"{mart}.parquet"]
        file["n_rows"] += 1

    _rewritten(months[1], one_more)
    study = load_study(importing(months), check_files=False)
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


@pytest.mark.parametrize("output", ["csv", "jsonl", "parquet"])
def test_rows_of_an_export_are_as_many_as_its_manifest_says(importing, home, refused, output):
    publish_run(home, "october", ANSWERS)
    path = export_study(home, "months", "responses", output, None).folder / "manifest.json"
    _rewritten(path, lambda manifest: manifest["files"][0].update(n_rows=9))
    study = load_study(importing([path]), check_files=False)
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


def test_an_archive_that_is_not_there_is_told(importing, months, refused):
    shutil.rmtree(months[1].parent)
    with refused(StudyFileError, "prompts.import.path"):
        load_study(importing(months))
