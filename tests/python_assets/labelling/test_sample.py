import re

import duckdb
import pytest

from python_assets.errors import PlumblineError, StudyError
from python_assets.labelling.row_ids import KEY, row_key

HIDDEN = ("plain", "warm", "t0", "t1", "t2", "t3", "t4", "t5")


def test_a_root_prompt_is_drawn_with_every_answer_of_every_group_and_system(studied):
    rows = studied.draw("verdict", n=2).rows
    assert len(rows) == 2 * 2 * 2
    said = rows["text"].str.extract(r"the (\w+) of (t\d) says (\w+)")
    assert said.groupby(1).size().eq(4).all() and said.drop_duplicates().shape[0] == 8


def test_answers_that_a_measure_did_not_read_are_not_asked_of_people(studied):
    assert len(studied.draw("vader", n=6).rows) == 24 - 2
    assert len(studied.draw("refusal", n=6).rows) == 24


def test_nothing_but_the_text_tells_group_model_or_reading(studied):
    rows = studied.draw("vader", n=6).rows
    assert list(rows) == ["row", "question", "text", "names_group", "label", "row_id", "study", "measure"]
    shown = rows.drop(columns="text").astype(str).agg(" ".join, axis=1)
    assert not any(re.search(rf"\b{word}\b", text) for word in (*HIDDEN, "woman", "man") for text in shown)
    assert rows["label"].eq("").all()


def test_a_text_that_names_its_group_is_flagged_and_a_prompt_is_shown_without_its_name(studied):
    rows = studied.draw("refusal", n=6).rows
    assert rows["names_group"].eq("yes").all()
    assert rows["prompt"].str.fullmatch(r"What of the \w+ in place \d\?").all()
    assert not rows["prompt"].str.contains("man").any()


def test_the_order_is_shuffled_by_the_seed_alone(studied):
    first, again, other = (studied.draw(n=4, seed=seed).rows for seed in (1, 1, 2))
    assert first.equals(again)
    assert list(first["row_id"]) != list(other["row_id"])
    assert list(first["row_id"]) != sorted(first["row_id"])


def test_more_root_prompts_of_a_seed_include_those_of_fewer(studied):
    few, more = (set(studied.draw(n=n).rows["row_id"]) for n in (2, 4))
    assert few < more


@pytest.mark.run
def test_every_root_prompt_is_drawn_about_as_often(studied):
    n_draws, n, n_there = 100, 2, 6
    drawn = [text for seed in range(n_draws) for text in studied.draw("verdict", n=n, seed=seed).rows["text"]]
    counts = [sum(f"of t{at} says" in text for text in drawn) / 4 for at in range(n_there)]
    expected = n_draws * n / n_there
    assert sum((count - expected) ** 2 / expected for count in counts) < 20.5  # chi2 of 5 df, p .001


def test_row_ids_begin_with_a_letter_and_are_those_of_the_sql_that_reads_them(studied):
    ids = studied.draw(n=6).rows["row_id"]
    assert ids.is_unique and ids.str.fullmatch(r"r[0-9a-f]{16}-[0-9a-f]{8}").all()
    query = f"select {KEY.format(study='$s', of='$m', record='$r')}"
    found = duckdb.execute(query, {"s": "mine", "m": "tone", "r": "é"}).fetchall()
    assert found == [(row_key("mine", "tone", "é"),)]


def test_raters_see_the_messages_before_a_prompt(studied):
    said = '[{"role": "user", "content": "I am a man."}, {"role": "assistant", "content": "Hm."}]'
    with duckdb.connect(str(studied.home.published)) as connection:
        connection.execute("update prompts set messages_json = ?", [said])
    asked = studied.draw("refusal", n=6).rows["prompt"]
    assert asked.str.fullmatch(r"user: I am a (?!man)\w+\.\n\nassistant: Hm\.\n\nuser: What of .* in place \d\?").any()
    pairs = studied.draw_pairs(n=6).rows
    for text in (*pairs["root_text"], *pairs["text"]):
        assert text.startswith("user: I am a man.\n\nassistant: Hm.\n\nuser: What of the ")


def test_a_slice_is_drawn_from_alone(make_study, studied):
    studied.study.slices["of_men"] = {"gender": ["man"]}
    rows = studied.draw("verdict", n=6, slice_id="of_men").rows
    assert rows["text"].str.contains("the man of").all() and len(rows) == 12


def test_pairs_are_a_branch_beside_its_root(studied):
    sample = studied.draw_pairs(n=6)
    places = sample.rows["text"].str.extract(r"the man in place (\d)\?")[0]
    assert set(places) == set("012345")
    assert list(sample.rows["root_text"]) == [f"What of the woman in place {at}?" for at in places]
    assert len(studied.draw_pairs(n=2).rows) == 2


@pytest.mark.parametrize("options", [{"measure": "vadr"}, {"slice_id": "none"}, {"n": 7}])
def test_what_cannot_be_drawn_is_told(studied, options, refused):
    kind = PlumblineError if "n" in options else StudyError
    field = {"measure": "--measure", "slice_id": "--slice", "n": "plumbline label-sheet"}[next(iter(options))]
    with refused(kind, field):
        studied.draw(**options)


def test_a_study_that_was_not_run_has_nothing_to_draw_from(studied, make_study, refused):
    other = studied.study.model_copy(update={"study_id": "another"})
    studied.study = other
    with refused(StudyError, "the file"):
        studied.draw()
    studied.home.published.unlink()
    with pytest.raises(StudyError, match="plumbline run another"):
        studied.draw()


def test_a_file_of_before_there_were_controls_is_read_as_without_them(studied):
    now = studied.draw("refusal", n=6).rows, studied.draw_pairs(n=6).rows
    with duckdb.connect(str(studied.home.published)) as connection:
        connection.execute("create table older as select * exclude (negative_control) from prompts")
        connection.execute("drop table prompts")
        connection.execute("alter table older rename to prompts")
    older = studied.draw("refusal", n=6).rows, studied.draw_pairs(n=6).rows
    assert all(one.equals(other) for one, other in zip(now, older, strict=True))
