"""The analysis: what it compares with, its families, its power and its contrasts name what is there."""

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from python_assets.extract.extractor import extractors
from python_assets.study import grouping_id, make_id
from python_assets.study_analysis import Family, Power, Statistic
from python_assets.study_base import BASELINE
from python_assets.study_checks.factors import repeated
from python_assets.study_checks.measures import every_measure_id
from python_assets.study_expand import ALL_PROMPTS, EVERY_IMPORTED, Draft
from python_assets.study_problems import FieldPath, Problem, listed, unknown_name

DIFFERENCE: Final = "_difference"
WRITTEN: Final = ("mean_difference", "risk_difference", "log_disparity", "log_disparity_haldane", "fdi_group")
"""Contrasts that every measure of their kind has."""
METRICS: Final = (
    *("range", "standard_deviation", "max_z", "max_abs_z", "min_max_ratio", "impact_ratio"),
    *("fdi", "fdi_max", "idi", "cramers_v", "jsd"),
)
"""Metrics of disparities that have a p."""
SHARE: Final = "share"
"""The statistic of categorical disparities."""
FAMILY_SEPARATOR: Final = " | "
CORRECT: Final = "correct the name or remove it"


def analysis_problems(draft: Draft) -> Iterator[Problem]:
    """The reference, contrasts, families, power and pilot of the analysis are possible in this study."""
    yield from _reference_problems(draft)
    yield from _contrast_problems(draft)
    for name, family in draft.parts.analysis.families.items():
        yield from _family_problems(draft, ("analysis", "families", name), family)
    for name, power in draft.parts.analysis.power.items():
        yield from _power_problems(draft, ("analysis", "power", name), name, power)
    if draft.parts.analysis.pilot == draft.study_id:
        expected = "another study, which was run before"
        yield Problem(("analysis", "pilot"), draft.study_id, expected, "name the pilot, or remove it")


def _reference_problems(draft: Draft) -> Iterator[Problem]:
    if draft.parts.analysis.reference != "reference_level" or draft.factors is None:
        return
    factors = dict.fromkeys(factor for grouping in draft.groupings for factor in grouping)
    known = [draft.factors[factor] for factor in factors if factor in draft.factors]
    if without := [factor.name for factor in known if factor.reference is None]:
        expected = f"a reference level of every factor of the groupings; {listed(without)} has none"
        remedy = f"add reference: LEVEL to {without[0]} under factors:, or compare with the rest"
        yield Problem(("analysis", "reference"), "reference_level", expected, remedy)


def _contrast_problems(draft: Draft) -> Iterator[Problem]:
    asked = draft.parts.analysis.contrasts
    yield from repeated(("analysis", "contrasts"), asked, "contrast")
    possible = optional_contrasts(draft.parts.analysis.statistics)
    for index, name in enumerate(asked):
        path: FieldPath = ("analysis", "contrasts", index)
        statistic = name.removesuffix(DIFFERENCE)
        if name in WRITTEN:
            expected = f"one of {listed(possible)}; {name} is written without being asked for"
            yield Problem(path, name, expected, "remove it")
        elif name not in possible and f"{statistic}{DIFFERENCE}" == name and statistic in get_args(Statistic):
            expected = f"{statistic} among the statistics, which the contrast is of"
            yield Problem(path, name, expected, f"add {statistic} to analysis.statistics")
        elif name not in possible:
            yield unknown_name(path, name, "a contrast that can be asked for", possible, CORRECT)


def optional_contrasts(statistics: Sequence[str]) -> list[str]:
    """The contrasts that a study with these statistics can ask for."""
    return ["dbi", *(f"{statistic}{DIFFERENCE}" for statistic in statistics if statistic != "mean")]


def _family_problems(draft: Draft, path: FieldPath, family: Family) -> Iterator[Problem]:
    analysis = draft.parts.analysis
    known = {
        "measures": ("a measure", every_measure_id(draft)),
        "groupings": ("a grouping", [grouping_id(grouping) for grouping in draft.groupings]),
        "generations": ("a generation", _generations(draft)),
        "slices": ("a slice", _slices(draft)),
        "contrasts": ("a contrast of the study", [*WRITTEN, *analysis.contrasts]),
        "metrics": ("a metric with a p", METRICS),
        "statistics": ("a statistic of the study", ["mean", SHARE, *analysis.statistics]),
    }
    for field, (kind, names) in known.items():
        for index, name in enumerate(getattr(family, field) or []):
            if names is not None and name not in names:
                yield unknown_name((*path, field, index), name, kind, list(dict.fromkeys(names)), CORRECT)
    if FAMILY_SEPARATOR in str(path[-1]):
        expected = f"a name without {FAMILY_SEPARATOR!r}, which names the families of the default rule"
        yield Problem(path, path[-1], expected, "rename the family")


def _generations(draft: Draft) -> list[str] | None:
    """Every generation; None where an import brings those that only its table names."""
    found = [one.generation_id for entry in draft.generations.values() for one in entry]
    return None if EVERY_IMPORTED in found else [*found, BASELINE]


def _slices(draft: Draft) -> list[str] | None:
    """Every slice; None where only the data tells the levels that slices are made of."""
    each = draft.parts.each
    if each is not None and (draft.factors is None or each not in draft.factors):
        return None
    is_open = each is not None and draft.factors is not None and draft.factors[each].levels is None
    return None if is_open else [ALL_PROMPTS, *draft.slices]


def _power_problems(draft: Draft, path: FieldPath, name: str, power: Power) -> Iterator[Problem]:
    known = every_measure_id(draft)
    if make_id(name) not in known:
        yield unknown_name(path, name, "a measure", known, CORRECT)
        return
    is_continuous = _is_continuous(draft, make_id(name))
    if is_continuous and power.rate is not None:
        expected = "sd for a continuous measure; a rate is of a binary or categorical one"
        yield Problem((*path, "rate"), power.rate, expected, "write sd: instead")
    elif is_continuous is False and power.sd is not None:
        expected = "rate for a measure of labels or of 0 and 1, which has no sd of its own"
        yield Problem((*path, "sd"), power.sd, expected, "write rate: instead")
    if is_continuous is False and power.effect >= 1:
        expected = "a difference of rates, which is below 1"
        yield Problem((*path, "effect"), power.effect, expected, "choose another number")


def _is_continuous(draft: Draft, measure_id: str) -> bool | None:
    """Whether a measure is continuous; None where its extractor is not known."""
    spec = next((one for one in draft.parts.measures.values() if make_id(one.name) == measure_id), None)
    if spec is None:  # one that every study has, or the unmatched responses of a measure by labels
        return False
    if spec.extractor is None:
        return spec.kind == "continuous"
    return extractors[spec.extractor].kind == "continuous" if spec.extractor in extractors else None
