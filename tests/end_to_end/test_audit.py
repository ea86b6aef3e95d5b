"""An audit by one command: of simulated models, and of one behind a server that answers as real ones do."""

import json
import random
from pathlib import Path

import duckdb
import jsonschema
import pytest

from python_assets.report.audits import findings
from tests.end_to_end.conftest import contradictions_of
from tests.python_assets.providers.servers import Reply, Server, openai_completion, serving

SCHEMA = json.loads(Path(findings.__file__).with_name("findings.schema.json").read_text(encoding="utf-8"))
TWO = ("audit", "--model", "simulator:fair", "--model", "simulator:biased", "--benchmarks", "faiths,hiring", "--quick")


@pytest.fixture(scope="module")
def audited(make_home, plumbline):
    """A quick audit of two themes, simulated: its warehouse, and what was printed."""
    home = make_home()
    studies = home / "studies"
    return home, studies, plumbline(home, *TWO, "--yes", PLUMBLINE_STUDIES=str(studies))


def read_findings(home):
    return json.loads((home / "audits" / "audit" / "findings.json").read_text(encoding="utf-8"))


def test_the_biased_model_is_found_and_nothing_of_the_fair_one(audited):
    home, _, done = audited
    assert done.returncode == 0, done.stderr
    assert [benchmark["verdicts"]["fair"] for benchmark in read_findings(home)["benchmarks"]] == [
        "inconclusive",
        "inconclusive",
    ]
    biased = {benchmark["verdicts"]["biased"] for benchmark in read_findings(home)["benchmarks"]}
    assert biased <= {"beyond_margin", "different"}
    told = done.stdout.splitlines()
    assert str(home / "audits" / "audit" / "report.html") in told[-2]
    rows = [line for line in told if line.startswith(("faiths ", "hiring ")) and " fair " in line]
    assert len(rows) == 2
    assert all("inconclusive" in row and "points (" in row and "(planned " in row for row in rows)


def test_each_benchmark_is_a_study_of_its_own_that_stays(audited):
    home, studies, _ = audited
    written = sorted(path.name for path in studies.iterdir())
    assert written == ["audit_faiths.yml", "audit_hiring.yml", "benchmark_names.csv", "faiths_wordings.csv"]
    assert len(list((home / "report").glob("audit_*.html"))) == 2


def test_of_wordings_the_sample_and_scope_are_of_units_and_prompts(audited):
    with duckdb.connect(str(audited[0] / "plumbline.duckdb"), read_only=True) as connection:
        rows = connection.execute("""
            select n_units, n_root_prompts, scope, n_needed, sentence from findings
            where study_id = 'audit_faiths' and statistic = 'mean' and p_value is not null
        """).fetchall()
    assert rows
    for n_units, n_root_prompts, scope, n_needed, sentence in rows:
        assert (n_units < n_root_prompts, scope, n_needed) == (True, "similar units and prompts", None), sentence


def test_findings_are_of_the_schema(audited):
    jsonschema.validate(read_findings(audited[0]), SCHEMA)


def test_every_group_of_every_model_has_its_numbers_and_losses_add_up(audited):
    for benchmark in read_findings(audited[0])["benchmarks"]:
        models = {row["model"] for row in benchmark["results"]}
        assert models == {"fair", "biased"}
        for result in benchmark["results"]:
            limits = [abs(group[f"difference_ci_{end}"]) for group in result["groups"] for end in ("low", "high")]
            assert result["largest_limit"] >= max(limits)
            assert 0 < result["detectable"] < 1 and result["planned_effect"] == 0.15
        for losses in benchmark["losses"]:
            lost = ("refused", "undecided", "unscored", "empty", "failed", "other")
            assert losses["n_scored"] + sum(losses[f"n_{name}"] for name in lost) == losses["n_responses"]


def test_models_share_what_is_detectable_of_all_of_them(audited):
    with duckdb.connect(str(audited[0] / "plumbline.duckdb"), read_only=True) as connection:
        published = dict(
            connection.execute("""
                select study_id || grouping_id, minimum_detectable_effect from design_power
                where source = 'observed' and measure_id = 'favoured' and contrast in ('interaction', 'risk_difference')
            """).fetchall()
        )
    for benchmark in read_findings(audited[0])["benchmarks"]:
        squares: dict[str, list[float]] = {}
        for row in benchmark["results"]:
            squares.setdefault(row["grouping_id"], []).append(row["detectable"] ** 2)
        for grouping_id, of_models in squares.items():
            assert (sum(of_models) / 2) ** 0.5 == pytest.approx(published[benchmark["study_id"] + grouping_id])


def test_an_audit_contradicts_itself_nowhere(audited):
    home = audited[0]
    assert contradictions_of(home, audits=[home / "audits" / "audit" / "findings.json"]) == {}


def test_the_report_shows_every_model_in_every_benchmark_and_loads_nothing(audited):
    page = (audited[0] / "audits" / "audit" / "report.html").read_text(encoding="utf-8")
    assert page.count('<section id="') == 4
    assert "Simulated responses" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page


def test_the_same_command_again_asks_and_runs_nothing(audited, plumbline):
    home, studies, _ = audited
    done = plumbline(home, *TWO, "--yes", "--fail-on", "beyond_margin", PLUMBLINE_STUDIES=str(studies))
    verdicts = {
        verdict for benchmark in read_findings(home)["benchmarks"] for verdict in benchmark["verdicts"].values()
    }
    assert done.returncode == (3 if "beyond_margin" in verdicts else 0)
    assert done.stdout.count("asked and published already") == 2
    assert done.stderr == ""


class LikeAModel(Server):
    """Thinks aloud, refuses some, is cut at times, and says yes less often to one group."""

    def __init__(self):
        super().__init__("/v1/chat/completions", self.reply)
        self.draws = random.Random(3)

    def reply(self, server, request):
        if request.body is None:
            return Reply({"data": [{"id": "local", "object": "model"}]})
        return self.say(request)

    def say(self, request):
        with self._lock:
            draw, yes, manner = self.draws.random(), self.draws.random(), self.draws.random()
        asked = request.body["messages"][-1]["content"]
        if draw < 0.03:
            return openai_completion("I'm sorry, but I can't help with decisions about people.")
        if draw < 0.05:
            return openai_completion("<think>The person seems to", finish_reason="length")
        is_yes = yes < (0.25 if "Muslim" in asked or "Islam" in asked else 0.65)
        answer = "Yes" if is_yes else "No"
        forms = (
            f"{answer}.",
            f"**{answer}**",
            f"<think>Hm. Both would do.</think>\n\n{answer}, I would.",
            answer.lower(),
        )
        return openai_completion(forms[int(manner * len(forms))])


class Mumbling(LikeAModel):
    """Says nothing that could be read as yes or no."""

    def say(self, request):
        return openai_completion("Lorem ipsum.")


def test_a_benchmark_is_skipped_where_no_first_response_has_a_value_and_the_report_says_so(make_home, plumbline):
    home = make_home()
    with serving(Mumbling()) as server:
        asked = ("audit", "--model", "openai:local", "--base-url", f"{server.url}/v1", "--benchmarks", "faiths")
        done = plumbline(home, *asked, "--yes", "--fail-on", "different", PLUMBLINE_STUDIES=str(home / "studies"))
        assert len(server.calls) < 30
    assert done.returncode == 1, done.stderr
    told = done.stdout.splitlines()
    assert "Tested     Nothing was tested: no benchmark has results." in told
    assert told[-1] == "No primary hypothesis was tested: --fail-on has nothing to read."
    why = "none of the first 20 responses of local has a value"
    (row,) = (line for line in told if line.startswith("faiths") and line.endswith(why))
    assert row.split()[:3] == ["faiths", "local", "skipped"]
    (benchmark,) = read_findings(home)["benchmarks"]
    assert benchmark["skipped"] == why
    assert f"Skipped: {why}." in (home / "audits" / "audit" / "report.html").read_text(encoding="utf-8")


def test_a_model_behind_a_server_is_audited_as_it_answers(make_home, plumbline):
    home = make_home()
    with serving(LikeAModel()) as server:
        asked = (
            "audit",
            "--model",
            "openai:local",
            "--base-url",
            f"{server.url}/v1",
            "--benchmarks",
            "faiths",
            "--quick",
        )
        done = plumbline(home, *asked, "--yes", "--fail-on", "beyond_margin", PLUMBLINE_STUDIES=str(home / "studies"))
        n_calls = len(server.calls)
    assert done.returncode == 3, done.stderr
    assert "Asking the rest takes less than a minute" in done.stderr
    (benchmark,) = read_findings(home)["benchmarks"]
    assert benchmark["verdicts"] == {"local": "beyond_margin"}
    assert benchmark["n_responses"] == n_calls
    assert 0 < benchmark["n_refused"] < 0.1 * n_calls
    found = [
        row for row in benchmark["hypotheses"] if row["outcome"] == "significant" and row["family_id"] == "primary"
    ]
    assert any("Muslim" in row["sentence"] for row in found)
