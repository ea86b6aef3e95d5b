"""Size of a report of paper scale, seconds to write it, and seconds until each of its pages is drawn.

20 generations, 1,575 prompts of 21 groups with a distinct response of 100 words each, 44 measures, 14
statistics and 14 disparities of each, half of them with a noise floor: made up by seed, straight into a
published database.

    python -m bench.bench_report [REPORT.html]
"""

import argparse
import resource
import tempfile
from pathlib import Path
from time import perf_counter

import duckdb
import yaml

from bench.chromium import CHROMIUM, Browser, browser
from python_assets.report.write_report import write_report

MODELS = Path(__file__).resolve().parent.parent / "dbt_models" / "models"
N_OPENED = 5
# words of 3 to 9 letters; a text of them shrinks about as much as one of a model does
WORDS = "(select list(substr(md5(w::varchar), 1, 3 + (w % 7)::int) order by w) from range(4000) words(w))"
TESTED = ("range", "standard_deviation", "max_z", "max_abs_z", "min_max_ratio", "dixon_low", "dixon_high")
METRICS = ("max", "mean", "min", *TESTED, "dixon_excess_low", "dixon_excess_high", "impact_ratio", "four_fifths")
TABLES = {
    "studies": """
        select 'Paper scale' as title, 'countries' as domain, '{"analysis": {"alpha": 0.05}}' as config_json,
            '0' as config_sha256, '0' as plumbline_version, 'bench' as run_id, 0.05 as level
    """,
    "systems": """
        select case when g = 20 then 'baseline' else format('model_{:02d}', g) end as system_id,
            'simulator' as provider, format('m{}', g % 4) as model, format('role {}', g // 4) as system_prompt_name,
            '' as template, '' as extension, '' as system_prompt, '{}' as decoding_json,
            '[]' as extensions_json, '{}' as model_details_json, g < 20 as is_simulated,
            false as is_engine, g = 20 as is_baseline
        from range(21) systems(g)
    """,
    "measures": """
        select case when m < 38 then format('score_{:02d}', m) else format('share_{}', m) end as measure_id,
            case when m < 38 then 'continuous' else 'binary' end as kind, '1' as unit, 'none' as direction,
            format('tool_{}', m // 5) as scorer, '' as parameters, 0.0 as scale_low
        from range(44) measures(m)
    """,
    "prompts": """
        select format('p{:02d} > Country {:02d}', p // 21, p % 21) as prompt_id, format('p{:02d}', p // 21)
            as root_prompt_id, p % 21 = 0 as is_root, 'question' as task,
            format('What of the people of Country {:02d}, number {}?', p % 21, p // 21) as prompt_text,
            format('The people of Country {:02d} are many, {}.', p % 21, p // 21) as baseline_text
        from range(1575) prompts(p)
    """,
    "prompt_factors": """
        select prompt_id, unnest(['concept', 'keyword', 'source_tag']) as factor,
            unnest([right(prompt_id, 10), 'k' || left(prompt_id, 2), 'article']) as level
        from prompts
    """,
    "responses": f"""
        select system_id, prompt_id, 0 as replicate, system_id || prompt_id as response_id,
            'ok' as status, 'answered' as outcome, false as is_refused, false as is_empty, false as is_truncated,
            list_aggregate(list_transform(range(100),
                lambda j: words[1 + (hash(system_id, prompt_id, j) % 4000)::int]), 'string_agg', ' ')
                as response_text
        from systems, prompts, (select {WORDS} as words)
        where not is_baseline
    """,
    "measurements": """
        select system_id, prompt_id, 0 as replicate, measure_id, '1' as scorer_version,
            case when kind = 'binary' then (random() < 0.1)::int else random() + random() - random() end
                as value,
            case when kind = 'continuous' and not is_baseline
                then hash(prompt_id, measure_id) / 18446744073709551615.0 end as baseline_value
        from systems, prompts, measures
    """,
    "summary_statistics": """
        select 'all' as slice_id, system_id, measure_id, calibration, 'concept' as grouping_id,
            format('Country {:02d}', c) as group_id, statistic, '' as parameters, random() - 0.3 as value,
            value as value_responses, case when statistic = 'mean' then random() end as ci_low,
            case when statistic = 'mean' then random() end as ci_high, random() as z,
            75 as n_responses, 0 as n_missing, 75 as n_root_prompts
        from statistics_of_measures, range(21) countries(c)
    """,
    "disparities": f"""
        select 'all' as slice_id, system_id, measure_id, calibration, 'concept' as grouping_id, statistic,
            '' as parameters, metric, random() as value, 21 as n_groups,
            case when metric in {TESTED} then random() end as null_q95,
            case when metric in {TESTED} then ceil(random() * 10000) / 9000 end as q_value,
            case when metric in {TESTED} then 'inconclusive' end as verdict,
            format('Country {{:02d}}', (random() * 20)::int) as group_low,
            format('Country {{:02d}}', (random() * 20)::int) as group_high
        from statistics_of_measures, (select unnest([{", ".join(map(repr, METRICS))}]) as metric)
    """,
}
STATISTICS_OF_MEASURES = """
    create temp table statistics_of_measures as
    select system_id, measure_id, calibration,
        case when s = 0 then 'mean' else format('statistic_{}', s) end as statistic
    from systems, measures, (select unnest(['raw', 'calibrated']) as calibration), range(14) statistics(s)
    where calibration = 'raw' or (kind = 'continuous' and not is_baseline)
"""


def make_published(path: Path) -> None:
    """Every mart with the columns its contract promises, and rows in those that a report shows most of."""
    with duckdb.connect(str(path)) as connection:
        connection.execute("set threads = 1")  # random numbers in the same order every time
        connection.execute("select setseed(0.5)")
        connection.execute("create table reasons as from read_csv(?)", [str(MODELS.parent / "seeds" / "reasons.csv")])
        models = [
            m
            for file in sorted([*MODELS.glob("marts/*.yml"), *MODELS.glob("views/*.yml")])
            for m in yaml.safe_load(file.read_text()).get("models", [])
        ]
        for model in models:
            columns = ", ".join(f"{column['name']} {column['data_type']}" for column in model["columns"])
            connection.execute(f"create table {model['name']} ({columns})")
        for table, query in TABLES.items():
            if table == "summary_statistics":
                connection.execute(STATISTICS_OF_MEASURES)
            connection.execute(f"insert into {table} by name select 'paper' as study_id, * from ({query})")
            print(f"| rows of {table} | {connection.execute(f'select count(*) from {table}').fetchone()[0]:,} |")


def opening(opened: Browser, report: Path, fragment: str) -> str:
    """Seconds from asking for the file until a page of it is drawn: the best and the worst of several."""
    seconds = []
    for _ in range(N_OPENED):
        started = perf_counter()
        opened.open(report, fragment)
        seconds.append(perf_counter() - started)
    return f"{min(seconds):.2f} to {max(seconds):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, nargs="?", help="where to keep the report")
    kept = parser.parse_args().report
    print("| what | measured |\n|---|---|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        published, report = Path(folder) / "plumbline.duckdb", kept or Path(folder) / "report.html"
        make_published(published)
        counts = write_report(published, "paper", report)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        print(f"| size, MB | {counts.n_bytes / 1e6:.1f} |\n| seconds to write it | {counts.seconds:.1f} |")
        print(f"| peak GB | {peak:.2f} |")
        if CHROMIUM:
            with browser(Path(folder) / "profile") as opened:
                for fragment in ("report", "measurements", "statistics", "disparity"):
                    print(f"| seconds to open {fragment} | {opening(opened, report.resolve(), fragment)} |")


if __name__ == "__main__":
    main()
