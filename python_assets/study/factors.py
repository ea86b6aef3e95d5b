"""The factors of a study and what its file tells of them: type, levels in order, reference, origin.

Belongs here: the one list of factors that checks, design tables and plans share. Levels that only the data
shows are added by plan/design_tables.py.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from python_assets.study.prompts import OPTION_ORDER
from python_assets.study.study import Factor, Prompts, Study

Origin = Literal["declared", "imported", "derived"]

DERIVED: Final = ("source_tag", "keyword", "document", "task", "is_root")
TEMPLATE: Final = "template"


class KnownFactor(NamedTuple):
    """A factor before the data is seen; levels: in declared order, None where only the data tells them.

    has_prompts: whether prompts have levels of it; a factor that is declared and used nowhere has none.
    is_unit: whether its levels are the independent units of the study.
    """

    name: str
    type: str
    origin: Origin
    levels: list[str] | None
    reference: str | None = None
    definition: str | None = None
    has_prompts: bool = True
    is_unit: bool = False

    @property
    def is_blocking(self) -> bool:
        """Whether prompts that differ in it stand in different blocks, where it is not in the grouping."""
        return self.origin != "derived" and self.type in ("domain", "prompt") and not self.is_unit

    @property
    def is_compared(self) -> bool:
        """Whether its levels are compared where the study file names no grouping."""
        is_own = self.origin != "derived" and self.type == "domain" and self.has_prompts
        return is_own and not self.is_unit


def known_factors(
    declared: Mapping[str, Factor], prompts: Prompts, unit: str | None
) -> dict[str, KnownFactor]:
    """Every factor a study can name: declared ones in order, then those of its prompts, then derived ones."""
    used = _factors_of_prompts(prompts)
    found = {
        name: KnownFactor(
            name=name,
            type=factor.type,
            origin="imported" if prompts.import_ and name in used else "declared",
            levels=factor.levels or used.get(name),
            reference=factor.reference or _scrape_reference(prompts, name),
            definition=factor.definition,
            has_prompts=name in used or factor.type == "model",
        )
        for name, factor in declared.items()
    }
    for name, levels in used.items():
        origin: Origin = "imported" if prompts.import_ else "declared"
        found.setdefault(
            name,
            KnownFactor(
                name=name,
                type="domain",
                origin=origin,
                levels=levels,
                reference=_scrape_reference(prompts, name),
            ),
        )
    if prompts.templates and (orders := prompts.templates.option_orders):
        found.setdefault(OPTION_ORDER, KnownFactor(OPTION_ORDER, "prompt", "declared", orders))
    for name, known in _derived(prompts).items():
        found.setdefault(name, KnownFactor(name, "prompt", "derived", known))
    return {name: factor._replace(is_unit=name == unit) for name, factor in found.items()}


def study_factors(study: Study) -> dict[str, KnownFactor]:
    """Every factor of a study."""
    return known_factors(study.factors, study.prompts, study.unit)


def _factors_of_prompts(prompts: Prompts) -> dict[str, list[str] | None]:
    if prompts.scrape:
        return {prompts.scrape.factor: prompts.scraped_levels}
    if prompts.import_:
        return dict.fromkeys(prompts.import_.factors)
    found: dict[str, list[str] | None] = {}
    if prompts.templates:
        found.update(dict.fromkeys(prompts.templates.cross))
        for levels in [*prompts.templates.combinations, *(text.factors for text in prompts.templates.texts)]:
            found.update(dict.fromkeys(levels))
    return found


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


def level_positions(config: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The place of every level that a study file declares, by factor."""
    prompts = config.get("prompts") or {}
    scrape = prompts.get("scrape") or {}
    declared = {name: (factor or {}).get("levels") for name, factor in (config.get("factors") or {}).items()}
    declared[scrape.get("factor", "concept")] = scrape.get("levels") or declared.get("concept")
    return {
        name: {level: position for position, level in enumerate(levels)}
        for name, levels in declared.items()
        if levels
    }
