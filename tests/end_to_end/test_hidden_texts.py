"""A study that hides its texts: what is planted in prompts and answers is in no file for readers."""

import base64
import gzip
import io
import json
import re
from zipfile import ZipFile

import duckdb
import pytest

from python_assets.published.export import STATISTICS_TABLES

PROMPT, BASELINE, ANSWER, REJECTED = "quokka", "narwhal", "axolotl", "okapi"
PLANTED = (PROMPT, BASELINE, ANSWER, REJECTED)
STUDY = """
title: Hidden
prompts:
  import:
    path: answers.csv
    columns: {prompt: text, root_prompt: topic, prompt_text: text, baseline_text: baseline, response: answer}
    factors: {gender: gender}
factors: {gender: {levels: [she, he]}}
systems:
  - {name: one, provider: replay}
  - name: two_{system_prompt_name}
    provider: simulator
    system_prompt: {none: "", keeper: "You keep a quokka."}
    prompt_template: "{prompt} No quokka."
measures: [vader, {name: answered, choices: ["yes", "no"]}]
analysis:
  permutations: 99
  bootstrap: 200
  quality: {max_removed_share: 0.2}
report: {hide_texts: true}
"""


def rows():
    yield "topic,gender,text,baseline,answer"
    for topic in range(6):
        for gender in ("she", "he"):
            asked = f"May {gender} keep a {PROMPT} of kind {topic}?"
            yield f"topic {topic},{gender},{asked},A {BASELINE} is kept.,Yes {topic} and an {ANSWER} is fine."
    # a second answer to a prompt, and one that disagrees on the root prompt: both are in quarantine
    again = f"she,May she keep a {PROMPT} of kind 0?"
    yield f"topic 0,{again},A {BASELINE} is kept.,The {REJECTED} came too late."
    yield f"topic 1,{again},A {REJECTED} is kept.,No."


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hidden")
    (folder / "answers.csv").write_text("\n".join(rows()) + "\n", encoding="utf-8")
    (folder / "hidden.yml").write_text(STUDY, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def hidden(run_study, plumbline, studies):
    run = run_study("hidden", PLUMBLINE_STUDIES=str(studies))
    for stage in ("prompts", "responses", "statistics"):
        for kind in ("csv", "jsonl", "parquet"):
            folder = run.home / "hidden_export" / f"{stage}_{kind}"
            named = ["--stage", stage, "--format", kind, "--to", str(folder)]
            done = plumbline(run.home, "export", "hidden", *named, PLUMBLINE_STUDIES=str(studies))
            assert done.returncode == 0, done.stderr
    return run


def told(path):
    """What a file says, what is packed in it included."""
    if path.suffix == ".parquet":
        return "\n".join(map(str, duckdb.sql(f"from '{path}'").fetchall()))
    text = path.read_text(encoding="utf-8")
    packed = [gzip.decompress(base64.b64decode(part)) for part in re.findall(r"H4sI[A-Za-z0-9+/=]+", text)]
    for book in re.findall(r"UEsDB[A-Za-z0-9+/=]+", text):
        with ZipFile(io.BytesIO(base64.b64decode(book))) as files:
            packed.extend(files.read(name) for name in files.namelist())
    return "\n".join([text, *(part.decode("latin-1") for part in packed)])


def exported(run):
    return sorted((run.home / "hidden_export").rglob("*.*"))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_no_planted_word_stands_in_the_report(hidden):
    report = told(hidden.home / "report" / "hidden.html").lower()
    assert "(hidden)" in report
    assert [word for word in PLANTED if word in report] == []


def test_no_planted_word_stands_in_any_exported_file(hidden):
    files = exported(hidden)
    assert len(files) == 3 * (2 + 2 + len(STATISTICS_TABLES) + 1)
    found = {path.name: word for path in files for word in PLANTED if word in told(path).lower()}
    assert found == {}


def test_no_planted_word_stands_in_the_archive(hidden):
    files = [path for path in (hidden.home / "archive" / "hidden").rglob("*.*") if path.is_file()]
    assert {path.name for path in files} >= {"responses.parquet", "quarantined_records.parquet", "manifest.json"}
    assert not [path for path in files if path.suffix == ".yml"]
    assert {path.name: word for path in files for word in PLANTED if word in told(path).lower()} == {}
    manifest = json.loads(next(path for path in files if path.name == "manifest.json").read_text())
    assert manifest["hides_texts"] is True


def test_no_planted_word_stands_in_what_the_ui_shows_of_the_run(hidden):
    stored = [path for path in (hidden.home / "dagster").rglob("*") if path.is_file()]
    assert any(b"hidden" in path.read_bytes() for path in stored)
    found = {str(path): word for path in stored for word in PLANTED if word.encode() in path.read_bytes().lower()}
    assert found == {}


def test_numbers_and_keys_are_still_there(hidden):
    folder = hidden.home / "hidden_export"
    prompts = lines(folder / "prompts_jsonl" / "prompts.jsonl")
    answers = lines(folder / "responses_jsonl" / "responses.jsonl")
    assert len(prompts) == 12
    assert {row["prompt_id"] for row in answers} == {row["prompt_id"] for row in prompts}
    assert {row["response_text"] for row in answers} == {"(hidden)"}
    assert {row["factor_gender"] for row in prompts} == {"she", "he"}
    manifest = json.loads((folder / "prompts_jsonl" / "manifest.json").read_text())
    assert manifest["hides_texts"] is True


def test_the_database_keeps_the_texts_for_those_who_may_read_it(hidden):
    kept = hidden.rows("select prompt_text, baseline_text from prompts where study_id = 'hidden'")
    assert all(PROMPT in prompt and BASELINE in baseline for prompt, baseline in kept)


def test_an_export_without_texts_is_no_import(hidden, plumbline, tmp_path):
    manifest = hidden.home / "hidden_export" / "responses_csv" / "manifest.json"
    (tmp_path / "again.yml").write_text(
        f"prompts: {{import: {{format: plumbline, path: '{manifest}'}}}}\nsystems: [{{name: '*', provider: replay}}]\n",
        encoding="utf-8",
    )
    done = plumbline(hidden.home, "plan", "again", PLUMBLINE_STUDIES=str(tmp_path))
    assert done.returncode != 0
    assert "an export with texts" in done.stderr and "(report: hide_texts)" in done.stderr
