"""Metrics that a log of lm_eval publishes, and what its samples have of each.

Source: https://github.com/EleutherAI/lm-evaluation-harness, lm_eval.api.metrics of 0.4.13.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from python_assets.importers.log_metrics import AGGREGATION_UNKNOWN, PublishedMetric, number_or_none
from python_assets.study.base import Direction

METRICS_PREFIX: Final = "metrics."

# the filter of a task that names none
_NO_FILTER: Final = "none"
_STDERR: Final = "_stderr"
_LOG_LIKELIHOOD: Final = "_log_likelihood"
_PREDICTION: Final = "_prediction"
_PERPLEXITY: Final = "perplexity"
_PER_UNIT: Final = ("weighted_perplexity", "bits_per_byte")
_OF_LABELS: Final = {"f1": "f1", "matthews_corrcoef": "matthews_correlation"}
_OF_TEXTS: Final = ("bleu", "chrf", "chrf++", "ter")
_BRIER: Final = "brier_score"
# what lm_eval takes where a task names none, by metric; the mean for any other
_DEFAULTS: Final = {
    "perplexity": _PERPLEXITY,
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "brier_score": _BRIER,
    "bypass": "bypass",
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    **{name: name for name in _OF_TEXTS},
}
_AGGREGATIONS: Final = {
    "mean": "mean",
    "nanmean": "mean",
    "median": "upper_median",
    _PERPLEXITY: _PERPLEXITY,
    "weighted_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    _BRIER: "mean",
    **_OF_LABELS,
}


class SampleScore(NamedTuple):
    """What a sample has of a metric: a number, or the label that was given.

    weight: words or bytes that a number is of. true_label: the right one.
    """

    value: Any
    weight: float | None = None
    true_label: str | None = None


def measure_name(metric: str, aggregation: str | None, of: str) -> str:
    """What the scores of samples are called: by metric and filter, and by what they are where that is not the metric.

    Args:
        metric: its name.
        aggregation: as lm_eval calls it.
        of: the filter.
    """
    what = metric
    if aggregation == _PERPLEXITY or aggregation in _PER_UNIT:
        what = f"{metric}{_LOG_LIKELIHOOD}"
    elif aggregation in _OF_LABELS:
        what = f"{metric}{_PREDICTION}"
    return what if of == _NO_FILTER else f"{what}_{of}"


def direction_of(aggregation: str | None, *, is_higher_better: bool) -> Direction | None:
    """Which end of the scores of samples is good, given that of their metric; None of labels."""
    if aggregation in _OF_LABELS:
        return None
    is_turned = aggregation == _PERPLEXITY or aggregation in _PER_UNIT
    return "higher_better" if is_higher_better is not is_turned else "higher_worse"


def aggregations(config: Mapping[str, Any]) -> dict[str, str | None]:
    """How the metrics that a task names are aggregated; None where that is a function of its own."""
    by_metric: dict[str, str | None] = {}
    listed = config.get("metric_list")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("metric"), str):
            name = one["metric"]
            aggregation = one.get("aggregation", aggregation_of(name, {}))
            by_metric[name] = (
                aggregation
                if isinstance(aggregation, str) and aggregation in {*_AGGREGATIONS, *_OF_TEXTS, "bypass"}
                else None
            )
    return by_metric


def aggregation_of(metric: str, named: Mapping[str, str | None]) -> str | None:
    """How a metric is aggregated, in lm_eval's words.

    Args:
        metric: its name.
        named: what the task says.
    """
    return named[metric] if metric in named else _DEFAULTS.get(metric, "mean")


def sample_score(value: Any, aggregation: str | None) -> SampleScore | None:
    """What a sample has of a metric; None where it is nothing that a measure can have."""
    if isinstance(value, bool | int | float):
        return SampleScore(value)
    pair = value if isinstance(value, list) and len(value) == 2 else None
    if pair is None or not (aggregation in _PER_UNIT or aggregation in _OF_LABELS or aggregation == _BRIER):
        return None
    first, second = pair
    if aggregation in _PER_UNIT:
        total, weight = number_or_none(first), number_or_none(second)
        return None if total is None or weight is None or weight <= 0 else SampleScore(total / weight, weight)
    if aggregation == _BRIER:
        return _brier(first, second)
    is_label = all(isinstance(entry, int | str) for entry in pair)
    return SampleScore(_label(second), true_label=_label(first)) if is_label else None


def _label(part: int | str) -> str:
    """True and 1 are one class."""
    return str(int(part)) if isinstance(part, int) else part


def _brier(gold: Any, predicted: Any) -> SampleScore | None:
    """The summed squared distance of the probabilities to the right answer; a log has them as numpy prints them."""
    words = predicted.strip("[] \n").split() if isinstance(predicted, str) else None
    try:
        numbers = [float(word) for word in words or ()]
    except ValueError:
        return None
    if not isinstance(gold, int) or not 0 <= gold < len(numbers):
        return None
    return SampleScore(sum((number - (at == gold)) ** 2 for at, number in enumerate(numbers)))


def published_metrics(
    file: str,
    task: str,
    results: Mapping[str, Any],
    named: Mapping[str, str | None],
    samples: Sequence[Mapping[str, Any]],
) -> Iterator[PublishedMetric]:
    """Every number that the results publish of a task, standard errors among them.

    Args:
        file: the log.
        task: its task.
        results: what lm_eval wrote beside the log.
        named: the aggregations of the task.
        samples: its lines.
    """
    there = of_task(results, "results", task)
    numbers = there if isinstance(there, dict) else {}
    n = n_items(results, task)
    for key, value in numbers.items():
        metric, comma, of = key.partition(",")
        # what has no filter is no metric; N/A stands where there is none
        if not comma or value == "N/A":
            continue
        is_stderr = metric.endswith(_STDERR) and metric.removesuffix(_STDERR) + comma + of in numbers
        base = metric.removesuffix(_STDERR) if is_stderr else metric
        aggregation = aggregation_of(base, named)
        reason = _why_not([line.get(base) for line in samples if line.get("filter") == of], aggregation)
        if is_stderr and aggregation != "mean":
            # of anything but a mean it is drawn at random
            reason = reason or "bootstrap"
        yield PublishedMetric(
            log=file,
            task=task,
            scorer="" if of == _NO_FILTER else of,
            metric=metric,
            value=number_or_none(value),
            aggregation="stderr" if is_stderr else _AGGREGATIONS.get(aggregation or ""),
            column=f"{METRICS_PREFIX}{measure_name(base, aggregation, of)}",
            n=n,
            reason=reason,
        )


def _why_not(values: Sequence[Any], aggregation: str | None) -> str | None:
    """Why the samples have nothing that a measure can have."""
    if aggregation in _OF_TEXTS:
        return "corpus_metric"
    if aggregation == "bypass":
        return AGGREGATION_UNKNOWN
    there = [value for value in values if value is not None]
    if not there:
        return "no_sample_values"
    is_readable = any(sample_score(value, aggregation) is not None for value in there)
    return None if is_readable else "not_a_number"


def group_metrics(file: str, results: Mapping[str, Any]) -> Iterator[PublishedMetric]:
    """The numbers that results publish of groups of tasks.

    Args:
        file: a log beside them.
        results: what lm_eval wrote beside it.
    """
    groups = results.get("groups")
    for group, numbers in (groups if isinstance(groups, dict) else {}).items():
        for key, value in (numbers if isinstance(numbers, dict) else {}).items():
            metric, comma, of = key.partition(",")
            if comma and value != "N/A":
                yield PublishedMetric(
                    log=file,
                    task=str(group),
                    scorer="" if of == _NO_FILTER else of,
                    metric=metric,
                    value=number_or_none(value),
                    reason="group_of_tasks",
                )


def of_task(results: Mapping[str, Any], part: str, task: str) -> Any:
    """What a part of results has of a task, whose name may hold dots; None where it has nothing."""
    section = results.get(part)
    return section.get(task) if isinstance(section, dict) else None


def n_items(results: Mapping[str, Any], task: str) -> int | None:
    """How many items the results count of a task; None where they do not."""
    counts = of_task(results, "n-samples", task)
    n = counts.get("effective") if isinstance(counts, dict) else None
    return n if isinstance(n, int) else None
