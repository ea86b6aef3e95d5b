"""What a study says of the real shares that labels are held against, and which tables of them are packaged.

Belongs here: the entry of a measure, and which tables are packaged. Reading a table is
importers/truth_tables.py.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, StrictStr, model_validator

from python_assets.study.base import Expanded, FactorName, Part, Unfit

_SEEDS: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "seeds"
TRUTH_TABLES: Final = _SEEDS / "truth_tables.csv"
LATEST: Final = "latest"


def _as_text(period: Any) -> Any:
    """A year is a number in YAML."""
    return str(period) if isinstance(period, int) and not isinstance(period, bool) else period


class GroundTruth(Part):
    """The real shares of groups in each label of a measure.

    table: a packaged one; path: a csv, jsonl, parquet or xlsx file. grouping: the factors whose groups the
    table has; absent, the one grouping of the study that has them. period: of the table, or the latest there.
    stratum: of the table, where it has several. mapping: label to category of the table, groups: group of the
    study to group of the table, where the names differ. without: labels and groups of the study that the
    table says nothing of.
    """

    table: StrictStr | None = None
    path: Expanded | None = None
    grouping: FactorName | Annotated[list[FactorName], Field(min_length=1)] | None = None
    period: Annotated[StrictStr, BeforeValidator(_as_text)] = LATEST
    stratum: StrictStr | None = None
    mapping: dict[StrictStr, StrictStr] = {}
    groups: dict[StrictStr, StrictStr] = {}
    without: list[StrictStr] = []

    @model_validator(mode="before")
    @classmethod
    def _a_name_alone_is_a_packaged_table(cls, data: Any) -> Any:
        return {"table": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _one_table(self) -> "GroundTruth":
        if (self.table is None) == (self.path is None):
            raise Unfit("table, a packaged one, or path, a file of one's own", "keep one")
        return self

    @property
    def factors(self) -> tuple[str, ...] | None:
        """The factors of the grouping; None where the table says which."""
        if self.grouping is None:
            return None
        return (self.grouping,) if isinstance(self.grouping, str) else tuple(self.grouping)

    @property
    def field(self) -> str:
        """The field that names the table."""
        return "path" if self.table is None else "table"


@cache
def packaged_tables() -> tuple[str, ...]:
    """The names of the packaged tables, in the order of the seed."""
    with TRUTH_TABLES.open(encoding="utf-8", newline="") as file:
        return tuple(dict.fromkeys(row["truth_table"] for row in csv.DictReader(file)))


@cache
def packaged_labels() -> Mapping[str, Mapping[str, str]]:
    """Names of categories beside the published ones: by packaged table, label to category."""
    categories: dict[str, dict[str, str]] = {}
    with (_SEEDS / "truth_labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            categories.setdefault(row["truth_table"], {})[row["label"]] = row["category"]
    return categories
