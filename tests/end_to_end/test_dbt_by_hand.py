"""`dbt build` by hand, with dbt-duckdb's own materialisations, and a run make the same tables of a build file."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from python_assets.transform.compile import DBT_FOLDER
from python_assets.warehouse.build import open_build
from tests.end_to_end.alike import assert_alike
from tests.end_to_end.conftest import answers_of

# the run fills them again from the raw tables, which went on growing: with what dbt's tests and the gate said
FILLED_AGAIN = {"data_quality", "quarantined_records", "v_quality", "v_quality_rules"}
COLUMNS = """
    select schema_name, table_name, column_name, data_type, is_nullable, comment
    from duckdb_columns()
    where schema_name in ('intermediate', 'marts')
    order by all
"""
LABELLED = """
title: Labelled
factors:
  gender: {levels: [woman, man], reference: woman}
  tone: {levels: [plain, polite], reference: plain}
prompts:
  import:
    path: labelled.csv
    columns: {prompt: [item, gender, tone], root_prompt: item, system: model, replicate: auto, response: said}
    factors: {gender: gender, tone: tone}
systems: [{name: "*", provider: replay}]
measures:
  - {name: choice, kind: categorical, column: choice, favourable: "yes"}
  - {name: score, kind: continuous, column: score, direction: higher_better}
  - {name: kept, kind: binary, column: kept}
groupings: [gender, tone, [gender, tone]]
analysis:
  regressions: {of_kept: {measure: kept, factors: [gender, tone]}}
"""


def dbt(path, folder, *command):
    """Call dbt on a build file; what it prints."""
    called = [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", "--no-send-anonymous-usage-stats", *command]
    places = {"DBT_TARGET_PATH": str(folder / "target"), "DBT_LOG_PATH": str(folder / "logs")}
    environment = {**os.environ, "PLUMBLINE_BUILD": str(path), **places}
    return subprocess.run(called, cwd=DBT_FOLDER, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def labelled(run_study, tmp_path_factory):
    """An import with labels of its own and of a rater, and a regression."""
    folder = tmp_path_factory.mktemp("labelled")
    rows = ["item,gender,tone,model,said,choice,score,kept"]
    for i in range(12):
        for gender in ("woman", "man"):
            for tone in ("plain", "polite"):
                for model in ("m", "n"):
                    place = 7 * i + 3 * len(gender) + len(tone) + ord(model)
                    measured = (("yes", "no", "maybe", "")[place % 4], place % 11 / 10, place * place % 7 % 2)
                    rows.append(",".join(map(str, (f"i{i}", gender, tone, model, f"Said {place}.", *measured))))
    (folder / "labelled.csv").write_text("\n".join(rows) + "\n")
    study = folder / "labelled.yml"
    study.write_text(LABELLED)
    ids = [response_id for (response_id,) in answers_of(study).rows("select response_id from raw.responses order by 1")]
    sheet = pd.DataFrame({"response_id": ids, "label": ["yes", "no", "no"] * (len(ids) // 3)})
    sheet.to_csv(folder / "sheet.csv", index=False)
    study.write_text(LABELLED + "human_labels: [{measure: kept, file: sheet.csv, rater: anna}]\n")
    run = run_study(str(study))
    assert all(run.value(f"select count(*) from {table}") for table in ("label_agreement", "factor_importance"))
    return run


@pytest.fixture(scope="module")
def built_by_hand(tmp_path_factory):
    """The build file of a run, and a copy in which dbt has made every table anew."""

    @cache
    def build(run):
        made, folder = run.home / "build" / f"{Path(run.study_id).stem}.duckdb", tmp_path_factory.mktemp("by_hand")
        copy = shutil.copy(made, folder / made.name)
        done = dbt(copy, folder, "build", "--exclude", "resource_type:unit_test")
        assert done.returncode == 0, done.stdout
        return made, copy

    return build


@pytest.mark.parametrize("study", ["demo", "labelled"])
def test_dbt_by_hand_and_a_run_make_the_same_tables(study, built_by_hand, request):
    of_run, by_hand = built_by_hand(request.getfixturevalue(study))
    with duckdb.connect(str(of_run), read_only=True) as one, duckdb.connect(str(by_hand), read_only=True) as other:
        columns = one.execute(COLUMNS).fetchall()
        assert columns == other.execute(COLUMNS).fetchall()
        assert all(comment for schema, *_, comment in columns if schema == "marts")
        for schema, name in sorted({(schema, name) for schema, name, *_ in columns}):
            if name not in FILLED_AGAIN:
                found, expected = (connection.execute(f'from {schema}."{name}"').df() for connection in (one, other))
                assert_alike(found, expected, name)


def test_views_of_both_can_be_read_under_another_name_and_attached(labelled, built_by_hand, tmp_path):
    for path in built_by_hand(labelled):
        renamed = shutil.copy(path, tmp_path / "renamed.duckdb")
        with duckdb.connect(str(renamed), read_only=True) as connection:
            rows = connection.execute("from marts.v_findings order by all").fetchall()
        with duckdb.connect() as connection:
            connection.execute(f"attach '{renamed}' as other (read_only)")
            assert connection.execute("from other.marts.v_findings order by all").fetchall() == rows != []


def test_what_is_published_is_read_while_a_run_writes_the_build_file(labelled, plumbline):
    with open_build(labelled.home / "build" / "labelled.duckdb") as connection:
        connection.execute("begin; delete from marts.findings")  # closed without a commit, it is as before
        done = plumbline(labelled.home, "sql", "select 1 from findings limit 1", "--format", "csv")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["1"]), done.stderr


def test_dbt_by_hand_on_a_file_that_is_in_use_says_so_in_a_line(tmp_path):
    path = tmp_path / "in_use.duckdb"
    with duckdb.connect(str(path)):
        done = dbt(path, tmp_path, "build", "--select", "reasons")
    assert done.returncode != 0 and "Traceback" not in done.stdout
    (told,) = [line for line in done.stdout.splitlines() if str(path) in line]
    assert "no other process has open" in told and "PLUMBLINE_BUILD" in told
