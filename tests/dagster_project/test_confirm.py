"""How much a run may ask that nobody confirmed, as the UI starts it."""

import pytest
import yaml

from dagster_project.assets import common
from dagster_project.mistakes import Mistake
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build
from python_assets.warehouse.run_context import UnconfirmedError
from tests.python_assets.providers.servers import MODEL, Server, openai_answer, serving

NAME = "mine"
STAGES = ("studies", "scrape", "assemble", "design", "generate", "extract")


@pytest.fixture
def server():
    with serving(Server("/v1/chat/completions", openai_answer)) as running:
        yield running


@pytest.fixture
def run(tmp_path, monkeypatch, materialise_study):
    """Run the stages up to the measures of a study with two prompts; gives the number of its responses."""
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)

    def materialise(*systems, measures=("vader",), **tags):
        content = {
            "prompts": {"templates": {"texts": [{"id": "1", "text": "Is a {who} kind?"}], "cross": ["who"]}},
            "factors": {"who": {"levels": ["king", "queen"]}},
            "systems": list(systems),
            "measures": list(measures),
        }
        (tmp_path / f"{NAME}.yml").write_text(yaml.safe_dump(content), encoding="utf-8")
        materialise_study(STAGES, NAME, tags=tags)
        with open_build(paths.home().build(NAME)) as connection:
            return connection.execute("select count(*) from raw.responses").fetchall()[0][0]

    return materialise


@pytest.fixture
def asked(server, monkeypatch):
    """A generation that asks the server 2 * replicates calls, of which 10 need no confirmation."""
    monkeypatch.setattr(common, "MOST_UNCONFIRMED_CALLS", 10)

    def system(replicates, **fields):
        of_server = {"provider": "openai", "model": MODEL, "base_url": f"{server.url}/v1"}
        return {"name": f"asked_{replicates}", "replicates": replicates, **of_server, **fields}

    return system


def test_the_stages_of_a_run_share_an_allowance_that_its_tag_lifts():
    allowance = common._allowance("a", False)
    allowance.take(common.MOST_UNCONFIRMED_CALLS - 1)
    common._allowance("a", False).take(1)
    with pytest.raises(UnconfirmedError):
        allowance.require(1)
    common._allowance("b", False).require(1)
    common._allowance("c", True).take(common.MOST_UNCONFIRMED_CALLS + 1)


@pytest.mark.run
def test_so_many_calls_need_no_confirmation(run, asked):
    assert run(asked(5)) == 10


def test_more_are_refused_before_the_first_is_asked(run, asked, server):
    with pytest.raises(Mistake, match="12 calls .* at most 10 .* tag confirm"):
        run(asked(1), asked(5))
    assert server.calls == []


@pytest.mark.run
def test_a_confirmed_run_asks_any_number(run, asked):
    assert run(asked(6), **{common.CONFIRM_TAG: "yes"}) == 12


@pytest.mark.run
def test_what_is_in_the_log_is_not_asked_again(run, asked):
    run(asked(6), **{common.CONFIRM_TAG: "yes"})
    assert run(asked(6)) == 12


@pytest.mark.run
def test_what_is_simulated_asks_nobody(run, asked):
    assert run({"name": "simulated", "provider": "simulator", "replicates": 6}) == 12


def test_the_calls_of_all_stages_count_together(run, asked):
    judge = {"engine": "judge", "rubric": "Kind?", "options": ["yes", "no"], "repeats": 3}
    engine = asked(1, name="judge", engine=True)
    del engine["replicates"]
    with pytest.raises(Mistake, match="at most 10 "):
        run(asked(4), engine, measures=[{"name": "kind", "judge": judge}])
