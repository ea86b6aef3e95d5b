"""Every contrast, index and statistic has its line, and every remedy a reason."""

import csv
from pathlib import Path

from python_assets.report.explanations import CONTRASTS, DISPARITIES, REMEDIES, STATISTICS
from python_assets.study.metrics import metric_names
from python_assets.study.statistics import STATISTICS as OF_A_STUDY

SEED = Path(__file__).parents[3] / "dbt_models" / "seeds" / "reasons.csv"


def test_every_contrast_and_index_is_explained_in_one_line():
    assert set(CONTRASTS) == set(metric_names("contrasts"))
    assert set(DISPARITIES) == set(metric_names("disparities"))
    assert set(STATISTICS) == {*OF_A_STUDY, "share"}
    lines = [*CONTRASTS.values(), *DISPARITIES.values(), *STATISTICS.values()]
    assert all(line and "\n" not in line and not line.endswith(".") for line in lines)


def test_remedies_are_of_reasons_that_exist():
    with SEED.open(encoding="utf-8", newline="") as file:
        assert set(REMEDIES) <= {row["reason"] for row in csv.DictReader(file)}
