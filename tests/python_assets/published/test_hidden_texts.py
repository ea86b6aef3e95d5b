import json

import duckdb
import pytest

from python_assets.published.hidden_texts import config_without_texts, hide_texts

CONFIG = {
    "prompts": {
        "templates": {
            "texts": [
                {"id": "1", "text": "May {gender} go? {options}", "options": {"yes": "Yes she may", "no": "no"}},
                {"id": "2", "text": "Who?", "baseline": "Nobody"},
            ]
        }
    },
    "systems": [{"name": "g", "system_prompt": {"none": "", "nurse": "You nurse."}, "prompt_template": {"": None}}],
}


def test_templates_keep_their_slots_and_lose_their_words():
    hidden = config_without_texts(CONFIG)
    first, second = hidden["prompts"]["templates"]["texts"]
    assert first["text"] == "(hidden) {gender} {options}"
    # an option that is called by its own text is called by its place
    assert first["options"] == {"yes": "(hidden)", "options 2": "(hidden)"}
    assert (second["text"], second["baseline"]) == ("(hidden)", "(hidden)")
    assert hidden["systems"][0]["system_prompt"] == {"none": "", "nurse": "(hidden)"}
    assert hidden["systems"][0]["prompt_template"] == {"": None}
    assert CONFIG["prompts"]["templates"]["texts"][1]["text"] == "Who?"


@pytest.fixture
def published(tmp_path):
    """A database with a study; returns a connection that only reads it."""

    def open_study(config):
        path = tmp_path / "plumbline.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("create table studies as select 's' as study_id, ? as config_json", [config])
            connection.execute(
                "create table prompts as select 's' as study_id, 'Who?' as prompt_id, 'Who?' as prompt_text, "
                "null::varchar as baseline_text, 'she' as level"
            )
            connection.execute("create table measurements as select 's' as study_id, 'Who?' as prompt_id, 1 as value")
        return duckdb.connect(str(path), read_only=True)

    return open_study


def test_texts_are_hidden_and_the_names_of_prompts_still_join(published):
    with published(json.dumps({**CONFIG, "report": {"hide_texts": True}})) as connection:
        assert hide_texts(connection, "s")
        joined = "select prompt_text, baseline_text, level, value from prompts join measurements using (prompt_id)"
        assert connection.execute(joined).fetchall() == [("(hidden)", None, "she", 1)]
        assert connection.execute("select prompt_id from prompts").fetchall() != [("Who?",)]
        assert "Who" not in connection.execute("select config_json from studies").fetchall()[0][0]


@pytest.mark.parametrize("report", [{}, {"report": {"hide_texts": False}}])
def test_texts_stay_where_the_study_does_not_hide_them(published, report):
    with published(json.dumps({**CONFIG, **report})) as connection:
        assert not hide_texts(connection, "s")
        assert connection.execute("select prompt_text from prompts").fetchall() == [("Who?",)]


def test_messages_before_prompts_lose_their_words():
    before = [{"role": "user", "content": "I am a {gender}."}, {"role": "assistant", "content": "Hm."}]
    template = {"id": "1", "text": "Why?", "messages": before}
    for prompts in ({"templates": {"texts": [template]}}, {"assemble": {"messages": before}}):
        hidden = config_without_texts({"prompts": prompts})["prompts"]
        part = hidden["assemble"] if "assemble" in hidden else hidden["templates"]["texts"][0]
        assert part["messages"] == [
            {"role": "user", "content": "(hidden) {gender}"},
            {"role": "assistant", "content": "(hidden)"},
        ]


def test_edits_lose_their_words_and_keep_where_they_stand():
    edits = [
        {"name": "day", "place": "on Monday", "text": "on Tuesday"},
        {"name": "line", "place": "end", "text": "Ref. 4471."},
        {"name": "folder", "place": "{aside}", "text": "with a folder"},
        {"name": "blank", "place": "start", "text": ""},
    ]
    config = {**CONFIG, "report": {"hide_texts": True}, "negative_controls": {"edits": edits}}
    hidden = [
        ("day", "(hidden)", "(hidden)"),
        ("line", "end", "(hidden)"),
        ("folder", "{aside}", "(hidden)"),
        ("blank", "start", ""),
    ]
    assert [tuple(edit.values()) for edit in config_without_texts(config)["negative_controls"]["edits"]] == hidden
    with duckdb.connect() as connection:
        connection.execute("create table studies as select 's' as study_id, ? as config_json", [json.dumps(config)])
        rows = [[edit["name"], edit["place"], edit["text"]] for edit in edits]
        connection.execute("create table negative_controls (negative_control text, place text, edit_text text)")
        connection.executemany("insert into negative_controls values (?, ?, ?)", rows)
        assert hide_texts(connection, "s")
        assert connection.execute("from negative_controls").fetchall() == hidden
