import pytest
import yaml

from dagster_project.assets.generate import generate
from dagster_project.mistakes import Mistake
from dagster_project.resources import StudyResource, WarehouseResource
from python_assets.assemble.assemble_study import assemble
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build
from tests.python_assets.providers.servers import MODEL, Server, openai_answer, serving

NAME = "mine"


@pytest.fixture
def server():
    with serving(Server("/v1/chat/completions", openai_answer)) as running:
        yield running


@pytest.fixture
def generated(tmp_path, monkeypatch, server, materialise_study):
    """Materialise the responses of a study whose classifier is not on this machine; returns their number."""
    content = {
        "prompts": {"templates": {"texts": [{"id": "1", "text": "Is a {who} kind?"}], "cross": ["who"]}},
        "factors": {"who": {"levels": ["king", "queen"]}},
        "generations": [
            {"name": "there", "provider": "openai", "model": MODEL, "base_url": f"{server.url}/v1/"}
        ],
        "measures": [{"name": "mood", "classifier": {"model": "nobody/nothing", "scores": {"good": 1}}}],
    }
    path = tmp_path / f"{NAME}.yml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "warehouse"))
    with open_build(paths.home().build(NAME)) as connection:
        assemble(load_study(path), connection)

    def run():
        resources = {"study": StudyResource(), "warehouse": WarehouseResource()}
        materialise_study([generate], NAME, resources=resources)
        with open_build(paths.home().build(NAME)) as connection:
            return connection.execute("select count(*) from raw.responses").fetchall()[0][0]

    return run


def test_an_absent_classifier_is_known_before_anything_is_asked(generated, server, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)
    with pytest.raises(Mistake, match="hf download nobody/nothing, or run with --provider simulator"):
        generated()
    assert server.calls == []


def test_a_simulated_study_needs_no_classifier(generated, server, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PROVIDER", "simulator")
    assert generated() == 2
    assert server.calls == []
