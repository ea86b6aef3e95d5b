import dagster as dg
import duckdb
import pytest

from dagster_project.resources import StudyResource, WarehouseResource
from python_assets.errors import StudyError

STUDY = """
title: StatisticSpec
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
systems: [{name: one, provider: ollama, model: llama}]
measures: [vader]
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a study as an asset of its partition does."""
    (tmp_path / "asked.yml").write_text(STUDY, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)

    def run(provider=None):
        if provider is not None:
            monkeypatch.setenv("PLUMBLINE_PROVIDER", provider)
        loaded = []

        @dg.asset(partitions_def=dg.StaticPartitionsDefinition(["asked"]))
        def reads_it(context: dg.AssetExecutionContext, study: StudyResource):
            loaded.append(study.load(context))

        dg.materialize([reads_it], partition_key="asked", resources={"study": StudyResource()})
        return loaded[0]

    return run


def test_the_models_answer_unless_the_simulator_is_asked_for(load):
    assert load().systems[0].spec.provider == "ollama"
    assert load("").systems[0].spec.provider == "ollama"
    study = load("simulator")
    assert (study.systems[0].spec.provider, study.has_stand_in) == ("simulator", True)


def test_another_provider_cannot_stand_in(load, refused):
    with refused(StudyError, "PLUMBLINE_PROVIDER"):
        load("replay")


STUDIES = dg.StaticPartitionsDefinition(["asked"])


@dg.asset(partitions_def=STUDIES)
def asked_first(context: dg.AssetExecutionContext, study: StudyResource):
    return id(study.load(context, check_files=True)), study.load(context).title


@dg.asset(partitions_def=STUDIES, deps=[asked_first])
def asked_again(context: dg.AssetExecutionContext, study: StudyResource):
    return id(study.load(context)), study.load(context).title


def test_a_study_is_read_once_a_run_and_an_edited_one_again_by_the_next(load, tmp_path):
    load()

    def run():
        done = dg.materialize(
            [asked_first, asked_again], partition_key="asked", resources={"study": resource, "io_manager": kept}
        )
        return done.output_for_node("asked_first"), done.output_for_node("asked_again")

    resource, kept = StudyResource(), dg.mem_io_manager
    first, again = run()
    assert first == again
    (tmp_path / "asked.yml").write_text(STUDY.replace("StatisticSpec", "Edited"), encoding="utf-8")
    assert [title for _, title in run()] == ["Edited", "Edited"]


def test_a_build_file_stays_open_within_a_run_until_it_is_let_go_of(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    held = []

    def is_open_otherwise(warehouse):
        try:  # DuckDB refuses another configuration of a file that a process has open
            duckdb.connect(str(warehouse.home.build("asked")), config={"custom_user_agent": "other"}).close()
        except duckdb.ConnectionException:
            return False
        return True

    @dg.asset
    def stages(warehouse: WarehouseResource):
        for ends in (lambda: None, warehouse.let_go, lambda: None):
            with warehouse.build("asked") as connection:
                connection.execute("select count(*) from raw.prompts")
            ends()
            held.append(not is_open_otherwise(warehouse))

    dg.materialize([stages], resources={"warehouse": WarehouseResource()})
    assert held == [True, False, True]
    assert is_open_otherwise(WarehouseResource())  # Dagster lets go of it at the end
