"""The report of an audit, one page over all its studies, and its findings as JSON.

Belongs here: the two files. What they hold is findings.py.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.report import text
from python_assets.report.audits.audit_lines import (
    AUDIT_VERDICTS,
    MOST_WARNINGS,
    audit_cells,
    audit_lines,
    hypothesis_effect,
    scope_in_words,
    served_in_words,
    statistic_in_words,
    tested_in_words,
    warnings_in_words,
)
from python_assets.report.audits.figures import audit_figures
from python_assets.report.audits.findings import audit_findings
from python_assets.report.audits.record import Record, folder_of, names_of_audits, read_record
from python_assets.report.templates import template, write_page
from python_assets.study.control_characters import printable
from python_assets.warehouse.build import Home

_PAGE: Final = "report.html"
FINDINGS: Final = "findings.json"
NOTHING_TESTED: Final = "No primary hypothesis was tested: --fail-on has nothing to read."
MOST_FOUND: Final = 20
MOST_TOLD: Final = 8
MOST_FIGURES: Final = 12


class AuditWritten(NamedTuple):
    """The two files, and what they hold."""

    page: Path
    json_path: Path
    findings: dict[str, Any]


def write_audit(home: Home, record: Record) -> AuditWritten:
    """Write what an audit found so far, and replace an earlier report.

    Args:
        home: the warehouse; only its published database is read.
        record: the audit.

    Raises:
        WarehouseError: the files cannot be written.
    """
    findings = audit_findings(home, record)
    folder = folder_of(home, record.name)
    published = [benchmark for benchmark in findings["benchmarks"] if benchmark["is_published"]]
    page = template("audits/audit.html").render(
        findings=findings,
        verdicts=AUDIT_VERDICTS,
        warning=text.SIMULATED,
        warnings=warnings_in_words(published),
        most_warnings=MOST_WARNINGS,
        cells=audit_cells(findings),
        hypothesis_effect=hypothesis_effect,
        statistic_in_words=statistic_in_words,
        scope=scope_in_words(published),
        minus_signs=text.minus_signs,
        tested=tested_in_words(findings),
        served=served_in_words(findings),
        figures={benchmark["benchmark"]: audit_figures(benchmark["results"]) for benchmark in published},
        levels=[f"{100 * level:g} %" for level in findings["significance_levels"]],
        most_figures=MOST_FIGURES,
        most_found=MOST_FOUND,
        most_told=MOST_TOLD,
    )
    write_page(folder / _PAGE, page.encode())
    content = json.dumps(findings, ensure_ascii=False, indent=1, allow_nan=False)
    write_page(folder / FINDINGS, f"{content}\n".encode())
    return AuditWritten(folder / _PAGE, folder / FINDINGS, findings)


def rewrite_audits(home: Home, study_id: str) -> list[AuditWritten]:
    """Write the reports of all audits that name a study anew, where they have one.

    Args:
        home: the warehouse.
        study_id: a study that was dropped, for example.

    Raises:
        WarehouseError: a record is damaged, or a file cannot be written.
    """
    records = [read_record(home, name) for name in names_of_audits(home) if (folder_of(home, name) / _PAGE).is_file()]
    return [write_audit(home, record) for record in records if study_id in record.studies.values()]


def told_audit(done: AuditWritten) -> list[str]:
    """Write what an audit found as lines for a terminal or a log, and where its files are."""
    lines = [*audit_lines(done.findings), f"Report     {done.page}", f"Findings   {done.json_path}"]
    return [printable(line) for line in lines]
