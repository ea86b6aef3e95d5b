"""Wordings of groups, which are the units: dealt over templates, and checked as a table of units is."""

from collections import Counter

import pytest

from python_assets.assemble.templates import prompts_from_templates
from python_assets.errors import PlumblineError, SourceError
from python_assets.importers.unit_table import read_units
from python_assets.plan.plan import plan_study
from python_assets.study.prompts import TemplateUnits
from python_assets.study_file.load import load_study

STUDY = """
factors:
  age: {type: domain, levels: [24 years, 81 years]}
prompts:
  templates:
    cross: []
    texts:
%s
systems: [{name: fair, provider: simulator}]
measures: [{name: favoured, choices: yes_no, kind: binary, favourable: "yes"}]
groupings: [age]
analysis:
  power: {favoured: {rate: 0.5, correlation: 0.5, effect: 0.2}}
"""
UNITS = "{file: ages.csv, name: wording, nested_in: [age], text: text}"
ROWS = ["24 years,a ...-year-old,a 24-year-old", "81 years,a ...-year-old,an 81-year-old"]
ROWS += ["24 years,someone aged ...,someone aged 24", "81 years,someone aged ...,someone aged 81"]


def written(folder, rows=ROWS, n_texts=6):
    (folder / "ages.csv").write_text("\n".join(["age,wording,text", *rows]) + "\n", encoding="utf-8")
    texts = [f'      - {{id: t{n}, units: {UNITS}, text: "{n}: {{wording}} asks."}}' for n in range(n_texts)]
    path = folder / "mine.yml"
    path.write_text(STUDY % "\n".join(texts), encoding="utf-8")
    return path


def test_texts_take_the_wordings_by_turns_each_for_all_groups(tmp_path):
    study = load_study(written(tmp_path))
    prompts, *_ = prompts_from_templates(study, study.prompts.templates)
    assert len(prompts) == 12
    assert [prompt.prompt_text for prompt in prompts[:4]] == [
        "0: a 24-year-old asks.",
        "0: an 81-year-old asks.",
        "1: someone aged 24 asks.",
        "1: someone aged 81 asks.",
    ]
    assert {prompt.unit_factor for prompt in prompts} == {"wording"}
    # each round begins one wording later: a topic of every second text meets both
    wordings = [prompt.levels["wording"] for prompt in prompts[::2]]
    assert wordings == ["a ...-year-old", "someone aged ..."] + ["someone aged ...", "a ...-year-old"] + wordings[:2]
    assert max(Counter(wordings).values()) == 3
    assert [prompt.is_root for prompt in prompts] == [True, False] * 6


def test_a_plan_knows_wordings_as_units(tmp_path):
    rows = [f"{age} years,wording {n},{age} in wording {n}" for n in range(10) for age in (24, 81)]
    plan = plan_study(load_study(written(tmp_path, rows, n_texts=40)))
    (grouping,) = plan.groupings
    assert (grouping.n_units, grouping.n_blocks) == (10, 40)
    assert grouping.scheme == "labels of a wording, in all its blocks at once; unit wording; similar units and prompts"
    assert not grouping.has_one_wording
    (power,) = [row for row in plan.power if row.contrast == "risk_difference"]
    assert (power.n_root_prompts, power.n_responses, power.n_needed) == (10, 4, None)
    assert power.n_responses_needed > 4  # texts a wording
    assert power.n_calls == power.n_responses_needed * 20
    assert not [line for line in plan.warnings if "one wording" in line]


@pytest.mark.parametrize(
    ("n", "scheme", "warning"),
    [
        (2, "no inference: too_few_root_prompts", "2 wordings, which are the units: so few get no p; "),
        (4, "labels of a wording, in all its blocks at once; unit wording; these prompts", "4 wordings, which are "),
        (5, "labels of a wording, in all its blocks at once; unit wording; similar units and prompts", None),
    ],
)
def test_a_plan_never_takes_texts_for_few_wordings(tmp_path, n, scheme, warning):
    rows = [f"{age} years,wording {at},{age} in wording {at}" for at in range(n) for age in (24, 81)]
    plan = plan_study(load_study(written(tmp_path, rows, n_texts=40)))
    assert plan.groupings[0].scheme == scheme
    lines = [line for line in plan.warnings if "groups stand in" in line]
    assert len(lines) == (warning is not None)
    assert all(warning in line for line in lines)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (ROWS[:3], "with 1 rows for wording 'someone aged ...'"),
        ([*ROWS, ROWS[0]], "with 3 rows for wording 'a ...-year-old'"),
        ([*ROWS[:2], ROWS[2].replace("someone aged 24", "a 24-year-old"), ROWS[3]], "in several wordings of one group"),
        ([*ROWS[:3], "81 years,someone aged ...,"], "without text"),
    ],
)
def test_a_table_that_cannot_be_used_is_told(tmp_path, rows, expected):
    path = written(tmp_path, rows)
    units = TemplateUnits(file="ages.csv", name="wording", nested_in=["age"], text="text")
    with pytest.raises(SourceError, match=expected):
        read_units(tmp_path, units, {}, ("units",))
    with pytest.raises(PlumblineError):
        load_study(path)
