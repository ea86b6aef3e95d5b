"""Read every column of every mart of a published database; imports duckdb alone, of whatever version."""

import sys

import duckdb


def main(path: str) -> None:
    connection = duckdb.connect(path, read_only=True)
    marts = connection.execute(
        "select table_name, comment from duckdb_tables() where schema_name = 'main' order by table_name"
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
    print(f"duckdb {duckdb.__version__} reads all {len(marts)} marts")


if __name__ == "__main__":
    main(sys.argv[1])
