import json
import re
from pathlib import Path

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.pair_questions import ASK, PAIR_QUESTIONS
from python_assets.assemble.planted_pairs import planted_pairs
from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.warehouse.run_context import OfflineError

SIMULATOR = {"name": "one", "provider": "simulator"}
TEXT = (
    "The old towns in the north of Italy were rebuilt by the state after the war. "
    "The new roads in the south of Italy have changed the life of many families."
)
N_PLANTED = len(planted_pairs())
# a judge that knows the planted pairs by heart; what it says of others is the body of a test, no(question) or YES
KNOWS_PLANTED = f"""
import json
QUESTIONS = {PAIR_QUESTIONS!r}
FAULTS = {{{", ".join(f"{one.pair.branch!r}: {one.fault!r}" for one in planted_pairs())}}}
branch = text.split("Second: ")[1].split("\\n")[0]

def no(question):
    return json.dumps({{one: "no" if one == question else "yes" for one in QUESTIONS}})

YES = no(None)
if branch in FAULTS:
    return no(FAULTS[branch])
"""


@pytest.fixture
def study_with(make_study, engine, build):
    """A scraped study of two sentences, branched to two countries, whose judge has this body."""

    def write(body, knows_planted=True):
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
            systems=[SIMULATOR, engine((KNOWS_PLANTED if knows_planted else "") + body)],
        )
        scrape(study, build)
        return study

    return write


def branches(build):
    return [one for (one,) in build.sql("select prompt_id from raw.prompts where not is_root").fetchall()]


def test_each_question_has_four_planted_bad_pairs_one_a_kind_and_eight_good_ones_stand_beside_them():
    faults = [one.fault for one in planted_pairs()]
    assert {fault: faults.count(fault) for fault in faults} == {**dict.fromkeys(PAIR_QUESTIONS, 4), None: 8}
    assert len({(one.kind, one.fault) for one in planted_pairs()}) == 4 * (len(PAIR_QUESTIONS) + 1)
    texts = [text for one in planted_pairs() for text in (one.pair.root, one.pair.branch)]
    assert len(set(texts)) == len(texts)


def test_the_documentation_quotes_what_the_judge_is_asked():
    page = (Path(__file__).parents[3] / "docs" / "saged.md").read_text(encoding="utf-8")
    assert ASK.replace("{{", "{").replace("}}", "}") in page


def test_a_good_planted_pair_differs_in_words_of_its_level_alone():
    for one in planted_pairs():
        if one.fault is None:
            words = [re.findall(r"\w+", text) for text in (one.pair.root, one.pair.branch)]
            assert len(words[0]) == len(words[1])
            changed = {pair for pair in zip(*words, strict=True) if pair[0] != pair[1]}
            pronouns = {("her", "his")} if one.kind == "genders" else set()
            assert len(changed - pronouns) == 1


def test_pairs_that_the_judge_refuses_make_no_prompt_and_are_counted(study_with, build, run_context, inquiries_sent):
    study = study_with(
        'return no("sounds_natural") if "north of Chad" in text else "Hm" if "south of France" in text else YES'
    )
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
    sent = inquiries_sent()
    assert len(sent) == N_PLANTED + 4
    assert all("north of Italy" not in line for line in sent[:N_PLANTED])
    pair = next(line for line in sent if "north of Chad" in line)
    root, branch = ("The old towns in the north of " + level + " were rebuilt by the" for level in ("Italy", "Chad"))
    assert pair == ASK.format(level="Italy", target="Chad", root=root, branch=branch).replace("\n", " ")


def test_the_quarantine_says_which_questions_failed_in_words_and_as_values(study_with, build, run_context, snapshot):
    study = study_with(
        'return no("sounds_natural") if "north of Chad" in text else "" if "north of France" in text else YES'
    )
    assemble(study, build, run_context)
    rows = build.sql(
        "select record_key, rule, detail, record_json from raw.quarantine where stage = 'assemble' order by 1"
    ).fetchall()
    assert [row[:2] for row in rows] == [
        ("a.txt#1 > Chad", "refused_by_judge"),
        ("a.txt#1 > France", "unusable_verdict"),
    ]
    assert [row[2] for row in rows] == snapshot
    root, branch = ("The old towns in the north of " + level for level in ("Italy", "Chad"))
    record = json.loads(rows[0][3])
    assert record["root_prompt_text"].startswith(root)
    assert record["prompt_text"].startswith(branch)
    assert record["failed"] == ["sounds_natural"]
    assert record["answers"] == {question: question != "sounds_natural" for question in PAIR_QUESTIONS}
    assert json.loads(rows[1][3])["failed"] == []


def test_what_the_judge_found_of_planted_pairs_is_told_and_stands_in_a_table(study_with, build, run_context, snapshot):
    study = study_with("return YES")
    counts = assemble(study, build, run_context)
    assert counts.notes == snapshot
    rows = build.sql(
        "select fault, count(*), count(*) filter (where same_meaning and grammatical and no_source_fact and "
        "sounds_natural) from raw.planted_pairs where system_id = 'helper' group by fault order by fault"
    ).fetchall()
    assert rows == [*((fault, 4, 0) for fault in sorted(PAIR_QUESTIONS)), (None, 8, 8)]


def judging(condition):
    return f"""
import json
bad = {condition}
return json.dumps(dict.fromkeys({list(PAIR_QUESTIONS)!r}, "no" if bad else "yes"))
"""


@pytest.mark.parametrize(
    "body",
    [judging("False"), judging("True"), 'return "Yes"', judging("sum(map(ord, text)) % 4 == 0")],
    ids=["always agrees", "always refuses", "says nothing of the four", "finds a quarter"],
)
def test_a_judge_that_cannot_tell_pairs_apart_is_refused_before_it_is_asked_of_a_branch(
    body, study_with, build, run_context, inquiries_sent, refused
):
    study = study_with(body, knows_planted=False)
    with refused(SourceError, "prompts.branch.check"):
        assemble(study, build, run_context)
    assert len(inquiries_sent()) == N_PLANTED
    assert not any("Italy" in line for line in inquiries_sent())


def test_a_level_whose_every_pair_was_refused_is_told_with_one_of_them(study_with, build, run_context, refused):
    study = study_with('return no("same_meaning") if "of Chad" in text else YES')
    with refused(SourceError, "prompts.scrape.levels"):
        assemble(study, build, run_context)


def test_what_was_judged_is_not_asked_again(study_with, build, run_context, inquiries_sent):
    study = study_with("return YES")
    for _ in range(2):
        assert assemble(study, build, run_context).n_prompts == 6
    assert len(inquiries_sent()) == N_PLANTED + 4


def test_the_judge_is_asked_only_where_something_may_be(study_with, build, refused):
    with refused(OfflineError, "engine 'helper'"):
        assemble(study_with("return YES"), build)
