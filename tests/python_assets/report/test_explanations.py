"""Every contrast, index and statistic has its line."""

from python_assets.report.explanations import CONTRASTS, DISPARITIES, STATISTIC_MEANINGS
from python_assets.study.metrics import metric_names
from python_assets.study.statistics import STATISTICS as OF_A_STUDY


def test_every_contrast_and_index_is_explained_in_one_line():
    assert set(CONTRASTS) == set(metric_names("contrasts"))
    assert set(DISPARITIES) == set(metric_names("disparities"))
    assert set(STATISTIC_MEANINGS) == {*OF_A_STUDY, "share"}
    lines = [*CONTRASTS.values(), *DISPARITIES.values(), *STATISTIC_MEANINGS.values()]
    assert all(line and "\n" not in line and not line.endswith(".") for line in lines)
