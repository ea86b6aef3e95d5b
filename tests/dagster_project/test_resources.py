import dagster as dg
import pytest

from dagster_project.resources import StudyResource
from python_assets.errors import StudyError

STUDY = """
title: StatisticSpec
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
generations: [{name: one, provider: ollama, model: llama}]
measures: [vader]
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a study as an asset of its partition does."""
    (tmp_path / "asked.yml").write_text(STUDY, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)

    def run(provider=None):
        if provider is not None:
            monkeypatch.setenv("PLUMBLINE_PROVIDER", provider)
        loaded = []

        @dg.asset(partitions_def=dg.StaticPartitionsDefinition(["asked"]))
        def reads_it(context: dg.AssetExecutionContext, study: StudyResource):
            loaded.append(study.load(context))

        dg.materialize([reads_it], partition_key="asked", resources={"study": StudyResource()})
        return loaded[0]

    return run


def test_the_models_answer_unless_the_simulator_is_asked_for(load):
    assert load().generations[0].spec.provider == "ollama"
    assert load("").generations[0].spec.provider == "ollama"
    study = load("simulator")
    assert (study.generations[0].spec.provider, study.has_stand_in) == ("simulator", True)


def test_another_provider_cannot_stand_in(load, refused):
    with refused(StudyError, "PLUMBLINE_PROVIDER"):
        load("replay")
