"""How often the demo's model without any effect is said to differ: 20 seeds, real stages up to the verdict.

    python bench/bench_false_findings.py [number of seeds]

A family is all concepts of one measure and one contrast. Its rate of any finding must not be above alpha.
"""

import sys
import tempfile
from pathlib import Path

from python_assets.progress import SILENT
from python_assets.telemetry import disable_telemetry

disable_telemetry()

from dagster_project.dbt import build  # noqa: E402
from python_assets.assemble.assemble_study import assemble  # noqa: E402
from python_assets.extract.extract_study import extract  # noqa: E402
from python_assets.generate.generate_study import generate_study  # noqa: E402
from python_assets.infer.run import infer_study  # noqa: E402
from python_assets.plan.design_tables import design_tables  # noqa: E402
from python_assets.scrape.scrape_study import scrape  # noqa: E402
from python_assets.study.study import Study  # noqa: E402
from python_assets.study_file.load import load_study  # noqa: E402
from python_assets.warehouse import paths  # noqa: E402
from python_assets.warehouse.build import Home, open_build, write_stage  # noqa: E402
from python_assets.warehouse.study_row import record_study  # noqa: E402

CELLS = ("+int_cells", "+int_prompt_groups")
FAMILIES = """
    select measure_id, contrast, coalesce(bool_or(verdict in ('bias_shown', 'difference_shown')), false),
           coalesce(bool_or(q_value is not null), false)
    from inference.contrasts
    where generation_id = 'fair' and calibration = 'raw' and measure_id in ('sentiment', 'refusal')
    group by measure_id, contrast
"""


def with_seed(study: Study, seed: int) -> Study:
    """The demo with another seed, without its distance to the baseline, which names alone move."""
    measures = [measure for measure in study.measures if measure.name == "sentiment"]
    analysis = study.analysis.model_copy(update={"seed": seed})
    return study.model_copy(update={"analysis": analysis, "measures": measures})


def families(study: Study, folder: Path) -> list[tuple[str, str, bool, bool]]:
    """Measure, contrast, whether anything was found, whether anything was tested."""
    home = Home(folder)
    path = home.build(study.study_id)
    with open_build(path) as connection:
        record_study(study, connection, home, run_id="bench")
        scrape(study, connection)
        assemble(study, connection)
        write_stage(connection, study.study_id, "design", design_tables(study, connection))
        generate_study(study, connection, home, progress=SILENT)
        extract(study, connection, home.cache)
    build(path, "--select", *CELLS, "--resource-type", "model", "seed")
    with open_build(path) as connection:
        infer_study(connection, study)
        return connection.execute(FAMILIES).fetchall()


def main() -> None:
    """Print the rate of any finding by family."""
    n_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    demo = load_study(paths.study_path("g20_demo"))
    found: dict[tuple[str, str], list[bool]] = {}
    for seed in range(n_seeds):
        with tempfile.TemporaryDirectory() as folder:
            for measure, contrast, is_found, is_tested in families(with_seed(demo, seed), Path(folder)):
                if is_tested:
                    found.setdefault((measure, contrast), []).append(is_found)
    print("| measure | contrast | families | with any finding |\n|---|---|---|---|")
    for (measure, contrast), results in sorted(found.items()):
        print(f"| {measure} | {contrast} | {len(results)} | {sum(results)} |")
    everything = [result for results in found.values() for result in results]
    print(f"| all | | {len(everything)} | {sum(everything)} ({sum(everything) / len(everything):.1%}) |")


if __name__ == "__main__":
    main()
