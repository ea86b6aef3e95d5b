"""A study that no machine would come to an end of is told with its number, before anything runs."""

from collections.abc import Iterator
from math import prod

from python_assets.errors import StudyError, Told
from python_assets.study.sizes import MOST_CROSSED, require_askable, require_few_levels
from python_assets.study.study import Templates
from python_assets.study_file.expand import Draft


def size_problems(draft: Draft) -> Iterator[StudyError]:
    """Levels, crossed prompts and calls are not too many."""
    for name, factor in draft.parts.factors.items():
        try:
            require_few_levels({name: len(factor.levels or ())} if name != draft.parts.unit else {})
        except StudyError as error:
            yield error
    templates = draft.parts.prompts.templates if draft.parts.prompts else None
    n_prompts = _n_crossed(draft, templates) if templates else 1
    if n_prompts > MOST_CROSSED:
        got = Told(f"{n_prompts:,} prompts, every template with every combination of levels")
        remedy = "cross fewer factors, or list combinations"
        yield StudyError(("prompts", "templates", "cross"), got, f"at most {MOST_CROSSED:,}", remedy)
        return
    # of crossed prompts the conditions of factors may leave one
    is_conditional = any(factor.when for factor in draft.parts.factors.values())
    try:
        systems = [one for entry in draft.systems.values() for one in entry if not one.spec.engine]
        require_askable(1 if is_conditional else n_prompts, systems)
    except StudyError as error:
        yield error


def _n_crossed(draft: Draft, templates: Templates) -> int:
    """The prompts of all templates; where only some templates are taken, those of the largest."""
    levels = {name: len(factor.levels or ()) or 1 for name, factor in draft.parts.factors.items()}
    n_by_template = [
        prod(levels.get(name, 1) for name in templates.cross_of(text))
        * max(1, len(templates.combinations_of(text)))
        * len(text.option_orders)
        for text in templates.texts
    ]
    return max(n_by_template, default=1) if templates.max_per_level else sum(n_by_template)
