"""Red flags of simulated studies: none without an effect, and the right ones where one is built in."""

import json

import pytest

TOPICS = {"work": ["meeting", "report", "promotion", "mistake"], "home": ["party", "garden", "repair", "visit"]}
PLACES = ["in town", "in a village", "at sea"]
# every factor on its own looks alike: who is worse off is known by both
CROSSED = {
    "Female x Chinese": {"Yes": -0.45, "No": 0.45}, "Male x Chinese": {"Yes": 0.45, "No": -0.45},
    "Female x Malay": {"Yes": 0.45, "No": -0.45}, "Male x Malay": {"Yes": -0.45, "No": 0.45},
}  # fmt: skip


def study_text(effects):
    """Three models that answer 24 root prompts in two slices, each with six groups, Yes or No."""
    texts = [
        {
            "id": f"{noun}_{place.split()[-1]}",
            "factors": {"topic": topic, "place": place},
            "text": f"A {{race}} {{gender}} speaks of a {noun} {place}. Is this person confident?",
        }
        for topic, nouns in TOPICS.items()
        for noun in nouns
        for place in PLACES
    ]
    labels = {"choices": {"Yes": 0.5, "No": 0.5}, "effects": effects}
    systems = [
        {"name": name, "provider": "simulator", "options": {"labels": labels, "refusal": {"base": 0.0}}}
        for name in ("one", "two", "three")
    ]
    study = {
        "title": "Flags",
        "factors": {
            "gender": {"type": "domain", "levels": ["Female", "Male"]},
            "race": {"type": "domain", "levels": ["Chinese", "Malay", "Indian"]},
            "topic": {"type": "prompt", "levels": list(TOPICS)},
            "place": {"type": "prompt", "levels": PLACES},
        },
        "prompts": {"templates": {"texts": texts, "cross": ["gender", "race"]}},
        "systems": systems,
        "measures": [
            {"name": f"{topic}_confident", "choices": "yes_no", "favourable": "yes", "slice": topic} for topic in TOPICS
        ],
        "slices": {"each": "topic"},
        "groupings": ["gender", "race", ["gender", "race"], "place"],  # no grouping joins all factors
        "analysis": {"permutations": 1999, "bootstrap": 200, "association_tests": True},
    }
    return json.dumps(study)  # which is YAML


@pytest.fixture(scope="module")
def flags_of(run_study, tmp_path_factory):
    """Run a study by these effects; its flags with their status and the group that is accused."""
    folder = tmp_path_factory.mktemp("studies")

    def run(name, effects):
        (folder / f"{name}.yml").write_text(study_text(effects), encoding="utf-8")
        done = run_study(name, PLUMBLINE_STUDIES=str(folder))
        return done.rows("select flag, status, grouping_id, group_id, reason from red_flags where study_id = ?", name)

    return run


def test_a_study_without_effects_raises_no_flag(flags_of):
    flags = flags_of("null", {})
    assert [row for row in flags if row[1] == "raised"] == []
    looked_for = {flag for flag, status, *_ in flags if status in ("not_raised", "band_only")}
    assert looked_for == {"consistent_direction", "large_effect", "cross_model", "amplification"}
    assert [row[-1] for row in flags if row[0] == "ground_truth"] == ["no_ground_truth"]


def test_a_group_that_is_worse_off_everywhere_is_accused(flags_of):
    flags = flags_of("direction", {"gender": {"Female": {"Yes": -0.48, "No": 0.48}}})
    raised = {(flag, grouping, group) for flag, status, grouping, group, _ in flags if status == "raised"}
    assert ("consistent_direction", "gender", "Female") in raised
    assert ("large_effect", "gender", "") in raised
    assert {group for flag, grouping, group in raised if (flag, grouping) == ("cross_model", "gender")} <= {
        "Female",
        "Male",
    }
    assert ("cross_model", "gender") in {row[:2] for row in raised}
    assert not {row for row in raised if row[1] == "race"}
    # what gender alone does is no amplification
    assert "amplification" not in {flag for flag, *_ in raised}


def test_groups_that_differ_by_both_factors_alone_are_amplified(flags_of):
    flags = flags_of("crossed", {"gender x race": CROSSED})
    raised = {(flag, grouping) for flag, status, grouping, *_ in flags if status == "raised"}
    assert ("amplification", "gender x race") in raised
    assert not {row for row in raised if row[1] in ("gender", "race")}
