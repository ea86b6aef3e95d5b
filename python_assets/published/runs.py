"""The runs of every study, as table runs has them: a line each for a terminal, or everything for programs.

Belongs here: which columns are told, and in which words.
"""

import json
import sys
from typing import Any, Final

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.account import OUTCOMES, outcomes_in_words
from python_assets.published.query import format_table, open_published, shortened
from python_assets.study.base import BASELINE, SIMULATOR
from python_assets.study.control_characters import printable
from python_assets.warehouse.build import Home, rows_of

RUN_ID_CHARACTERS: Final = 8  # of a run: enough to name it by
_COUNTS: Final = (
    "n_hypotheses",
    *(f"n_{outcome}" for outcome in OUTCOMES),
    *("n_verdict_beyond_margin", "n_verdict_different", "n_verdict_inconclusive"),
)
SPENT: Final = ("n_calls", "n_input_tokens", "n_output_tokens", "cost_usd", "cost_reason")
RUN_COLUMNS: Final = (
    *("study_id", "run_id", "published_at", "publication_id", "plumbline_version", "systems_json"),
    *_COUNTS,
    *SPENT,
    *("archive_path", "archive_removed_at"),
)
_MOST_CHARACTERS: Final = 44  # of models, of which a study may have many
_NONE: Final = "No study is published yet. Run one with: plumbline run g20_demo"
Row = dict[str, Any]


def runs_of(home: Home) -> list[Row]:
    """A row a run, by study and time: COLUMNS, and its models and waves, whether it is simulated, the latest, kept.

    Args:
        home: the warehouse; its published database is only read, and none is no run.

    Raises:
        WarehouseError: the database cannot be read.
    """
    if not home.published.is_file():
        return []
    with open_published(home.published) as connection:
        try:
            described = connection.execute("describe runs").fetchall()
            known = {name for name, *_ in described}
            # a warehouse that an earlier version wrote last has not all of them
            columns = ", ".join(name if name in known else f"null as {name}" for name in RUN_COLUMNS)
            rows = rows_of(
                connection,
                f"select {columns}, run_id in (from studies select run_id) as is_latest "
                "from runs order by study_id, published_at, run_id",
            )
        except duckdb.Error as error:
            remedy = "run a study: what is published is then written by this version"
            raise WarehouseError(home.published, error, "a table runs", remedy) from error
    return [_described(row) for row in rows]


def _described(row: Row) -> Row:
    systems = [one for one in json.loads(row.pop("systems_json") or "[]") if one["provider"] != BASELINE]
    return {
        **row,
        "models": sorted({one["model"] or one["system_id"] for one in systems}),
        "waves": sorted({one["wave"] for one in systems if one["wave"]}),
        "is_simulated": any(one["provider"] == SIMULATOR for one in systems),
        "is_kept": row["archive_path"] is not None,
    }


def as_json(rows: list[Row]) -> str:
    """The rows as JSON."""
    return printable(json.dumps(rows, ensure_ascii=False, indent=2, default=str))


def as_table(rows: list[Row]) -> str:
    """The rows as a table, or that there are none; what is not known is -."""
    if not rows:
        return _NONE
    names = ["study", "run", "published", "", "models", "waves", "hypotheses", "calls", "cost so far"]
    return format_table(names, [_line(row) for row in rows], max_cell=sys.maxsize)


def _line(row: Row) -> tuple[Any, ...]:
    marks = ("latest", row["is_latest"]), ("kept", row["is_kept"])
    models = f"{'simulated: ' if row['is_simulated'] else ''}{', '.join(row['models']) or '-'}"
    return (
        row["study_id"],
        row["run_id"][:RUN_ID_CHARACTERS],
        row["published_at"] and f"{row['published_at']:%Y-%m-%d %H:%M}",
        ", ".join(word for word, holds in marks if holds) or "not kept",
        shortened(models, _MOST_CHARACTERS),
        ", ".join(row["waves"]) or None,
        _hypotheses(row),
        None if row["n_calls"] is None else f"{row['n_calls']:,}",
        _cost(row),
    )


def _hypotheses(row: Row) -> str | None:
    """As the terminal tells them after a run, and how many of them have a size beyond its margin."""
    if row["n_hypotheses"] is None:
        return None
    beyond = f"; {row['n_verdict_beyond_margin']:,} beyond a margin" if row["n_verdict_beyond_margin"] else ""
    return outcomes_in_words(row) + beyond


def _cost(row: Row) -> str | None:
    if row["cost_usd"] is not None:
        return f"{row['cost_usd']:,.4f} USD"
    return str(row["cost_reason"]).replace("_", " ") if row["cost_reason"] else None
