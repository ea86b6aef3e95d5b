import json
import shutil
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import duckdb
import pytest
import yaml

from python_assets.cli import main
from python_assets.errors import WarehouseError
from python_assets.published.hidden_texts import TEXT_COLUMNS
from python_assets.report.superset.charts import TABS, charts, columns_of
from python_assets.report.superset.write_bundle import write_bundle
from python_assets.warehouse.build import Home
from tests.python_assets.report.conftest import MODELS, write_published

COMMENT = 'Who\'s "shown": a | b'


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A warehouse with a small study and a bundle over it."""
    home = Home(tmp_path_factory.mktemp("home"))
    write_published(home.published, "small", {})
    write_bundle(home, home.root / "out" / "plumbline.zip")
    return home


@pytest.fixture(scope="module")
def written(home):
    """What the bundle holds, by path within its folder."""
    return read(home.root / "out" / "plumbline.zip")


def read(path):
    with ZipFile(path) as bundle:
        names = bundle.namelist()
        assert {name.partition("/")[0] for name in names} == {"plumbline"}
        return {name.partition("/")[2]: yaml.safe_load(bundle.read(name)) for name in names}


def of(files, kind):
    return {path: config for path, config in files.items() if path.startswith(f"{kind}/")}


def test_files_stand_where_superset_looks_for_them_and_say_their_version(written):
    assert {path.partition("/")[0] for path in written} == {
        *("metadata.yaml", "databases", "datasets", "charts", "dashboards")
    }
    assert {config["version"] for config in written.values()} == {"1.0.0"}
    # a type would bind the bundle to one way of importing it
    assert set(written["metadata.yaml"]) == {"version"}
    assert len(of(written, "databases")) == len(of(written, "dashboards")) == 1


def test_the_database_is_read_alone_and_found_by_the_link_that_stays(written, home):
    (database,) = of(written, "databases").values()
    assert database["sqlalchemy_uri"] == f"duckdb:///{home.root}/plumbline.duckdb?access_mode=read_only"
    assert not any(database[name] for name in ("allow_dml", "allow_ctas", "allow_cvas", "allow_file_upload"))


def test_every_view_is_a_dataset_with_its_columns_and_their_descriptions(publish_small, tmp_path):
    path = publish_small()
    with duckdb.connect(str(path)) as connection:
        connection.execute("comment on table v_findings is 'One row.'")
        connection.execute(f"comment on column v_findings.verdict is '{COMMENT.replace(chr(39), chr(39) * 2)}'")
        columns = connection.execute(
            "select table_name, list(column_name order by column_index) from duckdb_columns() "
            "where starts_with(table_name, 'v_') group by table_name"
        ).fetchall()
    write_bundle(Home(tmp_path), tmp_path / "bundle.zip")
    datasets = {config["table_name"]: config for config in of(read(tmp_path / "bundle.zip"), "datasets").values()}
    held = {name: [column["column_name"] for column in config["columns"]] for name, config in datasets.items()}
    assert held == dict(columns) and len(held) == len(list(MODELS.glob("views/*.sql")))
    assert datasets["v_findings"]["description"] == "One row."
    described = {column["column_name"]: column["description"] for column in datasets["v_findings"]["columns"]}
    assert described["verdict"] == COMMENT
    assert datasets["v_history"]["main_dttm_col"] == "published_at"


def test_the_exposure_names_what_the_dashboard_reads(written):
    exposures = yaml.safe_load((MODELS / "marts" / "exposures.yml").read_text(encoding="utf-8"))["exposures"]
    (exposure,) = (one for one in exposures if one["name"] == "superset_dashboard")
    datasets = {config["table_name"] for config in of(written, "datasets").values()}
    assert set(exposure["depends_on"]) == {f"ref('{name}')" for name in datasets}
    assert {chart.dataset for chart in charts()} == datasets


def test_every_chart_has_its_dataset_and_stands_once_on_the_dashboard(written):
    (dashboard,) = of(written, "dashboards").values()
    uuids = {config["uuid"] for config in of(written, "charts").values()}
    datasets = {config["uuid"] for config in of(written, "datasets").values()}
    (database,) = of(written, "databases").values()
    assert {config["dataset_uuid"] for config in of(written, "charts").values()} == datasets
    assert {config["database_uuid"] for config in of(written, "datasets").values()} == {database["uuid"]}
    places = [place for place in dashboard["position"].values() if isinstance(place, dict)]
    drawn = [place["meta"]["uuid"] for place in places if place["type"] == "CHART"]
    assert sorted(drawn) == sorted(uuids) and len(uuids) == len(charts())
    ids = {place["id"] for place in places}
    assert {child for place in places for child in place.get("children", [])} == ids - {"ROOT_ID", "HEADER_ID"}
    widths = [sum(chart.width for chart in row) for rows in TABS.values() for row in rows]
    assert max(widths) <= 12


def test_filters_hold_where_a_view_has_their_column(written):
    (dashboard,) = of(written, "dashboards").values()
    columns = {
        config["uuid"]: {column["column_name"] for column in config["columns"]}
        for config in of(written, "datasets").values()
    }
    charts_by_uuid = {config["uuid"]: config for config in of(written, "charts").values()}
    places = [place for place in dashboard["position"].values() if isinstance(place, dict)]
    of_number = {p["meta"]["chartId"]: charts_by_uuid[p["meta"]["uuid"]] for p in places if p["type"] == "CHART"}
    assert len(of_number) == len(charts())
    filters = dashboard["metadata"]["native_filter_configuration"]
    assert [one["name"] for one in filters] == ["Study", "Model", "Measure", "Grouping"]
    for one in filters:
        (target,) = one["targets"]
        assert target["column"]["name"] in columns[target["datasetUuid"]]
        without = {
            number
            for number, chart in of_number.items()
            if target["column"]["name"] not in columns[chart["dataset_uuid"]]
        }
        assert set(one["scope"]["excluded"]) == without
        assert set(one["scope"]["rootPath"]) <= {place["id"] for place in places if place["type"] == "TAB"}
    assert filters[0]["scope"]["excluded"] == []


def uuids_of(value):
    if isinstance(value, dict):
        own = [value["uuid"]] if {"uuid", "version"} <= set(value) else []
        return own + list(chain.from_iterable(map(uuids_of, value.values())))
    return []


def test_ids_are_unique_and_the_same_in_every_bundle(written, home, tmp_path):
    ids = uuids_of({"files": written})
    assert len(ids) == len(set(ids)) == len(written) - 1
    again = tmp_path / "again.zip"
    write_bundle(home, again)
    assert again.read_bytes() == (home.root / "out" / "plumbline.zip").read_bytes()
    shutil.copy(home.published, tmp_path)
    write_bundle(Home(tmp_path), again)
    assert uuids_of({"files": read(again)}) == ids


def asked(config):
    """The query of a chart as SQL, and what its editor shows."""
    ((query,), shown) = (json.loads(config["query_context"])["queries"], config["params"])
    columns = [one if isinstance(one, str) else one["sqlExpression"] for one in query["columns"]]
    metrics = [metric["sqlExpression"] for metric in query.get("metrics", [])]
    where = [" ".join(filter(None, [f["col"], f["op"].replace("==", "="), value_of(f)])) for f in query["filters"]]
    order = [f"{column} {'asc' if rises else 'desc'}" for column, rises in query.get("orderby", [])]
    sql = f"select {', '.join(columns + metrics)} from {{}}"
    sql += f" where {' and '.join(where)}" if where else ""
    sql += f" group by {', '.join(columns)}" if columns and metrics else ""
    return sql + (f" order by {', '.join(order)}" if order else ""), shown


def value_of(condition):
    value = condition.get("val")
    return value and (f"'{value}'" if isinstance(value, str) else str(tuple(value))) if value != "" else "''"


def test_every_chart_asks_what_its_view_can_answer(written, home):
    names = {config["uuid"]: config["table_name"] for config in of(written, "datasets").values()}
    with duckdb.connect(str(home.published), read_only=True) as connection:
        for config in of(written, "charts").values():
            sql, shown = asked(config)
            connection.execute(sql.format(names[config["dataset_uuid"]]))
            assert config["viz_type"] == shown["viz_type"]
            (query,) = json.loads(config["query_context"])["queries"]
            assert [one["col"] for one in query["filters"]] == [one["subject"] for one in shown["adhoc_filters"]]


def test_a_point_of_several_numbers_is_none(written):
    config = written["charts/intervals.yaml"]
    (value, *_) = json.loads(config["query_context"])["queries"][0]["metrics"]
    with duckdb.connect() as connection:
        rows = "(values ('a', 0.25), ('a', 0.25), ('b', 0.25), ('b', 0.5), ('c', null)) as t(x, value)"
        found = connection.execute(f"select x, {value['sqlExpression']} from {rows} group by x order by x").fetchall()
    assert [(x, None if v is None else float(v)) for x, v in found] == [("a", 0.25), ("b", None), ("c", None)]


def test_no_chart_shows_texts_but_those_of_the_view_that_hides_them():
    # v_quotes itself hides the texts of a study that hides them
    assert {chart.name for chart in charts() if columns_of(chart) & (TEXT_COLUMNS | {"prompt_id"})} == {"quotes"}


def test_nothing_published_says_how_to_begin(tmp_path, refused):
    with refused(WarehouseError, "the file"):
        write_bundle(Home(tmp_path), tmp_path / "bundle.zip")
    assert not (tmp_path / "bundle.zip").exists()


@pytest.mark.parametrize("change", ["drop table v_differences", "alter table v_differences drop column side"])
def test_what_an_earlier_version_published_has_to_be_run_again(publish_small, tmp_path, refused, change):
    with duckdb.connect(str(publish_small())) as connection:
        connection.execute(change)
    with refused(WarehouseError, "the file"):
        write_bundle(Home(tmp_path), tmp_path / "bundle.zip")


@pytest.mark.parametrize("name", ["", "plumbline.duckdb/bundle.zip"])
def test_a_file_that_cannot_be_written_is_told(publish_small, tmp_path, refused, name):
    publish_small()
    with refused(WarehouseError, "the file"):
        write_bundle(Home(tmp_path), tmp_path / name)


def test_a_path_that_no_address_can_hold_is_told(publish_small, tmp_path, refused):
    home = Home(tmp_path / "what?")
    home.root.mkdir()
    publish_small().rename(home.published)
    with refused(WarehouseError, "the file"):
        write_bundle(home, tmp_path / "bundle.zip")


def test_the_command_says_what_it_wrote(publish_small, tmp_path, monkeypatch, capsys):
    publish_small()
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    path = Path(tmp_path, "bundle.zip")
    assert main(["dashboards", "--superset", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: {len(charts())} charts of 14 views\n"
    assert main(["dashboards", "--superset", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
