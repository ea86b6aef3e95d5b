"""tests/end_to_end/test_looks.py - a study that is looked at while it grows, by the command line."""

import shutil
from functools import partial

from tests.end_to_end.conftest import call_plumbline, open_warehouse

TEXTS = "\n".join(f'      - {{id: t{at}, text: "Speak of a {{gender}} in place {at}."}}' for at in range(24))
STUDY = f"""
title: Growing
factors:
  gender: {{levels: [woman, man, other]}}
prompts:
  templates:
    cross: [gender]
    texts:
{TEXTS}
systems: [{{name: one, provider: "says:say"}}]
measures: [vader]
groupings: [gender]
analysis: {{looks: 3}}
"""
SAYS = """
import os
import zlib
from pathlib import Path

WORDS = ["good", "nice", "lovely", "great", "fine", "happy", "bad", "sad"]


def say(messages, decoding):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write("x")
    text = messages[-1]["content"]
    word = WORDS[zlib.crc32(text.encode()) % 8]
    if os.environ.get("SAYS") != "alike" and "woman" in text:
        return f"A horrible, terrible, {word} person."
    return f"A {word} person."
"""


def test_looks_are_taken_one_after_the_other_and_stay_significant(tmp_path, make_home):
    home = make_home()
    plumbline = partial(call_plumbline, home, PLUMBLINE_STUDIES=str(tmp_path))
    (tmp_path / "growing.yml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "says.py").write_text(SAYS, encoding="utf-8")

    def n_calls():
        calls = tmp_path / "calls"
        return calls.stat().st_size if calls.exists() else 0

    def found():
        query = (
            "select verdict, significant_at_look, inference_reason, sentence from findings "
            "where measure_id = 'vader' and statistic = 'mean' and family_id = 'primary'"
        )
        with open_warehouse(home) as connection:
            done = connection.execute(query)
            return dict(zip([name for name, *_ in done.description], done.fetchone(), strict=True))

    refused = plumbline("run", "growing")
    assert refused.returncode == 1
    assert "plumbline plan growing --preregister" in refused.stderr
    assert plumbline("plan", "growing").returncode == 1
    preregistered = plumbline("plan", "growing", "--preregister")
    assert preregistered.returncode == 0
    assert "0.033625" in preregistered.stdout
    assert n_calls() == 0

    first = plumbline("run", "growing")
    assert "Look       1 of 3, 8 of 24 root prompts: called at 0.00069; the next run asks look 2" in first.stdout
    assert n_calls() == 24
    assert (found()["verdict"], found()["significant_at_look"]) == ("inconclusive", None)
    assert "by look 1 of 3" in found()["sentence"]

    second = plumbline("run", "growing")
    assert "Look       2 of 3" in second.stdout
    assert n_calls() == 48
    assert (found()["verdict"], found()["significant_at_look"]) == ("different", 2)
    assert "Called at look 2 of 3." in found()["sentence"]

    # the log is gone: other answers to the prompts of a look that was taken
    shutil.rmtree(home / "responses")
    again = plumbline("run", "growing", "--look", "2", SAYS="alike")
    assert "Look       2 of 3, 16 of 24 root prompts: nothing is called" in again.stdout
    assert (found()["verdict"], found()["inference_reason"]) == ("not_tested", "between_looks")
    back = plumbline("run", "growing", "--look", "1")
    assert back.returncode == 1
    assert "look 2, which was taken" in back.stderr
    assert (home / "looks" / "growing.jsonl").exists()
