"""Over warehouses that hold the packaged studies: which published tables have no row, which columns are always NULL.

Every table has rows in some study and every column a value, but those listed here with what would fill them: none of
the packaged studies does. Ends with 1 where another one is empty, or a listed one is not.

    for study in studies/*.yml; do plumbline run $(basename $study .yml) --provider simulator; done
    python -m bench.check_marts warehouse/plumbline.duckdb
"""

import argparse
import sys
from pathlib import Path
from typing import Final

import duckdb

# what would fill them: tables, and columns of tables that have rows
TABLES: Final = {
    "human_labels": "labels of people",
    "label_agreement": "labels of people",
    "pair_errors": "labels of people",
    "pair_judges": "branch.check",
    "pair_labels": "labels of people",
    "imported_metrics": "logs of Inspect and lm_eval",
    "impossible_cells": "factors that exclude each other",
    "run_changes": "plumbline gate",
    "v_changed_since": "plumbline gate",
}
COLUMNS: Final = {
    "aliased_with": "a regression with a column that is a sum of others",
    "preregistered_at": "plumbline plan --preregister",
    "archive_removed_at": "a run that is no longer kept",
    "cost_usd": "a provider with prices",
    "dropped_reason": "a branch left out, as for a word without replacement",
    "error": "a call that failed",
    "scorer_changed": "a second run",
    "is_same_effect": "a second run",
    "look": "analysis.looks",
    "messages_json": "prompts that go on with a conversation",
    "n_calls": "a provider that is called",
    "n_input_tokens": "a provider that tells tokens",
    "n_looks": "analysis.looks",
    "n_needed": "analysis.power",
    "n_needed_for": "analysis.power",
    "n_output_tokens": "a provider that tells tokens",
    "n_root_prompts_asked": "analysis.looks",
    "n_root_prompts_planned": "analysis.looks",
    "n_tokens_in": "a provider that tells tokens",
    "n_tokens_out": "a provider that tells tokens",
    "prompt_template": "a generation with a template of its own",
    "reason": "clusters that could not be judged",
    "revised_at": "pages of a wiki",
    "revision": "pages of a wiki",
    "run_id_before": "a second run",
    "score": "keywords that were found by likeness",
    "wave": "waves",
    "words": "a branch left out, as for a word without replacement",
}


def found(databases: list[Path]) -> tuple[set[str], dict[str, set[str]]]:
    """Tables without a row in any database, and of the others the columns without a value."""
    n_rows: dict[str, int] = {}
    empty: dict[str, set[str]] = {}
    for path in databases:
        with duckdb.connect(str(path), read_only=True) as connection:
            listed = connection.execute("select table_name from information_schema.tables").fetchall()
            for (table,) in listed:
                columns = [row[0] for row in connection.execute(f'describe "{table}"').fetchall()]
                counts = ", ".join(f'count("{column}")' for column in columns)
                n, *values = connection.execute(f'select count(*), {counts} from "{table}"').fetchall()[0]
                lacking = {column for column, count in zip(columns, values, strict=True) if not count}
                n_rows[table] = n_rows.get(table, 0) + n
                empty[table] = empty.get(table, lacking) & lacking
    tables = {table for table, n in n_rows.items() if not n}
    return tables, {table: columns for table, columns in empty.items() if columns and table not in tables}


def main() -> None:
    """What is empty and why, and what should not be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("databases", type=Path, nargs="+", metavar="PUBLISHED")
    tables, columns = found(parser.parse_args().databases)
    for table in sorted(tables):
        print(f"{table}: {TABLES.get(table, 'UNLISTED')}")
    for table, names in sorted(columns.items()):
        print(f"{table}:", ", ".join(f"{name} ({COLUMNS.get(name, 'UNLISTED')})" for name in sorted(names)))
    unlisted = tables - {*TABLES} | {f"{t}.{c}" for t, names in columns.items() for c in names - {*COLUMNS}}
    filled = {*TABLES} - tables
    if unlisted or filled:
        sys.exit(f"empty and not listed: {sorted(unlisted)}; listed and not empty: {sorted(filled)}")


if __name__ == "__main__":
    main()
