import hashlib
import json

import pytest

from python_assets.errors import StudyError, StudyFileError
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, SCRAPE, write_scores


def test_six_mistakes_are_six_problems_in_the_order_of_the_file(tmp_path, problems_of):
    path = tmp_path / "mine.yml"
    path.write_text(
        """\
factors:
  gender: {type: domian, levels: [woman, man]}
prompts:
  templates:
    cross: [gender]
    texts:
      - {id: t1, text: "A {gendr} asks."}
systems:
  - {name: fair, provider: simulater}
  - {name: biased, provider: simulator, replicates: 0}
measures: [{name: m, choices: [a, b], favourable: c}]
groupings: [gender, race]
""",
        encoding="utf-8",
    )
    assert [(problem.line, problem.field) for problem in problems_of(path).problems] == [
        (2, "factors.gender.type"),
        (7, "prompts.templates.texts[0].text"),
        (9, "systems[0].provider"),
        (10, "systems[1].replicates"),
        (11, "measures[0].favourable"),
        (12, "groupings[1]"),
    ]


def test_the_error_is_a_study_error_with_one_line_a_problem(write_study, problems_of):
    error = problems_of(write_study({**SCRAPE, "groupings": "[a, b]"}))
    assert isinstance(error, StudyError)
    assert len(str(error).splitlines()) == len(error.problems) == 2


def test_keys_of_before_they_were_renamed_are_told_with_the_new_ones_and_nothing_else(tmp_path, problems_of):
    path = tmp_path / "mine.yml"
    path.write_text(
        """\
factors: {gender: {levels: [woman, man]}}
prompts:
  templates: {cross: [gender], texts: [{id: t1, text: "A {gender} asks."}]}
generations:
  - {name: fair, provider: simulator, role: Be kind.}
measures: [{name: m, extractor: vader}]
analysis:
  sets: {all: {measures: [m], generations: [fair]}}
  power: {m: {sd: 1, correlation: 0.5, interaction: 0.1, effect: 0.1}}
""",
        encoding="utf-8",
    )
    assert [(problem.line, problem.field, problem.remedy) for problem in problems_of(path).problems] == [
        (4, "generations", "rename it to systems, as it is called now"),
        (5, "generations[0].role", "rename it to system_prompt, as it is called now"),
        (6, "measures[0].extractor", "rename it to scorer, as it is called now"),
        (8, "analysis.sets", "rename it to families, as it is called now"),
        (9, "analysis.power.m.interaction", "rename it to prompt_by_group_share, as it is called now"),
    ]


def test_a_variable_that_is_not_set_has_one_line_however_many_values_name_it(tmp_path, refused):
    path = tmp_path / "mine.yml"
    path.write_text(
        """\
prompts:
  scrape:
    levels: [Italy]
    keywords: {Italy: [Italy]}
    sources:
      - {tag: a, path: "${NOT_SET_HERE}/a.txt"}
      - {tag: b, path: "${NOT_SET_HERE}/b.txt"}
      - {tag: c, path: "${NOT_SET_EITHER}/c.txt"}
systems: [{name: fair, provider: simulator}]
""",
        encoding="utf-8",
    )
    with refused(StudyFileError, *(f"prompts.scrape.sources[{index}].path" for index in range(3))) as told:
        load_study(path)
    assert [one.variable for one in told.value.problems] == ["NOT_SET_HERE", "NOT_SET_HERE", "NOT_SET_EITHER"]
    assert len(str(told.value).splitlines()) == 2


def test_defaults_cover_what_a_study_leaves_out(write_study):
    study = load_study(write_study(SCRAPE), check_files=False)
    assert (study.title, study.domain, study.slices, study.each) == ("mine", "", {}, None)
    assert study.groupings == [("concept",)]
    assert [(measure.name, measure.scorer) for measure in study.measures] == [("vader", "vader")]
    assert (study.analysis.permutations, study.analysis.alpha) == (9_999, 0.05)


def test_the_configuration_has_every_default_and_no_expanded_variable(tmp_path, write_study, monkeypatch):
    write_scores(tmp_path, "scores.csv")
    monkeypatch.setenv("MY_PLACE", str(tmp_path))
    path = write_study({**IMPORT, "prompts": IMPORT["prompts"].replace("scores.csv", '"${MY_PLACE}/scores.csv"')})
    study = load_study(path)
    config = json.loads(study.config_json)
    assert config["prompts"]["import"]["path"] == "${MY_PLACE}/scores.csv"
    assert str(tmp_path) not in study.config_json
    assert study.prompts.import_.path == f"{tmp_path}/scores.csv"
    assert config["groupings"] == [["gender"]]
    assert config["analysis"]["permutations"] == 9_999
    assert study.config_sha256 == hashlib.sha256(study.config_json.encode()).hexdigest()


def test_the_order_of_keys_and_comments_do_not_change_the_configuration(write_study):
    first = load_study(write_study(SCRAPE), check_files=False)
    reordered = dict(reversed(SCRAPE.items()))
    second = load_study(write_study({**reordered, "title": "mine # a comment"}), check_files=False)
    third = load_study(write_study({**reordered, "title": "other"}), check_files=False)
    assert second.config_json == first.config_json
    assert third.config_sha256 != second.config_sha256


SKETCHES = {
    "g20_countries": """
study: g20_countries
title: Sentiment toward G20 countries
domain: countries
prompts:
  scrape:
    factor: concept
    levels: [Ideraland, Argentina, Italy]
    reference: Ideraland
    keywords:
      Ideraland: [Ideraland]
    sources:
      - {tag: article, type: local, path: texts/ideraland.md, levels: [Ideraland]}
  assemble: {method: split_sentences}
  branch:
    from: Ideraland
    to: all
    replacements:
      Italy: {Ideraland: Italy, Ideralandian: Italian}
systems:
  - name: "{model}_{system_prompt_name}"
    provider: ollama
    model: ["gemma2:9b", "llama3.1:8b"]
    system_prompt: {none: "", assistant: You are a helpful assistant}
    decoding: {temperature: 0, seed: 42, max_tokens: 256}
measures: [sentiment, baseline_distance]
groupings: [concept]
analysis:
  statistics: [mean, variance, selection_rate]
  margins: {impact_ratio: 0.8}
""",
    "social_stigma_qa": """
study: social_stigma_qa
prompts:
  import:
    path: answers.csv
    columns: {prompt: id, system: model, response: answer}
    factors: {stigma: stigma, gender: gender, prompt_style: style, biased_answer: biased, cot: cot,
              template: t}
factors:
  stigma:        {type: domain, reference: no stigma}
  gender:        {type: domain, reference: no gender}
  template:      {type: domain, reference: "1"}
  prompt_style:  {type: prompt, reference: base}
  biased_answer: {type: prompt, reference: "no"}
  cot:           {type: prompt, reference: "no"}
systems:
  - {name: "{model}", provider: replay, model: [flan-ul2, flan-t5-xxl]}
measures:
  - {name: answer, kind: categorical, choices: ["yes", "no", can't tell]}
slices:
  no_cot: {cot: "no"}
  cot: {cot: "yes"}
groupings: {factors: [stigma, gender, prompt_style, biased_answer], depth: 2}
analysis:
  coverage: {depth: 3}
""",
    "table_import": """
study: table_import
title: Scores computed elsewhere
prompts:
  import:
    format: table
    path: scores.csv
    columns: {prompt: prompt_id, root_prompt: root_id, replicate: seed, prompt_text: prompt,
              baseline_text: baseline, response: answer, system: model}
    factors: {concept: concept, style: prompt_style}
systems:
  - {name: "*", provider: replay}
measures:
  - {name: sentiment, kind: continuous, column: sentiment_score, baseline_column: baseline_sentiment}
  - {name: biased, kind: binary, column: is_biased}
  - {name: occupation, kind: categorical, column: occupation}
groupings: [concept, [concept, style]]
""",
}


@pytest.mark.parametrize("name", SKETCHES)
def test_what_the_design_sketches_say_can_be_said(tmp_path, name):
    path = tmp_path / f"{name}.yml"
    path.write_text(SKETCHES[name], encoding="utf-8")
    study = load_study(path, check_files=False)
    assert study.study_id == name
    assert {"g20_countries": 1, "social_stigma_qa": 10, "table_import": 2}[name] == len(study.groupings)
