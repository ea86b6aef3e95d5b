"""What became of responses: counts, shares and quotes in words."""

import duckdb
import pytest

from python_assets.published.losses import (
    Losses,
    form_of,
    loss_warnings,
    losses_of,
    lossy_in_words,
    responses_in_words,
)
from python_assets.published.plain_numbers import count, share

NO_LOSS = dict.fromkeys(("n_refused", "n_undecided", "n_unscored", "n_empty", "n_failed", "n_other"), 0)


def scored(system="g", measure="grant", group="", n_scored=0, **lost):
    truncated = {"n_unscored_truncated": lost.pop("truncated", 0)}
    counts = NO_LOSS | {f"n_{loss}": n for loss, n in lost.items()}
    keys = {"system_id": system, "measure_id": measure, "group_id": group, "grouping_id": "gender" if group else ""}
    return keys | {"n_responses": n_scored + sum(counts.values()), "n_scored": n_scored} | counts | truncated


def read(rows, forms=(), config="{}") -> list[Losses]:
    with duckdb.connect() as connection:
        connection.execute("create table studies as select 's' as study_id, ? as config_json", [config])
        connection.execute(
            "create table unscored_forms (study_id text, system_id text, measure_id text, position int, reason text, "
            "form text, n_responses bigint)"
        )
        for position, (reason, form, n) in enumerate(forms, start=1):
            row = ["s", "g", "grant", position, reason, form, n]
            connection.execute("insert into unscored_forms values (?, ?, ?, ?, ?, ?, ?)", row)
        names = list(scored())
        kinds = ", ".join(f"{name} {'text' if name.endswith('_id') else 'bigint'}" for name in names)
        connection.execute(f"create table scored_responses (study_id text, {kinds})")
        for row in rows:
            marks = ", ".join("?" * (len(names) + 1))
            connection.execute(f"insert into scored_responses values ({marks})", ["s", *(row[name] for name in names)])
        return losses_of(connection, "s")


@pytest.mark.parametrize(
    ("n", "of", "words"),
    [
        (133, 595, "133 of 595 (22 %)"),
        (13, 1680, "13 of 1,680 (0.8 %)"),
        (1667, 1680, "1,667 of 1,680 (99.2 %)"),
        (0, 7, "0 of 7 (0 %)"),
        (7, 7, "7 of 7 (100 %)"),
        (1, 2000, "1 of 2,000 (under 0.1 %)"),
        (1999, 2000, "1,999 of 2,000 (over 99.9 %)"),
        (0, 0, "0 of 0"),
    ],
)
def test_counts_have_their_share(n: int, of: int, words: str):
    assert count(n, of) == words


def test_ten_percent_has_no_decimal():
    assert (share(9_996, 100_000), share(1, 10), share(9_001, 10_000)) == ("10 %", "10 %", "90.0 %")


def test_measures_that_lost_as_many_share_a_clause_and_systems_are_added_up():
    rows = [scored(system, measure, n_scored=830, refused=10) for system in "ab" for measure in ("tone", "distance")]
    assert responses_in_words(read(rows)) == "1,660 of 1,680 (98.8 %) scored, 20 refused (1.2 %), 0 unscored, 0 errors"
    rows.append(scored("a", "grant", n_scored=1, undecided=1))
    grant = "grant: 1 of 2 (50 %) scored, 1 undecided (50 %), 0 unscored, 0 errors"
    assert responses_in_words(read(rows)).split(" | ")[1] == grant
    assert responses_in_words([]) == ""


def test_above_ten_percent_unscored_is_warned_of_with_the_commonest_forms():
    forms = [("no_rule_matched", "Well, hm.", 18), ("no_rule_matched", "x" * 80 + "...", 2), ("undecided", "It depends.", 9)]
    (warning,) = loss_warnings(
        read([scored(n_scored=462, unscored=133), scored("g", group="women", unscored=9)], forms)
    )
    quoted = f'"Well, hm." (18), "{"x" * 80}..." (2)'
    assert warning == f"g, grant: 133 of 595 responses (22 %) are unscored: {quoted}"


def test_exactly_ten_percent_is_not_warned_of_nor_are_refusals():
    assert not loss_warnings(read([scored(n_scored=9, unscored=1), scored("h", n_scored=9, refused=9, undecided=1)]))


def test_above_ten_percent_without_a_value_is_warned_of_by_kind_the_most_first():
    rows = [
        scored(n_scored=612, unscored=68, undecided=205, refused=25),
        scored("h", n_scored=8, other=2),
        scored("i", n_scored=50, empty=30, failed=20),
    ]
    assert loss_warnings(read(rows, [("undecided", "It depends.", 205), ("no_rule_matched", "Hm.", 68)])) == [
        "i, grant: 50 of 100 responses (50 %) have no value: 30 empty (30 %), 20 errors (20 %)",
        "g, grant: 273 of 910 responses (30 %) have no value: 205 undecided (23 %), 68 unscored (7.5 %): "
        '"It depends." (205)',
        "h, grant: 2 of 10 responses (20 %) have no value",
    ]


def test_truncated_responses_are_told_with_the_remedy():
    rows = [scored(n_scored=758, unscored=152, truncated=82)]
    (warning,) = loss_warnings(read(rows))
    assert warning == "g, grant: 152 of 910 responses (17 %) are unscored (82 of them truncated: raise max_tokens)"
    assert "152 unscored (17 %, 82 of them truncated), 0 errors" in responses_in_words(read(rows))


def test_systems_that_lost_responses_are_told_by_group_the_fewest_scored_first():
    rows = [
        scored(n_scored=18, other=2),
        scored(group="men", n_scored=10),
        scored(group="women", n_scored=8, other=2),
        scored("h", n_scored=5),
    ]
    assert lossy_in_words(read(rows)) == [
        "g, grant: 18 of 20 (90 %) scored, 2 without a value for another reason (10 %), 0 unscored, 0 errors; "
        "by gender: women 8 of 10 (80 %), men 10 of 10 (100 %)"
    ]
    many = [scored(f"s{i}", n_scored=1, empty=1) for i in range(6)]
    assert lossy_in_words(read(many))[-1] == "2 more in scored_responses"


def test_a_text_is_cut_only_where_it_is_longer():
    assert (form_of("x" * 80), form_of("x" * 81), form_of(" a\n b")) == ("x" * 80, "x" * 80 + "...", "a b")


def test_a_system_without_a_value_is_warned_of_whatever_the_reason():
    rows = [scored("g", undecided=5), scored("h", refused=5), scored("i", n_scored=5)]
    assert loss_warnings(read(rows, [("undecided", "It depends.", 5)])) == [
        'g, grant: no response has a value: 5 undecided (100 %): "It depends." (5)',
        "h, grant: no response has a value: 5 refused (100 %)",
    ]


def test_hidden_texts_are_not_quoted():
    rows, forms = [scored(n_scored=1, unscored=1)], [("no_rule_matched", "Well, hm.", 1)]
    hidden = read(rows, forms, '{"report": {"hide_texts": true}}')
    assert loss_warnings(hidden) == ["g, grant: 1 of 2 responses (50 %) are unscored"]
    assert loss_warnings(read(rows, [("no_rule_matched", "(hidden)", 1)])) == loss_warnings(hidden)
