import json

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import ProviderError, StudyError
from python_assets.generate.generate_study import generate_study
from python_assets.providers.engine import Inquiry, ask_engine
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext
from tests.python_assets.providers.servers import DIGEST, MODEL

COLUMNS = {"prompt": "id", "prompt_text": "text", "response": "answer"}
ROWS = [
    {"id": "p1", "text": "one?", "answer": "yes", "model": "GPT 4", "gender": "Female"},
    {"id": "p2", "text": "two?", "answer": "\ud83d broken \x00 text", "model": "GPT 4", "gender": "Male"},
]


@pytest.fixture
def replayed(make_study, build, tmp_path):
    def run(system, columns, rows=ROWS, **parts):
        lines = "\n".join(json.dumps(row) for row in rows)
        study = make_study(
            {"import": {"path": "rows.jsonl", "columns": columns, "factors": {"gender": "gender"}}},
            files={"rows.jsonl": lines},
            systems=[{"name": system, "provider": "replay"}],
            **parts,
            groupings=["gender"],
        )
        assemble(study, build)
        counts = generate_study(study, build, Home(tmp_path / "home"), progress=SILENT)
        return counts, build.execute("select * from raw.responses order by prompt_id").df()

    return run


def test_an_import_without_systems_belongs_to_the_one_that_replays_it(replayed):
    counts, responses = replayed("annotated", COLUMNS)
    assert counts.n_responses == 2
    assert responses["system_id"].tolist() == ["annotated", "annotated"]


def test_a_star_is_one_system_for_each_imported_one(replayed):
    _, responses = replayed("*", {**COLUMNS, "system": "model"})
    assert set(responses["system_id"]) == {"gpt_4"}


def test_a_system_the_import_has_not_is_named_with_those_it_has(replayed, refused):
    with refused(StudyError, "systems"):
        replayed("claude", {**COLUMNS, "system": "model"})


def test_a_text_that_duckdb_cannot_hold_is_stored_without_what_it_cannot(replayed):
    _, responses = replayed("annotated", COLUMNS)
    text = responses["response_text"][1]
    assert "broken" in text
    assert "\x00" not in text
    assert not any("\ud800" <= character <= "\udfff" for character in text)


def test_what_is_replayed_has_no_decoding_of_ours(replayed, build):
    replayed("annotated", COLUMNS)
    assert build.execute("select decoding_json, is_simulated from raw.systems").fetchall() == [("{}", False)]


@pytest.mark.parametrize(
    "measures",
    [
        [{"name": "warmth", "scorer": "vader"}],
        [{"name": "decision", "choices": ["approve", "decline"]}],
        [{"name": "favoured", "choices": "yes_no"}],
    ],
)
def test_a_text_and_its_prompt_have_one_outcome_whatever_is_measured(replayed, measures):
    asked = ["Approve or decline the loan?", "Should they get the loan?"]
    rows = [
        {"id": f"p{i}", "text": text, "answer": '{"decision": "decline"}', "model": "GPT 4", "gender": "Female"}
        for i, text in enumerate(asked)
    ]
    _, responses = replayed("annotated", COLUMNS, rows, measures=measures)
    assert responses["outcome"].tolist() == ["answered", "refused"]


TEMPLATES = {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}}


@pytest.fixture
def generated(make_study, build, tmp_path):
    """Assemble and generate a study of these generations; gives its study."""

    def run(*systems, simulated=False, levels=("Female", "Male"), **parts):
        study = make_study(
            TEMPLATES,
            factors={"gender": {"levels": list(levels)}},
            systems=list(systems),
            groupings=["gender"],
            **parts,
        )
        if simulated:
            study = load_study(study.path, simulated=True)
        assemble(study, build)
        generate_study(study, build, Home(tmp_path / "home"), progress=SILENT)
        return study

    return run


def at(server, name, **fields):
    return {
        "name": name,
        "provider": "openai",
        "model": MODEL,
        "base_url": server.url + "/v1",
        "max_retries": 0,
        **fields,
    }


def test_a_system_that_cannot_answer_is_known_before_another_is_asked_all(generated, openai_server, refused):
    with refused(ProviderError, "system 'absent'"):
        generated(at(openai_server, "there"), at(openai_server, "absent", model="nobody"))
    assert [call.body["model"] for call in openai_server.calls] == [MODEL, "nobody"]


def test_a_system_whose_log_is_complete_is_not_probed(generated, openai_server):
    generated(at(openai_server, "there"))
    assert len(openai_server.calls) == 2
    generated(at(openai_server, "there"), at(openai_server, "later"))
    assert len(openai_server.calls) == 4


def test_another_level_or_version_reads_logged_answers_anew_and_asks_for_none(
    generated, openai_server, build, monkeypatch
):
    def read_by():
        return {version for (version,) in build.execute("select outcome_version from raw.responses").fetchall()}

    generated(at(openai_server, "there"))
    first = read_by()
    generated(at(openai_server, "there"), levels=("Female", "Male", "Judge"))
    assert len(openai_server.calls) == 3  # of the new level alone
    more = read_by()
    assert len(more) == 1 and more != first
    monkeypatch.setattr("python_assets.providers.outcomes.OUTCOME_VERSION", "another")
    generated(at(openai_server, "there"), levels=("Female", "Male", "Judge"))
    assert len(openai_server.calls) == 3
    assert [version.partition(";")[0] for version in read_by()] == ["another"]


def test_a_study_whose_second_address_is_dead_is_answered_by_the_first(generated, openai_server, build):
    urls = [openai_server.url + "/v1", "http://127.0.0.1:9/v1"]
    generated(at(openai_server, "both", base_url=urls, requests_per_minute=100_000))
    assert build.execute("select status, count(*) from raw.responses group by all").fetchall() == [("ok", 2)]


def test_systems_of_an_address_are_asked_in_their_order(generated, openai_server):
    one, other = ({"temperature": heat, "seed": None, "max_tokens": None} for heat in (0.0, 1.0))
    generated(at(openai_server, "one", decoding=one), at(openai_server, "other", decoding=other))
    asked = [call.body["temperature"] for call in openai_server.calls]
    assert asked == [0.0, 1.0, 0.0, 1.0]  # each is probed before any is asked the rest


def test_a_system_says_which_role_template_and_extension_it_has(generated, build):
    generated(
        {
            "name": "{system_prompt_name}_{template}",
            "provider": "simulator",
            "system_prompt": {"none": "", "kind": "Be kind."},
            "prompt_template": {"plain": None, "short": "In short: {prompt}"},
        }
    )
    rows = build.execute(
        "select system_prompt_name, template, extension, system_prompt, prompt_template, is_engine from raw.systems "
        "where not is_baseline order by all"
    ).fetchall()
    assert rows == [
        ("kind", "plain", "", "Be kind.", None, False),
        ("kind", "short", "", "Be kind.", "In short: {prompt}", False),
        ("none", "plain", "", "", None, False),
        ("none", "short", "", "", "In short: {prompt}", False),
    ]


def test_an_engine_that_wrote_is_a_row_without_responses(generated, build, ollama_server, tmp_path):
    engine = {"name": "helper", "provider": "ollama", "model": MODEL, "base_url": ollama_server.url, "engine": True}
    idle = {"name": "idle", "provider": "simulator", "engine": True}
    study = generated({"name": "fair", "provider": "simulator"}, engine, idle)
    assert build.execute("select count(*) from raw.systems where is_engine").fetchone() == (0,)
    run_context = RunContext(Home(tmp_path / "home"), progress=SILENT)
    ask_engine(study, run_context, "helper", "assemble", [Inquiry("a", "b")])
    generated({"name": "fair", "provider": "simulator"}, engine, idle)
    assert build.execute(
        "select system_id, model, model_digest, is_simulated from raw.systems where is_engine"
    ).fetchall() == [("helper", MODEL, DIGEST, False)]
    assert build.execute("select distinct system_id from raw.responses").fetchall() == [("fair",)]


def test_the_simulator_stands_in_without_touching_the_logs_of_the_models(generated, build, openai_server, tmp_path):
    study = generated(at(openai_server, "there"))
    log = Home(tmp_path / "home").responses(study.study_id) / "there.jsonl"
    before, n_calls = log.read_bytes(), len(openai_server.requests)
    generated(at(openai_server, "there"), simulated=True)
    assert build.execute("select provider, model, is_simulated from raw.systems").fetchall() == [
        ("simulator", MODEL, True)
    ]
    assert (log.read_bytes(), len(openai_server.requests)) == (before, n_calls)
    assert (log.parent / "simulated" / "there.jsonl").is_file()
