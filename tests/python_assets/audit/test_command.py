"""The command up to the question and the first answers: what is printed, what is asked, and the exit code."""

import subprocess
import sys

import pytest

from python_assets import cli
from tests.python_assets.providers.servers import Reply, Server, openai_completion, openai_error, serving

HEAVY = {"pandas", "scipy", "httpx", "dagster", "jinja2", "sklearn"}


@pytest.fixture
def server():
    """A server with one model, m, that answers yes."""

    def answer(server, request):
        return Reply({"data": [{"id": "m"}]}) if request.body is None else openai_completion("Yes.")

    with serving(Server("/v1/chat/completions", answer)) as running:
        yield running


@pytest.fixture
def audit(packaged, home, capsys, server, monkeypatch):
    """Gives the exit code of an audit of the one benchmark, what it printed, and its errors."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def run(*options, model="openai:m"):
        code = cli.main(["audit", "--model", model, "--base-url", f"{server.url}/v1", *options])
        return code, *capsys.readouterr()

    return run


def test_the_first_lines_load_nothing_that_is_slow():
    code = """
import sys
from python_assets import cli
from python_assets.audit import begun, benchmarks, cost_lines, models
models.asked_models(["ollama:a", "simulator:fair"])
print(*sys.modules)
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert HEAVY & set(loaded) == set()


def test_without_a_terminal_the_plan_is_told_and_nobody_is_asked(audit, server):
    code, told, error = audit()
    lines = [line for line in told.splitlines() if line.startswith("grants ")]
    assert [line.split()[0] for line in lines] == ["grants", "grants"]
    assert told.index("About") < told.index("As planned")
    assert (code, error) == (1, "plumbline: cannot ask for confirmation without a terminal. Add --yes.\n")
    assert server.calls == []


def test_both_designs_at_once_are_refused(audit):
    with pytest.raises(SystemExit):
        audit("--quick", "--full")


def test_a_model_that_the_server_lacks_ends_it_before_anything_is_written(audit, server, tmp_path):
    code, told, error = audit(model="openai:n")
    assert (code, server.calls, (tmp_path / "studies").exists()) == (1, [], False)
    assert "As planned" not in told
    assert error == f"--model openai:n: {server.url}/v1 has no model \"n\". Nearest names there: 'm'.\n"


def test_where_the_first_prompt_fails_one_line_says_so(audit, server):
    server.next_replies = [openai_error(400, "You must accept the license.", "license")]
    code, _, error = audit("--yes")
    assert (code, len(server.calls)) == (1, 1)
    assert error.splitlines()[-1].startswith("system 'm': the first prompt got no answer: ")
    assert "You must accept the license." in error.splitlines()[-1]


def test_a_benchmark_that_is_not_there_is_told_with_a_near_name(audit):
    code, told, error = audit("--benchmarks", "grant")
    assert (code, told, error) == (1, "", "--benchmarks: there is no benchmark \"grant\". Did you mean 'grants'?\n")


def test_one_of_which_nothing_is_read_is_left_out_with_yes(audit, server):
    server.next_replies = [openai_completion("Lorem ipsum.")] * 40
    code, _, error = audit("--yes")
    assert "audit_grants is left out" in error
    assert len(server.calls) == 20
    assert "WARNING  audit_grants, m: favoured: no answer has a value." in error
    assert code == 1  # a pipeline does not pass it
