import json
from pathlib import Path

from python_assets.providers.loop import generate
from python_assets.providers.records import Answer, Prompt, SystemConfig, SystemRun

PROMPTS = [Prompt("a", "r", None), Prompt("b", "r", "b?"), Prompt("c", "r", "c?")]
ANSWERS = {("b", 7): "seven", ("a", 0): "first", ("a", 1): None, ("b", 2): " ", ("x", 0): "whose?"}


def replay(log_path: Path, answers: dict[tuple[str, int], str | None]) -> SystemRun:
    given = {key: Answer(text) for key, text in answers.items()}
    return generate(PROMPTS, SystemConfig("gpt", "replay", replicates=5, answers=given), log_path)


def test_rows_are_those_of_the_import_in_the_order_of_the_prompts(log_path: Path) -> None:
    run = replay(log_path, ANSWERS)
    rows = [(row.prompt_id, row.replicate, row.response_text, row.flags) for row in run.responses]
    assert rows == [
        ("a", 0, "first", ()),
        ("a", 1, None, ("is_empty",)),
        ("b", 2, " ", ("is_empty",)),
        ("b", 7, "seven", ()),
    ]
    assert {(row.requested_at, row.latency_seconds) for row in run.responses} == {(None, None)}
    assert {(row.n_retries, row.failed_calls_json) for row in run.responses} == {(None, None)}
    assert not run.is_simulated


def test_an_answer_for_an_unknown_prompt_is_rejected(log_path: Path) -> None:
    [record] = replay(log_path, ANSWERS).quarantine
    assert (record.stage, record.record_key, record.rule) == ("generate", "x | 0", "unknown_prompt")
    assert json.loads(record.record_json or "")["response_text"] == "whose?"


def test_an_import_that_changed_is_read_anew(log_path: Path) -> None:
    first = replay(log_path, ANSWERS)
    run = replay(log_path, {**ANSWERS, ("a", 1): "now there"})
    assert run.responses[1].response_text == "now there"
    assert run.responses[0].response_id != first.responses[0].response_id


def test_the_import_is_its_own_log(log_path: Path) -> None:
    first, again = (replay(log_path, ANSWERS) for _ in range(2))
    assert again.responses == first.responses
    assert not log_path.exists()


def test_blank_and_absent_are_told_apart(log_path: Path) -> None:
    absent = replay(log_path, {("a", 0): None}).description.model_digest
    blank = replay(log_path, {("a", 0): ""}).description.model_digest
    assert absent != blank


def test_emoji_surrogates_and_10_mb_pass(log_path: Path) -> None:
    answers = {("a", 0): "👩‍👩‍👧 שלום", ("b", 0): "lone \udc00", ("c", 0): "x" * 10_000_000}
    for _ in range(2):
        rows = replay(log_path, {**answers}).responses
        assert [row.response_text for row in rows[:2]] == ["👩‍👩‍👧 שלום", "lone \udc00"]
        assert (rows[2].flags, len(rows[2].response_text or "")) == (("is_truncated",), 20_000)


def test_an_answer_ends_as_it_ended_where_that_is_known(log_path: Path) -> None:
    answers = {
        ("a", 0): Answer(None, error="imported: timeout: no answer"),
        ("b", 0): Answer("cut o", "length"),
        ("c", 0): Answer(None, "refusal"),
        ("c", 1): Answer(None, "not_recorded"),
    }
    config = SystemConfig("gpt", "replay", answers=answers)
    run = generate(PROMPTS, config, log_path)
    assert [(row.status, row.flags) for row in run.responses] == [
        ("error", ()),
        ("ok", ("is_truncated",)),
        ("ok", ("is_refused", "is_empty")),
        ("not_recorded", ()),
    ]
