import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.repeated_texts import repeated_text_notes
from python_assets.errors import SourceError
from tests.python_assets.assemble.test_assemble_study import prompts, rows, run

OPENING = "The old towns in the north of Italy were rebuilt by the"
COPIES = " ".join(f"{OPENING} {end}." for end in ("king", "state", "church", "army", "guilds", "queen", "poor", "rich"))
OTHER = "The new roads in the south of Italy have changed the life of many families."
REASONS = "select dropped_reason, portability, portability_words from raw.sentence_outcomes order by rowid"


def templates(texts, **factors):
    return {
        "prompts": {"templates": {"texts": texts, "cross": ["gender"]}},
        "factors": {"gender": {"levels": ["woman", "man"]}, **factors},
    }


def test_eight_copies_of_a_template_are_one_root_prompt(make_study, build, snapshot):
    spellings = ["A {gender} asks.", "A  {gender} asks.", "A {gender} asks.\u200b", "A\u00a0{gender} asks. "]
    texts = [{"id": f"t{n}", "text": text} for n, text in enumerate(spellings * 2)]
    parts = templates(texts)
    counts = assemble(make_study(parts["prompts"], factors=parts["factors"]), build)
    assert (counts.n_prompts, counts.n_root_prompts, counts.n_dropped) == (2, 1, {"same_text": 7})
    assert rows(build, "prompt_id, root_prompt_id") == [("t0 > woman", "t0"), ("t0 > man", "t0")]
    assert counts.notes[0] == snapshot


def test_templates_of_one_text_with_other_levels_case_or_options_are_several(make_study, build, snapshot):
    texts = [
        {"id": "a", "text": "A {gender} asks.", "factors": {"topic": "work"}},
        {"id": "b", "text": "A {gender} asks.", "factors": {"topic": "love"}},
        {"id": "c", "text": "a {gender} asks.", "factors": {"topic": "love"}},
    ]
    parts = templates(texts, topic={"levels": ["work", "love"]})
    counts = assemble(make_study(parts["prompts"], factors=parts["factors"]), build)
    assert (counts.n_root_prompts, counts.n_dropped) == (3, {})
    assert counts.notes == snapshot


@pytest.mark.parametrize("branch", [{}, {"portable": "keep"}])
def test_eight_sentences_with_one_prompt_are_one_root_prompt(make_study, build, branch):
    counts = run(make_study(prompts("Italy", "France", branch=branch), {"a.txt": f"{COPIES} {OTHER}"}), build)
    assert (counts.n_root_prompts, counts.n_prompts, counts.n_dropped) == (2, 4, {"same_text": 7})
    assert (counts.n_checked, counts.n_portable) == (2, 2)
    assert build.sql(REASONS).fetchall() == [
        (None, "portable", None),
        *[("same_text", None, "a.txt#1")] * 7,
        (None, "portable", None),
    ]


def test_copies_take_no_place_in_the_sample(make_study, build):
    study = make_study(prompts("Italy", assemble={"max_per_level": 2}), {"a.txt": f"{COPIES} {OTHER}"})
    assert run(study, build).n_root_prompts == 2
    assert {text for (text,) in rows(build, "prompt_text")} >= {OPENING}


def test_imported_copies_keep_their_ids_and_are_told(make_study, build, tmp_path):
    table = pd.DataFrame(
        {
            "id": list("abcd"),
            "q": ["Who?", "Who?\u200b", "Where?", None],
            "answer": list("wxyz"),
            "sex": list("mfmf"),
            "model": "m",
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    spec = {
        "path": "t.csv",
        "columns": {"prompt": "id", "prompt_text": "q", "response": "answer", "system": "model"},
        "factors": {"gender": "sex"},
    }
    study = make_study({"import": spec}, systems=[{"name": "*", "provider": "replay"}], factors={"gender": {}})
    counts = assemble(study, build)
    assert counts.n_root_prompts == 4
    assert counts.notes[0].startswith("2 of 3 root prompts hold")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The old towns on the far coast were rebuilt at great cost by Italy.", "by reason: 1 keyword_not_in_prompt"),
        ("The new roads in the south of Italy have linked it to France.", "by reason: 1 names_another_level"),
        ("In Italia the old towns of the north were rebuilt by the state.", '1 form_missing \\("Italia for'),
    ],
)
def test_a_text_of_which_everything_is_dropped_is_an_error_with_the_reasons(make_study, build, text, expected):
    keywords = {"Italy": ["Italy", "Italia"]}
    study = make_study(prompts("Italy", "France", "Chad", keywords=keywords, branch={}), {"a.txt": text})
    with pytest.raises(SourceError, match=expected):
        run(study, build)


def test_texts_after_other_messages_are_no_copies():
    said = [f'[{{"role": "user", "content": "A"}}, {{"role": "assistant", "content": "{word}"}}]' for word in "BBC"]
    table = pd.DataFrame({"root_prompt_id": list("xyz"), "messages_json": said, "prompt_text": "Why?"})
    (note,) = repeated_text_notes(table)
    assert note.startswith("2 of 3 root prompts") and "first 'x' and 'y'" in note
    assert not list(repeated_text_notes(table[1:]))
