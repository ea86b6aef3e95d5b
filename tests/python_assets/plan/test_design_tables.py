import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError, StudyError
from python_assets.plan.design_tables import design_tables
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import write_stage

SCRAPED = """
factors: {concept: {definition: a country}}
prompts:
  scrape:
    levels: [Ideraland, Italy, France]
    reference: Ideraland
    keywords: {Ideraland: [Ideraland]}
    sources: [{tag: press, path: a.md}, {tag: article, path: b.md}]
  branch: {from: Ideraland}
systems: [{name: fair, provider: simulator}]
"""
IMPORTED = """
factors:
  gender: {levels: [woman, man], reference: man}
  style: {type: prompt}
  size: {type: model, levels: [small, large]}
prompts:
  import:
    path: scores.csv
    columns: {prompt: id, system: model}
    factors: {gender: sex, style: style, area: area}
systems: [{name: "*", provider: replay}]
groupings: [gender, [gender, area], area]
"""
DERIVED = {"source_tag": "press", "keyword": "Ideraland", "document": "a.md", "task": "completion"}


def study_of(folder, text):
    path = folder / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return load_study(path, check_files=False)


def tables_of(folder, text, connection, **levels):
    """The design tables of a study whose prompts have these levels: one prompt a level, by factor."""
    study = study_of(folder, text)
    rows = [(f"p{n}", factor, level) for factor, names in levels.items() for n, level in enumerate(names)]
    frame = pd.DataFrame(rows, columns=["prompt_id", "factor", "level"])
    write_stage(connection, study.study_id, "assemble", {"prompt_factors": frame})
    return design_tables(study, connection)


def rows(table):
    return list(table.astype(object).where(table.notna(), None).itertuples(index=False, name=None))


def scraped(folder, connection, more="", **levels):
    levels = {"concept": ["Italy", "France", "Ideraland"], "is_root": ["true", "false"]} | levels
    return tables_of(folder, SCRAPED + more, connection, **{k: [v] for k, v in DERIVED.items()} | levels)


def imported(folder, connection, more="", **levels):
    levels = {"gender": ["man", "woman"], "style": ["plain"], "area": ["work", "health"]} | levels
    return tables_of(folder, IMPORTED + more, connection, **levels)


def test_scraped_factor_is_declared_and_blocks_and_derived_factors_do_not(tmp_path, build):
    assert rows(scraped(tmp_path, build)["factors"].iloc[:, :6]) == [
        ("concept", "domain", "a country", "Ideraland", "declared", True),
        ("source_tag", "prompt", None, None, "derived", False),
        ("keyword", "prompt", None, None, "derived", False),
        ("document", "prompt", None, None, "derived", False),
        ("task", "prompt", None, None, "derived", False),
        ("is_root", "prompt", None, None, "derived", False),
    ]


def test_imported_factors_block_and_model_factors_do_not(tmp_path, build):
    factors = imported(tmp_path, build)["factors"]
    assert rows(factors.iloc[:4, :6]) == [
        ("gender", "domain", None, "man", "imported", True),
        ("style", "prompt", None, None, "imported", True),
        ("size", "model", None, None, "declared", False),
        ("area", "domain", None, None, "imported", True),
    ]


def test_levels_stand_in_declared_order_and_undeclared_ones_follow_by_alphabet(tmp_path, build):
    tables = imported(tmp_path, build, gender=["unknown", "man", "other", "woman"], area=["work", "health"])
    levels = tables["factor_levels"].groupby("factor", sort=False)
    assert {factor: rows(part[["level", "level_position"]]) for factor, part in levels} == {
        "gender": [("woman", 0), ("man", 1), ("other", 2), ("unknown", 3)],
        "style": [("plain", 0)],
        "size": [("small", 0), ("large", 1)],
        "area": [("health", 0), ("work", 1)],
    }


def test_derived_levels_are_those_of_the_prompts(tmp_path, build):
    tables = scraped(tmp_path, build, source_tag=["press"])
    levels = tables["factor_levels"]
    assert levels.loc[levels["factor"] == "source_tag", "level"].tolist() == ["press"]


def test_a_declared_level_without_prompts_is_an_error_that_names_it(refused, tmp_path, build):
    with refused(SourceError, "factors.gender"):
        imported(tmp_path, build, gender=["man"])


def test_a_declared_level_in_no_listed_combination_is_an_error(refused, make_study, build):
    factors = {"gender": {"levels": ["Female", "Male"]}}
    spec = {"texts": [{"id": "t", "text": "A {gender}."}], "combinations": [{"gender": "Male"}]}
    study = make_study({"templates": spec}, factors=factors)
    assemble(study, build)
    with refused(SourceError, "factors.gender"):
        design_tables(study, build)


def test_all_is_a_slice_without_conditions_and_stands_first(tmp_path, build):
    tables = scraped(tmp_path, build)
    assert tables["slice_ids"]["slice_id"].tolist() == ["all"]
    assert rows(tables["slices"]) == []


def test_slices_have_a_row_a_level_and_each_has_a_slice_a_level(tmp_path, build):
    more = "slices: {each: area, south: {gender: [woman, man], style: plain}}\n"
    tables = imported(tmp_path, build, more)
    assert tables["slice_ids"]["slice_id"].tolist() == ["all", "south", "health", "work"]
    assert rows(tables["slices"]) == [
        ("south", "gender", "woman"),
        ("south", "gender", "man"),
        ("south", "style", "plain"),
        ("health", "area", "health"),
        ("work", "area", "work"),
    ]


def test_each_passes_over_levels_without_prompts(tmp_path, build):
    tables = scraped(tmp_path, build, "slices: {each: source_tag}\n", source_tag=["press"])
    assert tables["slice_ids"]["slice_id"].tolist() == ["all", "press"]


def test_a_slice_of_a_level_that_no_prompt_has_is_an_error(refused, tmp_path, build):
    with refused(SourceError, "slices.south"):
        imported(tmp_path, build, "slices: {south: {area: moon}}\n")


def subgroups(tables):
    return tables["subgroup_sets"].groupby("grouping_id", sort=False)["factor"].agg(list).to_dict()


def test_subgroups_are_of_the_groupings_unless_more_is_asked_for(tmp_path, build):
    tables = imported(tmp_path, build)
    assert subgroups(tables) == {"gender": ["gender"], "gender x area": ["gender", "area"], "area": ["area"]}
    assert rows(tables["subgroup_ideals"]) == [("deviation_rate", 0.0), ("log_disparity", 0.0)]


def test_subgroups_of_more_factors_are_no_groupings_and_each_set_stands_once(tmp_path, build):
    more = "analysis: {subgroups: {factors: [area, gender, style], ideal: {deviation_rate: 0.5}}}\n"
    tables = imported(tmp_path, build, more)
    # area x gender is the grouping gender x area
    assert list(subgroups(tables)) == [
        "gender", "gender x area", "area", "style", "area x style", "gender x style",
    ]  # fmt: skip
    assert set(tables["groupings"].grouping_id) == {"gender", "gender x area", "area"}
    assert rows(tables["subgroup_ideals"]) == [("deviation_rate", 0.5), ("log_disparity", 0.0)]


def test_a_depth_alone_is_of_the_factors_of_groupings(tmp_path, build):
    found = subgroups(imported(tmp_path, build, "analysis: {subgroups: {depth: 1}}\n"))
    assert list(found) == ["gender", "gender x area", "area"]


@pytest.mark.parametrize("level", ["all", "south"])
def test_a_level_of_the_data_with_the_name_of_a_slice_is_an_error(refused, tmp_path, build, level):
    with refused(StudyError, "slices.each"):
        imported(tmp_path, build, "slices: {each: area, south: {gender: man}}\n", area=[level])


def test_groupings_keep_the_order_of_the_file(tmp_path, build):
    assert rows(imported(tmp_path, build)["groupings"]) == [
        ("gender", 0, "gender", 0),
        ("gender x area", 1, "gender", 0),
        ("gender x area", 1, "area", 1),
        ("area", 2, "area", 0),
    ]


def coverage(tables):
    return tables["coverage_sets"].groupby("factors", sort=False)["factor"].agg(list).to_dict()


def test_coverage_is_of_every_factor_and_of_pairs_of_those_of_the_groupings(tmp_path, build):
    tables = imported(tmp_path, build)
    assert list(coverage(tables)) == ["gender", "area", "style", "gender x area"]
    assert tables["coverage_sets"]["factor_position"].tolist() == [0, 0, 0, 0, 1]


def test_coverage_is_of_the_factors_and_depth_that_are_asked_for_and_of_the_whole(tmp_path, build):
    more = "analysis: {{coverage: {{factors: [style, gender, area], depth: {}}}}}\n"
    singles, pairs = ["style", "gender", "area"], ["style x gender", "style x area", "gender x area"]
    whole = ["style x gender x area"]
    assert list(coverage(imported(tmp_path, build, more.format(1)))) == [*singles, *whole]
    assert list(coverage(imported(tmp_path, build, more.format(2)))) == [*singles, *pairs, *whole]
    assert list(coverage(imported(tmp_path, build, more.format(9)))) == [*singles, *pairs, *whole]


def test_measures_are_in_every_slice_or_in_their_own(tmp_path, build):
    more = (
        "slices: {each: area}\n"
        'measures: [{name: answer, choices: ["yes", "no"], slice: work}, {name: score, kind: '
        "continuous, column: s}]\n"
    )
    slices = imported(tmp_path, build, more)["measure_slices"].groupby("measure_id")["slice_id"].agg(list).to_dict()
    every = ["all", "health", "work"]
    assert slices == {
        "answer": ["work"],
        "answer_unscored": ["work"],
        "answer_undecided": ["work"],
        "score": every,
        "refusal": every,
        "empty": every,
        "truncated": every,
    }


def test_where_a_measure_has_languages_their_rate_is_asked_in_every_slice(tmp_path, build):
    more = "slices: {each: area}\nmeasures: [{name: answer, choices: [a, b], languages: [en], slice: work}]\n"
    found = imported(tmp_path, build, more)["measure_slices"]
    own = found[found["measure_id"] == "other_language"]["slice_id"]
    assert list(own) == ["all", "health", "work"]


def test_what_a_measure_reads_as_written_is_asked_in_its_slices(tmp_path, build):
    found = imported(tmp_path, build, "slices: {each: area}\nmeasures: [{name: vader, slice: work}]\n")
    rows = found["measure_slices"]
    assert list(rows[rows["measure_id"] == "vader_as_written"]["slice_id"]) == ["work"]


def test_a_measure_of_a_slice_that_the_data_does_not_have_is_an_error(refused, tmp_path, build):
    more = "slices: {each: area}\nmeasures: [{name: score, kind: continuous, column: s, slice: moon}]\n"
    with refused(StudyError, "measures.score.slice"):
        imported(tmp_path, build, more)


def test_the_statistics_are_those_of_the_documents_with_their_options(tmp_path, build):
    table = imported(tmp_path, build)["statistics"]
    assert rows(table[["statistic", "parameters", "standard", "method", "is_paired"]]) == [
        ("mean", "", None, None, False),
        ("variance", "", None, None, False),
        ("correlation", "method=pearson", None, "pearson", True),
        ("kl_divergence", "bins=10;smoothing=0.5", None, None, True),
        ("precision", "threshold=0.1", None, None, True),
        ("selection_rate", "standard=mean;method=larger", "mean", "larger", False),
    ]


def test_custom_statistics_and_disparities_are_rows_with_their_expressions(tmp_path, build):
    more = "analysis: {custom_statistics: {top: max(x)}, custom_disparities: {gap: max(value) - min(value)}}\n"
    tables = imported(tmp_path, build, more)
    assert rows(tables["statistics"][["statistic", "parameters", "expression"]])[-1] == ("top", "sql=max(x)", "max(x)")
    assert rows(tables["custom_disparities"]) == [("gap", '(max("value") - min("value"))')]


def test_statistics_that_are_asked_for_take_the_place_of_those(tmp_path, build):
    more = "analysis: {statistics: [median, skewness]}\n"
    statistics = imported(tmp_path, build, more)["statistics"]
    assert statistics["statistic"].tolist() == ["median", "skewness"]


@pytest.mark.parametrize("reference", ["rest", "grand_mean", "all_pairs"])
def test_every_grouping_has_its_reference(tmp_path, build, reference):
    tables = imported(tmp_path, build, f"analysis: {{reference: {reference}}}\n")
    assert rows(tables["grouping_references"]) == [
        ("gender", reference, None),
        ("gender x area", reference, None),
        ("area", reference, None),
    ]


LEVELS = "analysis: {reference: reference_level}\n"
TWO_REFERENCES = IMPORTED.replace("gender: {", "area: {reference: work}\n  gender: {")


def reference_levels(folder, connection, area):
    text = TWO_REFERENCES.replace("factors: {gender: {levels", "factors:\n  gender: {levels") + LEVELS
    return tables_of(folder, text, connection, gender=["man", "woman"], style=["plain"], area=area)


def test_a_reference_group_joins_the_reference_levels_of_its_factors(tmp_path, build):
    tables = reference_levels(tmp_path, build, ["work", "health"])
    assert rows(tables["grouping_references"]) == [
        ("gender", "level", "man"),
        ("gender x area", "level", "man x work"),
        ("area", "level", "work"),
    ]


def test_a_reference_group_that_no_prompt_is_of_is_an_error(refused, tmp_path, build):
    # man has the area health, woman has work: each level is there, their combination is not
    with refused(SourceError, "analysis.reference"):
        reference_levels(tmp_path, build, ["health", "work"])


def test_contrasts_are_those_that_are_asked_for(tmp_path, build):
    assert rows(imported(tmp_path, build)["contrasts"]) == []
    more = "analysis: {contrasts: [dbi, variance_difference]}\n"
    assert rows(imported(tmp_path, build, more)["contrasts"]) == [("dbi",), ("variance_difference",)]


def test_the_warehouse_takes_every_table(tmp_path, build):
    tables = imported(tmp_path, build, "slices: {each: area}\n")
    written = write_stage(build, "mine", "design", tables)
    assert written == {name: len(table) for name, table in tables.items()} | {"quarantine": 0}
    assert set(tables) == {
        "factors",
        "factor_levels",
        "slices",
        "slice_ids",
        "groupings",
        "grouping_references",
        "contrasts",
        "coverage_sets",
        "coverage_sizes",
        "impossible_cells",
        "subgroup_sets",
        "subgroup_ideals",
        "regressions",
        "regression_sets",
        "measure_slices",
        "statistics",
        "custom_disparities",
    }


def test_a_reference_that_no_prompt_has_is_an_error_that_names_both(refused, tmp_path, build):
    study = IMPORTED.replace("style: {type: prompt}", "style: {type: prompt, reference: polite}")
    levels = {"gender": ["man", "woman"], "style": ["plain"], "area": ["work", "health"]}
    with refused(SourceError, "factors.style.reference"):
        tables_of(tmp_path, study, build, **levels)


def test_an_error_lists_a_dozen_of_ten_thousand_levels(refused, tmp_path, build):
    names = [f"é{n}" for n in range(10_000)]
    with refused(SourceError, "factors.gender") as raised:
        imported(tmp_path, build, gender=names)
    assert len(str(raised.value)) < 500


REGRESSION = "analysis: {regressions: {why: {measure: refusal, factors: %s}}}\n"


def test_a_regression_has_a_row_for_each_of_its_factors_that_prompts_have(tmp_path, build):
    tables = imported(tmp_path, build, REGRESSION % "[area, model, gender, size]")
    assert rows(tables["regressions"]) == [("why", "all", "refusal", 2)]
    assert rows(tables["regression_sets"]) == [("why", "area", 0), ("why", "gender", 1)]


def test_a_reference_of_a_regression_that_no_prompt_has_is_an_error(refused, tmp_path, build):
    with refused(SourceError, "analysis.regressions.why.factors.area"):
        imported(tmp_path, build, REGRESSION % "{area: home}")


def test_a_factor_of_a_regression_that_all_prompts_have_one_level_of_is_an_error(refused, tmp_path, build):
    with refused(SourceError, "analysis.regressions.why.factors.style"):
        imported(tmp_path, build, REGRESSION % "[gender, style]")
