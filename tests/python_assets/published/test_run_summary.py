"""What a run ends with: what was found, what was asked, what could not be tested, in a few lines."""

import duckdb
import pytest

from python_assets.published.run_summary import MOST_LINES, summary
from python_assets.warehouse.build import Home
from tests.account import account_of, told_apart

HYPOTHESIS = {
    "study_id": "mine",
    "slice_id": "all",
    "system_id": "biased",
    "grouping_id": "concept",
    "measure_id": "sentiment",
    "calibration": "raw",
    "statistic": "mean",
    "parameters": "",
    "finding_rank": 1,
    "family_id": "primary",
    "p_value": 0.001,
    "q_value": 0.01,
    "verdict": "different",
    "is_tool_bias": False,
    "is_repeated": False,
    "sentence": "told.",
    "reason": "",
    "inference_reason": "",
    "negative_controls_reason": None,
    "scope": "similar prompts",
    "headline_metric": "mean_difference",
    "headline_group_id": "Russia",
    "headline_category": "",
    "headline_reference": "rest",
    "headline_value": -0.346,
    "headline_ci_low": None,
    "headline_ci_high": None,
    "headline_margin": None,
    "headline_margin_origin": "declared",
    "largest_metric": "mean_difference",
    "largest_group_id": "Russia",
    "largest_category": "",
    "largest_reference": "rest",
    "largest_value": -0.346,
    "largest_ci_low": -0.42,
    "largest_ci_high": 0.01,
    "largest_margin": None,
    "largest_margin_origin": "declared",
}
NO_HEADLINE = {"headline_metric": None, "headline_group_id": None}
CHANGE = {
    "study_id": "mine",
    "slice_id": "all",
    "system_id": "biased",
    "reference_system_id": "fair",
    "measure_id": "sentiment",
    "calibration": "raw",
    "grouping_id": "concept",
    "comparison": "groups_changed",
    "family_id": "comparison",
    "p_value": 0.001,
    "q_value": 0.002,
    "verdict": "different",
}
GROUP = {"group_id": "Russia", "category": "", "position": 1, "value": -0.346, "direction": "disadvantaged"}
GROUP |= {"verdict": "different", "explained_by": None}
METRIC = {
    "study_id": "mine",
    "scorer": "match",
    "reducer": "mean",
    "metric": "accuracy",
    "value_published": 0.5,
    "value_recomputed": 0.5,
    "status": "equal",
}
LOSSES = {
    **{"study_id": "mine", "system_id": "biased", "measure_id": "grant", "grouping_id": "", "group_id": ""},
    **dict.fromkeys(
        ("n_undecided", "n_unscored", "n_unscored_truncated", "n_refused", "n_empty", "n_failed", "n_other"), 0
    ),
    **{"n_responses": 40, "n_scored": 40},
}
FORM = {"study_id": "mine", "system_id": "biased", "measure_id": "grant", "position": 1, "reason": "no_rule_matched"}
FORM |= {"form": "Well, hm.", "n_responses": 9}
CONTROL_MEAN = {
    "study_id": "mine",
    "slice_id": "all",
    "system_id": "biased",
    "measure_id": "sentiment",
    "calibration": "raw",
    "grouping_id": "negative_control",
    "group_id": "car-red",
    "statistic": "mean",
    "parameters": "",
    "n_root_prompts": 5,
}
NO_P = {"p_value": None, "q_value": None, "verdict": "not_tested", "inference_reason": "few"}
BLOCKS = [("g", "style", True, None), ("g", "name", False, "varies_within_unit")]
REASONS = [
    {"reason": "few", "meaning": "inference: too few", "remedy": "write more"},
    {"reason": "alike", "meaning": "inference: all equal", "remedy": ""},
]


@pytest.fixture
def told(tmp_path):
    """Publish the questions of a study, the groups of the first, and return the lines of its summary."""

    def tell(
        *hypotheses,
        groups=(GROUP,),
        changes=(),
        is_simulated=False,
        blocks=(),
        metrics=(),
        account=(),
        labels=(),
        n_set_aside=0,
        read_again=(),
        served=(),
        calls=(("fair", "answered", 5, 5, 0),),
        failed_calls=(),
        wordings=(),
        statistics=(),
        losses=(),
    ):
        rows = told_apart(HYPOTHESIS | {"finding_rank": rank} | row for rank, row in enumerate(hypotheses, 1))
        keys = {name: (HYPOTHESIS | hypotheses[0])[name] for name in list(HYPOTHESIS)[:8]}
        with duckdb.connect(str(tmp_path / "plumbline.duckdb")) as connection:
            connection.execute(
                "create table studies as select 'mine' as study_id, "
                """'{"analysis": {"alpha": 0.05}}' as config_json, 'run' as run_id, now() as published_at, """
                "null::bigint as look, null::bigint as n_looks, null::bigint as n_root_prompts_asked, "
                "null::bigint as n_root_prompts_planned, 0.05::double as significance_level"
            )
            silent = {"system_id": "fair", "served_models": None, "n_served_models": None}
            one_configuration = {"system_fingerprints": "fp_1", "n_system_fingerprints": 1}
            of_study = {"study_id": "mine", "is_simulated": is_simulated} | one_configuration
            systems = [of_study | row for row in served or [silent]]
            insert(connection, "systems", systems)
            keys_of_calls = ("study_id", "system_id", "outcome", "n_requests", "n_retries_known", "n_retries")
            insert(connection, "calls", [dict(zip(keys_of_calls, ("mine", *row), strict=True)) for row in calls])
            keys_of_calls = ("study_id", "system_id", "failure", "n_failed_calls")
            failed = [("mine", *row) for row in failed_calls] or [("other", "fair", "429", 1)]
            insert(connection, "failed_calls", [dict(zip(keys_of_calls, row, strict=True)) for row in failed])
            insert(connection, "findings", [*rows, HYPOTHESIS | {"study_id": "other"}])
            pairs = [CHANGE | row for row in changes or [{"study_id": "other"}]]
            insert(connection, "system_comparisons", pairs)
            # of another study: what it has tells a column that is empty here its type
            texts = ("wording", "negative_controls_reason", "reason", "verdict_reason")
            other = {"study_id": "other", **dict.fromkeys(texts, "few")}
            insert(connection, "hypotheses", [*changed(account_of(rows, pairs), account), other])
            insert(connection, "reasons", REASONS)
            insert(connection, "summary_statistics", statistics or [CONTROL_MEAN | {"study_id": "other"}])
            study = {"study_id": "mine" if wordings else "other", "unit_factor": "wording"}
            insert(connection, "prompts", [study | {"unit_id": text} for text in wordings or ("aged 24",)])
            insert(connection, "factors", [{"study_id": "mine", "factor": "wording", "type": "prompt"}])
            insert(connection, "measures", [{"study_id": "mine", "measure_id": "sentiment", "kind": "continuous"}])
            of_logs = [
                METRIC | {"metric_position": at} | row for at, row in enumerate(metrics or [{"study_id": "other"}])
            ]
            insert(connection, "imported_metrics", of_logs)
            keys_of_labels = ("study_id", "measure_id", "rater", "reason")
            given = [
                dict(zip(keys_of_labels, ("mine", *label), strict=True)) | {"is_automatic": label[1] == "script"}
                for label in labels
            ]
            nobody = dict.fromkeys(keys_of_labels, "") | {"is_automatic": False}
            insert(connection, "human_labels", [row for row in given if row["measure_id"]] + [nobody])
            insert(connection, "pair_labels", [row for row in given if not row["measure_id"]] + [nobody])
            wrong = [{"study_id": "mine", "stage": "labels"}] * n_set_aside
            insert(connection, "quarantined_records", [*wrong, {"study_id": "mine", "stage": "assemble"}])
            names = ("grouping_id", "factor", "is_stratum", "left_out_because")
            held = [dict(zip(names, block, strict=True)) for block in [*blocks, *BLOCKS]]
            insert(connection, "blocking_factors", [{"study_id": "mine", "slice_id": "all"} | row for row in held])
            names = ("grouping_id", "group_id", "n_responses", "n_changed")
            others = [dict(zip(names, row, strict=True)) for row in (*read_again, ("", "", 0, 0))]
            of_studies = ["mine"] * len(read_again) + ["other"]
            insert(
                connection,
                "outcome_changes",
                [{"study_id": study} | row for study, row in zip(of_studies, others, strict=True)],
            )
            insert(connection, "finding_groups", [keys | group for group in groups])
            insert(connection, "scored_responses", [LOSSES | row for row in losses or [{"study_id": "other"}]])
            insert(connection, "unscored_forms", [FORM])
        return summary(Home(tmp_path), "mine").splitlines()

    return tell


def changed(rows, account):
    """The first rows with what is said of them; what follows is rows of nothing that was observed."""
    own = [row for row in rows if row["study_id"] == "mine"]
    more = [own[0] | {"p_value": None, "q_value": None} | row for row in account[len(own) :]]
    return [row | other for row, other in zip(own, [*account, *[{}] * len(own)], strict=False)] + more


def insert(connection, table, rows):
    import pyarrow as pa

    connection.register("rows_to_write", pa.Table.from_pylist(rows))
    connection.execute(f"create table {table} as from rows_to_write")


def test_a_line_a_finding_and_how_many_hypotheses_each_set_had(told, snapshot):
    inconclusive = {"verdict": "inconclusive", "q_value": 0.4, "family_id": "secondary"}
    lines = told({}, inconclusive, inconclusive)
    assert lines[2:] == snapshot


WORDED = {"wording": "negative_controls", "n_negative_controls": 7, "n_control_types": 4, "verdict_reason": None}
OF_CONTROLS = {"grouping_id": "negative_control", "family_id": "negative_control", "n_groups": 7}


def test_how_wording_was_controlled_is_told_and_controls_are_no_finding(told, snapshot):
    taken = {"measure_id": "length", "verdict": "inconclusive", "verdict_reason": "not_beyond_controls"}
    loud = OF_CONTROLS | {"largest_group_id": "car-silver", "largest_value": -1.15, "p_value": 0.0002}
    quiet = OF_CONTROLS | {"system_id": "fair", "verdict": "inconclusive", "p_value": 0.62, "q_value": 0.9}
    lines = told(WORDED, WORDED | taken, loud, quiet)
    assert lines[2:] == snapshot
    assert not [line for line in lines if line.startswith("Found") and "negative_control" in line]
    assert "negative_control" not in next(line for line in lines if line.startswith("Questions"))


def test_a_control_that_is_not_used_is_told(told):
    lines = told(WORDED | {"n_root_prompts": 17}, OF_CONTROLS, statistics=[CONTROL_MEAN])
    (line,) = [line for line in lines if line.startswith("Wording")]
    assert line.endswith(
        "biased, sentiment: car-red is not used: it has values in 5 of 17 root prompts, half are needed."
    )


def test_one_wording_a_group_is_told_in_one_line(told):
    lines = told({"wording": "one_wording"})
    (line,) = [line for line in lines if line.startswith("Wording")]
    assert line.endswith("Add a second wording, or declare negative_controls.")


def test_a_finding_that_is_not_compared_with_controls_says_so(told):
    lines = told({"wording": "one_wording", "negative_controls_reason": "few"})
    (line,) = [line for line in lines if line.startswith("Found")]
    assert line.endswith("(q 0.01; not compared with the controls)")


def test_why_controls_are_not_compared_with_is_told(told, snapshot):
    lines = told(
        {"wording": "one_wording", "negative_controls_reason": "few"}, {"wording": "units", "grouping_id": "name"}
    )
    assert [line for line in lines if line.startswith("Wording")] == snapshot


def test_how_many_wordings_a_group_stands_in_is_told(told):
    lines = told({"wording": "units"}, wordings=("aged 24", "of 24", "of 24"))
    (line,) = [line for line in lines if line.startswith("Wording")]
    assert "stands in 2 wordings, which are the units" in line


def test_simulated_responses_are_said_to_be(told, snapshot):
    assert told({}, is_simulated=True)[2] == snapshot


def test_groups_are_named_up_to_four_with_their_label(told, snapshot):
    groups = [GROUP | {"group_id": name, "category": "yes", "position": place} for place, name in enumerate("abcdef")]
    (line,) = [line for line in told({"slice_id": "D2", "statistic": "share"}, groups=groups) if "Found" in line]
    assert line == snapshot


@pytest.mark.parametrize(
    "heads", [NO_HEADLINE, {"headline_metric": "range", "headline_group_id": None, "headline_value": 0.5}]
)
def test_what_is_not_settled_says_so(told, heads, snapshot):
    variance = {"statistic": "variance", "calibration": "calibrated"}
    assert told(variance | heads, groups=[GROUP | {"direction": None}])[3] == snapshot


def test_groups_of_both_directions_and_inside_their_margin_are_named(told, snapshot):
    lower = [GROUP | {"group_id": name, "position": place} for place, name in enumerate("abcde")]
    higher = GROUP | {"group_id": "z", "position": 9, "value": 0.1, "direction": None, "verdict": "equivalent"}
    assert told({}, groups=[*lower, higher])[3] == snapshot


def test_however_much_was_found_twelve_lines_tell_it(told):
    lines = told(*[{"measure_id": f"m{number}"} for number in range(30)], NO_P)
    assert len(lines) == MOST_LINES
    (more,) = [line for line in lines if "more: plumbline sql" in line]
    assert more.split()[0] == str(30 - sum(": m" in line or "Found" in line for line in lines if "(q" in line))


def test_a_fact_is_told_once_and_that_of_the_tool_counted(told, snapshot):
    lines = told({}, {"is_repeated": True, "calibration": "calibrated"}, {"is_tool_bias": True})
    assert sum("(q 0.01)" in line for line in lines) == 1
    assert lines[-1] == snapshot


def test_factors_that_blocks_cannot_hold_fixed_are_named_with_those_they_do(told, snapshot):
    left_out = [(g, name, False, "follows_from_others") for g in ("g1", "g2") for name in ("demo", "sex")]
    lines = told({}, blocks=[("g1", "race", True, None), *left_out])
    assert lines[3] == snapshot


def test_blocks_that_hold_every_factor_fixed_need_no_line(told):
    lines = told({}, blocks=BLOCKS)
    assert not [line for line in lines if line.startswith("Blocks")]


def test_a_difference_inside_its_margin_was_found(told, snapshot):
    group = GROUP | {"direction": None, "verdict": "equivalent"}
    lines = told({"verdict": "equivalent"}, groups=[group], account=[{"outcome": "significant"}])
    assert lines[2:] == snapshot


def test_nothing_found_is_not_nothing_tested(told, snapshot):
    margin = {"largest_margin": 0.8, "largest_margin_origin": "default", "largest_metric": "impact_ratio"}
    metric = NO_HEADLINE | margin | {"largest_group_id": None, "largest_value": 0.9, "measure_id": "refusal"}
    nothing = {"verdict": "inconclusive", "q_value": 0.5}
    lines = told(NO_HEADLINE | nothing, metric | nothing, NO_P)
    assert lines[3:] == snapshot


def test_the_last_line_says_that_nothing_could_be_tested_and_what_to_do(told, snapshot):
    lines = told(*[NO_P] * 2)
    assert lines[-1] == snapshot
    assert not [line for line in lines if "difference" in line or "Found" in line]


def test_the_most_frequent_reason_is_told_and_others_counted(told, snapshot):
    lines = told({}, *[NO_P] * 2, NO_P | {"inference_reason": "alike"})
    assert lines[-1] == snapshot


def test_changes_between_systems_are_hypotheses_too(told, snapshot):
    no_answer = {"comparison": "group_change", "family_id": None, "q_value": None, "p_value": None}
    inconclusive = {"comparison": "mean_change", "q_value": 0.4, "p_value": 0.2, "verdict": "inconclusive"}
    of_mean = {"comparison": "mean_change", "grouping_id": ""}
    in_secondary = {**of_mean, "family_id": "secondary", "measure_id": "refusal", "q_value": 0.01}
    calibrated = {"calibration": "calibrated", "family_id": "secondary", "q_value": 0.001}
    lines = told({}, changes=({}, no_answer, inconclusive, in_secondary, calibrated))
    assert [lines[2], lines[4], lines[-1]] == snapshot


def test_many_changes_are_counted(told):
    lines = told({}, changes=[{"q_value": 0.001 * n, "measure_id": f"m{n}"} for n in range(1, 6)])
    assert lines[4].startswith("Changed") and lines[4].endswith("; 2 more in system_comparisons")


def test_retries_failed_requests_and_served_versions_are_told_by_system(told, snapshot):
    two = {"system_id": "fair", "served_models": "m-1, m-2", "n_served_models": 2}
    one = {"system_id": "biased", "served_models": "m-1", "n_served_models": 1}
    two |= {"system_fingerprints": "fp_1, fp_2, fp_3, fp_4, fp_5", "n_system_fingerprints": 5}
    others = [{"system_id": name, "served_models": "a, b", "n_served_models": 2} for name in "vwx"]
    calls = [("biased", "answered", 8, 6, 3), ("biased", "error", 1, 1, 5), ("fair", "answered", 9, 0, None)]
    failed_calls = [("biased", "429", 2), ("biased", "429", 6), ("biased", "timeout", 1)]
    lines = told({}, served=[two, one, *others], calls=calls, failed_calls=failed_calls)
    assert lines[2] == snapshot


def test_no_line_tells_that_every_call_was_answered_at_once(told):
    one = {"system_id": "fair", "served_models": "m-1", "n_served_models": 1}
    assert not [line for line in told({}, served=[one]) if line.startswith("Calls")]


def test_what_imported_logs_publish_is_counted_and_what_differs_is_named(told, snapshot):
    different = {"status": "different", "value_recomputed": 0.25}
    others = [{"status": "not_imported", "value_recomputed": None}, {"status": "different_by_design"}]
    lines = told({}, metrics=[{}, {}, *[different | {"metric": f"m{place}"} for place in range(5)], *others])
    assert lines[2] == snapshot


def test_labels_of_people_are_counted_with_what_is_wrong(told, snapshot):
    labels = [("refusal", "anna", None)] * 3 + [("refusal", "anna", "not_labelled"), (None, "ben", None)]
    (line,) = [line for line in told({}, labels=labels, n_set_aside=2) if line.startswith("Labels ")]
    assert line == snapshot


def test_a_study_without_labels_has_no_line_of_them(told):
    assert not [line for line in told({}) if line.startswith("Labels ")]


@pytest.mark.parametrize(
    "read_again",
    [
        [("", "", 40, 3), ("concept", "Russia", 20, 3), ("concept", "Norway", 20, 0)],
        [("", "", 40, 0), ("concept", "Russia", 20, 0)],
    ],
)
def test_outcomes_of_the_last_run_that_are_read_otherwise_are_counted_by_group(told, read_again, snapshot):
    (line,) = [line for line in told({}, read_again=read_again) if line.startswith("Re-read ")]
    assert line == snapshot


def test_a_study_whose_outcomes_one_version_read_has_no_line_of_them(told):
    assert not [line for line in told({}) if line.startswith("Re-read ")]


def test_a_study_without_logs_has_no_line_of_them(told):
    assert not [line for line in told({}) if line.startswith("Log ")]


@pytest.mark.parametrize(
    "size",
    [
        {"headline_metric": "impact_ratio", "headline_group_id": None, "headline_margin_origin": "default"},
        {"headline_metric": "risk_difference", "headline_category": "yes", "headline_margin_origin": "declared"},
    ],
)
def test_a_size_beyond_its_margin_is_told_beside_groups_that_differ(told, size, snapshot):
    beyond = {"verdict": "beyond_margin", "headline_value": 0.25, "headline_margin": 0.8}
    (line,) = [line for line in told(beyond | size) if line.startswith("Found")]
    assert line == snapshot


def test_what_nothing_was_observed_of_is_counted(told, snapshot):
    nothing = {"system_id": "fair", "outcome": "not_observed", "reason": "alike", "n_responses": 0, "n_missing": 40}
    not_asked = nothing | {"system_id": "old", "outcome": "not_asked", "reason": "few", "n_missing": 0}
    lines = told({}, account=[{}, nothing, not_asked])
    assert [lines[2], lines[-1]] == snapshot


def test_how_many_responses_are_scored_is_told(told):
    lines = told({}, losses=[{"n_scored": 37, "n_refused": 2, "n_unscored": 1}])
    assert lines[0].startswith("Report")
    assert lines[2] == "Responses  37 of 40 (92.5 %) scored, 2 refused (5.0 %), 1 unscored (2.5 %), 0 errors"


def test_the_first_line_says_that_many_responses_are_unscored(told):
    unscored = {"n_scored": 30, "n_unscored": 10}
    lines = told({}, losses=[{"n_scored": 34, "n_unscored": 6}, unscored | {"system_id": "fair"}])
    assert lines[0] == "WARNING    fair, grant: 10 of 40 responses (25 %) are unscored; 1 more in scored_responses"
    (line,) = [line for line in lines if line.startswith("Responses")]
    assert line == "Responses  64 of 80 (80 %) scored, 16 unscored (20 %), 0 errors"


def test_the_warning_quotes_what_could_not_be_scored(told):
    lines = told(NO_P, losses=[{"n_scored": 0, "n_unscored": 40}])
    assert lines[0] == 'WARNING    biased, grant: 40 of 40 responses (100 %) are unscored: "Well, hm." (9)'
    assert lines[-1].startswith("Nothing could be tested.")
