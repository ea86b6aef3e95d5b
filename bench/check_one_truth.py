"""Over a published warehouse: whether what stands in two places is the same, and follows from its rows.

    python -m bench.check_one_truth warehouse/plumbline.duckdb [--audit findings.json] [--export FOLDER]
        [--page warehouse/report/STUDY.html]

Numbers are compared to the digits that views print, each by its keys, those of a page as it rounds them; q is held
against p of the same row; verdicts are made anew of the numbers of their row by the rules of docs/design/inference.md
2.5, in plain Python (nothing of python_assets/infer is imported); packaged queries are run. Ends with 1 where anything
contradicts anything.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import duckdb
import pandas as pd

from bench.one_truth.compared import Compared, Pair, compare, make_printed, place
from bench.one_truth.controls import rules_of_controls
from bench.one_truth.detectable import DETECTABLE
from bench.one_truth.pages import of_page
from bench.one_truth.pairs import PAIRS
from bench.one_truth.verdicts import OF_PAIR, hypothesis_verdicts, make_rows, row_verdicts
from docs.make_tables import auditor_queries

DOCUMENT_TABLES: Final = Path(__file__).resolve().parents[1] / "python_assets" / "report" / "tables"
MOST_SHOWN: Final = 12
EFFECTS: Final = ("metric", "contrast", "comparison")
OF_RUN: Final = ("n_calls", "n_input_tokens", "n_output_tokens", "cost_usd")


def q_below_p(connection: duckdb.DuckDBPyConnection) -> Iterator[Compared]:
    """Every published table with a p and a q of one row: an adjusted p is never the smaller."""
    query = """
        select table_name, column_name from duckdb_columns()
        where schema_name = current_schema() and database_name <> 'temp'
    """
    columns: dict[str, set[str]] = {}
    for table, column in connection.execute(query).fetchall():
        columns.setdefault(table, set()).add(column)
    for table, names in sorted(columns.items()):
        for p, q in (("p_value", "q_value"), ("p_value_maxt", "q_value"), ("p_equivalence", "q_equivalence")):
            if {p, q} <= names:
                n = connection.execute(f"select count({q}) from {table} where {p} is not null").fetchall()[0][0]
                # views round both
                wrong = connection.execute(f"select * from {table} where {q} < {p} - 1e-9 * {p}").df()
                keys = [name for name in wrong.columns if name.endswith("_id") or name in EFFECTS]
                found = [f"{place(row, keys)}: {q} {row[q]:.6g}, {p} {row[p]:.6g}" for row in wrong.to_dict("records")]
                yield Compared(f"{table}: {p}, {q}", n, n, found)


def packaged_queries(connection: duckdb.DuckDBPyConnection) -> Compared:
    """Every query of docs/queries, and those of the documents' tables for every study, run."""
    queries = [(query.name, query.sql, {}) for query in auditor_queries()]
    studies = [study for (study,) in connection.execute("select study_id from studies").fetchall()]
    for path in sorted(DOCUMENT_TABLES.glob("*/*.sql")):
        sql = path.read_text(encoding="utf-8")
        queries += [(path.stem, sql, {"study": study} if "$study" in sql else {}) for study in studies]
    found, n = [], 0
    for name, sql, parameters in queries:
        try:
            n += len(connection.execute(sql, parameters).fetchall())
        except duckdb.Error as error:
            found.append(f"{name}: {error}")
    return Compared(f"{len(queries)} packaged queries", n, 0, found)


def of_audit(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[Compared]:
    """What an audit tells programs, held against the tables."""
    told = json.loads(path.read_text(encoding="utf-8"))
    benchmarks = [one for one in told["benchmarks"] if one["is_published"]]
    rows = [{"study_id": one["study_id"], **row} for one in benchmarks for row in one["hypotheses"]]
    frame = pd.DataFrame(rows).rename(columns={"model": "system_id", "against": "reference_system_id"})
    frame["reference_system_id"] = frame["reference_system_id"].fillna("")
    connection.register("told_by_audit", frame)
    yield compare(connection, Pair("hypotheses of the audit, hypotheses", "told_by_audit", "hypotheses", OF_PAIR))
    rows = [{"study_id": one["study_id"], **row} for one in benchmarks for row in one["results"]]
    if known := [row for row in rows if row["detectable"] is not None]:
        names = ["study_id", "system_id", "measure_id", "grouping_id", "detectable"]
        connection.register("results_of_audit", pd.DataFrame(known).rename(columns={"model": "system_id"})[names])
        yield compare(connection, Pair("detectable of the audit, its rule", "results_of_audit", DETECTABLE, names[:-1]))
    connection.register("runs_of_audit", pd.DataFrame(benchmarks)[["study_id", "run_id", *OF_RUN]])
    yield compare(connection, Pair("runs of the audit, runs", "runs_of_audit", "runs", ["study_id", "run_id"]))


def of_export(connection: duckdb.DuckDBPyConnection, folder: Path) -> Iterator[Compared]:
    """Every table of an export as Parquet, held against the published one of its study."""
    tables = {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}
    for path in sorted(folder.rglob("*.parquet")):
        if path.stem in tables:
            relation = f"read_parquet('{path}')"
            columns = connection.sql(f"from {relation}").columns
            there = connection.sql(f"from {path.stem}").columns
            common = ", ".join(name for name in columns if name in there)
            n = connection.execute(f"select count(*) from {relation}").fetchall()[0][0]
            others = connection.execute(
                f"select {common} from {relation} except all select {common} from {path.stem}"
            ).fetchall()
            yield Compared(f"export {path.stem}", n, n * len(columns), [str(row) for row in others])


def check(
    connection: duckdb.DuckDBPyConnection,
    audits: Sequence[Path] = (),
    exports: Sequence[Path] = (),
    pages: Sequence[Path] = (),
) -> list[Compared]:
    """Compare whatever published tables tell twice.

    Args:
        connection: to published tables; what it makes of them is temporary.
        audits: findings of audits, as JSON.
        exports: folders with tables as Parquet files.
        pages: reports of studies, as HTML.
    """
    make_printed(connection)
    rows = make_rows(connection)
    compared = [compare(connection, pair) for pair in PAIRS]
    compared += q_below_p(connection)
    compared += [row_verdicts(rows), hypothesis_verdicts(connection, rows), packaged_queries(connection)]
    compared += rules_of_controls(connection)
    for audit in audits:
        compared += of_audit(connection, audit)
    for export in exports:
        compared += of_export(connection, export)
    for page in pages:
        compared += of_page(connection, page)
    return compared


def main() -> int:
    """Print what was compared and each contradiction; 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warehouse", type=Path)
    parser.add_argument("--audit", type=Path, action="append", default=[])
    parser.add_argument("--export", type=Path, action="append", default=[])
    parser.add_argument("--page", type=Path, action="append", default=[])
    parsed = parser.parse_args()
    with duckdb.connect(str(parsed.warehouse), read_only=True) as connection:
        compared = check(connection, parsed.audit, parsed.export, parsed.page)
    width = max(len(one.name) for one in compared)
    print(f"{'what':<{width}} {'rows':>9} {'numbers':>10} {'contradictions':>15}")
    for one in compared:
        print(f"{one.name:<{width}} {one.n_rows:>9,} {one.n_numbers:>10,} {len(one.contradictions):>15,}")
    for one in compared:
        for contradiction in one.contradictions[:MOST_SHOWN]:
            print(f"{one.name}: {contradiction}")
        if len(one.contradictions) > MOST_SHOWN:
            print(f"{one.name}: {len(one.contradictions) - MOST_SHOWN:,} more")
    return int(any(one.contradictions for one in compared))


if __name__ == "__main__":
    sys.exit(main())
