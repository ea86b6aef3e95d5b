"""A study of an imported table, run in this process on tables in memory: the stages of a run without Dagster.

Belongs here: the order of the stages, and the results that are read from memory. What is computed is the stages'.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import duckdb

from expectations.record_rules import rules_of_frame
from expectations.runner import require, run_rules
from python_assets.assemble.assemble_study import assemble
from python_assets.errors import NOTHING, WarehouseError
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import generate_study
from python_assets.importers.formats import ImportedTable, given
from python_assets.infer.agreement.label_agreement import infer_agreement
from python_assets.infer.associations.infer_associations import infer_associations
from python_assets.infer.regressions.infer_regressions import infer_regressions
from python_assets.infer.run import infer_study
from python_assets.infer.subgroups.subgroups import infer_subgroups
from python_assets.library.results import RESULT_TABLES, Results, rows_of
from python_assets.plan.declared_hypotheses import declared_of_build
from python_assets.plan.design_tables import design_tables
from python_assets.plan.power import design_power_rows
from python_assets.study.study import Study
from python_assets.transform.compile import compiled_project
from python_assets.transform.project import SEED, Project
from python_assets.transform.run import run_steps
from python_assets.warehouse.build import Home, open_memory, write_stage
from python_assets.warehouse.progress import SILENT, Progress
from python_assets.warehouse.quality import record_dbt_tests, refresh_quality_marts
from python_assets.warehouse.run_context import RunContext
from python_assets.warehouse.study_row import record_study

if TYPE_CHECKING:
    import pandas as pd

_IN_MEMORY: Final = Path(":memory:")
_NOWHERE: Final = Home(_IN_MEMORY)  # no log, freeze or look lies there, and a table of scores writes none
_QUALITY: Final = "source.plumbline.raw.data_quality"
_CHANGES_SETTINGS: Final = re.compile(r"(?i)\b(en|dis)able_logging\b")  # table functions, which a query may name


def run_in_memory(study: Study, imported: ImportedTable, progress: Progress) -> "MemoryResults":
    """Run a study whose answers are imported, as `plumbline run` does, and hold its tables in memory.

    Args:
        study: with prompts.import, and measures that are columns of it.
        imported: what it imports.
        progress: is told how far it is.

    Raises:
        QualityError: a table breaks a rule that wrong numbers would follow from.
        PlumblineError: as the stages raise it.
    """
    connection, run_id = open_memory(), str(uuid4())
    record_study(study, connection, _NOWHERE, run_id=run_id)
    rules = rules_of_frame(study)
    for table in fill_raw_tables(connection, study, imported):
        require(run_rules(connection, study, {table: rules[table]}, run_id=run_id))
    results = MemoryResults(connection, study.study_id, run_id, progress)
    results.make_before_inference()
    power_rows = partial(design_power_rows, study, connection)
    infer_study(connection, study, power_rows, progress, declared=declared_of_build(study, connection))
    infer_agreement(connection, study.alpha, study.seed)
    is_asked, n = study.analysis.association_tests, study.n_permutations
    infer_associations(connection, is_asked, seed=study.seed, n_permutations=n)
    infer_regressions(connection, study, study.alpha)
    infer_subgroups(connection, study.alpha)
    results.make(RESULT_TABLES)
    return results


def fill_raw_tables(connection: duckdb.DuckDBPyConnection, study: Study, imported: ImportedTable) -> Iterator[str]:
    """Fill the raw tables of an imported study.

    Yields:
        The name of each table that has expectations, as soon as it can be looked at.
    """
    with given(imported):
        assemble(study, connection, RunContext(_NOWHERE, SILENT))
    write_stage(connection, study.study_id, "design", design_tables(study, connection))
    with given(imported):
        generate_study(study, connection, _NOWHERE, SILENT)
    yield "responses"
    with given(imported):
        extract(study, connection, None)
    yield "measurements"


class MemoryResults(Results):
    """The findings of a check, in memory: they are gone with this object.

    A table that they are not made of is computed when a query first names it.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, study_id: str, run_id: str, progress: Progress) -> None:
        """Take the raw tables, and make the closed lists, after which no file can be read."""
        self.database, self.study = _IN_MEMORY, study_id
        self._connection, self._run_id, self._progress = connection, run_id, progress
        self._project: Project = compiled_project(say=progress.say)
        self._made: set[str] = set()
        self._report: Path | None = None
        self._lock = Lock()  # one connection, whoever asks
        self._run(node for node, of in self._project.nodes.items() if of["resource_type"] == SEED)
        connection.execute("set enable_external_access = false; set search_path = 'marts'")

    def __repr__(self) -> str:
        """What it is: no call makes it."""
        return f"<MemoryResults of {self.study}>"

    @property
    def report(self) -> Path:
        """The HTML report that was written.

        Raises:
            WarehouseError: none was.
        """
        if self._report is None:
            raise WarehouseError(
                "report", NOTHING, "a path that it was written to", "name one: check(..., report=PATH)"
            )
        return self._report

    def write_report(self, path: Path) -> None:
        """Write the HTML report.

        Raises:
            WarehouseError: it cannot be written.
        """
        from python_assets.report.write_report import write_report_of

        with self._lock:
            self.make()
            write_report_of(self._connection, str(self.study), path)
        self._report = path.absolute()

    def sql(self, query: str, values: "dict[str, Any] | None" = None) -> "pd.DataFrame":
        """The rows of a query on the tables of the check; nothing can be written, and no file read.

        Args:
            query: in DuckDB's SQL.
            values: of its parameters, by name.

        Raises:
            WarehouseError: the database refuses the query.
        """
        with self._lock:
            self._require_reading(query)
            # a word too many makes a table too many; a query that names none may ask which there are
            self.make(self._project.names.intersection(re.findall(r"\w+", query.lower())) or None)
            self._connection.execute("begin transaction read only")
            try:
                return rows_of(self._connection, query, values)
            finally:
                self._connection.execute("rollback")

    def make_before_inference(self) -> None:
        """Make what inference reads, and of what is shown that which reads nothing of it."""
        wanted = {*self._project.read_by_inference, *self._project.of_names(RESULT_TABLES)}
        self._run(self._project.with_ancestors(wanted).intersection(self._project.before_inference))

    def make(self, names: Collection[str] | None = None) -> None:
        """Make tables that are not there, and what they are made of.

        Args:
            names: of tables; all where None, names of no table are left out.
        """
        project = self._project
        wanted = project.with_ancestors(project.nodes if names is None else project.of_names(names))
        if names is None or _QUALITY in wanted:  # what every test said
            self._run(project.nodes)
            refresh_quality_marts(self._connection)
        self._run(wanted)

    def _run(self, tables: Iterable[str]) -> None:
        steps = self._project.steps_of(set(tables) - self._made, self._made)
        if not steps:
            return
        node_results = run_steps(self._connection, self._project, steps, self._progress)
        self._made.update(steps)
        results = [result._asdict() for result in node_results]
        record_dbt_tests(self._connection, str(self.study), self._run_id, results, self._project.manifest)

    def _require_reading(self, query: str) -> None:
        try:
            kinds = {statement.type for statement in self._connection.extract_statements(query)}
        except duckdb.Error as error:
            raise WarehouseError("the query", error) from error
        others = sorted(kind.name.lower() for kind in kinds - {duckdb.StatementType.SELECT})
        if named := _CHANGES_SETTINGS.search(query):
            others.append(named[0])
        if others:
            raise WarehouseError("the query", ", ".join(others), "a query: nothing can be written")
