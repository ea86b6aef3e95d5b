"""The comparisons of generations and the bars of variance, as the page shows them."""

import pytest

from python_assets.report.comparisons import missing_sentence, who_moved
from tests.python_assets.report.conftest import small_study

PLACE = {"slice_id": "all", "measure_id": "sentiment", "calibration": "raw", "grouping_id": "concept"}
PAIR = {"system_id": "new", "reference_system_id": "old", "n_dropped": 0, "n_root_prompts": 2, "category": ""}
ATTACK = "<script>alert(1)</script>"


def change(comparison, group_id="", value=0.5, **others):
    row = {**PLACE, **PAIR, "comparison": comparison, "group_id": group_id, "value": value}
    return row | {"ci_low": value - 0.1, "ci_high": value + 0.1, "p_value": 0.01} | others


@pytest.fixture
def tables():
    """Two root prompts on two concepts, answered by both; Mali fell by 1 in r2 alone."""
    prompts, factors, responses, measurements = [], [], [], []
    for root in ("r1", "r2"):
        for concept in ("Mali", "Peru"):
            prompt_id = f"{root}_{concept}"
            prompts.append({"prompt_id": prompt_id, "root_prompt_id": root, "prompt_text": f"{concept} in {root}"})
            factors.append({"prompt_id": prompt_id, "factor": "concept", "level": concept})
            for system in ("new", "old"):
                fell = system == "new" and prompt_id == "r2_Mali"
                text = f"{system} of {prompt_id}{ATTACK}"
                key = {"system_id": system, "prompt_id": prompt_id, "replicate": 0}
                responses.append(key | {"response_id": f"{system}{prompt_id}", "response_text": text, "status": "ok"})
                measurements.append(key | {"measure_id": "sentiment", "value": -1.0 if fell else 0.0})
    constants = {
        "unit_id": "u",
        "is_root": False,
        "task": "question",
        "source_tag": "",
        "keyword": "",
        "document_id": "",
    }
    asked = {"family_id": "comparison", "q_value": 0.02, "verdict": "different"}
    return {
        "prompts": [row | constants for row in prompts],
        "prompt_factors": factors,
        "responses": responses,
        "measurements": [row | {"scorer_version": "1"} for row in measurements],
        "system_comparisons": [
            change("mean_change", value=-0.25, q_value=0.3, verdict="inconclusive", family_id="comparison"),
            change("groups_changed", value=0.5, **asked),
            change("group_change", "Mali", -0.5),
            change("group_change", "Peru", 0.0),
            change("disparity_change", "Mali", -0.5, **asked),
            change("disparity_change", "Peru", 0.5, **asked),
        ],
        "variance_components": [
            {
                "slice_id": "all",
                "measure_id": "sentiment",
                "grouping_id": "concept",
                "source": source,
                "position": at + 1,
            }
            | {"variance": share, "share": share, "n_levels": 2, "n_responses": 8}
            for at, (source, share) in enumerate({"group": 0.125, "root_prompt": 0.25, "rest": 0.625}.items())
        ],
    }


def test_a_change_is_shown_with_the_root_prompts_that_moved_most_and_both_answers(report, tables, snapshot):
    page = report(**tables)
    text = page.sections["comparisons"]
    assert page.blocks["comparisons"][1] == snapshot
    assert "q .02" in text
    # r2 moved, to the side of the change; the branch beside Mali is Peru
    moved, beside = text.index("new of r2_Mali"), text.index("new of r2_Peru")
    assert moved < text.index("old of r2_Mali") < beside < text.index("old of r2_Peru")
    # nothing changed in r1
    assert "new of r1_Mali" not in text


def test_of_many_changes_the_surest_are_shown_and_all_are_counted(report, tables):
    asked = {"family_id": "comparison", "verdict": "different"}
    later = [f"later {n}" for n in range(7)]
    tables["system_comparisons"] += [
        change("disparity_change", "Mali", q_value=0.03 + 0.001 * n, system_id=name, **asked)
        for n, name in enumerate(later)
    ]
    text = report(**tables).sections["comparisons"]
    shown, _, _ = text.partition("6 of 8 changes are shown, the surest first")
    assert shown != text
    assert [name in shown for name in later] == [True] * 5 + [False] * 2


def test_texts_are_escaped(report, tables):
    page = report(**tables)
    assert ATTACK in page.text
    assert len([tag for tag, _ in page.tags if tag == "script"]) == len(
        [tag for tag, _ in report().tags if tag == "script"]
    )


def test_a_table_has_the_change_of_every_group_with_its_interval(report, tables):
    text = report(**tables).sections["comparisons"]
    assert "Peru" in text
    assert "0.000" in text or "0" in text
    for number in ("−0.600", "−0.400"):
        assert number in text


def test_changed_log_odds_stand_below_their_table_with_interval_and_p_or_a_reason(report, tables):
    rows = [
        *tables["system_comparisons"],
        change("log_disparity_change", "Mali", -0.75, p_value=0.0625),
        change("log_disparity_change", "Peru", reason="rate_zero_or_one", inference_reason="unbounded")
        | dict.fromkeys(("value", "ci_low", "ci_high", "p_value")),
    ]
    text = report(**{**tables, "system_comparisons": rows}).sections["comparisons"]
    below = " ".join(text[text.index("How the log odds of each group changed") :].split())
    assert "Mali−0.750 [−0.850, −0.650] p .063" in below
    assert "Perurate zero or one" in below
    assert "no verdict of its own" in below


def test_a_measure_without_rates_has_no_log_odds_to_show(report, tables):
    assert "log odds" not in report(**tables).sections["comparisons"]


def test_no_change_is_no_statement_that_there_is_none(report, tables, snapshot):
    rows = [row | {"verdict": "inconclusive"} for row in tables["system_comparisons"]]
    page = report(**{**tables, "system_comparisons": rows})
    assert page.blocks["comparisons"][1] == snapshot


def test_the_variance_of_a_measure_is_one_bar_of_named_parts(report, tables):
    page = report(**tables)
    text = page.sections["variance"]
    assert "group 12.5 %, root prompt 25 %, rest 62.5 %" in text.replace("12.5 %", "12.5 %")
    widths = [float(a["width"]) for tag, a in page.tags if tag == "rect" and a["class"].startswith("part") and "x" in a]
    assert widths == [125, 250, 625]


def moved(group_id, value, verdict="different", because=None, **others):
    """A change of a group of a question that is called, against the groups that stay."""
    alone = {"value_alone": value, "ci_low_alone": value - 0.1, "ci_high_alone": value + 0.1}
    without = value if because else None
    row = change("disparity_change", group_id, value, verdict=verdict, explained_by=because, **alone)
    return row | {"value_without": without, "reason_alone": None} | others


CAMPS = {**dict.fromkeys(("value_alone", "ci_low_alone", "ci_high_alone")), "reason_alone": "no_majority_stays"}


def test_who_moved_is_told_by_name_where_most_groups_stay(snapshot):
    few = CAMPS | {"reason_alone": "too_few_root_prompts"}
    changed = {
        "two stand": [moved("Mali", -0.5, "beyond_margin"), moved("Peru", 0.3)],
        "one stands": [
            moved("Mali", -0.5),
            moved("Peru", 0.05, "inconclusive", "Mali"),
            moved("Chad", -0.02, "equivalent", "Mali"),
            moved("Oman", 0.01, "inconclusive"),
        ],
        "camps": [
            moved("Mali", -0.5, **CAMPS),
            moved("Peru", 0.4, **CAMPS),
            moved("Chad", 0.1, "inconclusive", **CAMPS),
        ],
        "few root prompts": [moved("Mali", -0.5, category="calm", **few)],
    }
    told = {name: who_moved([{"category": ""} | row for row in groups]) for name, groups in changed.items()}
    assert told == snapshot


def test_the_change_against_those_that_stay_is_shown_with_the_mean_of_all_prompts_above_it(report, tables, snapshot):
    rows = [row for row in tables["system_comparisons"] if row["comparison"] not in ("disparity_change", "mean_change")]
    asked = {"family_id": "comparison", "q_value": 0.02}
    rows += [
        change("mean_change", value=-0.25, verdict="different", **asked) | {"grouping_id": ""},
        moved("Mali", -0.75, **asked),
        moved("Peru", 0.0, "inconclusive", "Mali", **asked),
    ]
    page = report(**{**tables, "system_comparisons": rows})
    text, blocks = " ".join(page.sections["comparisons"].split()), page.blocks["comparisons"]
    second = next(i for i, block in enumerate(blocks) if block.endswith("Mali against the other groups that stay"))
    assert [blocks[1], *blocks[second : second + 3]] == snapshot
    assert "mean of all prompts−0.250 [−0.350, −0.150]" in text
    # r2 alone changed, in both of its prompts taken together
    assert "new of r2_Mali" in text[text.index(blocks[1]) :]


def gappy(group_id="Mali", value=0.5, **others):
    """A change that is shown, a fifth of whose answers are missing in the new generation."""
    row = moved(group_id, value, q_value=0.01, kind="continuous", refuses=False)
    shares = {"missing_share_a": 0.2, "missing_share_b": 0.0}
    return row | {"verdict_with_missing": row["verdict"], "tipping_shift": 2.0} | shares | others


def test_missing_answers_are_told_where_they_can_matter(snapshot):
    rows = [
        gappy(),
        gappy(value=-0.5, missing_share_b=0.1, verdict_with_missing="inconclusive"),
        gappy(kind="binary"),
        gappy("", kind="binary", tipping_shift=0.25),
        gappy(missing_share_a=0.0, tipping_shift=None, refuses=True),
        gappy(missing_share_a=0.01),
        gappy(missing_share_a=0.01, refuses=True),
        gappy(verdict_with_missing=None, missing_share_a=None, missing_share_b=None),
    ]
    told = [missing_sentence({"category": ""} | row) for row in rows]
    assert [bool(one) for one in told] == [True] * 5 + [False, True, False]
    assert told == snapshot


def test_what_is_missing_stands_beside_the_change(report, tables):
    rows = [row for row in tables["system_comparisons"] if row["comparison"] != "disparity_change"]
    shown = {name: value for name, value in gappy().items() if name not in ("kind", "refuses")}
    rows += [shown | {"family_id": "comparison"}]
    page = report(**{**tables, "system_comparisons": rows})
    assert "on average 2 lower than" in page.blocks["comparisons"][4]


@pytest.mark.parametrize(("look", "q"), [(2, 0.002), (3, 0.2)])
def test_the_look_at_which_a_change_was_significant_is_told(report, tables, look, q, snapshot):
    significant = {"q_value": q, "significant_at_look": 2, "family_id": "comparison"}
    rows = [*(row for row in tables["system_comparisons"] if row["comparison"] != "disparity_change")]
    rows += [moved("Mali", -0.75, **significant)]
    of_look = {"look": look, "n_looks": 3, "significance_level": 0.033}
    studies = [study | of_look for study in small_study(is_simulated=True)["studies"]]
    page = report(**{**tables, "system_comparisons": rows, "studies": studies})
    assert [one for one in page.blocks["comparisons"] if "look 2 of 3" in one] == snapshot
    once = " ".join(report(**{**tables, "system_comparisons": rows}).sections["comparisons"].split())
    assert "Called at look" not in once
