"""How long coverage takes of designs whose cells nobody could write out.

python -m bench.bench_design_coverage: one line a design, the seconds of processor that coverage and aliasing
take, the table of cells, and one prompt to add.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from python_assets.plan.added_cells import chosen_cells, read_design
from python_assets.plan.design_tables import design_tables
from python_assets.plan.group_models import build_models
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import open_build, write_stage

# factors, levels of each, prompts, depth
DESIGNS = ((12, 100, 1_000, 2), (12, 100, 10_000, 2), (5, 30, 10_000, 3), (4, 8, 60_000, 4))
STUDY = """
prompts: {{import: {{path: a.csv, columns: {{prompt: id, system: model}}, factors: {{{factors}}}}}}}
systems: [{{name: "*", provider: replay}}]
groupings: [f00]
analysis: {{coverage: {{factors: [{names}], depth: {depth}}}}}
"""


def main() -> None:
    """Time every design."""
    print("| factors | levels | prompts | depth | sets | cells | coverage | cell table | one prompt to add |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n_factors, n_levels, n_prompts, depth in DESIGNS:
        with TemporaryDirectory() as folder:
            line = _timed_design(Path(folder), (n_prompts, n_factors), n_levels, depth)
        print(f"| {n_factors} | {n_levels} | {n_prompts:,} | {depth} | {line}")


def _timed_design(folder: Path, shape: tuple[int, int], n_levels: int, depth: int) -> str:
    names = [f"f{place:02d}" for place in range(shape[1])]
    path = folder / "design.yml"
    columns = ", ".join(f"{name}: {name}" for name in names)
    path.write_text(STUDY.format(factors=columns, names=", ".join(names), depth=depth))
    study = load_study(path, check_files=False)
    places = np.random.default_rng(1).integers(0, n_levels, shape)
    prompts = pd.DataFrame({"prompt_id": [f"p{row}" for row in range(shape[0])]})
    levels = prompts.assign(**{name: places[:, i].astype(str) for i, name in enumerate(names)})
    factors = levels.melt("prompt_id", var_name="factor", value_name="level")
    constants = {"root_prompt_id": "r", "unit_id": "r", "is_root": True, "task": "question"}
    constants |= {"source_tag": "", "keyword": "", "document_id": ""}
    with open_build(Path(":memory:")) as connection:
        tables = {"prompts": prompts.assign(**constants), "prompt_factors": factors}
        write_stage(connection, study.study_id, "assemble", tables)
        write_stage(connection, study.study_id, "design", design_tables(study, connection))
        seconds = [
            _seconds(lambda: build_models(connection, ("coverage", "factor_aliasing"))),
            _seconds(lambda: build_models(connection, ("coverage_cells",))),
        ]
        design = read_design(study, connection)
        seconds.append(_seconds(lambda: chosen_cells(design, 1)))
        query = "select count(*), max(n_cells) from marts.coverage"
        n_sets, n_cells = connection.execute(query).fetchall()[0]
    return f"{n_sets} | {n_cells:.1e} | " + " | ".join(f"{taken:.2f} s" for taken in seconds) + " |"


def _seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
