"""The page of a study, written from the published tables.

Belongs here: putting the page together from the published tables, and nothing that computes a result.
"""

import base64
import hashlib
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from python_assets.published.query import open_published
from python_assets.report import figures, sections, text
from python_assets.report.comparisons import comparisons_section
from python_assets.report.coverage import coverage_section
from python_assets.report.dashboard import pack_dashboard
from python_assets.report.explanations import DISPARITIES
from python_assets.report.fair_sea import EFFECT_SIGNS, FLAG_NAMES, MAX_FLAGS, fair_sea_section
from python_assets.report.ground_truth import ground_truth_section
from python_assets.report.history import history_section
from python_assets.report.importance import DOCUMENT_P, importance_section
from python_assets.report.labels import labels_section
from python_assets.report.lead import lead_sentences
from python_assets.report.lost_responses import MOST_QUOTED, lost_responses
from python_assets.report.matrix import LINES_AT_ONCE, VERDICTS, study_matrix
from python_assets.report.negative_controls import controls_section
from python_assets.report.packing import packed_text
from python_assets.report.reader import Reader
from python_assets.report.readings import FAULTS, judges_section, readings_section
from python_assets.report.result_cards import (
    CARDS,
    LINES,
    MAX_CARD_GROUPS,
    asked_in_short,
    lead_hypothesis,
    study_facts,
)
from python_assets.report.subgroups import MAX_SECTORS, subgroups_section
from python_assets.report.templates import TEMPLATE_FOLDER, template, write_page
from python_assets.report.variance import variance_section
from python_assets.report.workbook import findings_workbook
from python_assets.study.metrics import metric_names

if TYPE_CHECKING:
    import duckdb
    from markupsafe import Markup


class ReportCounts(NamedTuple):
    """What a report shows and how large it is."""

    n_facts: int
    n_figures: int
    n_bytes: int
    seconds: float


def write_report(published_path: Path, study_id: str, out_path: Path) -> ReportCounts:
    """Write the page of one study in place of an earlier one.

    Args:
        published_path: the published database; nothing else is read.
        study_id: a study in it.
        out_path: the HTML file; its folder is made where it does not exist.

    Returns:
        How many facts and figures it shows, its size in bytes, and the seconds it took.

    Raises:
        WarehouseError: the study has not been published, or the page cannot be written.
    """
    with open_published(published_path) as connection:
        return write_report_of(connection, study_id, out_path)


def write_report_of(connection: "duckdb.DuckDBPyConnection", study_id: str, out_path: Path) -> ReportCounts:
    """Write the page of one study from a connection that has the published tables; as write_report."""
    started = time.monotonic()
    reader = Reader(connection, study_id)
    drawn = figures.make_figures(reader, lead_hypothesis(reader))
    content = _content(reader, drawn)
    page = _render(content).encode()
    write_page(out_path, page)
    return ReportCounts(len(content["facts"].facts), len(drawn.drawn), len(page), time.monotonic() - started)


def _content(reader: Reader, drawn: figures.Figures) -> dict[str, Any]:
    design, matrix = sections.design(reader), study_matrix(reader)
    return {
        "study": reader.study,
        "alpha": reader.level,
        "error_rate": reader.alpha,
        "analysis": reader.config["analysis"],
        "asked": design,
        "simulated": [row["system_id"] for row in design["systems"] if row["is_simulated"]],
        "real": [row["system_id"] for row in design["systems"] if not row["is_simulated"] and not row["is_baseline"]],
        **asked_in_short(design),
        "examples": sections.examples(reader),
        "lead": lead_sentences(reader, matrix),
        "matrix": matrix,
        "matrix_verdicts": VERDICTS,
        "n_matrix_lines": LINES_AT_ONCE,
        "facts": study_facts(reader),
        "lost_responses": lost_responses(reader),
        "versions": sections.served_versions(reader),
        "n_quoted": MOST_QUOTED,
        "n_cards": CARDS,
        "n_lines": LINES,
        "max_groups": MAX_CARD_GROUPS,
        "hypotheses": sections.hypotheses(reader, is_tool_bias=False),
        "tool_bias": sections.hypotheses(reader, is_tool_bias=True),
        "preregistered": sections.preregistered(reader),
        "power": sections.power(reader),
        "figures": drawn,
        "max_values": figures.MAX_FIGURE_VALUES,
        "ratios": metric_names(is_ratio=True),
        "disparities": sections.disparities(reader),
        "controls": controls_section(reader),
        "comparisons": comparisons_section(reader),
        "history": history_section(reader),
        "variance": variance_section(reader),
        "subgroups": subgroups_section(reader),
        "max_sectors": MAX_SECTORS,
        "importance": importance_section(reader),
        "document_p": DOCUMENT_P,
        "truths": ground_truth_section(reader),
        "fair_sea": fair_sea_section(reader),
        "flags": FLAG_NAMES,
        "effects": EFFECT_SIGNS,
        "max_flags": MAX_FLAGS,
        "explained_disparities": DISPARITIES,
        "coverage": coverage_section(reader),
        "readings": readings_section(reader),
        "judges": judges_section(reader),
        "faults": FAULTS,
        "labels": labels_section(reader),
        "imported_metrics": sections.imported_metrics(reader),
        "quality": sections.quality(reader),
        "provenance": sections.provenance(reader),
        "explained": sections.explained(reader),
        "workbook": findings_workbook(reader),
        "packed": pack_dashboard(reader)._asdict(),
    }


def _render(content: dict[str, Any]) -> str:
    context = content | {"verdicts": text.VERDICT_WORDS, "warning": text.SIMULATED, "rate_limit": text.share}
    other_figures = packed_text(template("figures.html").render(context, level=_level(content)))
    return template("page.html").render(
        context,
        level=_level(content),
        packed=content["packed"] | {"figures": other_figures},
        script=_script(),
        script_hash=_hash(_script()),
    )


def _level(content: dict[str, Any]) -> str:
    return f"{text.plain((1 - content['alpha']) * 100)} %"


@cache
def _script() -> "Markup":
    """The files of scripts/ in the order of their names: later ones use earlier ones."""
    from markupsafe import Markup

    files = sorted((TEMPLATE_FOLDER / "scripts").glob("*.js"))
    return Markup('"use strict";\n' + "\n".join(file.read_text(encoding="utf-8") for file in files))


def _hash(script: str) -> str:
    """What the page's policy names its one script by: no other can run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
