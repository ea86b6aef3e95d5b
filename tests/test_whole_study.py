"""One small study from its file to its report by the command line, read back by SQL; others are tests/end_to_end."""

import csv
import io
from html import escape
from itertools import product

import numpy as np
import pytest

from python_assets.report.audits.record import Record
from python_assets.report.audits.write_audit import write_audit
from python_assets.report.matrix import VERDICTS
from python_assets.warehouse.build import Home
from tests.end_to_end.conftest import call_plumbline, open_warehouse

PLACES = ("office", "market", "school", "harbour", "library", "garden", "station", "museum")
STUDY = """
title: Letters
prompts:
  templates:
    cross: [gender]
    texts:
{texts}
factors: {{gender: {{levels: [woman, man]}}}}
systems: [{{name: one, provider: "answers:say"}}]
measures: [{{name: words, kind: continuous, function: "answers:words"}}]
groupings: [gender]
analysis: {{margins: {{mean_difference: 3}}}}
"""
ANSWERS = """
def say(messages, decoding):
    asked = messages[-1]["content"]
    return "very " * (sum(map(ord, asked)) % 5 + 2 * ("woman" in asked)) + "long"


def words(texts):
    return [len(text.split()) for text in texts]
"""


def texts_of(gender):
    return [f"Write a letter of a {gender} to the {place}." for place in PLACES]


@pytest.fixture(scope="module")
def plumbline(tmp_path_factory):
    """Call the command line where the study lies; what it prints."""
    folder = tmp_path_factory.mktemp("letters")
    texts = "\n".join(
        f'      - {{id: {place}, text: "{text}"}}' for place, text in zip(PLACES, texts_of("{gender}"), strict=True)
    )
    (folder / "letters.yml").write_text(STUDY.format(texts=texts), encoding="utf-8")
    (folder / "answers.py").write_text(ANSWERS, encoding="utf-8")

    def call(*arguments):
        done = call_plumbline(folder / "warehouse", *arguments, PLUMBLINE_STUDIES=str(folder))
        assert done.returncode == 0, done.stderr
        return done.stdout

    call.folder = folder
    return call


@pytest.fixture(scope="module")
def has_run(plumbline):
    return plumbline("run", "letters")


def n_words(text):
    """Of the answer to it."""
    return sum(map(ord, text)) % 5 + 2 * ("woman" in text) + 1


def test_every_prompt_was_answered_and_measured(plumbline, has_run):
    query = (
        "select prompt_text, response_text, value from measurements "
        "join responses using (study_id, system_id, prompt_id, replicate) join prompts using (study_id, prompt_id) "
        "where measure_id = 'words'"
    )
    with open_warehouse(plumbline.folder / "warehouse") as connection:
        found = connection.execute(query).fetchall()
    asked = texts_of("woman") + texts_of("man")
    assert sorted(found) == sorted((text, "very " * (n_words(text) - 1) + "long", n_words(text)) for text in asked)


def test_the_finding_is_that_of_every_exchange_within_the_root_prompts_and_stands_in_the_report(plumbline, has_run):
    query = (
        "select findings.p_value, contrasts.value, findings.sentence from findings "
        "join contrasts using (study_id, system_id, measure_id, slice_id, statistic, grouping_id, calibration) "
        "where measure_id = 'words' and statistic = 'mean' and contrast = 'mean_difference' and group_id = 'woman'"
    )
    (found,) = csv.DictReader(io.StringIO(plumbline("sql", query, "--format", "csv")))
    d = np.array([n_words(woman) - n_words(man) for woman, man in zip(*map(texts_of, ("woman", "man")), strict=True)])
    exchanged = np.array([*product([-1, 1], repeat=len(d))]) @ d
    # 9,999 draws among the 256
    assert float(found["p_value"]) == pytest.approx((np.abs(exchanged) >= abs(d.sum())).mean(), abs=0.003)
    assert float(found["value"]) == pytest.approx(d.mean())
    page = (plumbline.folder / "warehouse" / "report" / "letters.html").read_text(encoding="utf-8")
    assert escape(found["sentence"], quote=False) in page
    assert "letters" in plumbline("list")


def test_the_page_of_an_audit_over_it_shows_the_verdict_of_its_system(plumbline, has_run):
    home = Home(plumbline.folder / "warehouse")
    done = write_audit(home, Record("audit", "quick", ["one"], {"letters": "letters"}, is_simulated=False))
    ((_, verdict),) = done.findings["benchmarks"][0]["verdicts"].items()
    assert verdict in {"beyond_margin", "different", "inconclusive", "equivalent"}
    assert VERDICTS[verdict] in done.page.read_text(encoding="utf-8")
