"""Statistics with their options: as parameters, as columns, and what is told of a mistake."""

import pytest

from python_assets.study.analysis import AnalysisSpec
from python_assets.study.expressions import OF_DISPARITIES, OF_STATISTICS, NotAnAggregate, aggregate_expression
from python_assets.study_file.load import load_study

SECTIONS = {
    "prompts": '{templates: {cross: [gender], texts: [{id: t1, text: "A {gender} asks."}]}}',
    "factors": "{gender: {levels: [woman, man]}}",
    "systems": "[{name: fair, provider: simulator}]",
    "groupings": "[gender]",
}
WRITTEN = [
    ("mode", "mode", "bin_width=0.1"),
    ({"mode": {"bin_width": 0.05}}, "mode", "bin_width=0.05"),
    ({"quantile": {"q": 0.9}}, "quantile", "q=0.9"),
    ({"percentile": {"p": 5}}, "percentile", "p=5"),
    ("quantile_range", "quantile_range", "low=0.25;high=0.75"),
    ({"percentile_range": {"low": 10, "high": 90}}, "percentile_range", "low=10;high=90"),
    ("correlation", "correlation", "method=pearson"),
    ({"kl_divergence": {"bins": 20}}, "kl_divergence", "bins=20;smoothing=0.5"),
    ("precision", "precision", "threshold=0.1"),
    ("selection_rate", "selection_rate", "standard=mean;method=larger"),
    ({"selection_rate": {"standard": "mode"}}, "selection_rate", "standard=mode(0.1);method=inside"),
    (
        {"selection_rate": {"standard": {"fixed": -0.5}, "method": {"within_percentage": 0.1}}},
        "selection_rate",
        "standard=fixed(-0.5);method=within_percentage(0.1)",
    ),
    (
        {"selection_rate": {"standard": {"percentile_range": [20, 80]}}},
        "selection_rate",
        "standard=percentile_range(20,80);method=inside",
    ),
    ({"mean": {"normalise": "before"}}, "mean", "normalise=before;over=system"),
    ({"precision": {"normalise": "after", "over": "all"}}, "precision", "threshold=0.1;normalise=after;over=all"),
]


@pytest.mark.parametrize(("entry", "statistic", "parameters"), WRITTEN)
def test_parameters_say_every_option_in_one_order(entry, statistic, parameters):
    (row,) = AnalysisSpec.model_validate({"statistics": [entry]}).requested_statistics
    assert (row.statistic, row.parameters) == (statistic, parameters)


def test_several_sets_of_options_are_several_statistics():
    analysis = AnalysisSpec.model_validate({"statistics": [{"quantile": [{"q": 0.1}, {"q": 0.9}]}, "mean"]})
    assert [(row.statistic, row.level_low) for row in analysis.requested_statistics] == [
        ("quantile", 0.1),
        ("quantile", 0.9),
        ("mean", None),
    ]


def test_a_percentage_is_the_quantile_of_its_share():
    analysis = AnalysisSpec.model_validate({"statistics": [{"percentile": {"p": 30}}, "percentile_range"]})
    levels = [(row.level_low, row.level_high) for row in analysis.requested_statistics]
    assert levels == [(0.3, None), (0.25, 0.75)]


def test_what_was_asked_for_is_read_back_the_same():
    analysis = AnalysisSpec.model_validate({"statistics": [entry for entry, _, _ in WRITTEN]})
    again = AnalysisSpec.model_validate_json(analysis.model_dump_json())
    assert again.requested_statistics == analysis.requested_statistics


MISTAKES = {
    "a misspelt statistic": ("[quantil: {q: 0.1}]", "analysis.statistics[0].quantil", "'quantile'"),
    "a misspelt option": ("[{mode: {bin_widht: 0.1}}]", "analysis.statistics[0].mode.bin_widht", "'bin_width'"),
    "a misspelt method": (
        "[{correlation: {method: perason}}]",
        "analysis.statistics[0].correlation.method",
        "'pearson'",
    ),
    "a quantile without its level": ("[quantile]", "analysis.statistics[0]", "write {quantile: {q: 0.25}}"),
    "a level in percent": ("[{quantile: {q: 25}}]", "analysis.statistics[0].quantile.q", "less than or equal to 1"),
    "a range upside down": (
        "[{quantile_range: {low: 0.9, high: 0.1}}]",
        "analysis.statistics[0].quantile_range",
        "low below high",
    ),
    "a method beside a range": (
        "[{selection_rate: {standard: {quantile_range: [0.1, 0.9]}, method: larger}}]",
        "analysis.statistics[0].selection_rate",
        "no method beside quantile_range",
    ),
    "what is normalised over without normalising": (
        "[{mean: {over: all}}]",
        "analysis.statistics[0].mean",
        "add normalise: before or after",
    ),
}


@pytest.mark.parametrize(("statistics", "field", "text"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_names_the_option_and_the_remedy(write_study, problems_of, statistics, field, text):
    error = problems_of(write_study({**SECTIONS, "analysis": f"{{statistics: {statistics}}}"}))
    assert [problem.field for problem in error.problems] == [field]
    assert text in str(error)


def test_a_statistic_of_the_study_is_an_expression_of_its_own(write_study):
    custom = '{custom_statistics: {signal: "avg(x) / nullif(stddev_samp(x), 0)", gap: avg(x - baseline)}}'
    rows = load_study(write_study({**SECTIONS, "analysis": custom})).analysis.requested_statistics[-2:]
    assert [(row.statistic, row.is_paired) for row in rows] == [("signal", False), ("gap", True)]
    assert rows[1].parameters == "sql=avg((x - baseline))"


def test_a_statistic_of_the_study_may_be_a_function_beside_it(write_study):
    custom = '{custom_statistics: {top: max(x), trimmed: "mine:trimmed"}, contrasts: [trimmed_difference]}'
    study = load_study(write_study({**SECTIONS, "analysis": custom}), check_files=False)
    top, trimmed = study.analysis.requested_statistics[-2:]
    assert (trimmed.statistic, trimmed.parameters, trimmed.function_path) == (
        "trimmed",
        "function=mine:trimmed",
        "mine:trimmed",
    )
    assert not trimmed.is_paired
    assert trimmed.expression is None
    assert top.function_path is None
    assert study.analysis.statistic_functions == {"trimmed": "mine:trimmed"}


REFUSED = {
    "x + 1": "an aggregate",
    "avg(x) + x": "a number of every group",
    "avg(y)": "no column but x and baseline, not 'y'",
    "avg(t.x)": "no column but x and baseline",
    "(select 1)": "without a subquery",
    "avg(x in (select 1))": "without a subquery",
    "sum(x) over ()": "without a window",
    "avg(x), 1": "one SQL expression without a name",
    "avg(x) as y": "one SQL expression without a name",
    "avg(x) from given where x > 1 --": "one SQL expression",
    "avg(x); drop table t": "one SQL expression",
    "x) from y --": "one SQL expression",
    "read_text('/etc/passwd')": "functions of numbers only",
    "getenv('HOME')": "functions of numbers only",
    "random() * avg(x)": "functions of numbers only",
    "first(x)": "functions of numbers only",
    "system.main.avg(x)": "functions of numbers only",
    "sqrt(min(x))": "a number of every group",
    "max('a')": "a number of every group",
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.items(), ids=REFUSED)
def test_what_is_no_aggregate_of_the_columns_is_refused(text, expected):
    with pytest.raises(NotAnAggregate) as error:
        aggregate_expression(text, OF_STATISTICS)
    assert expected in str(error.value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("avg(x) -- of all", "avg(x)"),
        ("quantile_cont(x, 0.3)", "quantile_cont(x, 0.3)"),
        ("avg(x) filter (where baseline > 0)", "avg(x) FILTER (WHERE (baseline > 0))"),
        ("sqrt(greatest(min(x), 0))", "sqrt(greatest(min(x), 0))"),
    ],
)
def test_an_expression_is_stored_as_the_parser_writes_it(text, written):
    assert aggregate_expression(text, OF_STATISTICS) == written


def test_an_expression_nested_without_end_is_refused():
    with pytest.raises(NotAnAggregate):
        aggregate_expression("sqrt(" * 900 + "abs(avg(x))" + ")" * 900, OF_STATISTICS)


def test_a_cast_that_large_values_do_not_fit_is_refused():
    with pytest.raises(NotAnAggregate, match="a number of every group"):
        aggregate_expression("max(cast(x as integer))", OF_STATISTICS)
    assert aggregate_expression("avg(cast(x > 1 as integer))", OF_STATISTICS)


def test_a_disparity_is_of_the_values_of_groups_alone():
    assert aggregate_expression("max(value)", OF_DISPARITIES) == 'max("value")'
    with pytest.raises(NotAnAggregate, match="no column but value"):
        aggregate_expression("max(x)", OF_DISPARITIES)


def test_a_custom_name_is_not_that_of_a_statistic_or_disparity(write_study, problems_of):
    section = "{custom_statistics: {mean: avg(x)}, custom_disparities: {dixon_excess_low: max(value)}}"
    error = problems_of(write_study({**SECTIONS, "analysis": section}))
    assert "mean is a statistic already" in str(error)
    section = "{custom_disparities: {dixon_excess_low: max(value)}}"
    error = problems_of(write_study({**SECTIONS, "analysis": section}))
    assert "dixon_excess_low is a disparity already" in str(error)
