from pathlib import Path

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import ProviderError
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import generate_study
from python_assets.providers.judged_refusals import REFUSAL_QUESTION
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext
from tests.python_assets.providers.servers import MODEL, Server, openai_completion, serving

DOCS = Path(__file__).parents[3] / "docs" / "measures.md"
JUDGES = """
import re

def text_of(messages):
    message = messages[-1]["content"]
    with open("{log}", "a", encoding="utf-8") as log:
        log.write(message.replace("\\n", " ") + "\\n")
    _, prompt, _, text, _ = re.split("^=+$", message, flags=re.MULTILINE)
    assert re.match(r"What about p|Write an insult|What is the capital", prompt.strip())
    return text.strip()

def by_substance(messages, decoding):
    text = text_of(messages)
    if "Pass." in text or "sorry" in text:
        return "Refused."
    return "It is partly." if "help" in text else "answered"

def that_always_agrees(messages, decoding):
    text_of(messages)
    return "answered"

def in_german(messages, decoding):
    text_of(messages)
    return "Nein"
"""
ANSWERS = {
    "p1": ("Pass. Ask somebody else.", "stop"),
    "p2": ("I cannot help with that.", "stop"),
    "p3": ("The north is", "content_filter"),
    "p4": ("Pass. I would", "length"),
    "p5": (" ", "stop"),
    "p6": ("Pass. Ask somebody else.", "stop"),
}
TEXTS = [{"id": name, "text": f"What about {name}, {{gender}}?"} for name in ANSWERS]
FLAGS = "select outcome, is_refused, is_truncated from raw.responses order by prompt_id"


def answer(server, request):
    prompt = request.body["messages"][-1]["content"]
    named = next((name for name in ANSWERS if f"about {name}," in prompt), "p2")
    return openai_completion(*ANSWERS[named])


@pytest.fixture
def judged(make_study, build, tmp_path):
    """Ask a server that answers so, and extract; the engine is one of the functions above."""
    log = tmp_path / "sent.txt"

    def run(function, measure):
        with serving(Server("/v1/chat/completions", answer)) as server:
            asked = {"name": "asked", "provider": "openai", "model": MODEL, "base_url": server.url + "/v1"}
            study = make_study(
                {"templates": {"texts": TEXTS, "cross": ["gender"]}},
                files={"judges.py": JUDGES.replace("{log}", str(log))},
                factors={"gender": {"levels": ["Female"]}},
                systems=[asked, {"name": "critic", "provider": f"judges:{function}", "engine": True}],
                measures=[measure, "vader"],
                groupings=["gender"],
            )
            assemble(study, build)
            home = Home(tmp_path / "home")
            counts = generate_study(study, build, home, progress=SILENT)
            extract(study, build, tmp_path / "cache", run_context=RunContext(home, SILENT))
        sent = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        # without the probe and what is planted
        return counts, [line for line in sent if "refuse to answer" in line and "What about p" in line]

    return run


def of_measure(build, measure_id, column):
    query = f"select {column} from raw.measurements where measure_id = ? order by prompt_id"
    return [value for (value,) in build.execute(query, [measure_id]).fetchall()]


def test_the_engine_says_what_is_refused_and_what_other_measures_read(judged, build):
    counts, _ = judged("by_substance", {"refusal": {"judge": "critic"}})
    assert build.execute(FLAGS).fetchall() == [
        ("refused", True, False),
        ("partly", False, False),
        ("refused", True, False),
        ("refused", True, True),
        ("unreadable", None, False),
        ("refused", True, False),
    ]
    assert counts.n_by_flag["is_refused"] == 4
    assert of_measure(build, "refusal", "value") == [1.0, 0.0, 1.0, 1.0, None, 1.0]
    refused, empty = "response_refused", "response_empty"
    assert of_measure(build, "refusal", "reason") == [None, None, None, None, empty, None]
    assert of_measure(build, "vader", "reason") == [refused, None, refused, refused, empty, refused]


def test_each_prompt_and_text_is_asked_once_and_what_is_empty_or_declined_never(judged):
    _, sent = judged("by_substance", {"refusal": {"judge": "critic"}})
    assert len(sent) == 4
    assert not any("The north is" in line for line in sent)
    _, sent = judged("by_substance", {"refusal": {"judge": "critic"}})
    assert len(sent) == 4


def test_the_tables_say_who_judged(judged, build):
    judged("by_substance", {"refusal": {"judge": "critic"}})
    [version] = set(of_measure(build, "refusal", "scorer_version"))
    assert version.startswith("judge 1, judges:by_substance")
    query = "select scorer, model from raw.measures where measure_id = 'refusal'"
    assert build.execute(query).fetchall() == [("refusal", "judges:by_substance")]


def test_where_the_judge_names_no_class_the_rules_stand(judged, build):
    counts, _ = judged("in_german", {"refusal": {"judge": "critic"}})
    refused = [is_refused for _, is_refused, _ in build.execute(FLAGS).fetchall()]
    assert refused == [False, True, True, False, None, False]
    assert counts.n_unusable_marks == 4


def test_a_judge_that_always_agrees_is_refused_before_it_is_asked_of_responses(judged, tmp_path):
    expected = "engine critic, judge of refusals: got 'answered' for the response \"I'm sorry, but I can't help"
    with pytest.raises(ProviderError, match=expected):
        judged("that_always_agrees", {"refusal": {"judge": "critic"}})
    assert "What about p1" not in (tmp_path / "sent.txt").read_text(encoding="utf-8")


def test_the_docs_print_what_a_judge_is_asked():
    shown = DOCS.read_text(encoding="utf-8")
    assert all(line in shown for line in REFUSAL_QUESTION.splitlines())


def test_without_a_judge_nobody_is_asked(judged):
    counts, sent = judged("by_substance", "refusal")
    assert (sent, counts.n_unusable_marks) == ([], 0)


def test_a_simulated_engine_agrees_with_the_rules(make_study, build, tmp_path):
    study = make_study(
        {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}},
        factors={"gender": {"levels": ["Female", "Male"]}},
        systems=[
            {"name": "one", "provider": "simulator", "replicates": 20, "options": {"refusal": {"base": 0.5}}},
            {"name": "critic", "provider": "simulator", "engine": True},
        ],
        measures=[{"refusal": {"judge": "critic"}}],
        groupings=["gender"],
    )
    assemble(study, build)
    counts = generate_study(study, build, Home(tmp_path / "home"), progress=SILENT)
    assert 5 < counts.n_by_flag["is_refused"] < 35
    assert counts.n_unusable_marks == 0
