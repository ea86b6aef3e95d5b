"""Quotes of a study whose first replicates never show what differs: table, view and page have those that do."""

import html
import re
import textwrap
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from python_assets.report.behind import _MAX_PROMPTS
from python_assets.report.write_report import write_report_of
from tests.end_to_end.conftest import InMemory, in_memory

STUDY = """
title: Quotes
factors:
  nationality: {{type: domain}}
  name: {{type: prompt}}
prompts:
  import:
    path: answers.csv
    columns: {{prompt: prompt, root_prompt: item, system: model, response: answer, replicate: replicate}}
    factors: {{nationality: nationality, name: name}}
unit: {unit}
systems: [{{name: m, provider: replay}}, {{name: n, provider: replay}}]
measures:
  - {{name: warmth, kind: continuous, column: warmth, baseline_column: cold, direction: higher_better}}
  - {{name: biased, kind: binary, column: biased, direction: higher_worse}}
  - {{name: stance, kind: categorical, column: stance}}
groupings: [nationality]
analysis:
  permutations: 199
  bootstrap: 200
  statistics: [mean, {{selection_rate: {{standard: {{fixed: 0.3}}, method: larger}}}}]
  contrasts: [selection_rate_difference]
  compare: {{reference: n}}
"""
NATIONALITIES = ("German", "Polish", "Turkish")


class Published(NamedTuple):
    """A study in memory, its answers by text, and its page."""

    run: InMemory
    answers: pd.DataFrame
    page: str


def answers(replicates, names):
    """Replicate 0 says the same of all; later ones of m are cold and biased to Turkish people. Some are missing."""
    rng = np.random.default_rng(3)
    rows = []
    for item, name, nationality, model, replicate in product(range(12), names, NATIONALITIES, "mn", replicates):
        differs = nationality == "Turkish" and model == "m" and (replicate > 0 or len(replicates) == 1)
        differs &= replicate == 0 or rng.random() < 0.8
        if replicate and rng.random() < 0.15:
            continue
        warmth = 0.5 if replicate == 0 and len(replicates) > 1 else round(0.5 + rng.normal(0, 0.1) - 0.4 * differs, 3)
        rows.append(
            {"prompt": f"{nationality} {name} {item}", "item": item, "name": name, "nationality": nationality}
            | {"model": model, "replicate": replicate, "warmth": warmth, "cold": 0.1 + item / 100}
            | {"biased": int(differs), "stance": "no" if differs else "yes"}
            | {"answer": f"{model} on {nationality} {name} {item}, time {replicate}"}
        )
    return pd.DataFrame(rows)


def publish(folder, replicates, names, unit):
    (folder / "quotes.yml").write_text(textwrap.dedent(STUDY.format(unit=unit)), encoding="utf-8")
    table = answers(replicates, names)
    table.to_csv(folder / "answers.csv", index=False)
    run = in_memory(folder / "quotes.yml")
    write_report_of(run.connection, "quotes", folder / "page.html")
    return Published(run, table.set_index("answer"), (folder / "page.html").read_text(encoding="utf-8"))


@pytest.fixture(
    scope="module",
    params=[
        (range(3), ("Ada",), "root_prompt"),
        (range(1), ("Ada",), "root_prompt"),
        (range(3), ("Ada", "Bo"), "name"),
    ],
    ids=["replicates", "one replicate", "names"],
)
def quotes(request, tmp_path_factory):
    return publish(tmp_path_factory.mktemp("quotes"), *request.param)


KEYS = "study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters, group_id, category"


def pairs_of(quotes):
    """Every row of finding_prompts with what both responses are worth, and the difference of its group."""
    rows = quotes.run.connection.execute(
        f"""
        select finding_prompts.*, groups.value as group_difference,
            own.response_text as own_text, other.response_text as other_text
        from finding_prompts
        join finding_groups as groups using ({KEYS}, reference)
        join responses as own using (study_id, system_id, prompt_id, replicate)
        join responses as other on other.study_id = finding_prompts.study_id
            and other.system_id = finding_prompts.system_id and other.prompt_id = other_prompt_id
            and other.replicate = other_replicate
        """
    ).df()

    def worth(row, text):
        answer = quotes.answers.loc[text]
        if row["category"]:
            return float(answer.stance == row["category"])
        value = float(answer[row["measure_id"]]) - (answer.cold if row["calibration"] == "calibrated" else 0)
        return float(value >= 0.3 - 1e-12) if row["statistic"] == "selection_rate" else value

    own = rows.apply(lambda row: worth(row, row["own_text"]), axis=1)
    return rows.assign(own=own, other=rows.apply(lambda row: worth(row, row["other_text"]), axis=1))


def test_every_pair_differs_in_the_direction_of_its_group(quotes):
    pairs = pairs_of(quotes)
    side = np.sign(pairs.group_difference)
    assert set(pairs.measure_id) == {"warmth", "biased", "stance"}
    assert set(pairs.calibration) == {"raw", "calibrated"}
    assert (side * (pairs.own - pairs.other) > 1e-9).all()
    assert (side * pairs.difference > 1e-9).all()
    is_event = pairs.chosen_for == "event"
    assert ((pairs.measure_id != "warmth") | (pairs.statistic != "mean")).equals(is_event)
    assert pairs[is_event][["own", "other"]].isin([0, 1]).all(axis=None)


def test_of_a_mean_no_pair_of_the_root_prompt_is_nearer_to_the_difference(quotes):
    pairs = pairs_of(quotes)
    table = quotes.answers.reset_index()
    pairs = pairs[(pairs.chosen_for == "nearest_to_difference") & (pairs.calibration == "raw")]
    assert len(pairs)
    for _, row in pairs.iterrows():
        item, name = quotes.answers.loc[row.own_text, ["item", "name"]]
        there = table[(table.model == row.system_id) & (table["item"] == item)]
        both = there.merge(there, on="name")
        both = both[(both.nationality_x == row.group_id) & (both.nationality_y != row.group_id)]
        if row.reference in NATIONALITIES:
            both = both[both.nationality_y == row.reference]
        differences = both.warmth_x - both.warmth_y
        differences = differences[np.sign(row.group_difference) * differences > 1e-9]
        assert abs(row.own - row.other - row.group_difference) == pytest.approx(
            abs(differences - row.group_difference).min(), abs=1e-8
        )
        assert name in row.other_text


def quoted_on(page):
    """The pairs of texts that cards quote, by the words above them."""
    cards = re.findall(r"<details><summary>Responses where (.*?) differs? most</summary>(.*?)</details>", page, re.S)
    return [(html.unescape(who), re.findall(r"<blockquote>(.*?)</blockquote>", body, re.S)) for who, body in cards]


def test_the_page_quotes_what_the_view_has(quotes):
    rows = quotes.run.rows(
        """
        select group_id || case when category = '' then '' else ' (' || category || ')' end, response_text,
            other_response_text, value is distinct from other_value or label is distinct from other_label
        from v_quotes where study_id = 'quotes' and position <= ?
        """,
        _MAX_PROMPTS,
    )
    assert rows
    assert all(differs for *_, differs in rows)
    of_page = [
        (who, *pair) for who, texts in quoted_on(quotes.page) for pair in zip(texts[::2], texts[1::2], strict=True)
    ]
    assert of_page
    first = {who for who, *_ in of_page}
    assert {row[:3] for row in rows if row[0] in first} <= set(of_page)
    raw = {row[:3] for row in rows}
    told = pairs_of(quotes)
    others = {
        (f"{row.group_id} ({row.category})" if row.category else row.group_id, row.own_text, row.other_text)
        for _, row in told[(told.calibration != "raw") | ~told.statistic.isin(["mean", "share"])].iterrows()
    }
    assert set(of_page) <= raw | others
    assert max(len(texts) for _, texts in quoted_on(quotes.page)) == 2 * _MAX_PROMPTS


def test_values_stand_beside_the_texts(quotes):
    sides = re.findall(r"<div class=\"sides\">(.*?)</blockquote></div>\s*</div>", quotes.page, re.S)
    assert any("Turkish: <strong>1</strong>" in side and "<strong>0</strong>" in side for side in sides)
    assert any("Turkish: <strong>no</strong>" in side and "<strong>yes</strong>" in side for side in sides)


def test_quotes_of_changes_show_the_change(quotes):
    [(n_significant,)] = quotes.run.rows(
        "select count(*) from system_comparisons where verdict in ('beyond_margin', 'different')"
    )
    changes = re.findall(
        r"</strong> against n: (\w+)(?: \((\w+)\))?(.*?)</span>.*?that moved most, both answers side by side</summary>"
        "(.*?)</details>",
        quotes.page,
        re.S,
    )
    # two names are too few to test
    assert (len(changes) > 0) == (n_significant > 0) == (quotes.answers.name.nunique() == 1)
    falls = {("warmth", ""), ("stance", "yes")}
    for measure, category, title, body in changes:
        for prompt in body.split('<p class="small"><strong>')[1:]:
            answers_quoted = quotes.answers.loc[re.findall(r"<blockquote>(.*?)</blockquote>", prompt, re.S)]
            x = answers_quoted[measure] == category if category else answers_quoted[measure]
            if "calibrated" in title:
                x = x - answers_quoted.cold
            own, reference, *others = x.astype(float)
            change = own - reference - (others[0] - others[1] if others else 0)
            assert (change < -1e-9) if (measure, category) in falls else (change > 1e-9)
