"""What would end a run of a valid study on this machine, or leave a measure empty, told before it starts.

Belongs here: keys, addresses, models and baselines that are not there. Nothing is contacted, nothing loaded.
"""

from collections.abc import Iterator
from importlib.util import find_spec

from python_assets.errors import StudyError
from python_assets.extract.measures import resolve_measures
from python_assets.extract.study_classifiers import classifier_problems
from python_assets.providers.configs import generation_config
from python_assets.providers.provider import providers
from python_assets.providers.transformers_options import absent_device
from python_assets.study.study import Encoding, Generation, Prompts, Study
from python_assets.texts.names import without_spacy


def require_ready(study: Study) -> None:
    """Refuse a run that would fail.

    Raises:
        StudyError: it would; the text has a line for each reason, with its remedy.
    """
    if reasons := list(would_fail(study)):
        raise StudyError("\n".join(reasons))


def would_fail(study: Study) -> Iterator[str]:
    """Why a run would fail, each reason once, with what to do.

    Args:
        study: where it is simulated, models, keys and servers are not looked for.
    """
    yield from _unready_providers(study)
    yield from _absent_device_of_embedding(study)
    yield from _absent_spacy(study)
    yield from classifier_problems(study)
    yield from _measures_without_baselines(study)


def _unready_providers(study: Study) -> Iterator[str]:
    """One line for a variable or address that several generations share."""
    waiting: dict[tuple[object, ...], list[Generation]] = {}
    for one in (*study.generations, *study.engines.values()):
        asked = (one.spec.provider, one.spec.api_key_env, *one.spec.headers.items())
        waiting.setdefault(asked, []).append(one)
    for sharing in waiting.values():
        unready = [(one.generation_id, reason) for one in sharing if (reason := _unready(study, one))]
        if unready:
            others = ", ".join(name for name, _ in unready[1:])
            yield unready[0][1] + (f" The same holds for {others}." if others else "")


def _unready(study: Study, generation: Generation) -> str | None:
    name = generation.spec.provider
    if name not in providers:  # a function of the user's own, which a plan does not load
        return None
    return providers[name](generation_config(study, generation)).unready()


def _absent_device_of_embedding(study: Study) -> Iterator[str]:
    if isinstance(study.embedding, Encoding) and (absent := absent_device(study.embedding.device)):
        yield f"{study.path}: embedding: {absent}"


def _absent_spacy(study: Study) -> Iterator[str]:
    branch = study.prompts.branch
    if branch is not None and branch.spacy_model is not None and find_spec("spacy") is None:
        yield without_spacy(branch.spacy_model, f"{study.path}: prompts.branch.spacy_model")


def _measures_without_baselines(study: Study) -> Iterator[str]:
    if remedy := _how_to_add_baselines(study.prompts):
        needing = [
            measure.spec.name
            for measure in resolve_measures(study)
            if measure.reads == "embeddings" or measure.spec.cluster_and_sort is not None
        ]
        for name in dict.fromkeys(needing):
            yield (
                f"{study.path}: measures: {name} needs the baseline text of each prompt, and no prompt has "
                f"one. {remedy}, or remove the measure."
            )


def _how_to_add_baselines(prompts: Prompts) -> str | None:
    """What would give prompts a baseline text; None where some have one: a scraped sentence always does."""
    if prompts.templates is not None and not any(text.baseline for text in prompts.templates.texts):
        return "Add baseline: TEXT to the entries of prompts.templates.texts"
    if prompts.import_ is not None and prompts.import_.columns.baseline_text is None:
        return "Name its column in prompts.import.columns.baseline_text"
    return None
