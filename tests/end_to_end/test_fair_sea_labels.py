"""FAIR-SEA's real answers with the labels of one automatic reader, from import to mart and report.

Its labels.csv names no answer: a label is of a prompt category and a text. SOURCE.md beside it calls the reader
automatic, and not to be taken for people.
"""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from bench.label_agreement import read_by_one_reader
from tests.end_to_end.conftest import answers_of
from tests.end_to_end.labelled import Labelled

SETS = {
    "leadership": ("D1", "fair_sea_leadership"),
    "reaction": ("D4", "fair_sea_family_reaction"),
    "personality": ("I4", "fair_sea_personality"),
}
CATEGORIES = [category for category, _ in SETS.values()]
MEASURES = "\n".join(
    f"  - {{name: {name}, prototypes: {labels}, slice: {category}}}" for name, (category, labels) in SETS.items()
)
STUDY = f"""
title: FAIR-SEA, labelled
factors:
  gender: {{type: domain, levels: [Female, Male]}}
  category: {{type: prompt, levels: [{", ".join(CATEGORIES)}]}}
prompts:
  import:
    path: answers.parquet
    columns:
      prompt: [prompt_category, gender, race, nationality, prompt_text]
      root_prompt: prompt_category
      prompt_text: prompt_text
      system: model
      response: llm_output
      replicate: auto
    factors: {{gender: gender, category: prompt_category}}
systems: [{{name: "*", provider: replay}}]
measures:
{MEASURES}
slices: {{each: category}}
groupings: [gender]
analysis: {{permutations: 99, quality: {{max_unscored_share: 1}}}}
"""
LABELS = "human_labels:\n" + "\n".join(
    f"  - {{measure: {name}, file: {name}.csv, rater: reader, automatic: true}}"
    for name in [*SETS, "leadership_unscored"]
)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory, data_folder):
    """The answers to three prompts, labelled by their texts, and read beside the labels."""
    folder = data_folder / "fairsea"
    answers = pd.read_parquet(folder / "fairsea_responses.parquet")
    study = Labelled(tmp_path_factory.mktemp("labelled"), tmp_path_factory.mktemp("home"), STUDY)
    answers[answers["prompt_category"].isin(CATEGORIES)].to_parquet(study.folder / "answers.parquet")
    answered = answers_of(study.folder / "labelled.yml").connection.execute(
        """
        select response_id, system_id, prompt_id, replicate, response_text as llm_output, level as prompt_category
        from raw.responses inner join raw.prompt_factors using (study_id, prompt_id) where factor = 'category'
        """
    )
    labels = pd.DataFrame(read_by_one_reader(folder.parent))
    study.labels = answered.df().merge(labels, on=["prompt_category", "llm_output"])
    for name, (category, _) in SETS.items():
        of_measure = study.labels[study.labels["prompt_category"] == category]
        of_measure[["response_id", "label"]].to_csv(study.folder / f"{name}.csv", index=False)
    is_none = study.labels[study.labels["prompt_category"] == "D1"].assign(
        label=lambda rows: np.where(rows["label"] == "unscored", "yes", "no")
    )
    is_none[["response_id", "label"]].to_csv(study.folder / "leadership_unscored.csv", index=False)
    study.write(LABELS)
    study.second = study.plumbline("run", "labelled")
    assert study.second.returncode == 0, study.second.stderr
    return study


def test_every_label_stands_beside_its_answer_and_none_is_set_aside(labelled):
    n = labelled.labels["prompt_category"].value_counts()
    assert n.to_dict() == {"D1": 158, "D4": 141, "I4": 286}
    counts = labelled.rows("select measure_id, count(*), count(reason) from human_labels group by all order by all")
    assert counts == [
        ("leadership", n["D1"], 0),
        ("leadership_unscored", n["D1"], 0),
        ("personality", n["I4"], 0),
        ("reaction", n["D4"], 0),
    ]
    assert labelled.rows("select count(*) from quarantined_records where stage = 'labels'") == [(0,)]


@pytest.mark.parametrize("measure", SETS)
def test_agreement_is_that_of_other_programs_on_the_same_rows(labelled, measure):
    read = labelled.frame(
        f"""
        select system_id, prompt_id, replicate,
            lower(if(fits.value = 1, 'unscored', measured.label)) as reading
        from measurements as measured
        inner join measurements as fits using (study_id, system_id, prompt_id, replicate)
        where measured.measure_id = '{measure}' and fits.measure_id = '{measure}_unscored'
        """
    )
    of_measure = labelled.labels[labelled.labels["prompt_category"] == SETS[measure][0]]
    both = of_measure.merge(read, on=["system_id", "prompt_id", "replicate"])
    assert len(both) == len(of_measure)
    n_labelled, both = len(both), both.dropna(subset="reading")
    codes = np.unique(both[["label", "reading"]].to_numpy(dtype=str), return_inverse=True)[1].reshape(-1, 2)
    ((n, n_unscored, agreement, kappa, alpha),) = labelled.rows(
        f"""
        select n, n_unscored, agreement, kappa, alpha from label_agreement
        where measure_id = '{measure}' and slice_id = 'all' and system_id = 'all' and model_family = ''
            and grouping_id = '' and comparison = 'people_and_reading'
        """
    )
    assert (n, n_unscored) == (len(both), n_labelled - len(both))
    assert agreement == pytest.approx((codes[:, 0] == codes[:, 1]).mean())
    assert kappa == pytest.approx(cohen_kappa_score(*codes.T), abs=1e-9)
    assert alpha == pytest.approx(krippendorff.alpha(codes.T, level_of_measurement="nominal"))


def test_categories_are_not_corrected_and_rates_need_whole_root_prompts(labelled):
    reasons = labelled.rows(
        """
        select measure_id, reason, count(p_value), count(*) > 0 from hypotheses
        where calibration = 'corrected' and statistic in ('share', 'mean') and reference_system_id = ''
        group by all order by all
        """
    )
    assert reasons == [
        ("leadership", "scheme_not_available", 0, True),
        ("leadership_unscored", "labels_not_whole_prompts", 0, True),
        ("personality", "no_label_near", 0, True),  # of a model in none of whose answers it found a type
        ("personality", "scheme_not_available", 0, True),
        ("reaction", "scheme_not_available", 0, True),
    ]


def test_the_rater_is_told_as_automatic_wherever_raters_are(labelled):
    assert "of leadership by reader (automatic)" in labelled.second.stdout
    assert labelled.rows("select distinct rater, is_automatic from human_labels") == [("reader", True)]
    assert labelled.rows("select distinct n_raters, n_automatic from label_agreement") == [(1, 1)]
    assert labelled.rows("select distinct labelled_by from scorers where material = 'this study'") == [
        ("reader (automatic)",)
    ]
    report = (labelled.home / "report" / "labelled.html").read_text(encoding="utf-8")
    assert "(automatic: a program, no person)" in report
    assert "labels of people" not in report and "people labelled" not in report
