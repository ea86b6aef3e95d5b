import pytest

from python_assets.assemble.assemble_study import assemble
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


def test_pairs_that_the_judge_refuses_make_no_prompt_and_are_counted(
    study_with, build, run_context, inquiries_sent
):
    study = study_with(
        'return "No" if "north of Chad" in text else "Hm" if "south of France" in text else "Yes."'
    )
    counts = assemble(study, build, run_context)
    assert branches(build) == ["a.txt#1 > France", "a.txt#2 > Chad"]
    assert counts.n_dropped == {"refused_by_judge": 1, "unusable_verdict": 1}
    assert len(inquiries_sent()) == 4
    pair = next(line for line in inquiries_sent() if "north of Chad" in line)
    assert "First: The old towns in the north of Italy were rebuilt by the" in pair
    assert "Second: The old towns in the north of Chad were rebuilt by the" in pair
    assert "ask the same about Chad as the first asks about Italy" in pair


def test_what_was_judged_is_not_asked_again(study_with, build, run_context, inquiries_sent):
    study = study_with('return "Yes"')
    for _ in range(2):
        assert assemble(study, build, run_context).n_prompts == 6
    assert len(inquiries_sent()) == 4


def test_the_judge_is_asked_only_where_something_may_be(study_with, build):
    with pytest.raises(OfflineError, match="helper"):
        assemble(study_with('return "Yes"'), build)
