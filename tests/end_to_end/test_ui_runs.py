"""A study written while the UI is up is chosen, run and stopped with it; its report opens from the UI."""

import signal
import time

from tests.end_to_end.conftest import TWO_PROMPTS, WITHIN_SECONDS
from tests.sessions import left_of_session

OFFERED = '{assetNodeOrError(assetKey: {path: ["raw", "studies"]}) {... on AssetNode {partitionKeys}}}'
LAUNCH = """mutation {launchRun(executionParams: {
    selector: {
        repositoryLocationName: "dagster_project.definitions"
        repositoryName: "__repository__"
        jobName: "run_study"
    },
    executionMetadata: {tags: [{key: "dagster/partition", value: "long"}, {key: "confirm", value: "yes"}]}
}) {__typename ... on PythonError {message}}}"""
STUDY = f"""
title: Long
{TWO_PROMPTS}
systems: [{{name: one, provider: "slow:say", replicates: 400, concurrency: 1}}]
measures: [vader]
"""
SLOW = """
import time
from pathlib import Path


def say(messages, decoding):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write("x")
    time.sleep(0.2)
    return "Yes."
"""


def wait_for(what):
    deadline = time.monotonic() + WITHIN_SECONDS
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return found


def test_a_study_written_now_can_be_chosen_and_its_run_ends_with_the_ui(ui, tmp_path):
    process, client, home = ui

    def ask(query):
        return client.post("/graphql", json={"query": query}).raise_for_status().json()["data"]

    def offered():
        return ask(OFFERED)["assetNodeOrError"]["partitionKeys"]

    assert offered() == []
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    (tmp_path / "long.yml").write_text(STUDY, encoding="utf-8")
    assert wait_for(offered) == ["long"]

    (home / "report").mkdir()
    (home / "report" / "long.html").write_text("<p>The report</p>", encoding="utf-8")
    assert client.get("/reports/long.html").text == "<p>The report</p>"

    assert ask(LAUNCH)["launchRun"]["__typename"] == "LaunchRunSuccess"
    calls = tmp_path / "calls"
    wait_for(lambda: calls.exists() and calls.stat().st_size >= 3)
    process.send_signal(signal.SIGTERM)
    told, _ = process.communicate(timeout=WITHIN_SECONDS)
    assert process.returncode == 0
    assert "1 runs were interrupted. What was answered and measured is kept: start them again" in told
    assert left_of_session(process.pid) == []
    n_significant = calls.stat().st_size
    log = (home / "responses" / "long" / "one.jsonl").read_text().splitlines()
    assert n_significant - 1 <= sum('"response_id"' in line for line in log) <= n_significant < 800
