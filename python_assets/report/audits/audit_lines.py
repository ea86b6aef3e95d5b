"""What an audit found as lines for a terminal.

Belongs here: which of the findings are printed, and in which order. What they are is findings.py.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from python_assets.infer.tables import INTERACTION
from python_assets.published.effects import (
    effect_in_words,
    in_points,
    margin_words,
    unadjusted_in_words,
    whole_effect_in_words,
)
from python_assets.published.plain_numbers import count, size
from python_assets.report.audits.findings import is_significant
from python_assets.report.audits.results import (
    bound_in_words,
    cause_in_words,
    constant_in_words,
    is_of_rates,
    why_not_detectable,
)
from python_assets.report.matrix import NOT_ASKED, NOT_TESTED, VERDICTS
from python_assets.report.reader import Row
from python_assets.report.sentences import DIFFERENCE_VERDICTS

MOST_WARNINGS: Final = 4
_MOST_SENTENCES: Final = 8  # of one kind
_WIDTH: Final = 10
_EFFECT: Final = "largest difference (95 % CI; shrunken and FCR-adjusted where significant)"
_HEAD: Final = ("benchmark", "model", "verdict", _EFFECT, "scored", "detectable")
SKIPPED: Final = "skipped"
"""In place of a verdict, of a benchmark that the audit skipped."""
AUDIT_VERDICTS: Final[Mapping[str, str]] = {**VERDICTS, SKIPPED: SKIPPED}
_WELL_SCORED: Final = 0.95  # a smaller share is said by kind of loss
_PLAIN: Final = ("mean", "share")
NO_VALUE: Final = "-"


def audit_lines(findings: Mapping[str, Any]) -> list[str]:
    """Write what an audit found: what its numbers lack first, then the verdicts, then the rest.

    Args:
        findings: as findings.schema.json says.
    """
    published = [benchmark for benchmark in findings["benchmarks"] if benchmark["is_published"]]
    return [
        *_warnings(published),
        *_labelled("Tested", [*tested_in_words(findings), *repeated_in_words(published)]),
        *_table(findings),
        *_labelled("Measures", _measures(published)),
        *_labelled("Detectable", _of_results(published, cause_in_words)),
        *_labelled("Bounds", _of_results(published, bound_in_words)),
        *_labelled("Margins", _beyond(published), _MOST_SENTENCES + 1),
        *_labelled("Responses", _losses(published), _MOST_SENTENCES),
        *_labelled("Versions", served_in_words(findings), _MOST_SENTENCES),
    ]


def tested_in_words(findings: Mapping[str, Any]) -> list[str]:
    """Say how many hypotheses were tested, how many are significant, and what the error rate is of."""
    if not any(row["n_hypotheses"] for row in findings["hypotheses"].values()):
        return ["Nothing was tested: no benchmark has results."]
    primary, other = (_counts(findings["hypotheses"][name]) for name in ("primary", "other"))
    levels = [f"{100 * level:g} %" for level in findings["significance_levels"]]
    rate = [f"FDR {' or '.join(levels)} holds in each family of a benchmark, not over all benchmarks."]
    return [f"Primary: {primary}; other families: {other}.", *(rate if levels else [])]


def _counts(row: Mapping[str, int]) -> str:
    if not row["n_hypotheses"]:
        return "no hypothesis"
    tested = f"{row['n_tested']:,} of {row['n_hypotheses']:,} hypotheses tested"
    repeated = f" ({row['n_significant_repeated']:,} repeated)" if row["n_significant_repeated"] else ""
    return f"{tested}, {row['n_significant']:,} significant{repeated}"


def repeated_in_words(benchmarks: Iterable[Mapping[str, Any]]) -> list[str]:
    """Name the significant hypotheses that repeat another, such as one of the same values without undecided ones.

    Args:
        benchmarks: those that are published.
    """
    named = []
    for benchmark in benchmarks:
        rows = [row for row in benchmark["hypotheses"] if is_significant(row) and row["is_repeated"]]
        if rows:
            each = ", ".join(f"{statistic_in_words(row)} ({VERDICTS[row['verdict']]})" for row in rows)
            which = "1 more repeats" if len(rows) == 1 else f"{len(rows):,} more repeat"
            named.append(f"{benchmark['benchmark']}: {which} a significant hypothesis, which alone is listed: {each}.")
    return named


def scope_in_words(benchmarks: Iterable[Mapping[str, Any]]) -> str:
    """Say what differences hold for, which is what their rows say; '' where no row says it.

    Args:
        benchmarks: those that are published.
    """
    by_scope: dict[str, list[str]] = {}
    for benchmark in benchmarks:
        for scope in benchmark["scopes"]:
            by_scope.setdefault(scope, []).append(benchmark["benchmark"].replace("_", " "))
    if len(by_scope) < 2:
        return "".join(f"Differences hold for {scope}." for scope in by_scope)
    each = "; ".join(f"{scope} ({', '.join(names)})" for scope, names in by_scope.items())
    return f"Differences hold for {each}."


def served_in_words(findings: Mapping[str, Any]) -> list[str]:
    """Say which models answered in several versions, configurations or digests."""
    return [
        f"{', '.join(filter(None, (row['benchmark'], row['model'])))}: {row['sentence']}" for row in findings["served"]
    ]


def warnings_in_words(benchmarks: Iterable[Mapping[str, Any]]) -> list[str]:
    """Name the models many of whose responses are unscored, the benchmark first.

    Args:
        benchmarks: those that are published.
    """
    return [f"{benchmark['benchmark']}: {line}" for benchmark in benchmarks for line in benchmark["warnings"]]


def _warnings(benchmarks: Sequence[Mapping[str, Any]]) -> list[str]:
    sentences = warnings_in_words(benchmarks)
    if not sentences:
        return []
    study_id = next(benchmark["study_id"] for benchmark in benchmarks if benchmark["warnings"])
    columns = "measure_id, reason, form, n_responses"
    query = f"select {columns} from unscored_forms where study_id = '{study_id}'"
    return [*_labelled("WARNING", sentences, MOST_WARNINGS), f'{"":<{_WIDTH}} Look at them: plumbline sql "{query}"']


def _labelled(label: str, sentences: Sequence[str], most: int = _MOST_SENTENCES) -> list[str]:
    n_more = len(sentences) - most
    more = [f"{n_more:,} more in the report"] if n_more > 0 else []
    return [
        f"{label if index == 0 else '':<{_WIDTH}} {sentence}"
        for index, sentence in enumerate([*sentences[:most], *more])
    ]


class AuditCell(NamedTuple):
    """A model in a benchmark.

    Attributes:
        verdict: the strongest verdict of its deciding hypotheses.
        effect: the effect that the verdict is of, or the largest one, or why there is none.
        scored: how many responses of that measure are scored.
        detectable: what the responses can show, and what the design was to detect.
    """

    verdict: str
    effect: str = ""
    scored: str = ""
    detectable: str = ""


def audit_cells(findings: Mapping[str, Any]) -> dict[tuple[str, str], AuditCell]:
    """Find what is shown of every benchmark and model.

    Args:
        findings: as findings.schema.json says.
    """
    return {
        (benchmark["benchmark"], row["model"]): _cell(benchmark, row["model"])
        for benchmark in findings["benchmarks"]
        for row in findings["models"]
    }


def _cell(benchmark: Mapping[str, Any], model: str) -> AuditCell:
    verdict = benchmark.get("verdicts", {}).get(model, NOT_ASKED)
    if not benchmark["is_published"]:
        if benchmark["skipped"]:
            return AuditCell(SKIPPED, benchmark["skipped"])
        return AuditCell(verdict, "no results: not run yet, or its study was dropped")
    if verdict == NOT_ASKED:
        return AuditCell(verdict)
    hypothesis = _heading_hypothesis(benchmark, model)
    if hypothesis is None:
        return AuditCell(verdict, NO_VALUE, NO_VALUE, NO_VALUE)
    result = next((one for one in benchmark["results"] if _is_of(one, hypothesis)), None)
    kind = " (interaction)" if hypothesis["metric"] == INTERACTION else ""
    by = f"{hypothesis['grouping_id']}{kind}: " if _n_groupings(benchmark, model) > 1 else ""
    effect = _effect(hypothesis, result) or NO_VALUE
    constant = "" if result is None else constant_in_words(result)
    why = constant or f"no value ({(hypothesis['reason'] or 'no_values').replace('_', ' ')})"
    return AuditCell(
        verdict,
        f"{by}{why if verdict == NOT_TESTED else effect}",
        _scored(benchmark, hypothesis),
        NO_VALUE if result is None else _detectable(result),
    )


def _effect(hypothesis: Row, result: Mapping[str, Any] | None) -> str:
    """The effect of a hypothesis; before a metric of all groups the group that differs most, significant ones first."""
    effect = hypothesis_effect(hypothesis, with_ci=False)
    groups = [] if result is None else [group for group in result["groups"] if group["difference"] is not None]
    if hypothesis["group_id"] is not None or not groups:
        return effect
    group = max(groups, key=lambda group: (group["verdict"] in DIFFERENCE_VERDICTS, abs(group["difference"])))
    limits = {name: group[f"difference_{name}"] for name in ("ci_low", "ci_high")}
    difference = {"metric": group["contrast"], "value": group["difference"], "value_shrunken": None, **limits}
    named = effect_in_words({**hypothesis, **group, **difference}, with_ci=False)
    unadjusted = difference_before_selection(group, is_rate=result is not None and is_of_rates(result))
    return "; ".join(filter(None, (named, unadjusted, effect)))


def difference_before_selection(group: Mapping[str, Any], *, is_rate: bool) -> str:
    """Write the unadjusted difference of a selected group where it says something else than the adjusted one.

    Args:
        group: of a result in findings.json.
        is_rate: whether it is a difference of rates.

    Returns:
        '' where the group is not selected, or both say much the same.
    """
    if group["unadjusted_difference"] is None:
        return ""
    names = {
        **{"value": "unadjusted_difference", "ci_low": "unadjusted_ci_low", "ci_high": "unadjusted_ci_high"},
        **{"value_shrunken": "difference", "ci_low_selected": "difference_ci_low"},
        "ci_high_selected": "difference_ci_high",
    }
    return unadjusted_in_words({name: group[field] for name, field in names.items()}, is_rate=is_rate)


def hypothesis_effect(hypothesis: Row, *, with_ci: bool = True) -> str:
    """Write the effect of a hypothesis with its margin; '' where it has none.

    Args:
        hypothesis: of findings.json.
        with_ci: whether the interval begins with 95 % CI, and the margin is written.
    """
    if hypothesis["value"] is None:
        return ""
    effect = whole_effect_in_words(hypothesis, with_ci=with_ci)
    if not with_ci or hypothesis["margin"] is None:
        return effect
    margin = hypothesis["margin"], hypothesis["margin_origin"], hypothesis["metric"]
    return f"{effect}, {margin_words(*margin, is_rate=in_points(hypothesis))}"


def _table(findings: Mapping[str, Any]) -> list[str]:
    rows = [
        _HEAD,
        *(
            (benchmark, model, AUDIT_VERDICTS[cell.verdict], cell.effect, cell.scored, cell.detectable)
            for (benchmark, model), cell in audit_cells(findings).items()
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _heading_hypothesis(benchmark: Mapping[str, Any], model: str) -> Row | None:
    """Choose the hypothesis that a verdict is of, that with the largest effect of a group first; None without one.

    Args:
        benchmark: one that is published.
        model: a model of it.
    """
    rows = [
        row
        for row in benchmark["hypotheses"]
        if row["model"] == model
        and row["against"] is None
        and row["family_id"] == benchmark["family_id"]
        and row["verdict"] == benchmark["verdicts"][model]
        and not row["is_tool_bias"]
    ]
    return max(rows, key=lambda row: (row["group_id"] is not None, abs(row["value"] or 0.0)), default=None)


def _n_groupings(benchmark: Mapping[str, Any], model: str) -> int:
    return len({one["grouping_id"] for one in benchmark["results"] if one["model"] == model})


def _is_of(result: Mapping[str, Any], hypothesis: Row) -> bool:
    return all(result[name] == hypothesis[name] for name in ("model", "measure_id", "grouping_id", "calibration"))


def _scored(benchmark: Mapping[str, Any], hypothesis: Row) -> str:
    rows = [
        row for row in benchmark["losses"] if all(row[name] == hypothesis[name] for name in ("model", "measure_id"))
    ]
    return count(rows[0]["n_scored"], rows[0]["n_responses"]) if rows else NO_VALUE


def _detectable(result: Mapping[str, Any]) -> str:
    rate, now = is_of_rates(result), result["detectable"]
    planned = result["planned_detectable"] or result["planned_effect"]
    why = "" if result["constant"] is None else f": {why_not_detectable(result)}"
    written = f"no value{why}" if now is None else size(now, is_rate=rate)
    if planned is None:
        return written
    promise = size(planned, is_rate=rate)
    return f"{written} (planned {promise if now is None else promise.removesuffix(' points')})"


def _of_results(benchmarks: Sequence[Mapping[str, Any]], in_words: Callable[[Mapping[str, Any]], str]) -> list[str]:
    """A sentence of every result that has one, with its place before it."""
    return [
        f"{benchmark['benchmark']}, {one['model']}, {one['measure_id']} by {one['grouping_id']}: {sentence}"
        for benchmark in benchmarks
        for one in benchmark["results"]
        if (sentence := in_words(one))
    ]


def _measures(benchmarks: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the measures are, each once."""
    return [*dict.fromkeys(words for benchmark in benchmarks for words in benchmark["measures"].values())]


def _beyond(benchmarks: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [
        f"{benchmark['benchmark']}, {row['model']}, {statistic_in_words(row)}: {row['sentence']}"
        for benchmark in benchmarks
        for row in benchmark["beyond_margin_secondary"]
    ]
    return ["beyond margin and not primary, which changes no exit code:", *rows] if rows else []


def statistic_in_words(row: Mapping[str, Any]) -> str:
    """Name what a hypothesis is of: selection rate of favoured by race.

    Args:
        row: of hypotheses or beyond_margin_secondary in findings.json.
    """
    statistic = "" if row["statistic"] in _PLAIN else f"{row['statistic'].replace('_', ' ')} of "
    by = f" by {row['grouping_id']}" if row["grouping_id"] else ""
    against = f", compared with {row['against']}" if row["against"] else ""
    return f"{statistic}{row['measure_id'].replace('_', ' ')}{by}{against}"


def _losses(benchmarks: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{benchmark['benchmark']}, {row['model']}, {row['measure_id']}: {row['sentence']}"
        for benchmark in benchmarks
        for row in benchmark["losses"]
        if row["n_scored"] < _WELL_SCORED * row["n_responses"]
    ]
