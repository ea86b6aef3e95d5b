"""Templates crossed with factors and units: one prompt a template, combination of levels and unit."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice, product
from typing import NamedTuple

from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.sampling import sample_per_stratum
from python_assets.errors import FieldPath, SourceError
from python_assets.importers.unit_table import read_units
from python_assets.study.base import ID_SEPARATOR
from python_assets.study.factors import fits_conditions
from python_assets.study.problems import MOST_NAMES, listed
from python_assets.study.prompts import LETTERS, NO_OPTIONS, OPTION_ORDER, OPTIONS_SLOT
from python_assets.study.pronouns import SLOT, pronoun_slots
from python_assets.study.study import LEVEL_SEPARATOR, Factor, Study, Template, Templates
from python_assets.texts.identity import as_seen

_SOURCE_TAG = "templates"
TEMPLATE_FACTOR = "template"

_NOT_DECLARED = Factor(levels=None)


class TemplatePrompts(NamedTuple):
    """Prompts of templates, how many templates max_per_level left out, and those that repeat another.

    same_as: by the id of a template that was left out, that of the first one with its text.
    """

    prompts: list[AssembledPrompt]
    n_not_sampled: int
    same_as: dict[str, str]


def prompts_from_templates(study: Study, spec: Templates) -> TemplatePrompts:
    """Every template with every combination of levels.

    Args:
        study: its factors give levels, references and the texts that stand for levels.
        spec: the templates, the factors to cross, or the combinations listed.

    Returns:
        The prompts in order of template and combination; of templates that ask the same, those of the first.
        max_per_level bounds the templates of the same own factors.

    Raises:
        SourceError: a slot has no factor, a crossed factor no levels, a template no combination of levels
            that the conditions of factors allow, or a table of units cannot be used.
    """
    same_as = _same_as(spec)
    different = [template for template in spec.texts if template.id not in same_as]
    kept = sample_per_stratum(
        different,
        stratum=lambda template: tuple(sorted(template.factors.items())),
        content=lambda template: template.text,
        max_per_stratum=spec.max_per_level,
        seed=study.seed,
    )
    units = _units(study, kept)
    turns = _turns(kept)
    unordered = {OPTION_ORDER: NO_OPTIONS} if spec.option_orders else {}
    prompts = [
        _fill(study, spec, template, combination, order, is_root=is_root and i == 0, unordered=unordered)
        for template, turn in zip(kept, turns, strict=True)
        for combination, is_root in _fitting(study, template, _combinations(study, spec, template, units, turn))
        for i, order in enumerate(template.option_orders)
    ]
    return TemplatePrompts(prompts, len(different) - len(kept), same_as)


def same_text_note(same_as: Mapping[str, str]) -> str:
    """The templates that were left out because another one asks the same."""
    shown = [f"{left!r} as {first!r}" for left, first in islice(same_as.items(), MOST_NAMES)]
    more = f" and {len(same_as) - len(shown):,} more" if len(same_as) > len(shown) else ""
    return (
        f"prompts.templates.texts: {len(same_as):,} ask the same as an earlier one and are left out, for copies are "
        f"one root prompt: {', '.join(shown)}{more}"
    )


def _same_as(spec: Templates) -> dict[str, str]:
    """Templates that ask what an earlier one asks, put to the same levels: their baselines alone may differ."""
    first: dict[str, str] = {}
    same_as = {}
    for template in spec.texts:
        fields = template.model_dump(mode="json", exclude={"id", "baseline", "messages"})
        question = json.dumps(fields | {"text": as_seen(template.asked)}, sort_keys=True)
        if (earlier := first.setdefault(question, template.id)) != template.id:
            same_as[template.id] = earlier
    return same_as


def _units(study: Study, templates: Iterable[Template]) -> dict[str, list[dict[str, str]]]:
    """The units of each table that templates name, by what they say of it; many of them name one."""
    by_table: dict[str, list[dict[str, str]]] = {}
    for template in templates:
        if template.units is not None and (key := template.units.model_dump_json()) not in by_table:
            field = (*_place(study, template), "units", "file")
            by_table[key] = read_units(study.folder, template.units, study.factors, field)
    return by_table


def _turns(templates: Iterable[Template]) -> list[int]:
    """The position of each template among the templates with the same units."""
    n_before: Counter[str] = Counter()
    turns = []
    for template in templates:
        name = "" if template.units is None else template.units.name
        turns.append(n_before[name])
        n_before[name] += 1
    return turns


def _combinations(
    study: Study, spec: Templates, template: Template, units: Mapping[str, list[dict[str, str]]], turn: int
) -> list[dict[str, str]]:
    """Every combination of the crossed factors, with every listed combination, or with every unit.

    Of wordings a template has the one whose turn it is; each round of them begins one later than that before, so that
    topics, which take turns as well, meet all of them.
    """
    names = spec.cross_of(template)
    levels = [_declared_levels(study, factor) for factor in names]
    crossed = [dict(zip(names, combination, strict=True)) for combination in product(*levels)]
    listed = spec.combinations_of(template) or [{}]
    if template.units is not None:
        listed = units[template.units.model_dump_json()]
        if template.units.text:
            wordings = list(dict.fromkeys(row[template.units.name] for row in listed))
            wording = wordings[(turn + turn // len(wordings)) % len(wordings)]
            listed = [row for row in listed if row[template.units.name] == wording]
    return [combination | one for combination in crossed for one in listed]


def _place(study: Study, template: Template) -> FieldPath:
    return (study.path, "prompts", "templates", "texts", template.id)


def _fitting(study: Study, template: Template, combinations: list[dict[str, str]]) -> list[tuple[dict[str, str], bool]]:
    """The combinations that agree with the conditions of factors, and whether each is the template's root."""
    fitting = [one for one in combinations if fits_conditions(study.factors, template.factors | one)]
    if not fitting:
        expected = "a combination of levels that fits the template and the conditions of factors (when)"
        remedy = "correct when, or the template's factors"
        raise SourceError(_place(study, template), "none", expected, remedy)
    root = _root_combination(study.factors, template, fitting)
    return [(one, one == root) for one in fitting]


def _declared_levels(study: Study, factor: str) -> list[str]:
    levels = study.factors.get(factor, _NOT_DECLARED).levels
    if not levels:
        field, remedy = (study.path, "prompts", "templates", "cross"), f"list them in factors.{factor}.levels"
        raise SourceError(field, f"factor {factor!r} without levels", "one with levels", remedy)
    return levels


def _root_combination(
    factors: Mapping[str, Factor], template: Template, combinations: list[dict[str, str]]
) -> dict[str, str]:
    """The first combination of reference levels where all factors have one and it is there, else the first.

    Units have no reference: the first one of the reference levels is taken.
    """
    references = {name: factor.reference for name, factor in factors.items() if factor.reference is not None}
    unit = None if template.units is None else template.units.name
    return next(
        (
            one
            for one in combinations
            if all(references.get(name) == level for name, level in one.items() if name != unit)
        ),
        combinations[0],
    )


def _fill(
    study: Study,
    spec: Templates,
    template: Template,
    combination: dict[str, str],
    order: list[str],
    *,
    is_root: bool,
    unordered: Mapping[str, str],
) -> AssembledPrompt:
    """One prompt; unordered: the level of a template without options, where others have some."""
    text_column = None if template.units is None else template.units.text
    wording = {template.units.name: combination[text_column]} if template.units and text_column else {}
    combination = {name: level for name, level in combination.items() if name != text_column}
    levels = template.factors | combination
    declared = {factor: study.factors.get(factor, _NOT_DECLARED) for factor in levels}
    texts = {factor: declared[factor].texts.get(level, level) for factor, level in levels.items()} | wording
    for factor, level in levels.items():
        texts |= pronoun_slots(factor, declared[factor].pronouns, level)
    if study.negative_controls is not None:  # control_prompts.py fills their slots
        texts |= {slot: f"{{{slot}}}" for slot in study.negative_controls.slots}
    field = _place(study, template)
    baseline = None if template.baseline is None else _write_slots(template.baseline, texts, field)
    is_actual = is_root or baseline == template.baseline
    slots = {f"{{{factor}}}": text for factor, text in texts.items()}
    text = template.text
    if order:
        slots[OPTIONS_SLOT] = _write_slots(_listed(template, order), texts, field)
        # before the other slots are filled, so that nothing within a level is taken for the list
        text = text.replace(OPTIONS_SLOT, _listed(template, order))
        ordered = {OPTION_ORDER: template.order_name(order)}
    else:
        ordered = dict(unordered)
    group = LEVEL_SEPARATOR.join(combination.values())
    id_pieces = filter(None, [template.id, group, ordered[OPTION_ORDER] if order else ""])
    return AssembledPrompt(
        prompt_id=ID_SEPARATOR.join(id_pieces),
        root_prompt_id=template.id,
        is_root=is_root,
        task=spec.task,
        prompt_text=_write_slots(text, texts, field),
        baseline_text=baseline,
        baseline_kind=None if baseline is None else ("actual" if is_actual else "counterfactual"),
        source_tag=_SOURCE_TAG,
        levels={TEMPLATE_FACTOR: template.id} | levels | ordered,
        unit_factor=None if template.units is None else template.units.name,
        replacements={slot: text for slot, text in slots.items() if slot in template.asked},
        messages=[
            message.model_copy(update={"content": _write_slots(message.content, texts, field)})
            for message in template.messages or ()
        ],
    )


def _listed(template: Template, order: list[str]) -> str:
    options = template.options or {}
    return "\n".join(f"{letter}. {options[role]}" for letter, role in zip(LETTERS, order, strict=False))


def _write_slots(text: str, texts: Mapping[str, str], field: FieldPath) -> str:
    # never str.format: a template is the user's text, and format reads attributes of what it is given
    def written(slot: re.Match[str]) -> str:
        if slot.group(1) not in texts:
            remedy = "correct the slot, add the factor to prompts.templates.cross, or its level to factors.*.pronouns"
            raise SourceError(field, f"the slot {slot.group()}", listed(texts), remedy)
        return texts[slot.group(1)]

    return SLOT.sub(written, text)
