"""The command up to the question and the first answers: what is printed, what is asked, and the exit code."""

import subprocess
import sys

import duckdb
import pytest

from python_assets import cli
from python_assets.audit.cost_lines import total_line
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


@pytest.fixture
def says(monkeypatch):
    """Answers the questions of a command at a terminal; gives what it was asked."""
    asked = []

    def answer(*answers):
        left = list(answers)
        monkeypatch.setattr(cli, "_require_terminal", lambda: None)

        def agreed(question, *yes):
            asked.append(question)
            return left.pop(0) in yes

        monkeypatch.setattr(cli, "_agreed", agreed)
        return asked

    return answer


def test_without_a_terminal_the_first_lines_are_told_and_nothing_is_prepared(audit, server, tmp_path):
    code, told, error = audit()
    assert [line.split()[0] for line in told.splitlines() if line.startswith("grants ")] == ["grants"]
    assert "As planned" not in told
    assert (code, error) == (1, "plumbline: cannot ask for confirmation without a terminal. Add --yes.\n")
    assert (server.requests, (tmp_path / "studies").exists()) == ([], False)


def test_at_a_terminal_the_plan_is_told_before_the_question(audit, server, says):
    asked = says("n")
    code, told, _ = audit()
    lines = [line for line in told.splitlines() if line.startswith("grants ")]
    assert [line.split()[0] for line in lines] == ["grants", "grants"]
    assert told.index("About") < told.index("As planned")
    assert (code, server.calls) == (0, [])
    assert [question.split()[0] for question in asked] == ["Make"]


def test_where_nothing_is_left_to_ask_the_question_says_so(audit, says, monkeypatch):
    asked = says("n")
    monkeypatch.setattr("python_assets.audit.prepare.total_cost_line", lambda lines: total_line([])._replace(n_calls=0))
    audit()
    assert asked == ["Nothing is left to ask. Compute grants again? [y/N] "]


def test_a_model_that_is_much_slower_than_planned_is_told(audit, says, monkeypatch):
    asked = says("y", "n")
    monkeypatch.setattr("python_assets.audit.prepare.minutes_to_go", lambda left, home: 74.2)
    code, told, error = audit()
    assert "Asking the rest takes about 74 minutes, not 2, at the pace of the first answers." in error
    assert (code, asked[1:]) == (0, ["Go on? [y/N] "])
    assert told.splitlines()[-1] == "Cancelled. What was answered is kept: the same command asks for the rest."


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error")])
def test_an_interrupted_query_is_an_interrupt(audit, monkeypatch, error):
    def interrupted(*args, **options):
        raise error

    monkeypatch.setattr("python_assets.audit.prepare.prepare", interrupted)
    code, _, said = audit("--yes")
    assert (code, said.splitlines()[-1].split(".")[0]) == (130, "Interrupted")


def test_another_error_stays_what_it_is(audit, monkeypatch):
    def broken(*args, **options):
        raise RuntimeError("broken")

    monkeypatch.setattr("python_assets.audit.prepare.prepare", broken)
    with pytest.raises(RuntimeError, match="broken"):
        audit("--yes")


def test_both_designs_at_once_are_refused(audit):
    with pytest.raises(SystemExit):
        audit("--quick", "--full")


def test_a_model_that_the_server_lacks_ends_it_before_anything_is_written(audit, server, tmp_path):
    code, told, error = audit("--yes", model="openai:n")
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
