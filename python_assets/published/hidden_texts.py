"""The published tables of one study without its texts, where its file says `report: {hide_texts: true}`.

Belongs here: which columns hold texts. They are hidden in the connection that a report, an export or an archive reads
by, so that no query of theirs, those to come included, can show one. The published database itself keeps them.
"""

import json
import re
from typing import Any, Final

import duckdb

from python_assets.published.copies import identifier, literal
from python_assets.study.negative_controls import END, START

HIDDEN: Final = "(hidden)"

# columns of any table that hold texts of prompts and responses, or quote them
TEXT_COLUMNS: Final = frozenset(
    {
        "messages_json",
        "prompt_text", "other_prompt_text", "baseline_text", "response_text", "other_response_text",
        "form", "sentence_text", "context_json", "replacements_json", "edit_text",
        "system_prompt", "prompt_template", "theme", "error", "detail", "example", "examples_json",
        "record_key", "record_json", "portability_words",
    }
)  # fmt: skip
# an import may name prompts by their texts
_NAMES_OF_PROMPTS: Final = frozenset({"prompt_id", "root_prompt_id", "unit_id", "other_prompt_id"})
# parts of a study file that hold texts, by the section they stand in
_PARTS_OF_TEMPLATES: Final = ("text", "baseline", "options")
_PARTS_OF_SYSTEMS: Final = ("system_prompt", "prompt_template")
_PLACES_SHOWN: Final = rf"{START}|{END}|\{{\w+\}}"  # of edits; others are words of prompts


def hide_texts(connection: duckdb.DuckDBPyConnection, study_id: str) -> bool:
    """Put tables without texts in the place of the published ones, where the study asks for it.

    A text becomes HIDDEN, one that is not there stays NULL and an empty one empty. The names of prompts become their
    md5, the same in every table and every run.

    Args:
        connection: to the published database.
        study_id: a study in it; the tables hide those of other studies too.

    Returns:
        Whether they are hidden.
    """
    row = connection.execute("select config_json from studies where study_id = ?", [study_id]).fetchone()
    config = json.loads(row[0]) if row else {}
    if not asks_to_hide(config):
        return False
    for table, columns in _columns(connection).items():
        shown = {column: _hidden(column) for column in columns if column in TEXT_COLUMNS | _NAMES_OF_PROMPTS}
        if table == "negative_controls":
            shown["place"] = f"if(regexp_full_match(place, '{_PLACES_SHOWN}'), place, {literal(HIDDEN)})"
        if table == "studies":
            hidden = json.dumps(config_without_texts(config), ensure_ascii=False, sort_keys=True)
            shown["config_json"] = literal(hidden)
        if shown:
            replaced = ", ".join(f"{expression} as {column}" for column, expression in shown.items())
            connection.execute(
                f"create temp view {table} as select * replace ({replaced}) from {_database(connection)}.main.{table}"
            )
    return True


def asks_to_hide(config: dict[str, Any]) -> bool:
    """Whether a study hides its texts.

    Args:
        config: what config_json holds.
    """
    return bool((config.get("report") or {}).get("hide_texts"))


def config_without_texts(config: dict[str, Any]) -> dict[str, Any]:
    """A study file with every default, its templates, roles and prompt templates hidden but for their slots.

    Args:
        config: what config_json holds.
    """
    hidden = json.loads(json.dumps(config))
    templates = (hidden.get("prompts") or {}).get("templates") or {}
    for template in templates.get("texts", []):
        _hide_parts(template, _PARTS_OF_TEMPLATES)
    assemble = (hidden.get("prompts") or {}).get("assemble") or {}
    for section in (*templates.get("texts", []), assemble):
        for message in section.get("messages") or []:
            _hide_parts(message, ("content",))
    for edit in (hidden.get("negative_controls") or {}).get("edits") or []:
        _hide_parts(edit, ("text", *([] if re.fullmatch(_PLACES_SHOWN, edit["place"]) else ["place"])))
    for system in hidden.get("systems", []):
        _hide_parts(system, _PARTS_OF_SYSTEMS)
    return dict(hidden)


def _hide_parts(part: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if isinstance(part.get(name), dict):
            # options that are a list are called by their own texts
            part[name] = {
                f"{name} {number}" if key == text else key: _slots_of(text)
                for number, (key, text) in enumerate(part[name].items(), start=1)
            }
        elif part.get(name):
            part[name] = _slots_of(part[name])


def _slots_of(text: str) -> str:
    """What stands in the place of a text: a template stays one."""
    return " ".join([HIDDEN, *re.findall(r"\{\w+\}", text)]) if text else text


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    rows = connection.execute(
        "select table_name, list(column_name) from duckdb_columns() "
        "where database_name = current_database() and schema_name = 'main' group by table_name"
    ).fetchall()
    return dict(rows)


def _hidden(column: str) -> str:
    if column in _NAMES_OF_PROMPTS:
        return f"md5({column})"
    is_blank = f"trim(cast({column} as varchar)) = ''"
    return f"case when {is_blank} then {column} when {column} is not null then {literal(HIDDEN)} end"


def _database(connection: duckdb.DuckDBPyConnection) -> str:
    (name,) = connection.execute("select current_database()").fetchall()[0]
    return identifier(str(name))
