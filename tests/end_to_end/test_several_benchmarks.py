"""Two made-up benchmarks in one study: coverage, subgroups and a regression with benchmark as a factor."""

import math
import textwrap

import pytest

from tests.end_to_end.conftest import in_memory

STUDY = """
title: Two benchmarks
factors:
  group: {type: domain}
prompts:
  import:
    format: several
    factor: benchmark
    imports:
      north:
        path: north.csv
        columns: {prompt: [item, group], root_prompt: item, system: model, response: answer}
        factors: {group: group}
      south:
        path: south.csv
        columns: {prompt: [item, who], root_prompt: item, system: model, response: answer}
        factors: {group: who, style: style}
unit: root_prompt
systems: [{name: "*", provider: replay}]
measures: [{name: biased, kind: binary, column: biased, direction: higher_worse}]
groupings: [group]
analysis:
  permutations: 99
  bootstrap: 200
  coverage: {factors: [benchmark, group]}
  subgroups: {factors: [benchmark, group], depth: 2}
  regressions:
    by_benchmark: {measure: biased, factors: {benchmark: north}}
"""
ITEMS = 12


def biased(benchmark, item, group):
    """North is biased in one item of three, south in two of three; the old more than others."""
    least = {"north": 1, "south": 2}[benchmark]
    return int((item + (group == "old")) % 3 < least)


def table(benchmark, column, groups, further):
    head = f"item,{column},model,answer,biased{''.join(f',{name}' for name in further)}"
    rows = [
        f"q{item},{group},m,said,{biased(benchmark, item, group)}{''.join(f',{level}' for level in further.values())}"
        for item in range(ITEMS)
        for group in groups
    ]
    return "\n".join([head, *rows]) + "\n"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    (folder / "two_benchmarks.yml").write_text(textwrap.dedent(STUDY), encoding="utf-8")
    (folder / "north.csv").write_text(table("north", "group", ("old", "young"), {}), encoding="utf-8")
    south = table("south", "who", ("old", "short", "rich"), {"style": "plain"})
    (folder / "south.csv").write_text(south, encoding="utf-8")
    return in_memory(folder / "two_benchmarks.yml")


def test_coverage_is_over_both(pair):
    found = {
        factors: (cells, covered, prompts)
        for factors, cells, covered, prompts in pair.rows(
            "select factors, n_cells, n_covered, n_prompts from coverage where study_id = 'two_benchmarks'"
        )
    }
    assert found["benchmark"] == (2, 2, 60)
    assert found["group"] == (4, 4, 60)
    assert found["benchmark x group"] == (8, 5, 60)


def test_subgroups_are_of_each_benchmark(pair):
    found = dict(
        pair.rows(
            """
            select group_id, deviation_rate from subgroups
            where study_id = 'two_benchmarks' and measure_id = 'biased' and grouping_id = 'benchmark'
                and slice_id = 'all' and system_id = 'm'
            """
        )
    )
    assert found == {"north": pytest.approx(1 / 3), "south": pytest.approx(2 / 3)}


def test_the_benchmark_is_a_factor_of_the_regression(pair):
    found = pair.rows(
        """
        select coefficient, n_responses, n_clusters, p_value is not null from factor_importance
        where study_id = 'two_benchmarks' and factor = 'benchmark' and level = 'south'
        """
    )
    # one factor alone: the coefficient is the difference of log odds, 1/2 against 2; responses are the level's
    assert found == [(pytest.approx(math.log(2) - math.log(1 / 2), abs=1e-6), 3 * ITEMS, 2 * ITEMS, True)]
    ids = pair.rows("select count(*), count(distinct prompt_id) from responses where study_id = 'two_benchmarks'")
    assert ids == [(60, 60)]
