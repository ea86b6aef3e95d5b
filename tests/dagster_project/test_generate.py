import itertools

import dagster as dg
import pytest
import yaml

from dagster_project import mistakes
from dagster_project.mistakes import Mistake
from python_assets.assemble.assemble_study import assemble
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build
from tests.python_assets.providers.servers import MODEL, Reply, Server, openai_answer, serving

NAME = "mine"
ABSENT = {"name": "mood", "classifier": {"model": "nobody/nothing", "scores": {"good": 1}}}


@pytest.fixture
def server():
    with serving(Server("/v1/chat/completions", openai_answer)) as running:
        yield running


@pytest.fixture
def generated(tmp_path, monkeypatch, server, materialise_study, request):
    """Materialise the responses of a study with one measure; returns their number."""
    content = {
        "prompts": {"templates": {"texts": [{"id": "1", "text": "Is a {who} kind?"}], "cross": ["who"]}},
        "factors": {"who": {"levels": ["king", "queen"]}},
        "systems": [
            {"name": "there", "provider": "openai", "model": MODEL, "base_url": f"{server.url}/v1/", "max_retries": 0}
        ],
        "measures": [request.param],
    }
    path = tmp_path / f"{NAME}.yml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "warehouse"))
    with open_build(paths.home().build(NAME)) as connection:
        assemble(load_study(path), connection)

    def run():
        materialise_study(["generate"], NAME)
        with open_build(paths.home().build(NAME)) as connection:
            return connection.execute("select count(*) from raw.responses").fetchall()[0][0]

    return run


@pytest.mark.parametrize("generated", [ABSENT], indirect=True)
def test_an_absent_classifier_is_known_before_anything_is_asked(generated, server, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)
    with pytest.raises(Mistake, match="hf download nobody/nothing"):
        generated()
    assert server.calls == []


@pytest.mark.parametrize("generated", [ABSENT], indirect=True)
def test_a_simulated_study_needs_no_classifier(generated, server, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PROVIDER", "simulator")
    assert generated() == 2
    assert server.calls == []


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)
    monkeypatch.setattr(mistakes, "ASKING", dg.RetryPolicy(max_retries=2, delay=0))


@pytest.mark.parametrize("generated", ["vader"], indirect=True)
def test_a_server_that_answered_before_is_asked_again_for_the_rest(generated, server, at_once):
    server.reply_to = interrupted(server.reply_to, {1: WEB_PAGE})
    assert generated() == 2
    assert len(server.calls) == 2  # the answer that came before is kept


@pytest.mark.parametrize("generated", ["vader"], indirect=True)
def test_it_is_asked_again_a_few_times_and_then_told(generated, server, at_once):
    server.reply_to = interrupted(server.reply_to, dict.fromkeys(range(1, 9), WEB_PAGE))
    with pytest.raises(Mistake, match="web_page"):
        generated()
    assert len(server.calls) == 1


@pytest.mark.parametrize("generated", ["vader"], indirect=True)
def test_a_server_that_never_answered_is_told_at_once(generated, server, at_once):
    server.reply_to = interrupted(server.reply_to, {0: WEB_PAGE})
    with pytest.raises(Mistake, match="web_page"):
        generated()
    assert server.calls == []


WEB_PAGE = Reply(b"<html>Back in a minute</html>")


def interrupted(reply_to, instead):
    """Replies to calls, by the position of the call, in the place of a server's own."""
    calls = itertools.count()

    def reply(request):
        position = next(calls) if request.path.endswith("completions") else None
        return instead.get(position) or reply_to(request)

    return reply
