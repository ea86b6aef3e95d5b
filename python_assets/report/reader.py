"""Rows of one study in the published database, as the report reads them.

Belongs here: the connection, the order of groups, what the study file says, and what the flags of a response
come to. Queries stand where they are used.
"""

import json
import re
from typing import TYPE_CHECKING, Any, Final

import duckdb

from python_assets.published.copies import study_row
from python_assets.published.hidden_texts import hide_texts
from python_assets.study.factors import level_positions
from python_assets.warehouse.build import rows_of

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

# of a response, in words: its flags, else its status
OUTCOME: Final = """
    coalesce(
        nullif(
            concat_ws(
                ' and ',
                case when is_refused then 'refused' end,
                case when is_empty then 'empty' end,
                case when is_truncated then 'truncated' end
            ),
            ''
        ),
        replace(status, '_', ' ')
    )
"""


class Reader:
    """Reads one study: every query filters on $study."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, study_id: str) -> None:
        """Read the row of the study itself; from then on no text can be read of a study that hides them.

        Raises:
            WarehouseError: the study has not been published.
        """
        self.connection = connection
        self.study_id = study_id
        hide_texts(connection, study_id)
        self.study = study_row(connection, study_id)
        self.config: Row = json.loads(self.study["config_json"])
        self._positions = level_positions(self.config)

    def rows(self, query: str, **parameters: Any) -> list[Row]:
        """The rows of a query, by column name."""
        return rows_of(self.connection, query, {"study": self.study_id, **parameters})

    def table(self, query: str, **parameters: Any) -> "pa.Table":
        """The rows of a query as columns, for those that are too many to be named one by one."""
        return self.connection.execute(query, {"study": self.study_id, **parameters}).to_arrow_table()

    @property
    def alpha(self) -> float:
        """The error rate of the study."""
        return float(self.config["analysis"]["alpha"])

    @property
    def level(self) -> float:
        """What q values are held against and intervals are of: the level of the look, else the error rate."""
        return float(self.study["significance_level"])

    def group_order(self, grouping_id: str, group_id: str) -> tuple[tuple[float, list[tuple[int, str]]], ...]:
        """The key that sorts groups factor by factor, in declared order; other levels follow by text."""
        factors, levels = grouping_id.split(" x "), group_id.split(" x ")
        return tuple(
            (self._positions.get(factor, {}).get(level, float("inf")), natural(level))
            for factor, level in zip(factors, levels, strict=False)
        )


def natural(text: str) -> list[tuple[int, str]]:
    """The key that sorts names as a reader expects: `item 2` before `item 10`."""
    pieces = re.split(r"(\d+)", text)
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in pieces]
