"""What is compared: slices, groupings, coverage, statistics and margins name what is there."""

from collections.abc import Iterator, Mapping

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.base import ROOT_PROMPT
from python_assets.study.factors import OF_SYSTEMS, KnownFactor, combined_factors, is_model_factor, levels_of_systems
from python_assets.study.metrics import metric_names
from python_assets.study.problems import listed, nearest, unknown_name
from python_assets.study.statistic_options import StatisticRow
from python_assets.study.statistics import statistic_rows
from python_assets.study.study import AnalysisSpec, make_id
from python_assets.study_file.checks.factors import repeated, unknown_level
from python_assets.study_file.checks.measures import every_measure_id
from python_assets.study_file.checks.units import declared_unit_problems
from python_assets.study_file.expand import Draft


def comparison_problems(draft: Draft) -> Iterator[StudyError]:
    """Slices, groupings and the analysis name known factors, levels, measures and metrics."""
    if draft.factors is not None:
        if draft.parts.unit not in (None, ROOT_PROMPT):
            yield from factor_name_problems(("unit",), str(draft.parts.unit), draft.factors)
        yield from declared_unit_problems(draft)
        yield from _slice_problems(draft, draft.factors)
        yield from _grouping_problems(draft, draft.factors)
        yield from _coverage_problems(draft, draft.factors)
        yield from _subgroup_problems(draft, draft.factors)
    analysis = draft.parts.analysis
    yield from repeated(("analysis", "subgroups", "factors"), analysis.subgroups.factors or [], "factor")
    yield from repeated(("analysis", "coverage", "factors"), analysis.coverage.factors or [], "factor")
    yield from _repeated_statistics(analysis)
    for name, margin in analysis.margins.items():
        yield from _margin_problems(draft, name, margin)


def _coverage_problems(draft: Draft, factors: dict[str, KnownFactor]) -> Iterator[StudyError]:
    """Factors that coverage is counted for, and the cells of them that are declared impossible."""
    coverage = draft.parts.analysis.coverage
    for index, name in enumerate(coverage.factors or []):
        yield from factor_name_problems(("analysis", "coverage", "factors", index), name, factors)
    prompt_groupings = [[one for one in grouping if not is_model_factor(one, factors)] for grouping in draft.groupings]
    counted = combined_factors(coverage, prompt_groupings, draft.parts.factors)
    for name, shares in coverage.targets.items():
        yield from _target_problems(("analysis", "coverage", "targets", name), name, shares, factors)
    for index, cells in enumerate(coverage.conditions):
        for name, levels in cells.items():
            path: FieldPath = ("analysis", "coverage", "impossible", index, name)
            if name not in counted:
                remedy = "name it under analysis.coverage.factors, or take it out"
                yield unknown_name(path, name, "a factor that coverage is counted for", counted, remedy)
                continue
            known = factors[name].levels if name in factors else None
            for level in levels:
                if known is not None and level not in known:
                    yield unknown_level(path, level, name, known)


def _target_problems(
    path: FieldPath, name: str, shares: Mapping[str, float], factors: dict[str, KnownFactor]
) -> Iterator[StudyError]:
    """Shares are declared of the levels of a factor of prompts, each of them."""
    if name_problems := list(factor_name_problems(path, name, factors)):
        yield from name_problems
        return
    known = factors[name].levels
    unknown = [level for level in shares if known is not None and level not in known]
    for level in unknown:
        yield unknown_level((*path, level), level, name, known or [])
    missing = [level for level in known or () if level not in shares]
    if missing and not unknown:
        expected = f"a share of every level of {name}: {listed(missing)} has none"
        yield StudyError(path, dict(shares), expected, "add it, 0 where none is meant")


def _subgroup_problems(draft: Draft, factors: dict[str, KnownFactor]) -> Iterator[StudyError]:
    """Factors that subgroups are described by, and no more of them together than there are."""
    spec = draft.parts.analysis.subgroups
    for index, name in enumerate(spec.factors or []):
        yield from factor_name_problems(("analysis", "subgroups", "factors", index), name, factors)
    n_factors = len(spec.factors or _grouped_by(draft, factors))
    if spec.depth is not None and spec.depth > n_factors > 0:
        expected = f"a depth of at most {n_factors}, the number of factors"
        yield StudyError(("analysis", "subgroups", "depth"), spec.depth, expected, "lower it")


def _grouped_by(draft: Draft, factors: dict[str, KnownFactor]) -> list[str]:
    """The factors of prompts that groupings name."""
    named = dict.fromkeys(factor for grouping in draft.groupings for factor in grouping)
    return [name for name in named if not is_model_factor(name, factors)]


def _repeated_statistics(analysis: AnalysisSpec) -> Iterator[StudyError]:
    """A statistic can stand there twice, but not with the same options."""
    reported: set[StatisticRow] = set()
    for index, entry in enumerate(analysis.statistics):
        for row in statistic_rows([entry]):
            if row in reported:
                path: FieldPath = ("analysis", "statistics", index)
                expected = "each statistic once, unless its options differ"
                yield StudyError(path, row.statistic, expected, "remove one of them")
            reported.add(row)


def factor_name_problems(path: FieldPath, name: str, factors: dict[str, KnownFactor]) -> Iterator[StudyError]:
    """A factor that prompts are compared by is known and is a factor of prompts."""
    prompt_factors = [factor.name for factor in factors.values() if factor.type != "model"]
    if name not in factors:
        yield unknown_name(path, name, "a factor", prompt_factors, "declare it under factors:, or take one of these")
    elif factors[name].type == "model":
        expected = f"a factor of prompts, not of models: {listed(prompt_factors)}"
        yield StudyError(path, name, expected, "remove it; generations are told apart in every table")


def _compared_factor_problems(
    draft: Draft, path: FieldPath, name: str, factors: dict[str, KnownFactor]
) -> Iterator[StudyError]:
    """A factor of groupings or slices is one of prompts, or one that generations have a level of."""
    if not is_model_factor(name, factors):
        model_factors = [factor for factor, levels in _levels_of_models(draft).items() if levels != []]
        if name not in factors:
            known = [*(one.name for one in factors.values()), *model_factors]
            remedy = "declare it under factors:, or take one of these"
            yield unknown_name(path, name, "a factor", list(dict.fromkeys(known)), remedy)
    elif not _some_system_has(draft, name, factors):
        remedy = f"give the generations a {name}, or remove it"
        yield StudyError(path, name, f"a {name} of some generation", remedy)


def _some_system_has(draft: Draft, name: str, factors: dict[str, KnownFactor]) -> bool:
    """Whether a factor of models is imported, mapped from another or told by the entries of generations."""
    known = factors.get(name)
    if known is not None and (known.origin == "imported" or known.mapped_from is not None):
        return True
    return name in OF_SYSTEMS and _levels_of_models(draft)[name] != []


def _levels_of_models(draft: Draft) -> dict[str, list[str] | None]:
    answering = [one for entry in draft.systems.values() for one in entry if not one.spec.engine]
    return levels_of_systems(answering)


def _slice_problems(draft: Draft, factors: dict[str, KnownFactor]) -> Iterator[StudyError]:
    if draft.parts.each is not None:
        yield from _compared_factor_problems(draft, ("slices", "each"), draft.parts.each, factors)
    for name, conditions in draft.parts.slices.items():
        for factor, levels in conditions.items():
            path: FieldPath = ("slices", name, factor)
            yield from _compared_factor_problems(draft, path, factor, factors)
            known = factors[factor].levels if factor in factors else _levels_of_models(draft).get(factor)
            for index, level in enumerate([levels] if isinstance(levels, str) else levels):
                if known is not None and level not in known:
                    where = path if isinstance(levels, str) else (*path, index)
                    yield unknown_level(where, level, factor, known)


def _grouping_problems(draft: Draft, factors: dict[str, KnownFactor]) -> Iterator[StudyError]:
    if not draft.groupings and not draft.parts.groupings:
        remedy = "add groupings: [FACTOR], or give a factor type: domain"
        yield StudyError(("groupings",), NOTHING, "at least one factor to compare by", remedy)
    reported: set[tuple[FieldPath, str]] = set()
    for grouping, path in draft.groupings.items():
        for factor in grouping:
            if (path, factor) not in reported:
                reported.add((path, factor))
                yield from _compared_factor_problems(draft, path, factor, factors)
                if factor in factors and factors[factor].is_unit:
                    expected = "factors other than the unit, whose levels stand for one group each"
                    yield StudyError(path, factor, expected, "take it out, or declare another unit")


def _margin_problems(draft: Draft, name: str, margin: float | dict[str, float]) -> Iterator[StudyError]:
    path: FieldPath = ("analysis", "margins", name)
    if isinstance(margin, float):
        yield from _margin_value_problems(draft, path, name, margin)
        return
    known = every_measure_id(draft)
    if make_id(name) not in known:
        yield unknown_name(path, name, "a measure", known, "correct the name or remove it")
    for metric, value in margin.items():
        yield from _margin_value_problems(draft, (*path, metric), metric, value)


def _margin_value_problems(draft: Draft, path: FieldPath, name: str, margin: float) -> Iterator[StudyError]:
    known, ratios = metric_names(takes_margin=True), metric_names(is_ratio=True)
    if name not in known:
        remedy = "correct it or remove it"
        if len(path) == 3 and name in every_measure_id(draft) and not nearest(name, known):
            remedy = (
                f"write {name}: {{risk_difference: {margin}}} for a margin of one measure, "
                "with mean_difference where it is continuous"
            )
        yield unknown_name(path, name, "a contrast or metric", known, remedy)
    elif margin <= 0 or (name in ratios and margin >= 1):
        expected = "a ratio between 0 and 1" if name in ratios else "a number above 0"
        yield StudyError(path, margin, expected, "choose another number")
