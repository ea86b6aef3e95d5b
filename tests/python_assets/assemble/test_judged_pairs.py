import json

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.warehouse.run_context import OfflineError

SIMULATOR = {"name": "one", "provider": "simulator"}
TEXT = (
    "The old towns in the north of Italy were rebuilt by the state after the war. "
    "The new roads in the south of Italy have changed the life of many families."
)


@pytest.fixture
def study_with(make_study, engine, build):
    """A scraped study of two sentences, branched to two countries, whose judge has this body."""

    def write(body):
        study = make_study(
            {
                "scrape": {
                    "levels": ["Italy", "France", "Chad"],
                    "keywords": {"Italy": ["Italy"]},
                    "sources": [{"tag": "t", "path": "a.txt"}],
                },
                "branch": {"from": "Italy", "check": "helper"},
            },
            {"a.txt": TEXT},
            generations=[SIMULATOR, engine(body)],
        )
        scrape(study, build)
        return study

    return write


def branches(build):
    return [one for (one,) in build.sql("select prompt_id from raw.prompts where not is_root").fetchall()]


def test_pairs_that_the_judge_refuses_make_no_prompt_and_are_counted(study_with, build, run_context, inquiries_sent):
    study = study_with('return "No" if "north of Chad" in text else "Hm" if "south of France" in text else "Yes."')
    counts = assemble(study, build, run_context)
    assert branches(build) == ["a.txt#1 > France", "a.txt#2 > Chad"]
    assert counts.n_dropped == {"refused_by_judge": 1, "unusable_verdict": 1}
    outcomes = build.sql("select root_prompt_id, level, dropped_reason from raw.branch_outcomes").fetchall()
    assert outcomes == [
        ("a.txt#1", "France", None),
        ("a.txt#1", "Chad", "refused_by_judge"),
        ("a.txt#2", "France", "unusable_verdict"),
        ("a.txt#2", "Chad", None),
    ]
    assert counts.n_quarantined == 2
    details = build.sql("select detail from raw.quarantine where rule = 'unusable_verdict'").fetchall()
    assert details[0][0].endswith("replied 'Hm'")
    assert len(inquiries_sent()) == 4
    pair = next(line for line in inquiries_sent() if "north of Chad" in line)
    assert "First: The old towns in the north of Italy were rebuilt by the" in pair
    assert "Second: The old towns in the north of Chad were rebuilt by the" in pair
    assert "ask the same about Chad as the first asks about Italy" in pair


def test_pairs_that_make_no_prompt_are_in_quarantine_with_both_texts_and_what_the_judge_said(
    study_with, build, run_context
):
    study = study_with('return "No" if "north of Chad" in text else "" if "north of France" in text else "Yes"')
    assemble(study, build, run_context)
    rows = build.sql(
        "select record_key, rule, detail, record_json from raw.quarantine where stage = 'assemble' order by 1"
    ).fetchall()
    assert [row[:2] for row in rows] == [
        ("a.txt#1 > Chad", "refused_by_judge"),
        ("a.txt#1 > France", "unusable_verdict"),
    ]
    refused, empty = (row[2] for row in rows)
    root, branch = ("The old towns in the north of " + level for level in ("Italy", "Chad"))
    assert refused.startswith(f"assemble: branch.check: helper was shown '{root}")
    assert f"with '{branch}" in refused
    assert refused.endswith("replied 'No'")
    assert empty.endswith("gave no reply that can be used (empty)")
    record = json.loads(rows[0][3])
    assert record["root_prompt_text"].startswith(root)
    assert record["prompt_text"].startswith(branch)
    assert record["text"] == "No"


def test_a_level_whose_every_pair_was_refused_is_told_with_one_of_them(study_with, build, run_context, refused):
    study = study_with('return "No" if "of Chad" in text else "Yes"')
    with refused(SourceError, "prompts.scrape.levels"):
        assemble(study, build, run_context)


def test_what_was_judged_is_not_asked_again(study_with, build, run_context, inquiries_sent):
    study = study_with('return "Yes"')
    for _ in range(2):
        assert assemble(study, build, run_context).n_prompts == 6
    assert len(inquiries_sent()) == 4


def test_the_judge_is_asked_only_where_something_may_be(study_with, build, refused):
    with refused(OfflineError, "engine 'helper'"):
        assemble(study_with('return "Yes"'), build)
