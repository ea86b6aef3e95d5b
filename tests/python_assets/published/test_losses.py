"""What became of responses: counts, shares and quotes in words."""

import duckdb
import pytest

from python_assets.published.losses import Losses, loss_warnings, losses_of, responses_in_words
from python_assets.published.plain_numbers import count, share

NO_LOSS = dict.fromkeys(("n_refused", "n_undecided", "n_unscored", "n_empty", "n_failed", "n_other"), 0)


def scored(system="g", measure="grant", group="", n_scored=0, **lost):
    counts = NO_LOSS | {f"n_{loss}": n for loss, n in lost.items()}
    keys = {"system_id": system, "measure_id": measure, "group_id": group, "grouping_id": "gender" if group else ""}
    return keys | {"n_responses": n_scored + sum(counts.values()), "n_scored": n_scored} | counts


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
    forms = [("no_rule_matched", "Well, hm.", 18), ("no_rule_matched", "x" * 80, 2), ("undecided", "It depends.", 9)]
    (warning,) = loss_warnings(
        read([scored(n_scored=462, unscored=133), scored("g", group="women", unscored=9)], forms)
    )
    quoted = f'"Well, hm." (18), "{"x" * 80}..." (2)'
    assert warning == f"g, grant: 133 of 595 responses (22 %) are unscored: {quoted}"


def test_exactly_ten_percent_is_not_warned_of_and_undecided_responses_do_not_count():
    assert not loss_warnings(read([scored(n_scored=9, unscored=1), scored("h", n_scored=1, undecided=9)]))


def test_a_system_without_a_value_is_warned_of_whatever_the_reason():
    rows = [scored("g", undecided=5), scored("h", refused=5), scored("i", n_scored=5)]
    assert loss_warnings(read(rows, [("undecided", "It depends.", 5)])) == [
        'g, grant: no response has a value: 5 undecided (100 %), 0 unscored, 0 errors: "It depends." (5)',
        "h, grant: no response has a value: 5 refused (100 %), 0 unscored, 0 errors",
    ]


def test_hidden_texts_are_not_quoted():
    rows, forms = [scored(n_scored=1, unscored=1)], [("no_rule_matched", "Well, hm.", 1)]
    hidden = read(rows, forms, '{"report": {"hide_texts": true}}')
    assert loss_warnings(hidden) == ["g, grant: 1 of 2 responses (50 %) are unscored"]
    assert loss_warnings(read(rows, [("no_rule_matched", "(hidden)", 1)])) == loss_warnings(hidden)
