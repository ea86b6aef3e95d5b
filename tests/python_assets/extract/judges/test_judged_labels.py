from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from python_assets.extract.extract_study import ExtractCounts, extract
from python_assets.study.study import AnalysisSpec, System, SystemSpec
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.python_assets.extract.labels.test_short_answers import is_right
from tests.python_assets.phrasings.written import own_phrasings

# the text that is judged stands between the lines of equal signs, the options below it with dashes
JUDGES = """
import re

def text_of(messages):
    message = messages[-1]["content"]
    with open("{log}", "a", encoding="utf-8") as log:
        log.write(message.replace("\\n", " ") + "\\n")
    return re.split("^=+$", message, flags=re.MULTILINE)[1].strip()

def by_substance(messages, decoding):
    text = text_of(messages)
    if "should not be granted" in text:
        return "no"
    return "yes" if "should be granted" in text else "none of them"

def in_german(messages, decoding):
    text_of(messages)
    return "Ja, der Text sagt ja."

def with_a_wrong_name(messages, decoding):
    text_of(messages)
    return "granted"
"""
ENTRY = {"name": "answer", "choices": "yes_no", "judge": "critic"}


@pytest.fixture
def judged(make_study, build, tmp_path: Path) -> Callable[..., ExtractCounts]:
    """Extract a measure whose engine is one of the functions above."""
    (tmp_path / "judges.py").write_text(JUDGES.replace("{log}", str(tmp_path / "sent.txt")), encoding="utf-8")

    def run(function: str, entry: Any = None, may_ask: bool = True, **parts: Any) -> ExtractCounts:
        spec = SystemSpec(name="critic", provider=f"judges:{function}", engine=True, model="tiny")
        engine = System(system_id="critic", model="tiny", system_prompt="", spec=spec)
        study = make_study(entry or ENTRY, engines={"critic": engine}, analysis=AnalysisSpec(seed=1), **parts)
        context = RunContext(Home(tmp_path / "home"), SILENT, may_ask=may_ask)
        return extract(study, build.connection, build.cache_path, run_context=context)

    return run


@pytest.fixture
def n_asked(tmp_path: Path) -> Callable[[], int]:
    log = tmp_path / "sent.txt"
    return lambda: len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0


def test_only_what_the_rules_leave_open_is_asked(build, judged, n_asked):
    build.prompts(p=None, q=None, r=None, s=None)
    build.responses(
        ("p", "No, never."),
        ("q", "The loan should be granted."),
        ("r", "It depends."),
        ("s", "I cannot help with that.", "refused"),
    )
    judged("by_substance")
    assert build.rows("answer", "label", "label_method", "reason") == [
        ("no", "short_answer", None),
        ("yes", "judge", None),
        (None, None, "undecided"),
        (None, None, "response_refused"),
    ]
    assert build.rows("answer_unscored", "value") == [(0.0,), (0.0,), (0.0,), (None,)]
    assert build.rows("answer_undecided", "value") == [(0.0,), (0.0,), (1.0,), (None,)]
    assert n_asked() == 2
    judged("by_substance", may_ask=False)
    assert n_asked() == 2


@pytest.mark.parametrize("function", ["in_german", "with_a_wrong_name"])
def test_a_reply_that_names_no_label_is_counted_and_decides_nothing(build, judged, function):
    build.prompts(p=None, q=None, r=None)
    build.responses(("p", "The loan should be granted."), ("q", "Yes."), ("r", "It depends."))
    counts = judged(function)
    assert build.rows("answer", "label", "reason") == [
        (None, "judge_unusable"),
        ("yes", None),
        (None, "judge_unusable"),
    ]
    assert counts.n_unusable_marks == 2


def test_words_of_ones_own_are_judged_alike(build, judged):
    build.prompts(p=None, q=None)
    build.responses(("p", "The loan should not be granted."), ("q", "I say yes"))
    judged("by_substance", {"name": "answer", "choices": ["yes", "no"], "judge": "critic"})
    # "not" is no "no", so words leave it open
    assert build.rows("answer", "label", "label_method") == [("no", "judge"), ("yes", "choice_anywhere")]


def test_tables_say_who_judged(build, judged):
    build.prompts(p=None)
    build.responses(("p", "Yes."))
    judged("by_substance")
    query = "select scorer, model, parameters from raw.measures where measure_id = 'answer'"
    assert build.connection.execute(query).fetchall() == [("choices", "tiny", "preset=yes_no;labels=yes|no")]
    [(version,)] = build.rows("answer", "scorer_version")
    assert version.startswith("yes_no 4; undecided 2; judge 1, judges:by_substance tiny, rubric ")


def test_a_stand_in_is_called_simulated(build, judged):
    build.prompts(p=None)
    build.responses(("p", "Yes."))
    judged("by_substance", has_stand_in=True)
    query = "select scorer from raw.measures where measure_id = 'answer'"
    assert build.connection.execute(query).fetchall() == [("simulated choices",)]


def test_nobody_is_asked_where_nothing_may_be_asked(build, judged, n_asked, refused):
    build.prompts(p=None)
    build.responses(("p", "The loan should be granted."))
    with refused(OfflineError, "engine 'critic'"):
        judged("by_substance", may_ask=False)
    assert n_asked() == 0


def test_a_judge_only_adds_to_what_the_rules_got_right(build, judged):
    phrasings = [(text, truth) for text, truth in own_phrasings("yes_no") if text]
    build.prompts(**{f"p{i:03}": None for i in range(len(phrasings))})
    build.responses(*((f"p{i:03}", text) for i, (text, _) in enumerate(phrasings)))
    judged("by_substance")
    labels = [label for (label,) in build.rows("answer", "label")]
    right = [is_right(label, truth) for label, (_, truth) in zip(labels, phrasings, strict=True)]
    assert sum(right) / len(right) >= 0.9
