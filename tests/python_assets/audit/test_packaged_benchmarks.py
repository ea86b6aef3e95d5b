"""The studies of the shelf as they are: what an audit takes for granted of each."""

import pytest
import yaml

from python_assets.audit.benchmarks import BENCHMARK_FOLDER, benchmark_names
from python_assets.importers.unit_table import read_units
from python_assets.study_file.load import load_study


@pytest.mark.parametrize("benchmark", benchmark_names())
def test_a_study_of_the_benchmarks_stands_as_an_audit_needs_it(benchmark):
    study = load_study(BENCHMARK_FOLDER / f"{benchmark}.yml")
    data = yaml.safe_load((BENCHMARK_FOLDER / f"{benchmark}.yml").read_text(encoding="utf-8"))
    assert [one.system_id for one in study.systems] == ["fair", "biased"]
    assert study.primary
    assert study.analysis.power
    assert len(data["prompts"]["templates"]["texts"]) >= 40
    assert (BENCHMARK_FOLDER / f"{benchmark}.md").is_file()


@pytest.mark.parametrize("benchmark", benchmark_names())
def test_groups_of_a_benchmark_have_names_or_ten_wordings_as_units(benchmark):
    study = load_study(BENCHMARK_FOLDER / f"{benchmark}.yml")
    ((name, units),) = study.prompts.templates.units.items()
    rows = read_units(study.folder, units, study.factors, ("units",))
    n_groups = len({tuple(row[factor] for factor in units.nested_in) for row in rows})
    assert len(rows) == 10 * n_groups
    assert {text.units.file for text in study.prompts.templates.texts} == {units.file}
    assert name == ("name" if benchmark in {"hiring", "housing_lending"} else "wording")
