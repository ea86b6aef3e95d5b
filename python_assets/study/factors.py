"""The factors of a study and what its file tells of them: type, levels in order, reference, origin.

Belongs here: the one list of factors that checks, design tables and plans share. Levels that only the data
shows are added by plan/design_tables.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, Literal, NamedTuple

from python_assets.study.analysis import Coverage
from python_assets.study.base import EVERY_IMPORTED, NEGATIVE_CONTROL, REPLAY
from python_assets.study.prompts import OPTION_ORDER
from python_assets.study.study import Factor, LevelMap, Prompts, Study
from python_assets.study.systems import Decoding, System

Origin = Literal["declared", "imported", "derived"]

DERIVED: Final = ("source_tag", "keyword", "document", "task", "is_root")
TEMPLATE: Final = "template"
OF_SYSTEMS: Final = ("system", "model", "system_prompt", "template", "extension", "decoding", "wave", "study")
"""The factors of every generation; it has no level of those that the study file says nothing of."""
SHIFTED: Final = ("system_prompt", "wave")
"""The factors of generations whose levels others can be compared with, like in all else."""


class KnownFactor(NamedTuple):
    """A factor before the data is seen; levels: in declared order, None where only the data tells them.

    has_prompts: whether prompts have levels of it; a factor that is declared and used nowhere has none.
    is_unit: whether its levels are the independent units of the study, or of some prompts. rule: how levels
    are decided, in words; None where they come with the prompts. mapped_from: the factor that its levels
    follow from.
    """

    name: str
    type: str
    origin: Origin
    levels: list[str] | None
    reference: str | None = None
    definition: str | None = None
    has_prompts: bool = True
    is_unit: bool = False
    rule: str | None = None
    mapped_from: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether the study file speaks of it; the others every prompt has."""
        return self.origin != "derived" or self.rule is not None

    @property
    def is_blocking(self) -> bool:
        """Whether prompts that differ in it stand in different blocks, where it is not in the grouping.

        One that is mapped need not: what it follows from does.
        """
        is_of_prompts = self.is_own and self.type in ("domain", "prompt") and self.name != NEGATIVE_CONTROL
        return is_of_prompts and not self.is_unit and self.mapped_from is None

    @property
    def is_compared(self) -> bool:
        """Whether its levels are compared where the study file names no grouping."""
        return self.is_own and self.type == "domain" and self.has_prompts and not self.is_unit


def known_factors(declared: Mapping[str, Factor], prompts: Prompts, unit: str | None) -> dict[str, KnownFactor]:
    """Every factor a study can name: declared ones in order, then those of its prompts, then derived ones."""
    used = factors_of_prompts(prompts)
    factors = {name: _declared(name, factor, prompts, used) for name, factor in declared.items()}
    model_columns = prompts.import_.columns_of_models if prompts.import_ else {}
    for name, levels in used.items():
        origin: Origin = "imported" if prompts.import_ else "declared"
        factors.setdefault(
            name,
            KnownFactor(
                name=name,
                type="model" if name in model_columns else "prompt" if name in prompts.wordings else "domain",
                origin=origin,
                levels=levels,
                reference=_scrape_reference(prompts, name),
            ),
        )
    if prompts.templates and (orders := prompts.templates.option_orders):
        factors.setdefault(OPTION_ORDER, KnownFactor(OPTION_ORDER, "prompt", "declared", orders))
    for name, known in _derived(prompts).items():
        factors.setdefault(name, KnownFactor(name, "prompt", "derived", known))
    units = {unit, *prompts.units}
    return {name: factor._replace(is_unit=name in units) for name, factor in factors.items()}


def is_model_factor(name: str, factors: Mapping[str, KnownFactor]) -> bool:
    """Whether a factor tells generations apart; one that prompts have as well is a factor of prompts."""
    return factors[name].type == "model" if name in factors else name in OF_SYSTEMS


def levels_of_system(system: System) -> dict[str, str]:
    """The levels of OF_SYSTEMS that a study file gives a generation, if any."""
    extension = system.extension.type if system.extension else ""
    is_replay = system.spec.provider == REPLAY  # whose answers were drawn elsewhere
    levels = {
        "system": system.system_id,
        "model": system.model,
        "system_prompt": system.system_prompt_name,
        "template": system.template,
        "extension": system.extension_name or extension,
        "decoding": "" if is_replay else _decoding(system.spec.decoding),
        "wave": system.wave,
    }
    return {factor: levels[factor] for factor in OF_SYSTEMS if levels.get(factor)}


def _decoding(decoding: Decoding) -> str:
    stated = decoding.model_dump(exclude_none=True)
    return ", ".join(f"{name} {value:g}" for name, value in stated.items())


def levels_of_systems(systems: Iterable[System]) -> dict[str, list[str] | None]:
    """The levels of each of OF_SYSTEMS in file order; None where an import brings others."""
    known = list(systems)
    is_open = any(one.system_id == EVERY_IMPORTED for one in known)
    system_levels = [levels_of_system(one) for one in known]
    return {
        factor: None if is_open else list(dict.fromkeys(one[factor] for one in system_levels if factor in one))
        for factor in OF_SYSTEMS
    }


def study_factors(study: Study) -> dict[str, KnownFactor]:
    """Every factor of a study."""
    return known_factors(study.factors, study.prompts, study.unit)


def control_factor(study: Study) -> KnownFactor | None:
    """The factor whose levels are the negative controls: no grouping, slice or regression of a study can name it."""
    if study.negative_controls is None:
        return None
    origin: Origin = "declared" if study.negative_controls.levels is None else "imported"
    return KnownFactor(NEGATIVE_CONTROL, "prompt", origin, list(study.controls))


def _declared(name: str, factor: Factor, prompts: Prompts, used: Mapping[str, list[str] | None]) -> KnownFactor:
    is_derived = factor.rules is not None or factor.map is not None
    is_imported = prompts.import_ is not None and name in used
    return KnownFactor(
        name=name,
        type=factor.type,
        origin="derived" if is_derived else "imported" if is_imported else "declared",
        levels=factor.levels or factor.levels_by_rule or used.get(name),
        reference=factor.reference or _scrape_reference(prompts, name),
        definition=factor.definition,
        has_prompts=is_derived or name in used or factor.type == "model",
        rule=_rule(factor),
        mapped_from=factor.map.from_ if factor.map else None,
    )


def _rule(factor: Factor) -> str | None:
    """How the levels of a factor are decided, as raw.factors has it."""
    if factor.rules is not None:
        written = [
            f"{level}: {rule}" if isinstance(rule, str) else f"{level}: words {', '.join(rule)}"
            for level, rule in factor.rules.items()
        ]
        return "; ".join([*written, *([f"otherwise {factor.otherwise}"] if factor.otherwise else [])])
    if factor.map is not None:
        return f"mapped from {factor.map.from_} by {PurePath(factor.map.file).name}"
    if factor.when is not None:
        conditions = " and ".join(f"{name} = {' or '.join(levels)}" for name, levels in factor.conditions.items())
        return f"where {conditions}, otherwise {factor.reference}"
    return None


def factors_of_prompts(prompts: Prompts) -> dict[str, list[str] | None]:
    """The factors that prompts bring with them, with their levels where the file tells them."""
    if prompts.scrape:
        return {prompts.scrape.factor: prompts.scraped_levels}
    if prompts.import_:
        return dict.fromkeys([*prompts.import_.factors, *prompts.import_.columns_of_models])
    factors: dict[str, list[str] | None] = {}
    if prompts.templates:
        templates = prompts.templates
        factors.update(dict.fromkeys(templates.cross))
        for names in [*templates.combinations, *map(templates.factors_of, templates.texts)]:
            factors.update(dict.fromkeys(names))
    return factors


def _scrape_reference(prompts: Prompts, name: str) -> str | None:
    scrape = prompts.scrape
    if scrape is None or scrape.factor != name or scrape.reference is None:
        return None
    return prompts.level(scrape.reference)


def _derived(prompts: Prompts) -> dict[str, list[str] | None]:
    derived: dict[str, list[str] | None] = dict.fromkeys(DERIVED)
    if prompts.scrape:
        derived["source_tag"] = prompts.scrape.tags
    if prompts.templates:
        derived[TEMPLATE] = [text.id for text in prompts.templates.texts]
    return derived


def fits_conditions(factors: Mapping[str, Factor], levels: Mapping[str, str]) -> bool:
    """Whether levels of a prompt agree with the conditions of its factors.

    Args:
        factors: declared ones; one with a condition has another level than its reference exactly where the
            condition holds.
        levels: of one prompt, by factor.
    """
    return all(
        (levels[name] != factor.reference) == _holds(factor, levels)
        for name, factor in factors.items()
        if factor.when is not None and name in levels
    )


def _holds(factor: Factor, levels: Mapping[str, str]) -> bool:
    return all(levels.get(name) in allowed for name, allowed in factor.conditions.items())


def level_positions(config: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The place of every level that a study file declares, by factor."""
    prompts = config.get("prompts") or {}
    scrape = prompts.get("scrape") or {}
    declared = {name: (factor or {}).get("levels") for name, factor in (config.get("factors") or {}).items()}
    declared[scrape.get("factor", "concept")] = scrape.get("levels") or declared.get("concept")
    return {
        name: {level: position for position, level in enumerate(names)} for name, names in declared.items() if names
    }


def mapped_factors(factors: Mapping[str, Factor]) -> dict[str, LevelMap]:
    """The factors that are mapped from others, each after the one that it is mapped from.

    Those that are mapped from each other in a circle are left out: that is a mistake, which checks/ tell.
    """
    waiting = {name: factor.map for name, factor in factors.items() if factor.map is not None}
    ordered: dict[str, LevelMap] = {}
    while ready := {name: one for name, one in waiting.items() if one.from_ not in waiting}:
        ordered |= ready
        waiting = {name: one for name, one in waiting.items() if name not in ready}
    return ordered


def combined_factors(
    coverage: Coverage, groupings: Iterable[Sequence[str]], declared: Mapping[str, Factor]
) -> list[str]:
    """The factors whose combinations coverage counts: those that it names, else those of the groupings.

    Of the latter one that is mapped from another is left out: its levels follow from those of the other.
    """
    grouped = list(dict.fromkeys(factor for grouping in groupings for factor in grouping))
    sources = {name: level_map.from_ for name, level_map in mapped_factors(declared).items()}
    return coverage.factors or [name for name in grouped if sources.get(name) not in grouped]
