"""Read every column of every mart of a publication, by the link; imports duckdb alone, of whatever version."""

import sys
from pathlib import Path

import duckdb


def main(path: str) -> None:
    connection = duckdb.connect(path, read_only=True)
    marts = connection.execute(
        "select table_name, comment from duckdb_tables() where schema_name = 'main' "
        "union all select view_name, comment from duckdb_views() where not internal and schema_name = 'main' order by 1"
    ).fetchall()
    if not marts:
        sys.exit(f"{path} holds no marts")
    for mart, comment in marts:
        columns = connection.execute(
            "select column_name from duckdb_columns() where schema_name = 'main' and table_name = ?", [mart]
        ).fetchall()
        read = ", ".join(f'count("{name}"), min("{name}"), max("{name}")' for (name,) in columns)
        n_rows = connection.execute(f'select count(*), {read} from "{mart}"').fetchone()[0]
        if not comment:
            sys.exit(f"{mart} has lost its comment")
        print(f"  {mart}: {n_rows:,} rows, {len(columns)} columns")
    _check_parquet(connection, Path(path).resolve().parent, [mart for mart, _ in marts])
    print(f"duckdb {duckdb.__version__} reads all {len(marts)} marts, and the same publication from Parquet files")


def _check_parquet(connection: duckdb.DuckDBPyConnection, folder: Path, marts: list[str]) -> None:
    expected = [(folder.name,)]
    for mart in marts:
        file = str(folder / "parquet" / f"{mart}.parquet")
        key = "select decode(value) from parquet_kv_metadata(?) where decode(key) = 'publication_id'"
        if connection.execute(key, [file]).fetchall() != expected:
            sys.exit(f"{file} is of another publication")
        in_file = connection.execute("select count(*) from read_parquet(?)", [file]).fetchall()
        if in_file != connection.execute(f'select count(*) from "{mart}"').fetchall():
            sys.exit(f"{file} has other rows than the database")


if __name__ == "__main__":
    main(sys.argv[1])
