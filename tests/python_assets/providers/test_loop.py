import hashlib
import json
from pathlib import Path

import pytest

from python_assets.errors import PlumblineError, ProviderError
from python_assets.providers.loop import generate
from python_assets.providers.records import Prompt, SystemConfig, SystemRun
from tests.heard import Heard
from tests.python_assets.providers.conftest import Ask, numbered_prompts
from tests.python_assets.providers.servers import Server


class Interrupted(Exception):
    pass


def simulate(log_path: Path, n_prompts: int = 5, **config: object) -> SystemRun:
    settings = SystemConfig(**{"system_id": "fair", "provider": "simulator", **config})  # type: ignore[arg-type]
    return generate(numbered_prompts(n_prompts), settings, log_path)


def test_a_rerun_asks_nothing_and_leaves_the_log_as_it_is(openai_server: Server, ask: Ask, log_path: Path) -> None:
    first = ask(openai_server, 6)
    before = log_path.read_bytes()
    again = ask(openai_server, 6)
    assert again.responses == first.responses
    assert (again.n_requested, again.n_from_log) == (0, 6)
    assert log_path.read_bytes() == before
    assert len(openai_server.calls) == 6


def test_more_prompts_ask_for_the_new_ones_alone(openai_server: Server, ask: Ask) -> None:
    ask(openai_server, 3)
    more = ask(openai_server, 5)
    assert (more.n_requested, more.n_from_log) == (2, 3)


@pytest.mark.parametrize(
    "change",
    [{"system_prompt": "Be brief."}, {"decoding": {"temperature": 1.0}}, {"prompt_template": "{prompt}!"}],
    ids=lambda change: next(iter(change)),
)
def test_what_changes_the_request_is_asked_anew(openai_server: Server, ask: Ask, change: dict[str, object]) -> None:
    ask(openai_server, 2)
    assert ask(openai_server, 2, **change).n_requested == 2
    assert ask(openai_server, 2).n_requested == 0


def test_how_it_is_asked_changes_nothing(openai_server: Server, ask: Ask) -> None:
    ask(openai_server, 2)
    run = ask(openai_server, 2, concurrency=1, timeout_seconds=3, max_retries=0, decoding={"top_p": None})
    assert run.n_requested == 0


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_run_broken_off_keeps_what_was_answered(openai_server: Server, ask: Ask, concurrency: int) -> None:
    def break_off(n_done: int, n_total: int) -> None:
        if n_done == 7:
            raise Interrupted

    with pytest.raises(Interrupted):
        ask(openai_server, 20, progress=Heard(break_off), concurrency=concurrency)
    n_calls = len(openai_server.calls)
    run = ask(openai_server, 20)
    assert run.n_by_status["ok"] == 20
    assert run.n_from_log >= 7
    assert n_calls - run.n_from_log <= concurrency


def test_a_torn_last_line_is_cut_off_and_asked_again(openai_server: Server, ask: Ask, log_path: Path) -> None:
    first = ask(openai_server, 4, concurrency=1)
    whole = log_path.read_bytes()
    log_path.write_bytes(whole[:-40])
    run = ask(openai_server, 4)
    assert (run.n_requested, run.n_from_log, run.n_torn_lines) == (1, 3, 1)
    assert run.quarantine == []
    assert [r.response_text for r in run.responses] == [r.response_text for r in first.responses]
    lines = log_path.read_text().splitlines()
    assert len(lines) == 5
    assert all(json.loads(line) for line in lines)
    assert ask(openai_server, 4).n_requested == 0


def test_a_last_line_that_only_lacks_its_end_is_kept(openai_server: Server, ask: Ask, log_path: Path) -> None:
    ask(openai_server, 3)
    log_path.write_bytes(log_path.read_bytes().rstrip(b"\n"))
    assert ask(openai_server, 3).n_requested == 0
    assert ask(openai_server, 4).n_requested == 1
    assert ask(openai_server, 4).n_requested == 0


def test_foreign_lines_are_reported_and_cost_no_good_one(openai_server: Server, ask: Ask, log_path: Path) -> None:
    ask(openai_server, 3, concurrency=1)
    lines = log_path.read_bytes().splitlines(keepends=True)
    foreign = [b"not json\n", b"\xff\xfe\n", b"[1, 2]\n", b'{"response_id": 5}\n', b"\n", b"[" * 100_000 + b"\n"]
    log_path.write_bytes(b"".join([lines[0], *foreign, *lines[1:]]))
    run = ask(openai_server, 3)
    assert (run.n_requested, run.n_from_log) == (0, 3)
    keys = [(record.record_key, record.rule, record.stage) for record in run.quarantine]
    expected = [(f"asked.jsonl:{n}", "log_line_unreadable", "generate") for n in (2, 3, 4, 5, 7)]
    assert keys == expected
    assert "line 2 of asked.jsonl: JSONDecodeError" in run.quarantine[0].detail
    assert json.loads(run.quarantine[1].record_json or "") == {"line": "\\xff\\xfe"}
    assert all(len(record.record_json or "") < 2_000 for record in run.quarantine)


def test_response_id_is_the_sha256_of_the_logged_request(openai_server: Server, ask: Ask, log_path: Path) -> None:
    ask(openai_server, 2, decoding={"seed": 1}, system_prompt="Ünïcode 😀")
    for line in log_path.read_text().splitlines()[1:]:
        record = json.loads(line)
        canonical = json.dumps(record["request"], sort_keys=True, separators=(",", ":"))
        assert hashlib.sha256(canonical.encode()).hexdigest() == record["response_id"]
        assert record["request"]["decoding"] == {"seed": 1}


def test_every_answer_is_told_and_first_what_came_from_the_log(openai_server: Server, ask: Ask, snapshot) -> None:
    ask(openai_server, 3)
    heard = Heard()
    ask(openai_server, 5, progress=heard)
    assert heard.counts == [("asked", "answers", 1, 2), ("asked", "answers", 2, 2)]
    known = Heard()
    ask(openai_server, 5, progress=known)
    assert known.counts == []
    assert [*heard.said, *known.said] == snapshot


def test_a_log_that_another_run_writes_is_left_alone(openai_server: Server, ask: Ask, log_path: Path, refused) -> None:
    def meanwhile(n_done: int, n_total: int) -> None:
        with refused(ProviderError, "the file"):
            simulate(log_path)

    run = ask(openai_server, 1, progress=Heard(meanwhile))
    assert run.n_by_status["ok"] == 1
    assert ask(openai_server, 1).quarantine == []


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path, refused) -> None:
    (tmp_path / "file").write_text("")
    with refused(ProviderError, "the file"):
        simulate(tmp_path / "file" / "responses.jsonl")


def test_a_log_that_is_a_folder_is_named(tmp_path: Path, refused) -> None:
    with refused(ProviderError, "the file"):
        simulate(tmp_path)


def test_an_unknown_provider_lists_the_known_ones(log_path: Path, refused) -> None:
    with refused(PlumblineError, "provider"):
        simulate(log_path, provider="olama")


def test_prompts_with_one_id_are_refused(log_path: Path) -> None:
    prompts = [Prompt("same", "a", "x"), Prompt("same", "b", "y")]
    with pytest.raises(ValueError, match="repeated: same"):
        generate(prompts, SystemConfig("fair", "simulator"), log_path)


def test_no_prompts_give_no_rows_and_no_log(log_path: Path) -> None:
    run = simulate(log_path, 0)
    assert (run.responses, run.n_requested) == ([], 0)
    assert not log_path.exists()


def test_a_local_provider_uses_the_log_too(log_path: Path) -> None:
    first = simulate(log_path, 50, replicates=2)
    log_path.write_bytes(log_path.read_bytes()[:-10])
    again = simulate(log_path, 50, replicates=2)
    assert again.n_requested == 1
    assert [row.response_text for row in again.responses] == [row.response_text for row in first.responses]
    assert [row.replicate for row in again.responses[:3]] == [0, 1, 0]


def test_other_options_of_the_simulator_are_other_responses(log_path: Path) -> None:
    simulate(log_path)
    assert simulate(log_path, options={"sentiment": {"base": 0.1}}).n_requested == 5
    assert simulate(log_path, study_seed=2).n_requested == 5
    assert simulate(log_path).n_requested == 0


def test_simulated_rows_say_so(log_path: Path) -> None:
    run = simulate(log_path)
    assert run.is_simulated
    assert {row.context_json for row in run.responses} == {'{"is_simulated": true}'}
    assert {row.latency_seconds for row in run.responses} == {0.0}
