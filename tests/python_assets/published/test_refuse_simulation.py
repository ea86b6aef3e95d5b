import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.publish import publish
from python_assets.published.refuse_simulation import refuse_simulation
from python_assets.warehouse.build import Home

STUDIES = "create table marts.studies (study_id varchar, published_at timestamp, has_stand_in boolean)"
GENERATIONS = """
    create table marts.generations (
        study_id varchar, generation_id varchar, is_simulated boolean, is_baseline boolean
    )
"""


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "warehouse")


def published(home, study_id="one", *, by_override, model_is_simulated):
    """Publish a study of one generation and the baseline."""
    path = home.build(study_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema marts")
        connection.execute(STUDIES)
        connection.execute(GENERATIONS)
        connection.execute("insert into marts.studies values (?, null, ?)", [study_id, by_override])
        connection.execute(
            "insert into marts.generations values (?, 'llama', ?, false), (?, 'baseline', false, true)",
            [study_id, model_is_simulated, study_id],
        )
    publish(path, home, study_id)


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


def test_a_study_of_simulated_generations_alone_is_replaced(home):
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
