from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pytest

from python_assets.extract.extract_study import ExtractCounts, extract
from python_assets.providers.records import FLAGS
from python_assets.study.study import MeasureSpec, Prompts, Study
from python_assets.warehouse.build import open_build, write_stage


class Imported(NamedTuple):
    rows: pd.DataFrame


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[..., Study]:
    """A study with measures as a study file spells them; other parts only as far as extraction reads them."""

    def make(*measures: Any, **parts: Any) -> Study:
        defaults: dict[str, Any] = {
            "study_id": "study",
            "path": tmp_path / "study.yml",
            "prompts": Prompts.model_validate({"import": {"path": "x.csv", "columns": {"prompt": "id"}}}),
            "slices": {},
            "factors": {},
            "groupings": {},
            "systems": [],
        }
        specs = [MeasureSpec.model_validate(measure) for measure in measures]
        return Study.model_construct(measures=specs, **(defaults | parts))

    return make


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_build(tmp_path / "build" / "study.duckdb") as opened:
        yield opened


def with_outcomes(frame: pd.DataFrame) -> pd.DataFrame:
    """Status and flags in the place of `outcome`: ok, error, not_recorded, or words of the true flags."""
    is_ok = ~frame["outcome"].isin(["error", "not_recorded"])
    flags = {flag: frame["outcome"].str.contains(flag.removeprefix("is_")) for flag in FLAGS}
    observed = {flag: holds.astype("boolean").where(is_ok) for flag, holds in flags.items()}
    return frame.drop(columns="outcome").assign(status=frame["outcome"].where(~is_ok, "ok"), **observed)


class Build:
    """A build file with prompts and responses, which measures run over."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, cache_path: Path) -> None:
        self.connection = connection
        self.cache_path = cache_path

    def prompts(self, **baseline_texts: str | None) -> None:
        rows = pd.DataFrame(
            [[p, p, p, True, "completion", "x", text, "tag", "", "doc"] for p, text in baseline_texts.items()],
            columns=[
                "prompt_id",
                "root_prompt_id",
                "unit_id",
                "is_root",
                "task",
                "prompt_text",
                "baseline_text",
                "source_tag",
                "keyword",
                "document_id",
            ],
        )
        write_stage(self.connection, "study", "assemble", {"prompts": rows})

    def factors(self, *rows: tuple[str, str, str]) -> None:
        frame = pd.DataFrame(rows, columns=["prompt_id", "factor", "level"])
        write_stage(self.connection, "study", "design", {"prompt_factors": frame})

    def responses(self, *rows: tuple[Any, ...], system_id: str = "replayed") -> None:
        """Each row: prompt_id, text, and where not ok and 0, status or words of true flags, and replicate."""
        full = [(*row, *("ok", 0)[len(row) - 2 :]) for row in rows]
        frame = pd.DataFrame(full, columns=["prompt_id", "response_text", "outcome", "replicate"])
        frame = with_outcomes(frame)
        frame = frame.assign(system_id=system_id, response_id="r")
        empty = ("model", "system_prompt", "decoding_json", "extensions_json", "model_details_json")
        system = {"system_id": system_id, "provider": "replay", **dict.fromkeys(empty, "")}
        systems = pd.DataFrame([{**system, "is_simulated": False, "is_baseline": False}])
        write_stage(self.connection, "study", "generate", {"responses": frame, "systems": systems})

    def extract(self, study: Study, imported: Imported | None = None) -> ExtractCounts:
        return extract(study, self.connection, self.cache_path, imported)

    def rows(self, measure_id: str, *columns: str) -> list[tuple[Any, ...]]:
        """Rows of a measure by generation, prompt and replicate."""
        named = ", ".join(columns or ("system_id", "prompt_id", "value", "baseline_value", "label", "reason"))
        query = f"select {named} from raw.measurements where measure_id = ? order by {_KEYS}"
        return self.connection.execute(query, [measure_id]).fetchall()


_KEYS = "system_id, prompt_id, replicate"


@pytest.fixture
def build(connection: duckdb.DuckDBPyConnection, tmp_path: Path) -> Build:
    return Build(connection, tmp_path / "cache")


@pytest.fixture
def make_imported() -> Callable[[pd.DataFrame], Imported]:
    return Imported
