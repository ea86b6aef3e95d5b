import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
import yaml

from python_assets.report.write_report import write_report
from tests.account import account_of

MODELS = Path(__file__).parents[3] / "dbt_models" / "models"
REASONS = MODELS.parent / "seeds" / "reasons.csv"
GROUPS = ("Ideraland", "Chad", "Brazil")
ROOTS = ("r1", "r2")
CONFIG = {"prompts": {"scrape": {"factor": "concept", "levels": list(GROUPS)}}, "analysis": {"alpha": 0.05}}
SENTIMENT = {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment", "calibration": "raw"}

Rows = Sequence[Mapping[str, Any]]


def small_study(*, is_simulated: bool) -> dict[str, list[dict[str, Any]]]:
    prompts = [(root, group, f"{root}_{group}") for root in ROOTS for group in GROUPS]
    values = {group: (0.1 * place, 0.1 * place + 0.2) for place, group in enumerate(GROUPS)}
    by_concept = SENTIMENT | {"grouping_id": "concept"}
    return {
        "studies": [
            {
                "title": "Fair words",
                "domain": "countries",
                "config_json": json.dumps(CONFIG),
                "config_sha256": "c0ffee",
                "significance_level": 0.05,
                "plumbline_version": "0.1.0",
                "run_id": "run-1",
                "published_at": datetime(2025, 1, 2),
            }
        ],
        "systems": [
            {
                "system_id": "biased",
                "provider": "simulator" if is_simulated else "ollama",
                "model": "lexicon",
                "system_prompt": "",
                "decoding_json": '{"seed": 42}',
                "is_simulated": is_simulated,
                "is_baseline": False,
            },
            {
                "system_id": "baseline",
                "provider": "baseline",
                "model": "",
                "system_prompt": "",
                "decoding_json": "{}",
                "is_simulated": False,
                "is_baseline": True,
            },
        ],
        "documents": [
            {
                "document_id": "article",
                "source_tag": "article",
                "uri": "https://example.org/ideraland",
                "licence": "CC0-1.0",
                "sha256": "ab" * 32,
            }
        ],
        "factors": [{"factor": "concept", "type": "domain", "n_levels": 3, "origin": "declared"}],
        "measures": [
            {
                "measure_id": "sentiment",
                "kind": "continuous",
                "unit": "compound score",
                "scale_low": -1,
                "scale_high": 1,
                "direction": "higher_better",
                "scorer": "vader",
                "parameters": "",
            }
        ],
        "prompts": [
            {
                "prompt_id": prompt_id,
                "root_prompt_id": root,
                "is_root": group == GROUPS[0],
                "prompt_text": f"{group} is",
                "baseline_kind": "counterfactual",
            }
            for root, group, prompt_id in prompts
        ],
        "prompt_factors": [
            {"prompt_id": prompt_id, "factor": "concept", "level": group} for _, group, prompt_id in prompts
        ],
        "responses": [
            {
                "system_id": "biased",
                "prompt_id": prompt_id,
                "replicate": 0,
                "response_text": f"{group} is fine.",
                "status": "ok",
            }
            for _, group, prompt_id in prompts
        ],
        "measurements": [
            {
                "system_id": "biased",
                "prompt_id": prompt_id,
                "replicate": 0,
                "measure_id": "sentiment",
                "value": values[group][ROOTS.index(root)],
                "scorer_version": "vader 3.3.2",
            }
            for root, group, prompt_id in prompts
        ],
        "summary_statistics": [
            by_concept
            | {
                "group_id": group,
                "statistic": "mean",
                "parameters": "",
                "value": sum(pair) / 2,
                "ci_low": pair[0],
                "ci_high": pair[1],
                "n_responses": 2,
                "n_missing": 0,
                "n_root_prompts": 2,
            }
            for group, pair in values.items()
        ],
        "contrasts": [
            by_concept
            | {
                "group_id": group,
                "contrast": "mean_difference",
                "category": "",
                "reference": "rest",
                "value": 0.15 * place - 0.15,
                "ci_low": 0.15 * place - 0.2,
                "ci_high": 0.15 * place - 0.1,
                "p_value": 0.02,
                "q_value": 0.03,
                "verdict": "different" if place == 2 else "inconclusive",
            }
            for place, group in enumerate(GROUPS)
        ],
        "disparities": [
            by_concept
            | {
                "statistic": "mean",
                "parameters": "",
                "metric": "range",
                "value": 0.2,
                "null_q95": 0.31,
                "group_low": "Ideraland",
                "group_high": "Brazil",
                "n_groups": 3,
                "p_value": 0.2,
                "verdict": "inconclusive",
            },
            by_concept
            | {
                "statistic": "mean",
                "parameters": "",
                "metric": "min_max_ratio",
                "verdict": "not_tested",
                "reason": "mixed_signs",
            },
        ],
        "coverage": [
            {
                "factors": "concept",
                "n_factors": 1,
                "n_cells": 3,
                "n_impossible": 0,
                "n_responses": 6,
                "n_responses_ok": 6,
                "n_covered": 3,
                "coverage_percentage": 1.0,
                "gini_index": 0.0,
                "n_prompts": 6,
                "min_count": 2,
                "max_count": 2,
            }
        ],
        "coverage_cells": [{"factors": "concept", "group_id": group, "n_prompts": 2} for group in GROUPS],
        "findings": [
            by_concept
            | {
                "statistic": "mean",
                "parameters": "",
                "finding_rank": 1,
                "family_id": "primary",
                "is_tool_bias": False,
                "is_repeated": False,
                "verdict": "different",
                "scope": "similar prompts",
                "is_preregistered": False,
                "sentence": "Brazil scores 0.15 above the rest.",
            }
        ],
        "design_power": [
            {
                "grouping_id": "concept",
                "measure_id": "sentiment",
                "contrast": "mean_difference",
                "source": "observed",
                "n_root_prompts": 2,
                "baseline_rate_or_sd": 0.61,
                "minimum_detectable_effect": 1.73,
                "reason": "no_effect_declared",
            }
        ],
        "data_quality": [
            {
                "run_id": "run-1",
                "table_name": "responses",
                "expectation": "text_is_not_blank",
                "column_name": "response_text",
                "severity": "warning",
                "success": False,
                "n_evaluated": 6,
                "n_unexpected": 1,
                "examples_json": "[]",
            }
        ],
        "v_quality_rules": [
            {
                "rule": "non_null_output",
                "rule_position": 1,
                "definition": "The response has a text",
                "consequence": "it stays in responses",
                "is_met": True,
                "n_evaluated": 8,
                "n_unexpected": 2,
                "n_removed": 2,
                "removal_rate": 0.25,
                "examples_json": "[]",
            },
            {
                "rule": "taxonomy_coverage",
                "rule_position": 7,
                "definition": "An answer has a label",
                "consequence": "the answer has no label",
                "reason": "nothing_to_check",
            },
        ],
        "quarantined_records": [{"stage": "generate", "rule": "blank_response", "detail": "an empty text"}],
    }


@cache
def contracts() -> dict[str, str]:
    """The columns that each mart and view promises; which of them may be NULL is left to dbt."""
    files = [*MODELS.glob("marts/*.yml"), *MODELS.glob("views/*.yml")]
    models = [m for path in files for m in yaml.safe_load(path.read_text()).get("models", [])]
    return {
        model["name"]: ", ".join(f"{column['name']} {column['data_type']}" for column in model["columns"])
        for model in models
    }


@cache
def nothing_published() -> bytes:
    """A file with every table and no study."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("begin")
            connection.execute(f"create table reasons as from '{REASONS}'")
            for mart, columns in contracts().items():
                connection.execute(f"create table if not exists {mart} ({columns})")
            connection.execute("commit")
        return path.read_bytes()


def write_published(path: Path, study_id: str, tables: Mapping[str, Rows]) -> None:
    """Publish tables of a study in place of those of an earlier one of that name."""
    is_first = not path.exists()
    if is_first:
        path.write_bytes(nothing_published())
    with duckdb.connect(str(path)) as connection:
        connection.execute("begin")
        for mart, rows in tables.items():
            if not is_first:
                connection.execute(f"delete from {mart} where study_id = ?", [study_id])
            for row in rows:
                named = {"study_id": study_id, **row}
                placeholders = ", ".join("?" * len(named))
                connection.execute(
                    f"insert into {mart} ({', '.join(named)}) values ({placeholders})", list(named.values())
                )
        connection.execute("commit")


@cache
def small_published(study_id: str, is_simulated: bool) -> bytes:
    """A file with the small study alone."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.duckdb"
        write_published(path, study_id, small_study(is_simulated=is_simulated))
        return path.read_bytes()


@pytest.fixture
def publish_small(tmp_path: Path) -> Callable[..., Path]:
    """Publish the small study; keywords replace the rows of a mart."""

    def publish(study_id: str = "small", *, is_simulated: bool = True, **replaced: Rows) -> Path:
        path = tmp_path / "plumbline.duckdb"
        tables = {**small_study(is_simulated=is_simulated), **replaced}
        account = account_of(tables["findings"], tables.get("system_comparisons", ()))
        if path.exists():
            replaced = dict.fromkeys(contracts(), ()) | {"hypotheses": account, **tables}
        else:
            path.write_bytes(small_published(study_id, is_simulated))
        write_published(path, study_id, {"hypotheses": account, **replaced})
        return path

    return publish


VOID = {"meta", "br", "link", "img", "input", "hr"}
BLOCKS = {"p", "li", "dd", "caption", "h3", "h4"}


class Page(HTMLParser):
    """Tags with their attributes, text and paragraphs by enclosing section, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.sections: dict[str, str] = {}
        self.blocks: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._section = ""
        self.feed(page)
        self.close()
        self.blocks = {name: [" ".join(text.split()) for text in texts] for name, texts in self.blocks.items()}
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "section":
            self._section = dict(attributes)["id"] or ""
        if tag in BLOCKS:
            self.blocks.setdefault(self._section, []).append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag
        if tag == "section":
            self._section = ""

    def handle_data(self, data):
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data
            self.sections[self._section] = self.sections.get(self._section, "") + data
            if BLOCKS & set(self._open):
                self.blocks[self._section][-1] += data


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[..., Page]:
    """The page of a published study, read back."""

    def write(published: Path, study_id: str = "small") -> Page:
        out = tmp_path / "report" / f"{study_id}.html"
        write_report(published, study_id, out)
        return Page(out.read_text(encoding="utf-8"))

    return write


@pytest.fixture
def report(publish_small: Callable[..., Path], page_of: Callable[..., Page]) -> Callable[..., Page]:
    """The page of the small study; keywords replace the rows of a mart."""
    return lambda **replaced: page_of(publish_small(**replaced))
