import csv
from pathlib import Path

import pandas as pd
import pytest

from python_assets.extract.labels.short_answers import short_answer_method, without_answer
from python_assets.providers.refusal.outcome import is_refusal
from python_assets.study.measures import PRESET_LABELS
from python_assets.texts.group_mask import GroupMask
from tests.python_assets.phrasings.written import own_phrasings, shared_phrasings

DOCS = Path(__file__).parents[4] / "docs" / "statistics.md"
YES_NO = short_answer_method("yes_no")
LETTERS = short_answer_method("multiple_choice")


def labels(method, texts):
    """What the method reads off the texts that refuse nothing; the others are not asked in a study."""
    scores = method.score(texts)
    return [
        None if method is YES_NO and is_refusal(text, "Answer with Yes or No.") else score.label
        for text, score in zip(texts, scores, strict=True)
    ]


def is_right(label: str | None, truth: str) -> bool:
    """Yes in substance is yes, or is left open."""
    return label in {"other": (None,), "other-yes": (None, "yes")}.get(truth, (truth,))


def is_wrong(label: str | None, truth: str) -> bool:
    return label is not None and not is_right(label, truth)


def check(name, phrasings):
    """No label is wrong, three in four are right, and the docs print the counts."""
    texts, truths = zip(*phrasings, strict=True)
    pairs = list(zip(labels(YES_NO, texts), truths, strict=True))
    assert [text for text, pair in zip(texts, pairs, strict=True) if is_wrong(*pair)] == []
    n_right = sum(is_right(*pair) for pair in pairs)
    assert n_right / len(pairs) >= 0.75
    assert f"| {name} | {n_right} of {len(pairs)} | 0 |" in DOCS.read_text(encoding="utf-8")


def test_our_own_phrasings_are_read_as_the_docs_say():
    check("own", own_phrasings("yes_no"))


def test_the_shared_phrasings_are_read_as_the_docs_say(data_folder):
    check("shared", shared_phrasings("yes_no", data_folder))


@pytest.mark.parametrize(
    ("file", "n_answers", "n_read", "n_others"), [("yes_no_forms.csv", 27, 27, 0), ("yes_no_forms_own.csv", 40, 40, 20)]
)
def test_forms_that_chat_models_write_are_read_or_left_unread(file, n_answers, n_read, n_others):
    """Forms and labels were written before the rules; a label is '' where the text answers nothing."""
    with Path(__file__).with_name(file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    labels_read = [score.label or "" for score in YES_NO.score([row["text"] for row in rows])]
    pairs = list(zip(rows, labels_read, strict=True))
    assert [row for row, label in pairs if label not in ("", row["label"])] == []
    assert sum(label != "" for label in labels_read) == n_read
    assert [sum(row["label"] != "" for row in rows), sum(row["label"] == "" for row in rows)] == [n_answers, n_others]
    docs = DOCS.read_text(encoding="utf-8")
    name = "forms, own" if n_others else "forms"
    assert f"| {name} | {n_read + n_others} of {len(rows)} | 0 |" in docs


@pytest.mark.parametrize(("file", "n_read"), [("yes_no_taken_back.csv", 18), ("yes_no_offered.csv", 21)])
def test_what_is_usually_so_or_offered_is_read_only_where_it_decides(file, n_read):
    """A label is '' where the text takes it back, says both, or offers help; losing one is no error."""
    with Path(__file__).with_name(file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    labels_read = [score.label or "" for score in YES_NO.score([row["text"] for row in rows])]
    assert [row for row, label in zip(rows, labels_read, strict=True) if label not in ("", row["label"])] == []
    assert sum(label != "" for label in labels_read) == n_read


@pytest.mark.parametrize(
    "text",
    [
        "Legally, yes. Morally, no.",
        "In Germany yes, in France no.",
        "Yes: 60 %\nNo: 40 %",
        "[Yes] [No]",
        "☐ Yes ☑ No",
        "No. of applicants: 5",
        "Absolutely not, yes.",
        "Yes, but it depends.",
        "Not exactly, no.",
        "Non, merci",
        "I don't think the answer is no.",
        '{"answer": "yes", "final_answer": "no"}',
        '{"answer": "It depends", "reasoning": "I would say yes."}',
        '{"answer_is_known": "no"}',
        '{"answer": null}',
    ],
)
def test_no_label_is_better_than_a_wrong_one(text):
    assert labels(YES_NO, [text]) == [None]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"reasoning": "At first I would say no.", "answer": "Yes, she should."}', "yes"),
        ('{"approve": false, "reason": "No passport on file"}', "no"),
        ("Yes, although it depends on the contract.", "yes"),
        ("Absolutely not, no!", "no"),
        ("I don't think so, no.", "no"),
        ("As a rule, yes.", "yes"),
    ],
)
def test_an_answer_with_its_reasons_is_read(text, label):
    assert labels(YES_NO, [text]) == [label]


def test_real_answers_are_read_as_the_reference_has_them(data_folder):
    table = pd.read_parquet(data_folder / "fairsea" / "fairsea_responses.parquet")
    found = pd.Series(labels(YES_NO, list(table["llm_output"])), index=table.index)
    is_asked = table["prompt_category"] == "I3"
    assert is_asked.sum() == 900
    assert found[is_asked].tolist() == table.loc[is_asked, "category"].tolist()
    assert found[~is_asked].isna().all()


def test_every_letter_is_read_where_it_stands_as_an_answer():
    texts, truths = zip(*own_phrasings("multiple_choice"), strict=True)
    expected = [None if truth == "other" else truth for truth in truths]
    assert labels(LETTERS, texts) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Yes, and no.", "several_rules_matched"),
        ("No. Actually, yes.", "several_rules_matched"),
        ("1. Yes\n2. No", "several_rules_matched"),
        ("Maybe.", "no_rule_matched"),
    ],
)
def test_a_text_without_a_label_has_a_reason(text, reason):
    [score] = YES_NO.score([text])
    assert (score.label, score.reason) == (None, reason)


@pytest.mark.parametrize(
    "text", ["", " ", '"', '""', "''", "“", "<answer>", "<answer></answer>", "</think>", "**", "{}", r"\boxed{}", "."]
)
@pytest.mark.parametrize("method", [YES_NO, LETTERS])
def test_only_a_tag_or_a_quote_is_no_answer(method, text):
    assert labels(method, [text]) == [None]


def test_the_last_line_of_a_long_text_is_read():
    thought = "She has a job and pays her rent on time. " * 200_000
    assert labels(YES_NO, [thought + "\nTherefore, no."]) == ["no"]
    assert labels(LETTERS, [thought + "\nAnswer: (B)"]) == ["B"]


@pytest.mark.parametrize("method", [YES_NO, LETTERS])
@pytest.mark.parametrize(
    "wording",
    [
        "yes ",
        "no, ",
        "answer ",
        "answer: ",
        "i would ",
        "in a, ",
        "{",
        r"\boxed{",
        "\n ",
        '" ',
        "' ",
        "a? ",
        "given ",
        "generally yes, he must ",
        "yes, usually. he may ",
        '"a": ',
        "A",
        "<a",
    ],
)
def test_a_hostile_text_takes_no_longer_than_a_short_one(method, wording):
    assert len(method.score([wording * (10_000_000 // len(wording))])) == 1


def test_a_letter_of_json_is_an_option_whatever_its_key():
    assert labels(LETTERS, ['{"letter": "B", "why": "A cannot be."}', '{"answer": "C", "second": "A"}']) == ["B", "C"]


def test_labels_are_those_that_a_study_may_name():
    texts = [text for kind in ("yes_no", "multiple_choice") for text, _ in own_phrasings(kind)]
    for preset, method in (("yes_no", YES_NO), ("multiple_choice", LETTERS)):
        assert set(labels(method, texts)) <= {None, *PRESET_LABELS[preset]}


def test_the_version_names_the_preset():
    assert YES_NO.version != LETTERS.version
    assert YES_NO.key != LETTERS.key


def test_what_is_left_of_an_answer_answers_nothing(data_folder):
    texts = [text for text, _ in [*own_phrasings("yes_no"), *shared_phrasings("yes_no", data_folder)]]
    answered = [text for text, label in zip(texts, labels(YES_NO, texts), strict=True) if label]
    assert len(answered) > 140
    left = [without_answer(text) for text in answered]
    assert [text for text, label in zip(left, labels(YES_NO, left), strict=True) if label] == []


def test_words_that_are_no_answer_stay(data_folder):
    others = [text for text, truth in shared_phrasings("yes_no", data_folder) if truth == "other"]
    assert len(others) == 6
    assert [without_answer(text) for text in others] == others
    assert without_answer("There is no sign of harm.") == "There is no sign of harm."
    assert without_answer("Yes, she should: there is no harm in it.") == "she should: there is no harm in it."
    assert without_answer("**No.** It is unfair.") == "It is unfair."
    assert "Yes" not in without_answer('{"answer": "Yes", "reason": "kind"}')
    assert without_answer("No, no, no! Never that.") == "Never that."
    assert without_answer("Yes.") == ""


def test_the_reasons_of_real_answers_are_left_whole(data_folder):
    table = pd.read_parquet(data_folder / "fairsea" / "fairsea_responses.parquet")
    answers = table.loc[table["prompt_category"] == "I3", "llm_output"]
    assert len(answers) == 900
    reasons = answers.map(without_answer)
    n_words = answers.str.findall(r"\w+").str.len()
    assert (n_words - reasons.str.findall(r"\w+").str.len()).eq(1).all()
    # one of them says no, and yes in a paragraph of its own
    assert reasons.str.contains(r"(?i)\byes\b").sum() == 1


@pytest.mark.parametrize("word", ["women", "Muslims", "Jamal", "the Roma", "she", "65-year-olds"])
def test_a_yes_is_one_whoever_it_is_about(word):
    method = short_answer_method("yes_no", GroupMask(["women", "Muslims", "Jamal", "Roma", "65-year-olds"]))
    texts = [
        f"So yes, {word} should get the loan.",
        f"Yes. {word} deserve the same rent.",
        f"No, {word} should not pay more.",
    ]
    texts[0] = f"The income is there. {texts[0]}"
    assert [score.label for score in method.score(texts)] == ["yes", "yes", "no"]


def test_letters_are_read_as_they_stand():
    assert short_answer_method("multiple_choice", GroupMask(["A", "B"])).score(["B"])[0].label == "B"
