"""What would end a run of a valid study on this machine, or leave a measure empty, told before it starts.

Belongs here: keys, addresses, models, functions and baselines that are not there, and a warehouse that cannot
be written; `plumbline plan` and `plumbline run` read the one list. Nothing is contacted, nothing loaded, but by a run
that nothing else stands against: functions of statistics are called last of all, when every answer is paid for.
"""

from collections.abc import Iterator

from python_assets.assemble.portable_roots import pipeline_of
from python_assets.embeddings.embedding import name_model
from python_assets.errors import ExtractionError, PlumblineError, StudyError, StudyFileError
from python_assets.extract.classifiers.study_classifiers import classifier_problems
from python_assets.extract.measures import resolve_measures
from python_assets.providers.configs import generation_config, make_providers
from python_assets.providers.local_models.options import absent_device
from python_assets.providers.provider import Provider, RemoteProvider, providers
from python_assets.providers.transport import shown_url
from python_assets.registry import absent_function, is_function_path, load_function
from python_assets.study.study import Encoding, Prompts, Study, System, Vectors
from python_assets.texts.names import absent_pipeline
from python_assets.warehouse import paths
from python_assets.warehouse.build import unwritable
from python_assets.warehouse.looks import look_to_ask


def require_ready(study: Study) -> None:
    """Refuse a run that would fail.

    Raises:
        StudyFileError: it would; the text has a line for each reason, with its remedy.
    """
    if reasons := list(would_fail(study)) or list(_unloadable_statistics(study)):
        raise StudyFileError(study.path, reasons)


def would_fail(study: Study) -> Iterator[PlumblineError]:
    """Why a run would fail, each reason once, with what to do.

    Args:
        study: where it is simulated, models, keys and servers are not looked for.
    """
    yield from _unready_providers(study)
    yield from _absent_functions(study)
    yield from _absent_embedding(study)
    yield from _absent_spacy(study)
    yield from classifier_problems(study)
    yield from _measures_without_baselines(study)
    if problem := unwritable(paths.home().build(study.study_id).parent):
        yield problem
    try:
        look_to_ask(study, paths.home())
    except StudyError as problem:
        yield problem


def not_checked(study: Study) -> list[str]:
    """What only the network can tell of a run: of each server, whether it answers those that ask it.

    Args:
        study: where it is simulated, no server is asked.
    """
    asking: dict[str, list[str]] = {}
    for one in (*study.systems, *study.engines.values()):
        for provider in _providers(study, one):
            if isinstance(provider, RemoteProvider):
                asking.setdefault(shown_url(provider.url), []).append(one.system_id)
    return [
        f"whether {server} answers and has what {', '.join(names)} ask{'s' if len(names) == 1 else ''} of it"
        for server, names in asking.items()
    ]


def _unready_providers(study: Study) -> Iterator[PlumblineError]:
    """One line for a variable or address that several generations share."""
    waiting: dict[tuple[object, ...], list[System]] = {}
    for one in (*study.systems, *study.engines.values()):
        key = (one.spec.provider, one.spec.api_key_env, *one.spec.headers.items())
        waiting.setdefault(key, []).append(one)
    for sharing in waiting.values():
        unready = [(one.system_id, reason) for one in sharing if (reason := _unready(study, one))]
        for _, reason in unready[:1]:
            if others := ", ".join(name for name, _ in unready[1:]):
                reason.remedy += f" (the same holds for {others})"
            yield reason


def _unready(study: Study, system: System) -> PlumblineError | None:
    return next((reason for one in _providers(study, system) if (reason := one.unready())), None)


def _providers(study: Study, system: System) -> list[Provider]:
    """What answers, one for each address; none for a function of the user's own, which a plan does not load."""
    return make_providers(generation_config(study, system)) if system.spec.provider in providers else []


def _absent_functions(study: Study) -> Iterator[PlumblineError]:
    """Functions of the user's own that their files do not hold; none is run."""
    named = [one.spec.provider for one in (*study.systems, *study.engines.values())]
    for measure in resolve_measures(study):
        named += [measure.spec.function or "", measure.options.get("metric", "")]
    for path in dict.fromkeys(filter(is_function_path, named)):
        if absent := absent_function(path, study.folder):
            yield absent


def _unloadable_statistics(study: Study) -> Iterator[StudyError]:
    for name, path in study.analysis.statistic_functions.items():
        try:
            load_function(path, study.folder, n_arguments=1)
        except StudyError as error:
            yield error.at(("analysis", "custom_statistics", name))


def _absent_embedding(study: Study) -> Iterator[PlumblineError]:
    """The model that the study names, or its device; a file of word vectors was looked for with the study."""
    embedding = study.embedding
    if isinstance(embedding, Encoding) and (absent := absent_device(embedding.device)):
        yield absent.at(("embedding", "device"))
    if embedding is not None and not isinstance(embedding, Vectors):
        try:
            name_model(embedding)
        except ExtractionError as error:
            yield error


def _absent_spacy(study: Study) -> Iterator[PlumblineError]:
    branch = study.prompts.branch
    if branch is not None and branch.spacy_model is not None:
        pipeline = pipeline_of(study, branch.spacy_model)
        if absent := absent_pipeline(pipeline, ("prompts", "branch", "spacy_model")):
            yield absent


def _measures_without_baselines(study: Study) -> Iterator[PlumblineError]:
    if remedy := _how_to_add_baselines(study.prompts):
        needing = [
            measure.spec.name
            for measure in resolve_measures(study)
            if measure.reads == "embeddings" or measure.spec.cluster_and_sort is not None
        ]
        for name in dict.fromkeys(needing):
            expected = "prompts with a baseline text, which it needs"
            yield StudyError(("measures",), name, expected, f"{remedy}, or remove the measure")


def _how_to_add_baselines(prompts: Prompts) -> str | None:
    """What would give prompts a baseline text; None where some have one: a scraped sentence always does."""
    if prompts.templates is not None and not any(text.baseline for text in prompts.templates.texts):
        return "add baseline: TEXT to the entries of prompts.templates.texts"
    if prompts.import_ is not None and prompts.import_.columns.baseline_text is None:
        return "name its column in prompts.import.columns.baseline_text"
    return None
