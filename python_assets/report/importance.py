"""Factor importance in the report: the coefficients of a regression with their intervals, factor by factor.

Belongs here: reading factor_importance and factor_models, their order and what a row is drawn as. Nothing is
computed.
"""

from typing import Any, Final, NamedTuple

from markupsafe import Markup

from python_assets.report import charts, text
from python_assets.report.reader import Reader, Row
from python_assets.study.base import LEVEL_SEPARATOR

_MAX_FIGURES: Final = 12
MAX_TERMS: Final = 40  # of a figure before the rest is folded
DOCUMENT_P: Final = 0.01  # what the multi-factor document draws
_MODELS: Final = """
    select * from factor_models where study_id = $study order by regression_id, system_id, factor
"""
TERMS: Final = """
    select * from factor_importance
    where study_id = $study and regression_id = $regression_id and system_id = $system_id
    order by factor, coefficient desc nulls last, level
"""


class FactorWorth(NamedTuple):
    """What a factor is worth: its share of the largest drop in deviance, as a bar."""

    row: Row
    bar: Markup


class ImportanceTerm(NamedTuple):
    """A level with its picture; told: why it has no p, or no coefficient."""

    row: Row
    picture: Markup
    is_significant: bool
    is_over: bool
    told: str


class RegressionFigure(NamedTuple):
    """One regression of one generation: the reference prompt, factors by importance, terms of each."""

    model: Row
    intercept: Row
    references: list[str]
    factors: list[FactorWorth]
    axis: charts.Axis
    terms: list[ImportanceTerm]
    folded: list[ImportanceTerm]


class ImportanceSection(NamedTuple):
    """The figures drawn, how many there could be, and the regressions that could not be fitted."""

    figures: list[RegressionFigure]
    n_figures: int
    without: list[Row]
    n_terms: int


def importance_section(reader: Reader) -> ImportanceSection:
    """Every regression of every generation, in the order of their names."""
    rows_by_regression: dict[tuple[str, str], list[Row]] = {}
    for row in reader.rows(_MODELS):
        rows_by_regression.setdefault((row["regression_id"], row["system_id"]), []).append(row)
    wholes = {key: rows[0] for key, rows in rows_by_regression.items()}  # the factor '' comes first
    fitted = [key for key, whole in wholes.items() if whole["deviance"] is not None]
    counted = reader.rows("select count(*) as n from factor_importance where study_id = $study")
    return ImportanceSection(
        [_figure(reader, rows_by_regression[key]) for key in fitted[:_MAX_FIGURES]],
        len(fitted),
        [whole for whole in wholes.values() if whole["deviance"] is None],
        counted[0]["n"],
    )


def _figure(reader: Reader, models: list[Row]) -> RegressionFigure:
    whole, *factor_rows = models
    keys: dict[str, Any] = {name: whole[name] for name in ("regression_id", "system_id")}
    rows = reader.rows(TERMS, **keys)
    intercept = next(row for row in rows if row["level"] == "")
    levels = [row for row in rows if row["level"] != ""]
    factor_rows.sort(key=lambda row: (-(row["deviance_drop"] or 0), row["factor"]))
    largest = max((row["deviance_drop"] or 0 for row in factor_rows), default=0)
    rank = {row["factor"]: position for position, row in enumerate(factor_rows)}
    levels.sort(key=lambda row: rank[row["factor"]])  # stable: of a factor, the largest coefficient first
    axis = charts.make_axis(
        (row[name] for row in levels for name in ("coefficient", "ci_low", "ci_high")), include=(0.0,)
    )
    terms = [_term(axis, row, reader.level) for row in levels]
    drops = [(row["deviance_drop"] or 0) / largest if largest else 0 for row in factor_rows]
    return RegressionFigure(
        model=whole,
        intercept=intercept,
        references=_references(levels),
        factors=[FactorWorth(row, charts.bar(drop)) for row, drop in zip(factor_rows, drops, strict=True)],
        axis=axis,
        terms=terms[:MAX_TERMS],
        folded=terms[MAX_TERMS:],
    )


def _references(levels: list[Row]) -> list[str]:
    """The factors, each with its reference; interactions have those of their factors."""
    named = {row["factor"]: row["reference"] for row in levels if LEVEL_SEPARATOR not in row["factor"]}
    return [f"{factor} {reference}" for factor, reference in named.items()]


def _term(axis: charts.Axis, row: Row, alpha: float) -> ImportanceTerm:
    is_significant = row["q_value"] is not None and row["q_value"] <= alpha
    mark = charts.Mark(row["coefficient"], row["ci_low"], row["ci_high"], not is_significant, is_significant)
    if row["ci_low"] is None:  # without an interval nothing is drawn that looks like one
        mark = mark._replace(low=row["coefficient"], high=row["coefficient"])
    reason = row["reason"] or row["inference_reason"]
    note = text.words(reason) if reason else ""
    if row["aliased_with"]:
        note = f"{note} with {row['aliased_with']}"
    is_over = row["p_value"] is None or row["p_value"] > DOCUMENT_P
    return ImportanceTerm(row, charts.row(axis, mark, line=0.0), is_significant, is_over, note)
