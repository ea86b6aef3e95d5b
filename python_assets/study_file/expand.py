"""What a study file says in short, written out: generations, slices, groupings.

Belongs here: expansion, with the problems that only show when names are written out. Whether the names
mean anything is checks/.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

from python_assets.errors import FieldPath, StudyError
from python_assets.study.base import (
    ALL_PROMPTS,
    ALL_SYSTEMS,
    BASELINE,
    EVERY_IMPORTED,
    LEVEL_SEPARATOR,
    NEGATIVE_CONTROL,
    Against,
)
from python_assets.study.factors import KnownFactor, known_factors
from python_assets.study.negative_controls import NegativeControls
from python_assets.study.problems import rename_to
from python_assets.study.study import (
    Embedding,
    Encoding,
    GroupingSpec,
    Prompts,
    Study,
    System,
    SystemSpec,
    Vectors,
    grouping_id,
    make_id,
)
from python_assets.study_file.parts import Parts

RESERVED_SYSTEMS = (BASELINE, ALL_SYSTEMS)
PLACEHOLDERS = {  # in a name, and the key whose names stand there
    "model": "model",
    "system_prompt_name": "system_prompt",
    "template": "prompt_template",
    "extension": "extension",
    "wave": "wave",
}


def expand_systems(parts: Parts) -> tuple[dict[FieldPath, list[System]], list[StudyError]]:
    """One generation a model, system prompt and wave of every entry; names become identifiers, which must differ.

    Returns:
        Generations by the path of their entry, and problems.
    """
    expanded: dict[FieldPath, list[System]] = {}
    problems: list[StudyError] = []
    names: dict[str, str] = {}
    for path, spec in parts.systems.items():
        entry_problems = _name_problems(path, spec)
        if not entry_problems:
            expanded[path] = list(_expanded(spec))
            entry_problems = list(_id_problems(path, spec, expanded[path], names))
        problems += entry_problems
    return expanded, problems


def _variants(spec: SystemSpec) -> dict[str, list[str]]:
    """The names of what an entry varies, by placeholder."""
    models, waves = ([one] if isinstance(one, str) else one for one in (spec.model, spec.wave))
    named = (models, list(spec.system_prompt), list(spec.prompt_template), list(spec.extension), waves)
    return dict(zip(PLACEHOLDERS, named, strict=True))


def _expanded(spec: SystemSpec) -> Iterator[System]:
    for model, name, template, extension, wave in product(*_variants(spec).values()):
        yield System(
            system_id=_identifier(_written_name(spec, model, name, template, extension, wave)),
            model=model,
            system_prompt=spec.system_prompt[name],
            prompt_template=spec.prompt_template[template],
            extension=spec.extension[extension],
            system_prompt_name=name,
            template=template,
            extension_name=extension,
            wave=wave,
            spec=spec,
        )


def _written_name(spec: SystemSpec, *names: str) -> str:
    written = spec.name
    for placeholder, name in zip(PLACEHOLDERS, names, strict=True):
        written = written.replace(f"{{{placeholder}}}", name)
    return written


def _identifier(name: str) -> str:
    return name if name == EVERY_IMPORTED else make_id(name)


def _name_problems(path: FieldPath, spec: SystemSpec) -> list[StudyError]:
    where = (*path, "name")
    problems = []
    placeholders = re.findall(r"\{(.*?)\}", spec.name)
    for name in placeholders:
        if name not in PLACEHOLDERS:
            expected = "no other placeholder than {model}, {system_prompt_name}, {template}, {extension} and {wave}"
            remedy = rename_to("{system_prompt_name}") if name == "role" else f"remove {{{name}}}"
            problems.append(StudyError(where, spec.name, expected, remedy))
    for name, values in _variants(spec).items():
        if len(values) > 1 and name not in placeholders:
            key = PLACEHOLDERS[name]
            expected = f"{{{name}}} in the name, because {len(values)} of {key} would all be named {spec.name!r}"
            remedy = f'write name: "{{model}}_{{system_prompt_name}}" or "{{{name}}}"'
            problems.append(StudyError(where, spec.name, expected, remedy))
        if values in ([""], []) and name in placeholders:
            remedy = f"remove {{{name}}}, or add {PLACEHOLDERS[name]}: with names"
            problems.append(StudyError(where, spec.name, f"names under {PLACEHOLDERS[name]} for {{{name}}}", remedy))
    return problems


def _id_problems(
    path: FieldPath, spec: SystemSpec, systems: list[System], names: dict[str, str]
) -> Iterator[StudyError]:
    where = (*path, "name")
    for system, name in zip(systems, _all_names(spec), strict=True):
        key = system.system_id
        if not key:
            yield StudyError(where, name, "a name with at least one letter", "rename it")
        elif key in RESERVED_SYSTEMS:
            yield StudyError(where, name, f"a name other than {' and '.join(RESERVED_SYSTEMS)}", "rename it")
        elif key in names:
            expected = f"a generation of its own; {names[key]!r} has the identifier {key!r} already"
            yield StudyError(where, name, expected, "rename one of them")
        names.setdefault(key, name)


def _all_names(spec: SystemSpec) -> list[str]:
    return [_written_name(spec, *names) for names in product(*_variants(spec).values())]


def expand_slices(
    parts: Parts, factors: dict[str, KnownFactor] | None
) -> tuple[dict[str, dict[str, list[str]]], list[StudyError]]:
    """The named slices, and one slice a level where `each` names a factor whose levels are known.

    Args:
        parts: of the study file.
        factors: what is known of every factor; None where the file does not tell.

    Returns:
        Conditions by slice: factor to levels; and problems.
    """
    slices = {
        name: {factor: [levels] if isinstance(levels, str) else list(levels) for factor, levels in slice_.items()}
        for name, slice_ in parts.slices.items()
    }
    problems = []
    if ALL_PROMPTS in slices:
        expected = "a name other than 'all', the slice of all prompts, which is always there"
        problems.append(StudyError(("slices", ALL_PROMPTS), ALL_PROMPTS, expected, "rename it"))
    each = factors.get(parts.each) if factors and parts.each else None
    for level in (each.levels or []) if each else []:
        if level in slices or level == ALL_PROMPTS:
            expected = f"a factor whose levels are not names of slices; {level!r} is one"
            problems.append(StudyError(("slices", "each"), parts.each, expected, "rename the slice or the level"))
        else:
            slices[level] = {str(parts.each): [level]}
    return slices, problems


def expand_groupings(parts: Parts, default: Iterable[str]) -> tuple[dict[tuple[str, ...], FieldPath], list[StudyError]]:
    """Every grouping as a tuple of factors, in the order of the file.

    Args:
        parts: of the study file.
        default: factors that are a grouping each where the file names none.

    Returns:
        The path of the entry by grouping, and problems.
    """
    if not parts.groupings:
        return {(factor,): ("groupings",) for factor in default}, []
    groupings: dict[tuple[str, ...], FieldPath] = {}
    problems: list[StudyError] = []
    for path, spec in parts.groupings.items():
        problems += _repeated_factors(path, spec)
        for grouping in _combined(spec):
            same = next((other for other in groupings if set(other) == set(grouping)), None)
            if same is None:
                groupings[grouping] = path
            elif len(set(grouping)) == len(grouping):
                expected = f"each grouping once; {LEVEL_SEPARATOR.join(same)!r} is there already"
                problems.append(StudyError(path, LEVEL_SEPARATOR.join(grouping), expected, "remove one of them"))
    return groupings, problems


def with_parts(
    groupings: dict[tuple[str, ...], FieldPath], prompts: Prompts | None
) -> dict[tuple[str, ...], FieldPath]:
    """Groupings, and the two parts of each that joins what units keep with what they vary in.

    Such a grouping has no p, its parts have (inference.md 2.7). The path of a part is that of its grouping.
    """
    all_groupings = dict(groupings)
    for grouping, path in groupings.items():
        for nested_in in prompts.units.values() if prompts else ():
            kept = tuple(name for name in grouping if name in nested_in)
            varying = tuple(name for name in grouping if name not in nested_in)
            for sub_grouping in (kept, varying) if kept and varying else ():
                if all(set(sub_grouping) != set(other) for other in all_groupings):
                    all_groupings[sub_grouping] = path
    return all_groupings


def _combined(spec: str | list[str] | GroupingSpec) -> list[tuple[str, ...]]:
    if isinstance(spec, str):
        return [(spec,)]
    if isinstance(spec, list):
        return [tuple(spec)]
    return [grouping for size in range(1, spec.depth + 1) for grouping in combinations(spec.factors, size)]


def _repeated_factors(path: FieldPath, spec: str | list[str] | GroupingSpec) -> Iterator[StudyError]:
    if isinstance(spec, str):
        return
    factors = spec.factors if isinstance(spec, GroupingSpec) else spec
    if repeated := sorted({factor for factor in factors if factors.count(factor) > 1}):
        yield StudyError(path, repeated[0], "each factor of a grouping once", "remove one of them")
    if isinstance(spec, GroupingSpec) and spec.depth > len(factors):
        expected = f"a depth of at most {len(factors)}, the number of factors"
        yield StudyError((*path, "depth"), spec.depth, expected, "lower it")


class Draft(NamedTuple):
    """A study written out but not yet known to be sound.

    Generations and groupings come with the path of their entry. factors: None where the prompts could not be
    understood, so that nothing can be said of factors.
    """

    file: Path
    parts: Parts
    factors: dict[str, KnownFactor] | None
    systems: dict[FieldPath, list[System]]
    slices: dict[str, dict[str, list[str]]]
    groupings: dict[tuple[str, ...], FieldPath]

    @property
    def study_id(self) -> str:
        """The stem of the file."""
        return self.file.stem

    @property
    def controls(self) -> NegativeControls | None:
        """The negative controls that the file or the import names."""
        return self.parts.negative_controls

    def study(self, config: str = "") -> Study:
        """The study, for which the prompts must be understood.

        Args:
            config: the file as canonical JSON.
        """
        if self.parts.prompts is None:
            raise ValueError("a study without prompts")
        written_out = [system for entry in self.systems.values() for system in entry]
        return Study(
            study_id=self.study_id,
            path=self.file,
            title=self.parts.title or self.study_id,
            domain=self.parts.domain,
            factors=self.parts.factors,
            unit=self.parts.unit,
            baseline=self.parts.baseline,
            prompts=self.parts.prompts,
            systems=[one for one in written_out if not one.spec.engine],
            engines={one.system_id: one for one in written_out if one.spec.engine},
            measures=list(self.parts.measures.values()),
            human_labels=list(self.parts.human_labels.values()),
            pair_labels=list(self.parts.pair_labels.values()),
            negative_controls=self.controls,
            slices=self.slices,
            each=self.parts.each,
            groupings=list(self.groupings),
            embedding=self._embedding(),
            references=self._references(),
            analysis=self.parts.analysis,
            keep=self.parts.keep,
            budget=self.parts.budget,
            prices=self.parts.prices,
            waves=self.parts.waves,
            wave=self.parts.wave,
            config_json=config,
            config_sha256=hashlib.sha256(config.encode()).hexdigest(),
        )

    def _embedding(self) -> Embedding | None:
        """A file or folder from where the study file lies; any other name is one of a model hub."""
        declared = self.parts.embedding
        if isinstance(declared, Vectors):
            return Vectors(vectors=str(self.file.parent / declared.vectors))
        if isinstance(declared, Encoding):
            return declared.model_copy(update={"model": self._placed(declared.model)})
        return self._placed(declared)

    def _placed(self, model: str | None) -> str | None:
        folder = self.file.parent / (model or "")
        return str(folder) if model and folder.is_dir() else model

    def _references(self) -> dict[str, tuple[Against, str | None]]:
        references = {grouping_id(grouping): self._reference(grouping) for grouping in self.groupings}
        # each control is held against the others, whatever groups are held against
        return references | ({} if self.controls is None else {NEGATIVE_CONTROL: (Against.REST, None)})

    def _reference(self, grouping: tuple[str, ...]) -> tuple[Against, str | None]:
        """What the groups of a grouping are compared with; the group is the references of its factors."""
        declared = self.parts.analysis.reference
        if declared != "reference_level":
            return Against(declared), None
        known = [(self.factors or {}).get(factor) for factor in grouping]
        # a factor that is not there is a problem of its own, told by checks/
        return Against.LEVEL, grouping_id(str(factor.reference) for factor in known if factor is not None)


def expand(file: Path, parts: Parts) -> tuple[Draft, list[StudyError]]:
    """Write out the parts of a study file.

    Returns:
        The draft, and the problems of its names.
    """
    factors = known_factors(parts.factors, parts.prompts, parts.unit) if parts.prompts else None
    default = [name for name, factor in (factors or {}).items() if factor.is_compared]
    systems, problems = expand_systems(parts)
    slices, slice_problems = expand_slices(parts, factors)
    groupings, grouping_problems = expand_groupings(parts, default)
    groupings = with_parts(groupings, parts.prompts)
    draft = Draft(file=file, parts=parts, factors=factors, systems=systems, slices=slices, groupings=groupings)
    return draft, problems + slice_problems + grouping_problems
