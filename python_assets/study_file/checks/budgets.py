"""Budgets: that prices are of models which are asked, and that every model has one where money is counted."""

from collections.abc import Iterator

from python_assets.errors import FieldPath, StudyError
from python_assets.providers.prices import find_price, priced_as
from python_assets.study.problems import listed, unknown_name
from python_assets.study_file.expand import Draft


def budget_problems(draft: Draft) -> Iterator[StudyError]:
    """What is wrong with budget and prices, beside their form."""
    sections = draft.parts
    models = dict.fromkeys(priced_as(one) for entry in draft.systems.values() for one in entry)
    for model in sections.prices:
        if model not in models:
            remedy = "name it as systems do, or remove it"
            yield unknown_name(("prices", model), model, "a model that a generation asks", list(models), remedy)
    if sections.budget is not None and sections.budget.usd is not None:
        yield from _unpriced(draft, list(sections.systems), ("budget", "usd"), sections.budget.usd)
    for path, spec in sections.systems.items():
        if spec.budget is not None and spec.budget.usd is not None:
            yield from _unpriced(draft, [path], (*path, "budget", "usd"), spec.budget.usd)


def _unpriced(draft: Draft, paths: list[FieldPath], where: FieldPath, usd: float) -> Iterator[StudyError]:
    systems = [one for path in paths for one in draft.systems.get(path, [])]
    unknown = [priced_as(one) for one in systems if find_price(draft.parts.prices, one) is None]
    if unknown:
        names = list(dict.fromkeys(unknown))
        expected = f"known prices of every model: nothing is known of {listed(names)} at its address"
        declared = f"prices: {{{names[0]}: {{in: USD, out: USD}}}}"
        remedy = f"add {declared}, of a million tokens, 0 where nobody is paid; or bound tokens instead of usd"
        yield StudyError(where, usd, expected, remedy)
