"""The analysis: its reference, contrasts, margins, sets and power name what is there, and what can be."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from python_assets.errors import NOTHING, FieldPath, StudyError, field_name
from python_assets.extract.measure_problems import spec_problems
from python_assets.extract.measures import measures_of
from python_assets.extract.scorer import scorers
from python_assets.study.analysis import AnalysisSpec, HypothesisFamily, Power
from python_assets.study.base import ALL_PROMPTS, ALL_SYSTEMS, BASELINE, EVERY_IMPORTED
from python_assets.study.factors import OF_SYSTEMS, SHIFTED, levels_of_systems
from python_assets.study.metrics import metric_names
from python_assets.study.problems import listed, unknown_name
from python_assets.study.statistics import STATISTICS
from python_assets.study.study import Kind, grouping_id, make_id
from python_assets.study_file.checks.factors import repeated
from python_assets.study_file.checks.measures import every_measure_id
from python_assets.study_file.expand import Draft

DIFFERENCE: Final = "_difference"
_SHARE: Final = "share"
"""The statistic of categorical disparities."""
SET_NAMES: Final = (
    *("primary", "secondary", "undecided", "pooled", "baseline", "scorer", "comparison", "truth", "effects"),
)
CORRECT: Final = "correct the name or remove it"


def analysis_problems(draft: Draft) -> Iterator[StudyError]:
    """The reference, contrasts, margins, sets, power and pilot of the analysis are possible here."""
    yield from _reference_problems(draft)
    yield from _contrast_problems(draft)
    yield from _margin_problems(draft)
    yield from _compare_problems(draft)
    yield from _missing_problems(draft)
    declared: dict[FieldPath, HypothesisFamily] = {}
    if (primary := draft.parts.analysis.primary) is not None:
        declared["analysis", "primary"] = primary
    for name, hypotheses in draft.parts.analysis.families.items():
        declared["analysis", "families", name] = hypotheses
        if name in SET_NAMES:
            expected = f"a name of its own; {listed(SET_NAMES)} are sets that every study has"
            yield StudyError(("analysis", "families", name), name, expected, "rename the set")
    for path, hypotheses in declared.items():
        yield from _set_problems(draft, path, hypotheses)
    yield from _taken_problems(declared)
    for name, power in draft.parts.analysis.power.items():
        yield from _power_problems(draft, ("analysis", "power", name), name, power)
    yield from _custom_problems(draft.parts.analysis)
    if draft.parts.analysis.pilot == draft.study_id:
        expected = "another study, which was run before"
        yield StudyError(("analysis", "pilot"), draft.study_id, expected, "name the pilot, or remove it")


def _missing_problems(draft: Draft) -> Iterator[StudyError]:
    """Scales that missing answers are to be filled within, where no measure has one."""
    if draft.parts.analysis.missing != "scale":
        return
    specs = [spec for spec in draft.parts.measures.values() if not any(spec_problems((), spec))]
    continuous = [one for spec in specs for one in measures_of(spec) if one.kind == "continuous"]
    if not any(None not in (one.scale_low, one.scale_high) for one in continuous):
        expected = "a scale of one continuous measure at least; the limits of rates are 0 and 1 anyway"
        remedy = "add scale: [low, high] to a measure, or remove missing"
        yield StudyError(("analysis", "missing"), "scale", expected, remedy)


def _compare_problems(draft: Draft) -> Iterator[StudyError]:
    """The reference that generations are compared with is one of them, or a role or a wave of some."""
    reference = draft.parts.analysis.compare.reference
    answering = [one for entry in draft.systems.values() for one in entry if not one.spec.engine]
    levels = levels_of_systems(answering)
    names = levels["system"]
    if reference is None or names is None:
        return
    known = [*names, *(level for factor in SHIFTED for level in levels[factor] or [])]
    if reference not in known:
        path: FieldPath = ("analysis", "compare", "reference")
        yield unknown_name(path, reference, "a generation, or a role or a wave of generations", known, CORRECT)


def _custom_problems(analysis: AnalysisSpec) -> Iterator[StudyError]:
    """A custom disparity with the name of one that every study has."""
    for name in analysis.custom_disparities:
        if name in metric_names("disparities"):
            expected = f"a name of its own, for {name} is a disparity already"
            yield StudyError(("analysis", "custom_disparities", name), name, expected, "rename it")


def _reference_problems(draft: Draft) -> Iterator[StudyError]:
    if draft.parts.analysis.reference != "reference_level" or draft.factors is None:
        return
    factors = dict.fromkeys(factor for grouping in draft.groupings for factor in grouping)
    known = {factor: draft.factors[factor].reference for factor in factors if factor in draft.factors}
    undeclared = [factor for factor in factors if factor in OF_SYSTEMS and factor not in known]
    if without := [*(factor for factor, level in known.items() if level is None), *undeclared]:
        expected = f"a reference level of every factor of the groupings; {listed(without)} has none"
        what = "type: model and reference: LEVEL" if without[0] in undeclared else "reference: LEVEL"
        remedy = f"add {what} to {without[0]} under factors:, or compare with the rest"
        yield StudyError(("analysis", "reference"), "reference_level", expected, remedy)


def _contrast_problems(draft: Draft) -> Iterator[StudyError]:
    named = draft.parts.analysis.contrasts
    yield from repeated(("analysis", "contrasts"), named, "contrast")
    possible = optional_contrasts(draft.parts.analysis)
    for index, name in enumerate(named):
        path: FieldPath = ("analysis", "contrasts", index)
        statistic = name.removesuffix(DIFFERENCE)
        if name in metric_names("contrasts", is_optional=False):
            expected = f"one of {listed(possible)}; {name} is written without being asked for"
            yield StudyError(path, name, expected, "remove it")
        elif name not in possible and f"{statistic}{DIFFERENCE}" == name and statistic in STATISTICS:
            expected = f"{statistic} among the statistics, which the contrast is of"
            yield StudyError(path, name, expected, f"add {statistic} to analysis.statistics")
        elif name not in possible:
            yield unknown_name(path, name, "a contrast that can be asked for", possible, CORRECT)


def optional_contrasts(analysis: AnalysisSpec) -> list[str]:
    """The contrasts that a study can ask for: of its statistics as they are, not normalised."""
    named = [row.statistic for row in analysis.requested_statistics if not row.normalise]
    return ["dbi", *(f"{name}{DIFFERENCE}" for name in dict.fromkeys(named) if name != "mean")]


def _margin_problems(draft: Draft) -> Iterator[StudyError]:
    """Margins that nothing can reach, and those of a measure that has no such contrast or metric."""
    known, with_margin = every_measure_id(draft), metric_names(takes_margin=True)
    for name, margin in draft.parts.analysis.margins.items():
        path: FieldPath = ("analysis", "margins", name)
        if not isinstance(margin, dict):
            yield from _bound_problems(path, name, margin)
            continue
        kind = measure_kind(draft, make_id(name)) if make_id(name) in known else None
        for metric, value in margin.items():
            if kind is None or metric not in with_margin or metric in metric_names(kind=kind):
                yield from _bound_problems((*path, metric), metric, value)
                continue
            possible = metric_names(kind=kind, takes_margin=True)
            expected = f"a contrast or metric that a {kind} measure has: {listed(possible)}"
            instead = next(one for one in ("mean_difference", "risk_difference") if one in possible)
            remedy = f"write {instead}: {value:g} instead" if metric.endswith(DIFFERENCE) else "remove it"
            yield StudyError((*path, metric), value, expected, remedy)


def _bound_problems(path: FieldPath, name: str, margin: float) -> Iterator[StudyError]:
    if name in metric_names(is_share=True) and margin >= 1:
        expected = f"a number below 1, for {name} is never larger than 1"
        yield StudyError(path, margin, expected, "write a share: 0.05 for 5 %")


def _set_problems(draft: Draft, path: FieldPath, hypotheses: HypothesisFamily) -> Iterator[StudyError]:
    """Names that nothing has, and lists that no question can match together, whatever the responses are."""
    known = {
        "measures": ("a measure", every_measure_id(draft)),
        "groupings": ("a grouping", [grouping_id(grouping) for grouping in draft.groupings]),
        "systems": ("a generation", known_systems(draft)),
        "slices": ("a slice", known_slices(draft)),
        "statistics": ("a statistic of the study", ["mean", _SHARE, *draft.parts.analysis.statistic_names]),
    }
    for field, (kind, names) in known.items():
        for index, name in enumerate(getattr(hypotheses, field) or []):
            if names is not None and name not in names:
                yield unknown_name((*path, field, index), name, kind, list(dict.fromkeys(names)), CORRECT)
    yield from _empty_set_problems(draft, path, hypotheses)


def _empty_set_problems(draft: Draft, path: FieldPath, hypotheses: HypothesisFamily) -> Iterator[StudyError]:
    """Statistics that none of the measures has: labels have shares, numbers all others."""
    measures = hypotheses.measures or every_measure_id(draft)
    kinds = {measure_kind(draft, name) for name in measures if name in every_measure_id(draft)}
    if None in kinds or not kinds or hypotheses.statistics is None:
        return
    is_of_labels, is_of_numbers = "categorical" in kinds, bool(kinds - {"categorical"})
    if any(is_of_labels if name == _SHARE else is_of_numbers for name in hypotheses.statistics):
        return
    has = _SHARE if is_of_labels else "mean"
    expected = f"statistics that one of its measures has, such as {has}"
    yield StudyError((*path, "statistics"), hypotheses.statistics, expected, "correct the list, or the measures")


def _taken_problems(declared: Mapping[FieldPath, HypothesisFamily]) -> Iterator[StudyError]:
    """Sets all of whose questions a set before them has, for a question is in the first that names it."""
    for (earlier, taking), (later, taken) in combinations(declared.items(), 2):
        if all(_is_within(getattr(taken, field), getattr(taking, field)) for field in HypothesisFamily.model_fields):
            expected = f"one question at least that {field_name(earlier)} does not name"
            yield StudyError(later, NOTHING, expected, "correct its lists, or remove it")


def _is_within(names: Sequence[str] | None, others: Sequence[str] | None) -> bool:
    """Whether a list of a set names nothing beyond that of another; where both are absent one rule holds."""
    return names == others or (names is not None and others is not None and set(names) <= set(others))


def known_systems(draft: Draft) -> list[str] | None:
    """Every generation; None where an import brings those that only its table names."""
    system_ids = [one.system_id for entry in draft.systems.values() for one in entry]
    return None if EVERY_IMPORTED in system_ids else [*system_ids, BASELINE, ALL_SYSTEMS]


def known_slices(draft: Draft) -> list[str] | None:
    """Every slice; None where only the data tells the levels that slices are made of."""
    each = draft.parts.each
    if each is not None and (draft.factors is None or each not in draft.factors):
        return None
    is_open = each is not None and draft.factors is not None and draft.factors[each].levels is None
    return None if is_open else [ALL_PROMPTS, *draft.slices]


def _power_problems(draft: Draft, path: FieldPath, name: str, power: Power) -> Iterator[StudyError]:
    if power.prompt_by_group_share is not None and power.correlation + power.prompt_by_group_share >= 1:
        expected = f"a share below {1 - power.correlation:g}, what the correlation of {power.correlation:g} leaves"
        remedy = "choose a smaller one, or leave it out: then the pilot's is taken, or 0.1"
        yield StudyError((*path, "prompt_by_group_share"), power.prompt_by_group_share, expected, remedy)
    known = every_measure_id(draft)
    if make_id(name) not in known:
        yield unknown_name(path, name, "a measure", known, CORRECT)
        return
    kind = measure_kind(draft, make_id(name))
    if kind is None:
        return
    if kind == "continuous" and power.rate is not None:
        expected = "sd for a continuous measure; a rate is of a binary or categorical one"
        yield StudyError((*path, "rate"), power.rate, expected, "write sd: instead")
    elif kind != "continuous" and power.sd is not None:
        expected = "rate for a measure of labels or of 0 and 1, which has no sd of its own"
        yield StudyError((*path, "sd"), power.sd, expected, "write rate: instead")
    if kind != "continuous" and power.effect >= 1:
        expected = "a difference of rates, which is below 1"
        yield StudyError((*path, "effect"), power.effect, expected, "choose another number")


def measure_kind(draft: Draft, measure_id: str) -> Kind | None:
    """What a measure's values are; None where its extractor is not known."""
    spec = next((one for one in draft.parts.measures.values() if make_id(one.name) == measure_id), None)
    if spec is None:  # one that every study has, or the unmatched responses of a measure by labels
        return "binary"
    if spec.scorer is None:
        return spec.kind or "categorical"
    return scorers[spec.scorer].kind or spec.kind if spec.scorer in scorers else None
