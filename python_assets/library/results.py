"""What was published, as tables of pandas.

Belongs here: which table answers which question. What the tables hold is docs/tables.md.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from python_assets.errors import WarehouseError
from python_assets.study.control_characters import printable

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

MOST_SENTENCES: Final = 12
MOST_MOVED: Final = 4  # systems and measures of which it is printed whether negative controls move them
FINDINGS, GROUPS, DIFFERENCES, QUOTES = RESULT_TABLES = (
    "v_findings",
    "summary_statistics",
    "v_differences",
    "v_quotes",
)
"""The published tables that Results shows."""


class Results:
    """The published findings of one study or of all.

    It reads the publication that was the latest when it was made, whatever is published later; the last three stay.

    Attributes:
        database: the file that is read, by any DuckDB client too.
        study: whose rows the tables have; None for those of all studies.
    """

    def __init__(self, path: str | Path | None = None, study: str | None = None) -> None:
        """Look for the publication.

        Args:
            path: the database or the folder of its warehouse; that of PLUMBLINE_HOME where None.
            study: the id of a study, the stem of its file; None for all.

        Raises:
            WarehouseError: nothing is published there, or not this study.
        """
        from python_assets.published.query import open_published
        from python_assets.warehouse import paths
        from python_assets.warehouse.build import Home

        there = paths.home().root if path is None else Path(path)
        self.database = (Home(there).published if there.is_dir() else there).resolve()
        self.study = study
        with open_published(self.database) as connection:
            studies = [name for (name,) in connection.execute("select study_id from studies order by all").fetchall()]
        if study is not None and study not in studies:
            expected = f"one of {', '.join(studies) or 'none'}"
            raise WarehouseError(self.database, f"no study {study!r}", expected, f"run it with: plumbline run {study}")

    def __repr__(self) -> str:
        """The call that makes it."""
        return f"Results({str(self.database)!r}, study={self.study!r})"

    def __str__(self) -> str:
        """What was found, in sentences, the strongest first; of what could not be tested, why; then of controls.

        Before them how many responses have a value, where some have none.
        """
        first_findings = self.findings.head(MOST_SENTENCES + 1)
        sentences = [*first_findings["sentence"].fillna(first_findings["meaning"]).fillna("")]
        more = ["... and more in findings"] if len(sentences) > MOST_SENTENCES else []
        lines = [*self._of_losses(), *sentences[:MOST_SENTENCES], *more, *self._control_sentences()]
        return printable("\n".join(lines))

    def _of_losses(self) -> list[str]:
        """Systems and measures with too many responses without a value, then all that have any, by group."""
        from python_assets.published.losses import FORMS, SCORED, loss_warnings, losses_from, lossy_in_words

        if self.study is None:
            return []
        losses = losses_from(self._records(SCORED), self._records(FORMS))
        return [*loss_warnings(losses), *lossy_in_words(losses)]

    def _control_sentences(self) -> list[str]:
        """Groupings not compared with negative controls, whether these move a measure, and which are not used."""
        from python_assets.published.controls import (
            CONTROLS_MOVED,
            UNUSED,
            WORDINGS,
            controls_moved,
            unused_in_words,
            wording_in_words,
        )

        if self.study is None:
            return []
        without = [row for row in self._records(WORDINGS) if row["reason"] is not None]
        level = "select significance_level from studies where study_id = $study"
        query = f"select * from ({CONTROLS_MOVED}) cross join ({level})"
        tested = [row for row in self._records(query) if row["p_value"] is not None]
        moved = [
            f"{row['system_id']}: {controls_moved(row, row['measure_id'], alpha=row['significance_level'])}."
            for row in tested[:MOST_MOVED]
        ]
        return [*wording_in_words(without), *moved, *unused_in_words(self._records(UNUSED))]

    def _records(self, query: str) -> list[dict[str, Any]]:
        """Rows of a query on the study, with None for NULL."""
        frame = self.sql(query, {"study": self.study})
        rows: Any = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return list(rows)

    @property
    def findings(self) -> "pd.DataFrame":
        """Each question whether groups differ: verdict, size, interval, p, q, and all in words (v_findings)."""
        return self._rows(FINDINGS, "study_id, finding_rank")

    @property
    def groups(self) -> "pd.DataFrame":
        """Each group's statistics: value, interval, n_responses (summary_statistics)."""
        return self._rows(GROUPS, "all")

    @property
    def differences(self) -> "pd.DataFrame":
        """Each group against the others: value, interval, q and verdict of its question (v_differences)."""
        return self._rows(DIFFERENCES, "all")

    @property
    def quotes(self) -> "pd.DataFrame":
        """Responses that show the findings: prompt, text and value of both groups, and why these (v_quotes)."""
        return self._rows(QUOTES, "all")

    @property
    def report(self) -> Path:
        """The HTML report of the study.

        Raises:
            WarehouseError: the results are of all studies, each of which has its own.
        """
        if self.study is None:
            raise WarehouseError("Results", "results of all studies", "those of one", "name it: Results(path, study)")
        return self.database.with_name("report") / f"{self.study}.html"

    def sql(self, query: str, values: "dict[str, Any] | None" = None) -> "pd.DataFrame":
        """The rows of a query on the published tables; nothing can be written, and no other file read.

        Args:
            query: in DuckDB's SQL.
            values: of its parameters, by name.

        Raises:
            WarehouseError: the database refuses the query.
        """
        from python_assets.published.query import open_published

        with open_published(self.database) as connection:
            return rows_of(connection, query, values)

    def _rows(self, table: str, order: str) -> "pd.DataFrame":
        condition = "" if self.study is None else "where study_id = $study"
        values = None if self.study is None else {"study": self.study}
        return self.sql(f"select * from {table} {condition} order by {order}", values)


def rows_of(connection: "duckdb.DuckDBPyConnection", query: str, values: "dict[str, Any] | None") -> "pd.DataFrame":
    """The rows of a query.

    Raises:
        WarehouseError: the database refuses it.
    """
    import duckdb

    try:
        return connection.execute(query, values or {}).df()
    except duckdb.Error as error:
        raise WarehouseError("the query", error) from error
