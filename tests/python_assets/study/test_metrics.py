"""The table of metrics, as Python reads it."""

from python_assets.study.metrics import default_margins, metric_names, metrics
from python_assets.study.statistics import STATISTICS


def test_margins_of_the_source_documents():
    assert default_margins() == {"dbi": 1.5, "impact_ratio": 0.8, "fdi": 0.15, "idi": 0.2, "cramers_v": 0.1, "jsd": 0.1}


def test_a_name_stands_once_and_a_margin_can_be_declared():
    assert len({metric.name for metric in metrics()}) == len(metrics()) > 30
    assert set(default_margins()) <= set(metric_names(takes_margin=True))


def test_names_are_asked_for_by_mart_kind_and_column():
    assert metric_names("disparities", "categorical", takes_margin=True) == ("fdi", "idi", "cramers_v", "jsd")
    assert metric_names(is_ratio=True) == ("min_max_ratio", "impact_ratio")
    assert metric_names("contrasts", reference="grand_mean") == ("dbi", "fdi_group", "jsd_group")


def test_every_statistic_has_a_difference():
    differences = {f"{name}_difference" for name in STATISTICS}
    assert differences <= set(metric_names("contrasts"))
    of_every_study = {metric.name for metric in metrics() if not metric.is_optional}
    assert differences & of_every_study == {"mean_difference"}
