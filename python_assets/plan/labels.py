"""How many root prompts people have to label for a difference of a given size, with a reading and without.

Belongs here: what is assumed of the reading, and the error of corrected values before there are any.

Source: inference.md 9.2.
"""

from typing import Final, NamedTuple

import numpy as np

from python_assets.extract.measures import Measure, resolve_measures
from python_assets.extract.scorers.figures import FEWEST_POSITIVE, REAL_ANSWERS
from python_assets.extract.scorers.packaged import validations
from python_assets.extract.scorers.scorers import label_set_of
from python_assets.infer.agreement.coefficients import LEAST_PROMPTS
from python_assets.infer.formulas.interval import t_quantile
from python_assets.plan.expected_effects import Spread, sd_of_difference
from python_assets.study.analysis import Power
from python_assets.study.base import Against
from python_assets.study.measures import TRAINED_ON_LABELS
from python_assets.study.study import Study, make_id

LABELLED_SIZES: Final = (15, 20, 40)  # labelled root prompts; fewer give a rate no interval
SENSITIVITY: Final = 0.9
SPECIFICITY: Final = 0.95
CORRELATION: Final = 0.8


class AssumedReading(NamedTuple):
    """What is assumed of a reading.

    slope: what the mean reading of an answer rises by where its label rises by 1. noise: variance of a reading around
    that, of the other groups and of the group that differs. told: in words.
    """

    slope: float
    noise: float
    noise_of_group: float
    told: str


class PlannedLabels(NamedTuple):
    """What labels of whole root prompts show of a difference.

    reading: what is assumed. half_widths: of the interval with SHOWN labelled root prompts, None where there are not as
    many root prompts; half_widths_alone: by labels without the reading. n_needed, n_needed_alone: labelled root prompts
    that show the effect; None where those that there are do not.
    """

    reading: str
    half_widths: tuple[float | None, ...]
    half_widths_alone: tuple[float | None, ...]
    n_needed: int | None
    n_needed_alone: int | None


def asks_labels(study: Study, measure_id: str) -> bool:
    """Whether a study labels answers for a measure, or asks what it would take."""
    power = {make_id(name): spec for name, spec in study.analysis.power.items()}.get(measure_id)
    labelled = {make_id(one.measure) for one in study.human_labels}
    trained = {make_id(spec.name) for spec in study.measures if spec.scorer == TRAINED_ON_LABELS}
    return (power is not None and power.labels is not None) or measure_id in labelled | trained


def planned_labels(
    study: Study, measure_id: str, spec: Power, spread: Spread, against: Against, *, n: int, alpha: float, n_tests: int
) -> PlannedLabels:
    """What labels show of one measure in one grouping whose groups meet on root prompts.

    Args:
        study: what it declares.
        measure_id: the measure.
        spec: its declared power.
        spread: of its labels.
        against: what a group is compared with.
        n: root prompts of the design.
        alpha: error rate.
        n_tests: tests that alpha is shared by.
    """
    reading = _assumed(study, measure_id, spec, spread)
    label_variance = sd_of_difference(spread, against) ** 2
    noise_sds = np.sqrt([reading.noise, reading.noise_of_group])
    noise = Spread(float(noise_sds[0]), 0.0, spread.n_groups, spread.n_responses, sd_of_group=float(noise_sds[1]))
    noise_variance = sd_of_difference(noise, against) ** 2
    left = unexplained(label_variance, noise_variance, reading.slope)
    is_rate = spec.rate is not None

    def half_width(n_labelled: int, variance: float) -> float:
        # a rate has the variance of half an error that no label showed
        unseen = (
            (1 - n_labelled / n) / (2 * n_labelled**2) if is_rate and variance != label_variance / n_labelled else 0.0
        )
        return float(t_quantile(np.array(n_labelled), alpha) * np.sqrt(variance + unseen))

    shown = [r if r <= n else None for r in LABELLED_SIZES]
    return PlannedLabels(
        reading=reading.told,
        half_widths=tuple(r and half_width(r, variance_with(r, n, label_variance, left)) for r in shown),
        half_widths_alone=tuple(r and half_width(r, label_variance / r) for r in shown),
        n_needed=_needed(n, label_variance, left, spec, alpha / n_tests),
        n_needed_alone=_needed(n, label_variance, label_variance, spec, alpha / n_tests, alone=True),
    )


def unexplained(of_labels: float, of_noise: float, slope: float) -> float:
    """s^2(Dy - lam Dm): what the best multiple of the reading leaves of a difference of labels.

    Args:
        of_labels: s^2(Dy), of the difference of labels over root prompts.
        of_noise: of the difference of readings where labels are alike.
        slope: what the mean reading of an answer rises by where its label rises by 1.
    """
    return of_labels * of_noise / (slope**2 * of_labels + of_noise) if of_noise > 0 else 0.0


def variance_with(n_labelled: int, n: int, of_labels: float, left: float) -> float:
    """Variance of a corrected difference: (1/r - 1/R) s^2(Dy - lam Dm) + s^2(Dy) / R.

    Args:
        n_labelled: root prompts that people labelled, r.
        n: all root prompts, R.
        of_labels: s^2(Dy), of the difference of labels over root prompts.
        left: of unexplained.

    Source: inference.md 9.2.
    """
    return (1 / n_labelled - 1 / n) * left + of_labels / n


def _needed(n: int, of_labels: float, left: float, spec: Power, level: float, *, alone: bool = False) -> int | None:
    """The fewest labelled root prompts that show the effect with the power, as 2.5 has it with t of r - 1 df."""
    from scipy.special import ndtri  # a third of a second

    z = -float(ndtri(level / 2))
    allowed = (spec.effect / (z + float(ndtri(spec.power)))) ** 2
    counts = np.arange(LEAST_PROMPTS, n + 1)
    variances = of_labels / counts if alone else (1 / counts - 1 / n) * left + of_labels / n
    shows = variances * counts <= allowed * (counts - z**2 / 2)
    return int(counts[shows.argmax()]) if shows.any() else None


def _assumed(study: Study, measure_id: str, spec: Power, spread: Spread) -> AssumedReading:
    declared = spec.labels
    if spec.rate is None:
        correlation = (declared and declared.correlation) or CORRELATION
        noise = spread.sd**2 * (1 / correlation**2 - 1)
        source = "declared" if declared and declared.correlation else "assumed"
        return AssumedReading(1.0, noise, noise, f"correlation {correlation:g} ({source})")
    figures, source = (SENSITIVITY, SPECIFICITY), "assumed"
    if published := _published(study, measure_id):
        figures, source = published, "published"
    if declared and declared.sensitivity is not None and declared.specificity is not None:
        figures, source = (declared.sensitivity, declared.specificity), "declared"
    sensitivity, specificity = figures

    def noise_at(rate: float) -> float:
        return rate * sensitivity * (1 - sensitivity) + (1 - rate) * specificity * (1 - specificity)

    rates = [p for p in (spec.rate, spec.rate + spec.effect, spec.rate - spec.effect) if 0 < p < 1]
    reading_text = f"{sensitivity:g} / {specificity:g} ({source})"
    return AssumedReading(sensitivity + specificity - 1, noise_at(spec.rate), max(map(noise_at, rates)), reading_text)


def _published(study: Study, measure_id: str) -> tuple[float, float] | None:
    """The worst published sensitivity and specificity of what reads a measure, on answers of any family and topic."""
    measures = [one for one in resolve_measures(study) if one.measure_id == measure_id]
    pairs = [pair for measure in measures for pair in _figures(measure)]
    return min(pairs, key=sum) if pairs else None


def _figures(measure: Measure) -> list[tuple[float, float]]:
    if measure.spec.engine is not None:
        return []
    reads_by = (measure.scorer, label_set_of(measure))
    return [
        (one.recall, one.specificity)
        for one in validations()
        if (one.scorer, one.label_set) == reads_by
        and (one.n_positive or 0) >= FEWEST_POSITIVE
        and one.material == REAL_ANSWERS
        and one.model_family == one.topic == ""
        and one.recall is not None
        and one.specificity is not None
        and one.recall + one.specificity > 1
    ]
