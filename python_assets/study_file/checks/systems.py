"""Generations: that their provider exists and accepts what the study file says."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.providers.application import APPLICATION, MESSAGES_SLOT, MODEL_SLOT, REQUEST, SYSTEM_PROMPT, slots_of
from python_assets.providers.function import FunctionProvider
from python_assets.providers.messages import PLACEHOLDER, template_problem
from python_assets.providers.provider import RATES, config_problems, providers
from python_assets.providers.records import SystemConfig
from python_assets.providers.simulator.options import parts_of_waves
from python_assets.registry import is_function_path
from python_assets.study.base import EVERY_IMPORTED, REPLAY, SIMULATOR
from python_assets.study.factors import KnownFactor
from python_assets.study.problems import unknown_name
from python_assets.study.study import System, SystemSpec
from python_assets.study_file.expand import Draft


def system_problems(draft: Draft) -> Iterator[StudyError]:
    """Every generation has a provider that can run it; nothing is contacted."""
    specs = draft.parts.systems
    for path, spec in specs.items():
        yield from _name_problems(path, spec)
        if spec.provider == REPLAY:
            yield from _replay_problems(draft, path, spec)
        if spec.engine:
            yield from _engine_problems(path, spec)
        if spec.provider != REPLAY and not spec.engine:
            yield from _extension_problems(draft, path, spec)
        yield from _template_problems(path, spec)
        yield from _unsent_problems(draft, path, spec)
    for path, systems in draft.systems.items():
        for system in systems[:1]:
            yield from _provider_problems(draft, path, system)
    yield from _rate_problems(specs)
    yield from _baseline_problems(draft)
    if specs and all(spec.engine for spec in specs.values()):
        expected = "a generation that answers the prompts, beside engines"
        names = [spec.name for spec in specs.values()]
        yield StudyError(("systems",), names, expected, "add one without engine: true")


def _baseline_problems(draft: Draft) -> Iterator[StudyError]:
    """What is calibrated against is a generation that answers prompts, or a role of some."""
    named = draft.parts.baseline
    answering = [one for entry in draft.systems.values() for one in entry if not one.spec.engine]
    known = [one.system_id for one in answering]
    if named is None or EVERY_IMPORTED in known:
        return
    known += dict.fromkeys(one.system_prompt_name for one in answering if one.system_prompt_name)
    if named not in known:
        remedy = "correct it, or remove it to calibrate against the prompts' own texts"
        yield unknown_name(("baseline",), named, "a generation or a role", known, remedy)
    for path, spec in draft.parts.measures.items():
        if spec.baseline_column is not None:
            expected = f"no column of baselines, because {named} is the baseline"
            yield StudyError((*path, "baseline_column"), spec.baseline_column, expected, "remove one of them")


def _rate_problems(specs: Mapping[FieldPath, SystemSpec]) -> Iterator[StudyError]:
    """A rate is that of an address, so what declares one twice declares the same; an address is listed once."""
    declared: dict[tuple[str, str, str], tuple[str, int]] = {}
    for path, spec in specs.items():
        urls = _urls(spec)
        if twice := [index for index, url in enumerate(urls) if url in urls[:index]]:
            expected = "each address once"
            yield StudyError((*path, "base_url", twice[0]), urls[twice[0]], expected, "remove it")
        for field in RATES:
            rate = getattr(spec, field)
            for url in urls if rate is not None else ():
                name, first = declared.setdefault((field, spec.provider.partition(":")[0], url), (spec.name, rate))
                if first != rate:
                    expected = f"{first:,} as {name} declares it: a rate holds for the address, whoever asks it"
                    yield StudyError((*path, field), rate, expected, "write one number, or in one generation alone")


def _urls(spec: SystemSpec) -> list[str]:
    """Every address that is asked, the provider's own where none is written; "" for what has none."""
    default_url = getattr(providers[spec.provider], "default_url", None) if spec.provider in providers else None
    return [(url or default_url or "").rstrip("/") for url in spec.addresses]


def _name_problems(path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    if not is_function_path(spec.provider) and spec.provider not in providers:
        remedy = "take one of them, or write module:function for a function of your own"
        yield unknown_name((*path, "provider"), spec.provider, "a provider", list(providers), remedy)
    if spec.name == EVERY_IMPORTED and spec.provider != REPLAY:
        expected = f"a name; '{EVERY_IMPORTED}' stands for every imported generation of provider {REPLAY}"
        yield StudyError((*path, "name"), spec.name, expected, "name the generation")


def _engine_problems(path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    """An engine is sent what a stage asks as it is, and asked again only where the stage does."""
    expected = "nothing here for an engine, which answers no prompt"
    for field in ("prompt_template", "extension", "replicates", "wave"):
        if field in spec.model_fields_set:
            yield StudyError((*path, field), getattr(spec, field), expected, f"remove {field}, or engine")
    if spec.provider == REPLAY:
        expected = f"a provider that can be asked; {REPLAY} only repeats imported responses"
        yield StudyError((*path, "provider"), REPLAY, expected, "take another provider, or remove engine")


def _template_problems(path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    for name, template in spec.prompt_template.items():
        if problem := template_problem(template):
            where = (*path, "prompt_template", *([name] if name else []))
            yield StudyError(where, template, problem, f"write {PLACEHOLDER} where the prompt stands")


def _extension_problems(draft: Draft, path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    """An extension has documents: files of its own, or those of the study's sources."""
    prompts = draft.parts.prompts
    for name, extension in spec.extension.items():
        if extension is None or extension.path is not None or prompts is None:
            continue
        where = (*path, "extension", *([name] if name else []))
        if prompts.scrape is None:
            expected = "path, files to draw on, because this study scrapes no documents"
            yield StudyError((*where, "path"), NOTHING, expected, "add path: FILE or FOLDER")
            continue
        tags, remedy = prompts.scrape.tags, "name the tag of a source, or remove it"
        for index, tag in enumerate(extension.source_tags or []):
            if tag not in tags:
                yield unknown_name((*where, "source_tags", index), tag, "a source's tag", tags, remedy)


def _unsent_problems(draft: Draft, path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    """What an application is not sent, as its request has no place for it: what is asked would differ in name alone."""
    places = set(slots_of(spec.options.get(REQUEST))) if spec.provider == APPLICATION else set()
    several_models = isinstance(spec.model, list) and len(spec.model) > 1
    takes_steps = any(one is not None and one.type == "react" for one in spec.extension.values())
    has_prompt = any(map(str.strip, spec.system_prompt.values()))
    declared = (
        (has_prompt, (SYSTEM_PROMPT, MESSAGES_SLOT), "a role"),
        (several_models, (MODEL_SLOT,), "the names of several models"),
        (takes_steps, (MESSAGES_SLOT,), "the steps of react"),
        (not spec.engine and _has_messages(draft), (MESSAGES_SLOT,), "what is said before a prompt"),
    )
    for is_declared, slots, what in declared:
        if is_declared and places and places.isdisjoint(slots):
            expected, where = f"{' or '.join(slots)} in it, for {what}", (*path, "options", REQUEST)
            yield StudyError(where, spec.options[REQUEST], expected, "add it, or remove what it would send")


def _has_messages(draft: Draft) -> bool:
    """Whether the file writes messages before prompts; whether an import has some is seen when it is read."""
    prompts = draft.parts.prompts
    if prompts is None:
        return False
    templates = prompts.templates.texts if prompts.templates is not None else []
    return bool(prompts.assemble.messages) or any(text.messages for text in templates)


def _replay_problems(draft: Draft, path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    if any(spec.extension.values()):
        expected = f"no extension for {REPLAY}, which asks nobody"
        yield StudyError((*path, "extension"), list(spec.extension), expected, "remove extension")
    prompts = draft.parts.prompts
    if prompts is None:
        return
    if prompts.import_ is None:
        expected = f"prompts.import, because {REPLAY} answers with imported responses"
        yield StudyError((*path, "provider"), REPLAY, expected, "import the responses, or take another provider")
    elif prompts.import_.columns.system is None and (spec.name == EVERY_IMPORTED or _n_replays(draft) > 1):
        expected = f"the column that says which generation answered, for provider {REPLAY}"
        yield StudyError(("prompts", "import", "columns", "system"), NOTHING, expected, "add system: COLUMN")


def _n_replays(draft: Draft) -> int:
    return sum(spec.provider == REPLAY for spec in draft.parts.systems.values())


def _provider_problems(draft: Draft, path: FieldPath, system: System) -> Iterator[StudyError]:
    spec = system.spec
    is_function = is_function_path(spec.provider)
    if not (is_function or spec.provider in providers) or draft.factors is None:
        return
    problems_of = FunctionProvider.problems if is_function else config_problems
    config = SystemConfig(
        system_id=system.system_id,
        provider=spec.provider,
        model=system.model,
        decoding=spec.decoding.model_dump(),
        requests_per_minute=spec.requests_per_minute,
        tokens_per_minute=spec.tokens_per_minute,
        base_url=spec.addresses[0],
        api_key_env=spec.api_key_env,
        headers=spec.headers,
        options=spec.options,
    )
    levels = _levels(draft.factors, spec.options)
    for index, url in enumerate(spec.addresses):
        for problem in problems_of(replace(config, base_url=url), levels):
            is_of_address = problem.where == ("base_url",)
            if is_of_address or index == 0:
                step = (index,) if is_of_address and isinstance(spec.base_url, list) else ()
                yield problem.at((*path, *problem.where, *step))
    yield from _stand_in_problems(draft.factors, path, spec)


def _stand_in_problems(factors: dict[str, KnownFactor], path: FieldPath, spec: SystemSpec) -> Iterator[StudyError]:
    """What the simulator would not take in the place of the model."""
    if spec.simulated is None:
        return
    if spec.provider in (SIMULATOR, REPLAY):
        expected = f"nothing here: nothing stands in for provider {spec.provider}"
        remedy = "write options" if spec.provider == SIMULATOR else "remove it"
        yield StudyError((*path, "simulated"), spec.simulated, expected, remedy)
        return
    config = SystemConfig("stand-in", SIMULATOR, options=spec.simulated)
    for problem in config_problems(config, _levels(factors, spec.simulated)):
        if problem.where[0] == "options":
            yield problem.at((*path, "simulated", *problem.where[1:]))


def _levels(factors: dict[str, KnownFactor], options: dict[str, Any]) -> dict[str, list[str]]:
    """The levels that effects may name; of a factor whose levels only the data shows, whatever they name."""
    named = {
        factor: list(levels)
        for section in (
            *options.values(),
            *(section for _, sections in parts_of_waves(options) for section in sections.values()),
        )
        for factor, levels in _mapping(_mapping(section).get("effects")).items()
        if isinstance(levels, dict)
    }
    return {name: factor.levels or named.get(name, []) for name, factor in factors.items()}


def _mapping(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}
