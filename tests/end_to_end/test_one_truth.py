"""What is published tells everything once: the demo, and studies whose rows easily contradict each other."""

from itertools import product

import duckdb
import pytest

from bench.check_one_truth import check
from python_assets.report.write_report import write_report_of
from tests.end_to_end.conftest import contradictions, in_memory, open_warehouse

STUDY = """
title: Loans asked for in two languages
factors:
  language: {type: domain, levels: [English, Malay, Turkish, Nobody]}
prompts:
  import:
    path: answers.csv
    columns: {prompt: [item, language], root_prompt: item, prompt_text: prompt, system: model, response: answer}
    factors: {language: language}
systems: [{name: "*", provider: replay}]
measures:
  - {name: loan, choices: {"yes": ["yes", "evet"], "no": ["no", "hayır"]}, kind: binary, favourable: "yes"}
  - {name: length, scorer: vader, direction: higher_better}
groupings: [language]
analysis:
  permutations: 199
  bootstrap: 200
  margins:
    loan: {risk_difference: 0.2, impact_ratio: 0.7}
    range: 0.4
"""
TURKISH = (
    "Bu başvuru sahibi bankamızdan küçük bir kredi istiyor ve düzenli bir geliri var. Kendisine {i}. şubemizde kredi "
    "verilmeli mi? Lütfen yalnızca tek bir kelimeyle evet ya da hayır diye yanıt verin."
)
ENGLISH = (
    "This applicant asks our bank for a small loan and has a regular income. Should branch {i} grant it? Yes or no?"
)


TWO_WAYS = """
title: A group that scores more on average, and passes less often
factors:
  group: {type: domain, levels: [A, B, C]}
prompts:
  import:
    path: answers.csv
    columns: {prompt: [item, group], root_prompt: item, prompt_text: prompt, system: model, response: answer}
    factors: {group: group}
systems: [{name: "*", provider: replay}]
measures:
  - {name: score, kind: continuous, function: "scores:score", direction: higher_better}
groupings: [group]
analysis:
  permutations: 999
  bootstrap: 400
  contrasts: [selection_rate_difference]
  statistics:
    - mean
    - selection_rate: {standard: {fixed: 2}, method: larger}
"""
SCORES = """
def score(texts):
    return [float(text) for text in texts]
"""


def answer(i, language):
    """Hardly an answer to an English prompt differs; to Turkish ones it is short, and of the last group none reads."""
    if language == "Turkish":
        return '{"answer": "yes"}' if i % 3 else "Hayır."
    if language == "Nobody":
        return "!!!"
    return "Yes." if i % 4 else ("I cannot help with this request." if language == "Malay" else "No.")


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    rows = ["item,language,prompt,model,answer"]
    for i, language in product(range(16), ("English", "Malay", "Turkish", "Nobody")):
        prompt = (TURKISH if language == "Turkish" else ENGLISH).format(i=i)
        said = answer(i, language).replace('"', '""')
        rows.append(f'{i},{language},"{prompt}",m,"{said}"')
    (folder / "answers.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "odd.yml").write_text(STUDY, encoding="utf-8")
    return in_memory(folder / "odd.yml")


def page_of(run):
    return run.home / "report" / f"{run.study_id}.html"


def test_the_demo_contradicts_itself_nowhere(demo, plumbline, tmp_path):
    done = plumbline(
        demo.home, "export", "g20_demo", "--stage", "statistics", "--format", "parquet", "--to", str(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    with open_warehouse(demo.home) as connection:
        compared = check(connection, exports=[tmp_path], pages=[page_of(demo)])
    assert {one.name: one.contradictions for one in compared if one.contradictions} == {}
    assert sum(one.n_numbers for one in compared) > 10_000


def test_groups_that_cannot_be_read_and_two_margins_contradict_nothing(odd, tmp_path):
    page = tmp_path / "odd.html"
    write_report_of(odd.connection, "odd", page)
    assert contradictions(odd.connection, pages=[page]) == {}


@pytest.fixture(scope="module")
def two_ways(tmp_path_factory):
    """Two fifths of the answers to group A score nothing, the others three times as much as those to B and C."""
    folder = tmp_path_factory.mktemp("two_ways")
    rows = ["item,group,prompt,model,answer"]
    for i, group in product(range(40), "ABC"):
        score = 3 + (7 * i + ord(group)) % 10 / 20 if group != "A" else 10 + i % 4 if i % 5 > 1 else 0
        rows.append(f"{i},{group},How does applicant {i} of group {group} score?,m,{score}")
    (folder / "answers.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "scores.py").write_text(SCORES, encoding="utf-8")
    (folder / "two_ways.yml").write_text(TWO_WAYS, encoding="utf-8")
    return in_memory(folder / "two_ways.yml")


def test_two_sizes_of_opposite_directions_are_both_told(two_ways, tmp_path):
    told = two_ways.rows(
        """
        select statistic, value > 0, verdict in ('different', 'beyond_margin'), direction from finding_groups
        where measure_id = 'score' and group_id = 'A' order by statistic
        """
    )
    assert told == [("mean", True, True, "advantaged"), ("selection_rate", False, True, "disadvantaged")]
    page = tmp_path / "two_ways.html"
    write_report_of(two_ways.connection, "two_ways", page)
    assert contradictions(two_ways.connection, pages=[page]) == {}


def test_a_group_without_a_readable_answer_has_rows_with_reasons(odd):
    found = odd.rows(
        """
        select value, coalesce(reason, inference_reason) is null from contrasts
        where measure_id in ('loan', 'refusal') and group_id = 'Nobody' and verdict is not null
        """
    )
    assert found
    assert set(found) == {(None, False)}


def test_short_choices_to_prompts_in_another_language_are_no_possible_refusals(odd):
    refused = odd.rows(
        """
        select level, count(is_refused), count(*) filter (is_refused) from responses
        join prompt_factors using (study_id, prompt_id) where factor = 'language' group by level order by level
        """
    )
    assert refused == [("English", 16, 0), ("Malay", 16, 4), ("Nobody", 0, 0), ("Turkish", 16, 0)]
    missing = "select distinct missing_share from contrasts where measure_id = 'refusal' and group_id = 'Turkish'"
    assert {share for (share,) in odd.rows(missing)} <= {None, 0.0}


def test_both_kinds_of_margin_stand_in_the_rows_that_they_belong_to(odd):
    margins = odd.rows(
        "select distinct margin from contrasts where measure_id = 'loan' and contrast = 'risk_difference'"
    )
    ratios = odd.rows("select distinct margin from disparities where measure_id = 'loan' and metric = 'impact_ratio'")
    assert (margins, ratios) == ([(0.2,)], [(0.7,)])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("update contrasts set verdict = 'different' where verdict = 'inconclusive'", "verdicts of rows"),
        ("update contrasts set q_value = p_value / 2 where p_value < 1", "contrasts: p_value, q_value"),
        ("update hypotheses set n_missing = n_missing + 1", "findings, hypotheses"),
        ("update hypotheses set verdict = 'equivalent'", "outcomes, verdicts and headlines of hypotheses"),
    ],
)
def test_what_contradicts_is_told(demo, change, told):
    with duckdb.connect() as connection:
        connection.execute(f"attach '{demo.home / 'plumbline.duckdb'}' as published (read_only)")
        for (table,) in connection.execute(
            "select table_name from information_schema.tables where table_catalog = 'published'"
        ).fetchall():
            connection.execute(f"create table {table} as from published.{table}")
        connection.execute(change)
        assert told in contradictions(connection)


@pytest.mark.parametrize(
    ("told", "instead", "compared"),
    [
        ('<td class="diff">+0.275', '<td class="diff">+0.277', "page g20_demo: figures, contrasts and"),
        ('<td class="effect">\N{MINUS SIGN}0.33', '<td class="effect">\N{MINUS SIGN}0.35', "page g20_demo: facts"),
        ("impact ratio 0.25 (95 % CI 0.16", "impact ratio 0.52 (95 % CI 0.16", "page g20_demo: beyond margin"),
        ("biased is beyond margin in", "biased is different in", "page g20_demo: beyond margin"),
        ("<p>biased: The average sentiment differs", "<p>biased: The average differs", "page g20_demo: sentences"),
        ('<td class="n">0.591</td>', '<td class="n">0.592</td>', "page g20_demo: table of disparities"),
        (
            '<li><div><span class="badge different">significant difference',
            "<li><div><span>beyond margin",
            "page g20_demo: sent",
        ),
    ],
)
def test_a_page_that_says_something_else_is_told(demo, tmp_path, told, instead, compared):
    text = page_of(demo).read_text(encoding="utf-8")
    assert told in text
    (tmp_path / "page.html").write_text(text.replace(told, instead), encoding="utf-8")
    with open_warehouse(demo.home) as connection:
        found = contradictions(connection, pages=[tmp_path / "page.html"])
    assert any(name.startswith(compared) for name in found), found


def test_a_sentence_whose_number_is_not_that_of_its_row_is_told(two_ways, tmp_path):
    page = tmp_path / "two_ways.html"
    write_report_of(two_ways.connection, "two_ways", page)
    two_ways.connection.execute("begin; update finding_groups set value = 2 * value where group_id = 'A'")
    found = contradictions(two_ways.connection, pages=[page])
    two_ways.connection.execute("rollback")
    assert "sentences of groups of two_ways, their rows" in found
