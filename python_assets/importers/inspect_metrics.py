"""Metrics that a log of Inspect publishes, and what scores of samples are read as.

Source: https://inspect.aisi.org.uk/scorers.html; inspect_ai.scorer, its metrics and reducers.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from python_assets.importers.log_metrics import AGGREGATION_UNKNOWN, NO_NUMBER, PublishedMetric, number_or_none

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalMetric, EvalScore

METADATA: Final = "metadata."
SCORES: Final = "scores."

# what scorers write for correct, incorrect, partial and no answer; inspect_ai.scorer.value_to_float
_MARKS: Final = {"C": 1, "I": 0, "P": 0.5, "N": 0}
# metrics that count marks as these numbers
_AGGREGATIONS: Final = {
    "accuracy": "mean",
    "mean": "mean",
    "stderr": "stderr",
    "bootstrap_stderr": "stderr",
    "std": "standard_deviation",
    "var": "variance",
}
_INTERVALS: Final = ("ci", "ci_wilson")
_GROUPED: Final = "grouped"
_FREQUENCY: Final = "frequency"
_REDUCERS: Final = re.compile(r"mean|median|mode|max|(at_least|pass_at|pass_k)_\d+")
_WHOLE: Final = "all"


def numbers_for_marks(logs: Iterable["EvalLog"], values: Mapping[str, Sequence[Any]]) -> set[str]:
    """The scores whose letters C, I, P and N are marks, which are read as the numbers that Inspect counts them as.

    Args:
        logs: headers.
        values: of every score, by its path, as scorers wrote them.

    Returns:
        The paths of those that have no other words, and that some metric counts and none tells letter by letter:
        elsewhere letters are answers.
    """
    metrics = _metrics_by_path(logs)
    marks = set()
    for path, score_values in values.items():
        words = {value for value in score_values if isinstance(value, str)}
        if words and words <= _MARKS.keys() and metrics.get(path, set(_AGGREGATIONS)) <= _AGGREGATIONS.keys():
            marks.add(path)
    return marks


def as_number(value: Any) -> Any:
    """A mark as its number; what is none as it is."""
    return _MARKS.get(value, value) if isinstance(value, str) else value


def _metrics_by_path(logs: Iterable["EvalLog"]) -> dict[str, set[str]]:
    """The names of the metrics of every score that publishes some; a group of them by its name."""
    names_by_path: dict[str, set[str]] = {}
    for log in logs:
        for score in _scores_of(log):
            # a metric over groups of samples counts as the one that it is of
            names = {_counting(metric) for metric in score.metrics.values()} - set(_INTERVALS)
            if names:
                names_by_path.setdefault(_path_of(score), set()).update(names)
    return names_by_path


def _counting(metric: "EvalMetric") -> str:
    return _inner(metric) if metric.group == _GROUPED else metric.group or metric.name


def _scores_of(log: "EvalLog") -> "Sequence[EvalScore]":
    return log.results.scores if log.results is not None else ()


def _path_of(score: "EvalScore") -> str:
    """The path of a score, by its scorer and part."""
    return score.name if score.name == score.scorer else f"{score.scorer}.{score.name}"


def _inner(metric: "EvalMetric") -> str:
    """The metric that one of groups is computed with."""
    inner = metric.params.get("metric")
    return str(inner.get("name")).rpartition("/")[2] if isinstance(inner, dict) else ""


def published_metrics(file: Path, log: "EvalLog", n_samples: int) -> Iterator[PublishedMetric]:
    """Every number that the results of a log hold.

    Args:
        file: of the log.
        log: its header.
        n_samples: how many different samples the log has, whatever their epochs.
    """
    for score in _scores_of(log):
        n_scored = score.scored_samples
        n_all = None if n_scored is None else n_scored + (score.unscored_samples or 0)
        # epochs are averaged where nothing else is said, but for metrics that take every epoch by itself
        is_reduced = score.reducer is not None or n_all is None or n_all <= n_samples
        reducer = score.reducer or ("mean" if is_reduced and (log.eval.config.epochs or 1) > 1 else "")
        for name, metric in score.metrics.items():
            one = _published(file, log, score, name, metric)._replace(reducer=reducer)
            is_known = not reducer or _REDUCERS.fullmatch(reducer) is not None
            yield one if is_known else one._replace(reason=one.reason or AGGREGATION_UNKNOWN)


def _published(file: Path, log: "EvalLog", score: "EvalScore", name: str, metric: "EvalMetric") -> PublishedMetric:
    value = number_or_none(metric.value)
    one = PublishedMetric(
        log=file.name,
        task=log.eval.task,
        scorer=score.name if score.name == score.scorer else f"{score.scorer}.{score.name}",
        metric=name if metric.group is None else f"{metric.group}: {_number_of(name, metric)}",
        value=value,
        column=f"{SCORES}{_path_of(score)}",
        n=score.scored_samples,
    )
    if value is None:
        return one._replace(reason=NO_NUMBER)
    if metric.group in _INTERVALS:
        return one._replace(reason="interval")
    if metric.group == _FREQUENCY:
        aggregation = "share" if metric.params.get("normalize", True) else "count"
        return one._replace(aggregation=aggregation, label=metric.name)
    if metric.group == _GROUPED:
        return _of_group(one, metric)
    if metric.group is not None:
        return one
    return _of_samples(one, metric.name.rpartition("/")[2], metric.params)


def _number_of(name: str, metric: "EvalMetric") -> str:
    """What one of several numbers is called, with the place that Inspect adds where two are called alike."""
    return name if name.startswith(metric.name) else metric.name


def _of_samples(one: PublishedMetric, name: str, params: Mapping[str, Any]) -> PublishedMetric:
    """A metric of all samples, or of all of a group."""
    caveat = "bootstrap" if name == "bootstrap_stderr" else "clustered" if params.get("cluster") else None
    if caveat is None and params:
        caveat = "own_parameters"
    return one._replace(aggregation=_AGGREGATIONS.get(name), caveat=caveat)


def _of_group(one: PublishedMetric, metric: "EvalMetric") -> PublishedMetric:
    params = metric.params
    inner = params.get("metric")
    inner_params = inner.get("params") if isinstance(inner, dict) else None
    computed = _of_samples(one, _inner(metric), inner_params or {})
    if metric.name == params.get("all_label", _WHOLE):
        is_of_samples = params.get("all", "samples") == "samples"
        return computed if is_of_samples else one
    if "name_template" in params:
        return one
    # how many of a group were scored stands nowhere
    return computed._replace(group_path=f"{METADATA}{params.get('group_key')}", group_level=metric.name, n=None)
