"""A set without a question is refused once prompts are there: what was not fetched before a run could not tell."""

from pathlib import Path

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import StudyError
from python_assets.plan.requested import IN_MEMORY, require_hypotheses, require_hypotheses_of_build
from python_assets.scrape.scrape_study import scrape
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext

STUDY = """
prompts:
  scrape:
    factor: land
    levels: [Italy, France]
    keywords: {{Italy: [Italy], France: [France]}}
    wiki: {{contact: me@example.org}}
    sources: [{{tag: page, {source}}}]
systems: [{{name: fair, provider: simulator}}]
measures: [vader]
groupings: [land]
analysis: {{families: {{own: {set}}}}}
"""
HAS_NONE = "{calibrations: [calibrated], systems: [baseline]}"


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    sentence = "The long and well known history of {} shows that its people have always liked to travel far."
    text = " ".join(map(sentence.format, ("Italy", "France")))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")

    def load(hypotheses, source="path: a.txt"):
        path = Path(tmp_path / "mine.yml")
        path.write_text(STUDY.format(set=hypotheses, source=source), encoding="utf-8")
        return load_study(path)

    return load


def refuse(study):
    with open_build(IN_MEMORY) as build:
        context = RunContext(paths.home(), SILENT, may_ask=False)
        scrape(study, build, context)
        assemble(study, build, context)
        require_hypotheses_of_build(study, build)


@pytest.mark.parametrize("require", [require_hypotheses, refuse])
def test_a_set_without_a_hypothesis_is_refused(study, require, refused):
    with refused(StudyError, "analysis.families.own"):
        require(study(HAS_NONE))


@pytest.mark.parametrize("require", [require_hypotheses, refuse])
def test_a_set_with_a_hypothesis_is_none_to_refuse(study, require):
    require(study("{calibrations: [calibrated]}"))  # scraped sentences are the baseline of their prompts
    require(study("{systems: [baseline]}"))


def test_what_is_not_fetched_yet_is_not_refused(study):
    require_hypotheses(study(HAS_NONE, source="type: wikipedia, pages: [Europe]"))
