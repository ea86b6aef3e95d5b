"""What asking a model took, from a server that turns calls away to the tables: retries, failed calls, versions."""

import re

import pytest

from tests.end_to_end.conftest import TWO_PROMPTS, Run
from tests.python_assets.providers.servers import Reply, Server, openai_completion, openai_error, serving

STUDY = f"""
title: Hosted
{TWO_PROMPTS}
systems:
  - {{name: hosted, provider: openai, base_url: "URL/v1", model: m, replicates: 3, concurrency: 1, max_retries: 2}}
measures: [vader]
analysis: {{permutations: 99, bootstrap: 200, quality: {{max_error_share: 0.5}}}}
"""
IMPORT = """
title: Imported
prompts: {import: {format: plumbline, path: exported/manifest.json}}
systems: [{name: "*", provider: replay}]
measures: [vader]
analysis: {permutations: 99, bootstrap: 200, quality: {max_error_share: 0.5, max_removed_share: 0.5}}
"""
BUSY = openai_error(429, "slow down", "rate_limit_exceeded", **{"retry-after-ms": "20"})
DOWN = openai_error(503, "a text of the server", None, **{"retry-after-ms": "20"})
CALLS = (
    "select outcome, n_requests, n_retries_known, n_retries, retries_reason from calls where study_id = ? "
    "order by outcome"
)
FAILED = "select outcome, failure, n_failed_calls, n_requests from failed_calls where study_id = ? order by all"

pytestmark = pytest.mark.run


def version(name):
    """An answer by a version of the model."""
    return Reply(openai_completion("A kind one.").body | {"model": name})


@pytest.fixture(scope="module")
def hosted(make_home, plumbline, tmp_path_factory):
    """Six requests: one answered after 429 twice, one given up at 503, four answered at once, by two versions."""
    home, folder = make_home(), tmp_path_factory.mktemp("hosted")
    with serving(Server("/v1/chat/completions", lambda server, request: version("m-2"))) as server:
        server.next_replies = [BUSY, BUSY, version("m-1"), DOWN, DOWN, DOWN]
        (folder / "hosted.yml").write_text(STUDY.replace("URL", server.url), encoding="utf-8")
        done = plumbline(home, "run", "hosted", PLUMBLINE_STUDIES=str(folder))
        assert done.returncode == 0, done.stderr
        yield folder, Run("hosted", home, done, "")


def test_retries_and_failed_calls_of_a_server_are_in_the_marts(hosted):
    _, run = hosted
    assert run.rows(CALLS, "hosted") == [("answered", 5, 5, 2, None), ("error", 1, 1, 2, None)]
    assert run.rows(FAILED, "hosted") == [("answered", "429", 2, 1), ("error", "503", 3, 1)]
    assert run.rows("select served_models, n_served_models from systems") == [("m-1, m-2", 2)]
    (line,) = [line for line in run.done.stdout.splitlines() if line.startswith("Calls")]
    assert line.split(maxsplit=1)[1] == (
        "hosted: 4 calls repeated; 1 request without a response; failed calls: 503 (3), 429 (2); "
        "served by 2 versions: m-1, m-2"
    )
    page = (run.home / "report" / "hosted.html").read_text(encoding="utf-8")
    assert "failed calls: 503 (3), 429 (2)" in page
    archived = {path.name for path in (run.home / "archive" / "hosted").rglob("*.parquet")}
    assert {"calls.parquet", "failed_calls.parquet"} <= archived


def test_a_log_of_before_and_an_import_record_no_retries(hosted, plumbline):
    folder, run = hosted
    places = {"PLUMBLINE_STUDIES": str(folder)}
    done = plumbline(run.home, "export", "hosted", "--stage", "responses", "--to", str(folder / "exported"), **places)
    assert done.returncode == 0, done.stderr
    (folder / "imported.yml").write_text(IMPORT, encoding="utf-8")
    log = run.home / "responses" / "hosted" / "hosted.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    before = [re.sub(r',"n_retries":\d+,"failed_calls":\{[^}]*\}', "", line) for line in lines[3:]]
    assert len(before) == 4 and before != lines[3:]
    log.write_text("".join([*lines[:3], *before]), encoding="utf-8")
    for study in ("hosted", "imported"):
        done = plumbline(run.home, "run", study, **places)
        assert done.returncode == 0, done.stderr
    # what failed was asked again and answered at once: 2 retries before, and this one
    assert run.rows(CALLS, "hosted") == [("answered", 6, 2, 2 + 3, None)]
    assert run.rows(FAILED, "hosted") == [("answered", "429", 2, 1), ("answered", "503", 3, 1)]
    assert run.rows(CALLS, "imported") == [
        ("answered", 5, 0, None, "not_recorded"),
        ("error", 1, 0, None, "not_recorded"),
    ]
    assert run.rows(FAILED, "imported") == []
    versions = "select served_models, n_served_models, served_models_reason from systems where study_id = 'imported'"
    assert run.rows(versions) == [(None, None, "not_recorded")]
