"""Written items: something to write from, a level to write them of, a form that stands for it."""

from collections.abc import Iterator

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Prompts, Scrape
from python_assets.study_file.expand import Draft

ASSEMBLE: FieldPath = ("prompts", "assemble")
_SOURCES: FieldPath = ("prompts", "scrape", "sources")


def written_problems(draft: Draft, prompts: Prompts, scrape: Scrape) -> Iterator[StudyError]:
    """What keeps an engine from writing items, and sources from being left out where none writes.

    Args:
        draft: says what of the file could not be read.
        prompts: the method and its themes.
        scrape: levels and sources.
    """
    spec = prompts.assemble
    has_sources = any(True for _ in scrape.placed_sources())
    if spec.chosen_method != "written" and not scrape.sources and _SOURCES not in draft.parts.unread:
        yield StudyError(_SOURCES, [], "a source of sentences, or more", "name one, or remove sources")
    if spec.items is None:
        return
    if spec.themes is None and not has_sources:
        expected = "themes, or sources in prompts.scrape, that items are written from"
        yield StudyError((*ASSEMBLE, "themes"), NOTHING, expected, "add themes: [housing, work at night]")
    if spec.themes is not None and has_sources and spec.chosen_method == "written":
        expected = "themes or prompts.scrape.sources, not both"
        yield StudyError((*ASSEMBLE, "themes"), spec.themes, expected, "remove one of them")
    if spec.themes is not None and spec.items is not None and spec.items < len(spec.themes):
        expected = f"an item a theme, {len(spec.themes)}, or more"
        yield StudyError((*ASSEMBLE, "items"), spec.items, expected, "raise it, or remove themes")
    yield from _branch_problems(prompts, scrape)


def _branch_problems(prompts: Prompts, scrape: Scrape) -> Iterator[StudyError]:
    level = prompts.written_level
    branch = prompts.branch
    if branch is None or level not in scrape.levels:
        return
    if level not in dict(branch.ends(scrape.levels)):
        expected = f"branches from {level!r}, the level that items are written of"
        remedy = "name it in prompts.branch.from, or make the level that is branched from prompts.scrape.reference"
        yield StudyError(("prompts", "branch"), listed(dict(branch.ends(scrape.levels))), expected, remedy)
    forms = branch.forms.get(level, {})
    form = prompts.assemble.form
    if form is not None and form not in forms:
        what = f"a form of {level!r} in prompts.branch.forms"
        yield unknown_name((*ASSEMBLE, "form"), form, what, list(forms), "add it, or remove form")
