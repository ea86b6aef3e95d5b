import json

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.refuse_simulation import refuse_simulation
from python_assets.warehouse.build import Home
from tests.python_assets.published_runs import CONFIG, MARTS, publish_run


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "warehouse")


def published(home, study_id="one", *, by_override, model_is_simulated):
    """Publish a study of one generation and the baseline."""
    systems = f"""
        create table marts.systems as select '{study_id}' as study_id, * from (values
            ('llama', {model_is_simulated}, false), ('baseline', false, true)
        ) as rows (system_id, is_simulated, is_baseline)
    """
    studies = MARTS["studies"].format(study=study_id, run="run", config=json.dumps(CONFIG))
    studies = f"create table marts.studies as {studies}, {by_override} as has_stand_in"
    publish_run(home, "run", study_id, marts=[studies, systems])


def rows(home):
    with duckdb.connect(str(home.published), read_only=True) as connection:
        return connection.execute("select study_id, has_stand_in from studies order by all").fetchall()


def test_what_real_models_answered_is_not_replaced_by_a_simulation(home, refused):
    published(home, by_override=False, model_is_simulated=False)
    with refused(WarehouseError, "the file"):
        published(home, by_override=True, model_is_simulated=True)
    assert rows(home) == [("one", False)]
    with refused(WarehouseError, "the file"):
        refuse_simulation(home, "one")


def test_a_simulation_replaces_a_simulation_and_a_model_replaces_both(home):
    published(home, by_override=True, model_is_simulated=True)
    published(home, by_override=True, model_is_simulated=True)
    assert rows(home) == [("one", True)]
    published(home, by_override=False, model_is_simulated=False)
    assert rows(home) == [("one", False)]


def test_a_study_of_simulated_systems_alone_is_replaced(home):
    published(home, by_override=False, model_is_simulated=True)
    published(home, by_override=True, model_is_simulated=True)
    assert rows(home) == [("one", True)]


def test_imported_responses_of_a_simulated_study_do_not_stand_in_its_way(home):
    published(home, by_override=True, model_is_simulated=False)
    published(home, by_override=True, model_is_simulated=False)
    assert rows(home) == [("one", True)]


def test_other_studies_are_no_matter(home):
    published(home, "real", by_override=False, model_is_simulated=False)
    published(home, "simulated", by_override=True, model_is_simulated=True)
    assert rows(home) == [("real", False), ("simulated", True)]


def test_nothing_is_in_the_way_where_nothing_is_published(home):
    refuse_simulation(home, "one")
