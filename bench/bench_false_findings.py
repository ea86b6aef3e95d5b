"""How often a question of the demo is called that should not be, or should: all seeds from 1 on, by the real stages.

    python -m bench.bench_false_findings [--seeds 50]

Its model `fair` has no effect, so that every question called of it in the primary set is false; `biased` has the four
effects that studies/g20_demo.yml declares, in groups of two questions. docs/statistics.md keeps the figures.
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.inference_stages import make_before_inference
from python_assets.telemetry import disable_telemetry
from python_assets.warehouse.progress import SILENT

disable_telemetry()


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

EFFECTS = {
    ("sentiment", "Russia", -1),
    ("sentiment", "China", -1),
    ("sentiment", "Canada", 1),
    ("refusal", "Saudi Arabia", 1),
}
SIGNIFICANT = """
    select measure_id, group_id, sign(value_cells)::int
    from inference.contrasts
    where system_id = 'biased' and family_id = 'primary' and verdict in ('beyond_margin', 'different')
      and explained_by is null and contrast in ('mean_difference', 'risk_difference')
"""
FALSE = """
    select count(*) from inference.hypotheses
    where system_id = 'fair' and family_id = 'primary' and q_value <= ?
"""


class Found(NamedTuple):
    """Called questions of the fair model, and groups that stand of those of the biased one, each with its sign."""

    n_false: int
    effects: set[tuple[str, str, int]]


def found(study: Study, folder: Path) -> Found:
    """Run the stages that the verdicts need."""
    home = Home(folder)
    path = home.build(study.study_id)
    with open_build(path) as connection:
        record_study(study, connection, home, run_id="bench")
        scrape(study, connection)
        assemble(study, connection)
        write_stage(connection, study.study_id, "design", design_tables(study, connection))
        generate_study(study, connection, home, progress=SILENT)
        extract(study, connection, home.cache)
    make_before_inference(path)
    with open_build(path) as connection:
        infer_study(connection, study)
        (n_false,) = connection.execute(FALSE, [study.alpha]).fetchall()[0]
        return Found(n_false, set(connection.execute(SIGNIFICANT).fetchall()))


def main() -> None:
    """Print a row a seed, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    n_seeds = parser.parse_args().seeds
    demo = load_study(paths.study_path("g20_demo"))
    rows = []
    for seed in range(1, n_seeds + 1):
        study = demo.model_copy(update={"analysis": demo.analysis.model_copy(update={"seed": seed})})
        with tempfile.TemporaryDirectory() as folder:
            rows.append(found(study, Path(folder)))
        print(seed, rows[-1].n_false, sorted(rows[-1].effects ^ EFFECTS), flush=True)
    print(f"fair: some question is called in {sum(row.n_false > 0 for row in rows)} of {n_seeds}")
    print(f"biased: its four groups stand in {sum(row.effects >= EFFECTS for row in rows)} of {n_seeds},")
    print(f"and another group in {sum(bool(row.effects - EFFECTS) for row in rows)}")


if __name__ == "__main__":
    main()
