"""The report of an audit, one page over all its studies, and its findings as JSON.

Belongs here: the two files. What they hold is findings.py.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.report import text
from python_assets.report.audits.findings import audit_findings
from python_assets.report.audits.record import Record, folder_of
from python_assets.report.matrix import NOT_ASKED, VERDICTS
from python_assets.report.templates import template, write_page
from python_assets.study.problems import plural
from python_assets.warehouse.build import Home

_PAGE: Final = "report.html"
FINDINGS: Final = "findings.json"
MOST_FOUND: Final = 20
MOST_TOLD: Final = 8


class AuditWritten(NamedTuple):
    """The two files, and what they hold."""

    page: Path
    json_path: Path
    findings: dict[str, Any]


def write_audit(home: Home, record: Record) -> AuditWritten:
    """Write what an audit found so far, in the place of an earlier report.

    Args:
        home: the warehouse; only its published database is read.
        record: the audit.

    Raises:
        WarehouseError: nothing is published, or the files cannot be written.
    """
    findings = audit_findings(home, record)
    folder = folder_of(home, record.name)
    page = template("audits/audit.html").render(
        findings=findings, verdicts=VERDICTS, warning=text.SIMULATED, most_found=MOST_FOUND, most_told=MOST_TOLD
    )
    write_page(folder / _PAGE, page.encode())
    content = json.dumps(findings, ensure_ascii=False, indent=1, allow_nan=False)
    write_page(folder / FINDINGS, f"{content}\n".encode())
    return AuditWritten(folder / _PAGE, folder / FINDINGS, findings)


def told_audit(done: AuditWritten) -> list[str]:
    """The matrix of models and themes as lines for a terminal, and where the files are."""
    models = [row["model"] for row in done.findings["models"]]
    rows = [("benchmark", *models)]
    for benchmark in done.findings["benchmarks"]:
        verdicts = benchmark.get("verdicts", {})
        rows.append((benchmark["benchmark"], *(VERDICTS[verdicts.get(model, NOT_ASKED)] for model in models)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    if n_beyond := sum(one.get("n_beyond_margin_secondary", 0) for one in done.findings["benchmarks"]):
        lines.append(f"Beyond a margin, not primary: {plural(n_beyond, 'question')}, in the report of each study")
    return [*lines, f"Report     {done.page}", f"Findings   {done.json_path}"]
