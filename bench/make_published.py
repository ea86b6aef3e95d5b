"""Publish made-up studies of the paper's scale and say how long it takes; check_readers.sh reads the result.

Every mart gets the columns its dbt contract promises, filled by a fixed seed. Sizes are those of 20
generations, 1,575 prompts of 21 groups and 44 measures.

    python -m bench.make_published FOLDER
"""

import sys
from pathlib import Path

import duckdb
import yaml

from python_assets.published.publish import FinishedRun, publish
from python_assets.warehouse.build import Home

MODELS = Path(__file__).resolve().parent.parent / "dbt_models" / "models" / "marts"
N_ROWS = {
    "measurements": 1_386_000,
    "responses": 31_500,
    "prompts": 1_575,
    "prompt_factors": 12_600,
    "summary_statistics": 20 * 86 * 21 * 5,
    "contrasts": 20 * 86 * 21,
    "disparities": 20 * 86 * 8 * 5,
    "findings": 20 * 86 * 6,
    "finding_groups": 20 * 86 * 3,
}
VALUES = {
    "string": "'{name}_' || (i * 7919) % 1009",
    "double": "random()",
    "integer": "cast(i % 10 as integer)",
    "bigint": "i",
    "boolean": "i % 2 = 0",
    "timestamp": "timestamp '2025-01-01' + to_seconds(i)",
}
TEXTS = {  # 64 characters a time
    "config_json": """'{"prompts": {"templates": {"texts": [{"id": "t", "text": "A"}]}}}'""",
    "type": "'prompt'",
    "response_text": "repeat(sha256('{name}' || i), 12)",
    "sentence": "repeat(sha256('{name}' || i), 2)",
    "prompt_text": "repeat(sha256('{name}' || i), 2)",
}


def make_build(path: Path, study_id: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("select setseed(0.5)")
        connection.execute("create schema marts")
        for model in sorted(MODELS.glob("*.yml")):
            for mart in yaml.safe_load(model.read_text()).get("models", []):
                _make_mart(connection, study_id, mart)


def _make_mart(connection: duckdb.DuckDBPyConnection, study_id: str, mart: dict) -> None:
    columns = mart["columns"]
    declared = ", ".join(
        f"{column['name']} {column['data_type']}" + (" not null" if column.get("constraints") else "")
        for column in columns
    )
    values = ", ".join(_value(column, study_id) for column in columns)
    n_rows = 1 if mart["name"] in ("studies", "runs") else N_ROWS.get(mart["name"], 1_000)
    connection.execute(f"create table marts.{mart['name']} ({declared})")
    connection.execute(f"insert into marts.{mart['name']} select {values} from range({n_rows}) rows(i)")
    connection.execute(f"comment on table marts.{mart['name']} is 'One row per row; it''s made up.'")


def _value(column: dict, study_id: str) -> str:
    if column["name"] == "study_id":
        return f"'{study_id}'"
    return TEXTS.get(column["name"], VALUES[column["data_type"]]).format(name=column["name"])


def write_page(published: Path, study_id: str, page: Path) -> None:
    page.parent.mkdir()
    page.write_text(study_id)


def main(folder: Path) -> None:
    home = Home(folder)
    for study_id in ("paper", "paper_again"):
        make_build(home.build(study_id), study_id)
        for _ in range(3):
            done = publish(home, FinishedRun(study_id, home.build(study_id), Path(__file__), keep=1), write_page)
            size = home.published.stat().st_size / 2**20
            print(f"{study_id}: {sum(done.n_rows.values()):,} rows in {done.seconds:.2f} s, {size:.0f} MiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
