"""The demo study as a newcomer runs it: declared effects are found, nothing else is."""

import re
from pathlib import Path

import dagster as dg
import pytest

from python_assets.published.run_summary import MOST_LINES

SHOWN = "('beyond_margin', 'different')"


def test_it_says_where_everything_is(demo):
    out = demo.done.stdout
    assert str(demo.home / "plumbline.duckdb") in out
    assert str(demo.home / "report" / "g20_demo.html") in out
    assert "Simulated responses" in out
    # no model answered, and by the study file, not by --provider
    told = demo.rows("select is_simulated, has_stand_in from studies where study_id = 'g20_demo'")
    assert told == [(True, False)]


def test_every_stage_is_said_as_it_starts_and_what_takes_long_is_counted(demo):
    told = demo.done.stderr.splitlines()
    n_stages = int(re.search(r"^ 1 of (\d+)  raw__studies$", demo.done.stderr, re.MULTILINE)[1])
    starts = [line for line in told if re.fullmatch(r"[ \d]\d of \d+  \w+", line)]
    ends = [line for line in told if re.fullmatch(r"[ \d]\d of \d+  \w+: .* s", line)]
    assert [line.partition(":")[0] for line in ends] == starts
    assert [int(line.split()[0]) for line in starts] == list(range(1, n_stages + 1))
    generate = [told.index(line) for line in told if "  generate" in line]
    asked = told[slice(*generate)]
    assert any(line.startswith("    fair: 0 answers") and "840" in line for line in asked)
    assert any(line.startswith("    fair: 840 answers in ") for line in asked)
    for unit in ("texts", "draws"):
        assert re.search(rf"^    .+: [\d,]+ {unit} in ", demo.done.stderr, re.MULTILINE)


def test_the_log_of_the_run_in_dagster_has_the_same_lines(demo):
    with dg.DagsterInstance.from_config(str(demo.home / "dagster")) as instance:
        (run,) = instance.get_runs()
        logged = [entry.user_message for entry in instance.all_logs(run.run_id)]
    told = re.findall("^    (.+ to ask for|.+ known from earlier runs)$", demo.done.stderr, re.MULTILINE)
    assert len(told) == 3
    assert set(told) <= set(logged)


def test_every_declared_effect_on_sentiment_is_found_with_its_sign(demo):
    found = dict(
        demo.rows(
            """
            select group_id, value from contrasts
            where study_id = 'g20_demo' and system_id = 'biased'
              and measure_id = 'sentiment' and calibration = 'raw'
              and contrast = 'mean_difference' and q_value <= 0.05
            """
        )
    )
    assert found["Russia"] < 0
    assert found["China"] < 0


def test_no_difference_is_shown_where_there_is_none(demo):
    shown = demo.rows(
        f"""
        select measure_id, group_id, contrast from contrasts
        where study_id = 'g20_demo' and system_id = 'fair'
          and calibration = 'raw' and measure_id in ('sentiment', 'refusal')
          and verdict in {SHOWN}
        """
    )
    assert shown == []


def test_what_a_name_alone_scores_is_in_neither_response_nor_baseline(demo):
    # VADER scores the word United; the prompt, which holds the name, is measured on neither side
    shown = demo.rows(
        f"""
        select system_id, calibration, group_id from contrasts
        where study_id = 'g20_demo' and system_id in ('fair', 'baseline')
          and measure_id = 'sentiment' and verdict in {SHOWN}
        """
    )
    assert shown == []
    n, n_same = demo.rows(
        """
        select count(*), count(*) filter (where abs(branch.value - root.value) < 1e-12)
        from measurements as branch
        join prompts using (study_id, prompt_id)
        join measurements as root
            on root.study_id = branch.study_id and root.prompt_id = prompts.root_prompt_id
            and root.system_id = branch.system_id and root.measure_id = branch.measure_id
        where branch.study_id = 'g20_demo' and branch.system_id = 'baseline'
          and branch.measure_id = 'sentiment' and not prompts.is_root
        """
    )[0]
    assert n_same == n == 800


def test_the_primary_findings_are_the_four_declared_effects(demo):
    found = demo.rows(
        """
        select system_id, measure_id, group_id, sign(groups.value), direction
        from findings
        join finding_groups as groups using
            (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        where study_id = 'g20_demo' and family_id = 'primary' and direction is not null
        order by finding_rank, position
        """
    )
    assert sorted(found) == [
        ("biased", "refusal", "Saudi Arabia", 1, "disadvantaged"),
        ("biased", "sentiment", "Canada", 1, "advantaged"),
        ("biased", "sentiment", "China", -1, "disadvantaged"),
        ("biased", "sentiment", "Russia", -1, "disadvantaged"),
    ]


def test_no_question_of_the_model_without_effects_is_significant(demo):
    query = f"select sentence from findings where system_id = 'fair' and verdict in {SHOWN}"
    assert demo.rows(query) == []


def test_the_run_ends_with_the_facts_in_few_lines(demo):
    said = demo.done.stdout.splitlines()
    told = said[next(place for place, line in enumerate(said) if line.startswith("Report ")) :]
    assert len(told) <= MOST_LINES
    assert any("biased: sentiment by concept: Russia -0.3" in line for line in told)
    assert any("primary: 6 questions, 2 significant" in line for line in told)


def test_the_readme_shows_what_the_demo_finds(demo):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    printed = demo.done.stdout
    assert printed[printed.index("Found ") : printed.index("Changed ")].strip() in readme


def test_sql_and_inference_agree_on_every_contrast(demo):
    import duckdb

    with duckdb.connect(str(demo.home / "build" / "g20_demo.duckdb"), read_only=True) as build:
        apart, n = build.execute(
            """
            select count(*) filter (where abs(m.value - i.value_cells) > 1e-9), count(*)
            from intermediate.int_contrast_values as m
            join inference.contrasts as i using
                (study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic,
                 parameters, group_id, contrast, category, reference)
            where m.value is not null and i.value_cells is not null
            """
        ).fetchone()
    assert n > 100
    assert apart == 0


def test_every_value_that_is_null_has_a_reason_and_no_other(demo):
    for mart in ("summary_statistics", "contrasts", "disparities"):
        assert demo.value(f"select count(*) from {mart} where (value is null) = (reason is null)") == 0, mart


def test_there_are_about_forty_root_prompts_in_21_concepts(demo):
    roots, concepts = demo.rows(
        """
        select count(distinct root_prompt_id), count(distinct level)
        from prompts join prompt_factors using (study_id, prompt_id)
        where study_id = 'g20_demo' and factor = 'concept'
        """
    )[0]
    assert 35 <= roots <= 45
    assert concepts == 21


def test_quality_results_of_both_kinds_are_published(demo):
    kinds = dict(
        demo.rows(
            """
            select starts_with(expectation, 'dbt: '), count(*) from data_quality
            where study_id = 'g20_demo' and success group by all
            """
        )
    )
    assert kinds[True] > 20
    assert kinds[False] > 20


def test_no_address_but_loopback_was_asked_for(demo):
    assert demo.reached == ""


def test_the_report_says_that_nothing_real_was_asked(demo):
    page = (demo.home / "report" / "g20_demo.html").read_text(encoding="utf-8")
    assert "Simulated" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_parquet_holds_what_the_database_holds(demo):
    path = demo.home / "parquet" / "contrasts.parquet"
    n_parquet = demo.value(f"select count(*) from read_parquet('{path}')")
    assert n_parquet == demo.value("select count(*) from contrasts")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "no_such_study"], "no_such_study.yml: got nothing; expected a study file"),
        (["sql", "selekt 1"], "the query: got "),
    ],
)
def test_a_mistake_ends_with_1_and_no_traceback(demo, plumbline, arguments, said):
    done = plumbline(demo.home, *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
