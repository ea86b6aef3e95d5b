"""What a run ends with: what was found, what was asked, what could not be tested, in a few lines."""

import duckdb
import pytest

from python_assets.published.run_summary import MOST_LINES, summary
from python_assets.warehouse.build import Home
from tests.account import account_of, told_apart

QUESTION = {
    "study_id": "mine",
    "slice_id": "all",
    "generation_id": "biased",
    "grouping_id": "concept",
    "measure_id": "sentiment",
    "calibration": "raw",
    "statistic": "mean",
    "parameters": "",
    "finding_rank": 1,
    "set_id": "primary",
    "p_value": 0.001,
    "q_value": 0.01,
    "verdict": "difference_shown",
    "is_tool_bias": False,
    "is_repeated": False,
    "sentence": "told.",
    "reason": "",
    "inference_reason": "",
}
CHANGE = {
    "study_id": "mine",
    "slice_id": "all",
    "generation_a_id": "biased",
    "generation_b_id": "fair",
    "measure_id": "sentiment",
    "calibration": "raw",
    "grouping_id": "concept",
    "comparison": "groups_moved",
    "set_id": "comparison",
    "p_value": 0.001,
    "q_value": 0.002,
    "verdict": "difference_shown",
}
GROUP = {"group_id": "Russia", "category": "", "position": 1, "value": -0.346, "direction": "disadvantaged"}
METRIC = {
    "study_id": "mine",
    "scorer": "match",
    "reducer": "mean",
    "metric": "accuracy",
    "value_published": 0.5,
    "value_recomputed": 0.5,
    "status": "equal",
}
NO_P = {"p_value": None, "q_value": None, "verdict": "not_computable", "inference_reason": "few"}
BLOCKS = [("g", "style", True, None), ("g", "name", False, "varies_within_unit")]
REASONS = [
    {"reason": "few", "meaning": "inference: too few", "remedy": "write more"},
    {"reason": "alike", "meaning": "inference: all equal", "remedy": ""},
]


@pytest.fixture
def told(tmp_path):
    """Publish the questions of a study, the groups of the first, and return the lines of its summary."""

    def tell(
        *questions,
        groups=(GROUP,),
        changes=(),
        is_simulated=False,
        blocks=(),
        metrics=(),
        account=(),
        labels=(),
        n_set_aside=0,
    ):
        rows = told_apart(QUESTION | {"finding_rank": rank} | row for rank, row in enumerate(questions, 1))
        keys = {name: (QUESTION | questions[0])[name] for name in list(QUESTION)[:8]}
        with duckdb.connect(str(tmp_path / "plumbline.duckdb")) as connection:
            connection.execute(
                "create table studies as select 'mine' as study_id, "
                """'{"analysis": {"alpha": 0.05}}' as config_json, 'run' as run_id, now() as published_at, """
                "null::bigint as look, null::bigint as n_looks, null::bigint as n_root_prompts_asked, "
                "null::bigint as n_root_prompts_planned, 0.05::double as level"
            )
            connection.execute(
                "create table generations as select 'mine' as study_id, $1 as is_simulated", [is_simulated]
            )
            insert(connection, "findings", rows)
            pairs = [CHANGE | row for row in changes or [{"study_id": "other"}]]
            insert(connection, "generation_comparisons", pairs)
            insert(connection, "questions", changed(account_of(rows, pairs), account))
            insert(connection, "reasons", REASONS)
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
            names = ("grouping_id", "factor", "is_held", "left_out_because")
            held = [dict(zip(names, block, strict=True)) for block in [*blocks, *BLOCKS]]
            insert(connection, "blocking_factors", [{"study_id": "mine", "slice_id": "all"} | row for row in held])
            insert(connection, "finding_groups", [keys | group for group in groups])
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


def test_a_line_a_finding_and_how_many_questions_each_set_had(told):
    inconclusive = {"verdict": "inconclusive", "q_value": 0.4, "set_id": "secondary"}
    lines = told({}, inconclusive, inconclusive)
    assert lines[2:] == [
        "Questions  primary: 1 question, 1 called different (at most 0.05 expected to be false); "
        "secondary: 2 questions, 0 called different, 2 open",
        "Found      biased: sentiment by concept: Russia -0.346 (q 0.01)",
        "Else       2 questions open, neither a difference shown nor one ruled out",
    ]


def test_simulated_responses_are_said_to_be(told):
    assert told({}, is_simulated=True)[2] == "Simulated responses: this says nothing about a real model."


def test_groups_are_named_up_to_four_with_their_label(told):
    groups = [GROUP | {"group_id": name, "category": "yes", "position": place} for place, name in enumerate("abcdef")]
    (line,) = [line for line in told({"slice_id": "D2", "statistic": "share"}, groups=groups) if "Found" in line]
    assert 'sentiment by concept in D2: a "yes" -0.346, b "yes" -0.346, c' in line
    assert line.endswith("2 more (q 0.01)")


def test_what_is_not_settled_says_so(told):
    line = told({"statistic": "variance", "calibration": "calibrated"}, groups=[GROUP | {"direction": None}])[3]
    assert line.endswith(
        "biased: variance of calibrated sentiment by concept: groups differ; which is not settled (q 0.01)"
    )


def test_however_much_was_found_twelve_lines_tell_it(told):
    lines = told(*[{"measure_id": f"m{number}"} for number in range(30)], NO_P)
    assert len(lines) == MOST_LINES
    (more,) = [line for line in lines if "more: plumbline sql" in line]
    assert more.split()[0] == str(30 - sum(": m" in line or "Found" in line for line in lines if "(q" in line))


def test_a_fact_is_told_once_and_that_of_the_tool_counted(told):
    lines = told({}, {"is_repeated": True, "calibration": "calibrated"}, {"is_tool_bias": True})
    assert sum("(q 0.01)" in line for line in lines) == 1
    assert lines[-1].endswith("; 1 called that repeat what is told above; 1 called about the measuring tool")


def test_factors_that_blocks_cannot_hold_fixed_are_named_with_those_they_do(told):
    left_out = [(g, name, False, "follows_from_others") for g in ("g1", "g2") for name in ("demo", "sex")]
    lines = told({}, blocks=[("g1", "race", True, None), *left_out])
    assert lines[3] == (
        "Blocks     g1: within race (demo, sex left out as redundant); "
        "g2: nothing held fixed (demo, sex left out as redundant)"
    )


def test_blocks_that_hold_every_factor_fixed_need_no_line(told):
    lines = told({}, blocks=BLOCKS)
    assert not [line for line in lines if line.startswith("Blocks")]


def test_nothing_found_is_not_nothing_tested(told):
    lines = told({"verdict": "inconclusive", "q_value": 0.5}, NO_P)
    assert "Found      no question of a generation was called different" in lines
    assert lines[-1] == "Untested   1 question: too few; write more"


def test_the_last_line_says_that_nothing_could_be_tested_and_what_to_do(told):
    lines = told(*[NO_P] * 2)
    assert lines[-1] == "Nothing could be tested. 2 questions: too few; write more"
    assert not [line for line in lines if "difference" in line or "Found" in line]


def test_the_most_frequent_reason_is_told_and_others_counted(told):
    lines = told({}, *[NO_P] * 2, NO_P | {"inference_reason": "alike"})
    assert lines[-1] == "Untested   3 questions: too few; write more (2; 1 other reason)"


def test_changes_between_generations_are_questions_too(told):
    no_answer = {"comparison": "group_change", "set_id": None, "q_value": None, "p_value": None}
    inconclusive = {"comparison": "mean_change", "q_value": 0.4, "p_value": 0.2, "verdict": "inconclusive"}
    of_mean = {"comparison": "mean_change", "grouping_id": ""}
    in_secondary = {**of_mean, "set_id": "secondary", "measure_id": "refusal", "q_value": 0.01}
    calibrated = {"calibration": "calibrated", "set_id": "secondary", "q_value": 0.001}
    lines = told({}, changes=({}, no_answer, inconclusive, in_secondary, calibrated))
    assert lines[2].endswith(
        "; comparison: 2 questions, 1 called different (at most 0.05 expected to be false), 1 open; "
        "secondary: 2 questions, 2 called different (at most 0.1 expected to be false)"
    )
    assert lines[4] == (
        "Changed    biased against fair: groups moved in sentiment by concept (q 0.002); "
        "biased against fair: mean of refusal (q 0.01)"
    )
    assert lines[-1].endswith("; 1 called that repeat what is told above")


def test_many_changes_are_counted(told):
    lines = told({}, changes=[{"q_value": 0.001 * n, "measure_id": f"m{n}"} for n in range(1, 6)])
    assert lines[4].startswith("Changed") and lines[4].endswith("; 2 more in generation_comparisons")


def test_what_imported_logs_publish_is_counted_and_what_differs_is_named(told):
    different = {"status": "different", "value_recomputed": 0.25}
    others = [{"status": "not_imported", "value_recomputed": None}, {"status": "different_by_design"}]
    lines = told({}, metrics=[{}, {}, *[different | {"metric": f"m{place}"} for place in range(5)], *others])
    assert lines[2] == (
        "Log        9 metrics of the log: 2 equal, WARNING: 5 different (match mean m0 0.25 for 0.5, "
        "match mean m1 0.25 for 0.5, match mean m2 0.25 for 0.5, 2 more), 1 different by design, 1 not imported "
        "(table imported_metrics)"
    )


def test_labels_of_people_are_counted_with_what_is_wrong(told):
    labels = [("refusal", "anna", None)] * 3 + [("refusal", "anna", "not_labelled"), (None, "ben", None)]
    (line,) = [line for line in told({}, labels=labels, n_set_aside=2) if line.startswith("Labels ")]
    assert line == (
        "Labels     3 of refusal by anna, 1 of pairs of prompts by ben; 1 row without one; "
        "2 wrong, in quarantined_records"
    )


def test_a_study_without_labels_has_no_line_of_them(told):
    assert not [line for line in told({}) if line.startswith("Labels ")]


def test_a_study_without_logs_has_no_line_of_them(told):
    assert not [line for line in told({}) if line.startswith("Log ")]


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ({"strongest_size": "impact_ratio"}, "impact ratio"),
        (
            {"strongest_size": "risk_difference", "strongest_group_id": "Russia", "strongest_category": "yes"},
            'risk difference of Russia "yes"',
        ),
    ],
)
def test_a_size_beyond_its_margin_is_told_beside_groups_that_differ(told, size, words):
    beyond = {"strongest_verdict": "bias_shown", "strongest_value": 0.25, "strongest_margin": 0.8}
    (line,) = [line for line in told({}, account=[beyond | size]) if line.startswith("Found")]
    assert line.endswith(f"Russia -0.346 (q 0.01; {words} 0.25, beyond its margin of 0.8)")


def test_what_nothing_was_observed_of_is_counted_and_a_model_without_a_readable_answer_is_named(told):
    nothing = {"generation_id": "fair", "outcome": "not_observed", "reason": "alike", "n_responses": 0, "n_missing": 40}
    not_asked = nothing | {"generation_id": "old", "outcome": "not_asked", "reason": "few", "n_missing": 0}
    lines = told({}, account=[{}, nothing, not_asked])
    assert lines[2] == (
        "Questions  primary: 3 questions, 1 called different (at most 0.05 expected to be false), "
        "1 not observed, 1 not asked"
    )
    assert lines[-2] == "Untested   2 questions: all equal (1; 1 other reason)"
    assert lines[-1] == "Unread     fair: sentiment could not be read in any of its 40 answers: all equal"
