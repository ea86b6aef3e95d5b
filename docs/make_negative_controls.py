"""Write the table of docs/negative_controls.md anew: an audit with placebos, by permutation and beside its placebos.

Needs hiring_edits in the folder that PLUMBLINE_DATA names; some 40 seconds.

    python -m docs.make_negative_controls
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pandas as pd

from python_assets.importers.formats import read_import
from python_assets.library.in_memory import MemoryResults, run_in_memory
from python_assets.published.plain_numbers import named_p
from python_assets.study_file.load import load_study
from python_assets.warehouse.progress import SILENT

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "negative_controls.md"
STUDY = ROOT / "studies" / "hiring_edits.yml"
BEGIN, END = "<!-- table: python -m docs.make_negative_controls -->\n", "<!-- end of table -->"
ALPHA: Final = 0.05
HYPOTHESES: Final = """
    select system_id, slice_id as axis, p_permuted, q_permuted, p_value, q_value, wording_sd,
        verdict_reason, p_wording, loudest_control, loudest_control_value
    from hypotheses
    where grouping_id = 'edit' and measure_id = 'score' and statistic = 'mean' and reference_system_id = ''
    order by p_permuted, axis
"""


def run_audit(types: Mapping[str, str] | None = None) -> MemoryResults:
    """The results of the study, by other types of its controls where they are given."""
    study = load_study(STUDY)
    if types is not None:
        controls = study.negative_controls.model_copy(update={"levels": types})
        study = study.model_copy(update={"negative_controls": controls})
    return run_in_memory(study, read_import(study), SILENT)


def audit() -> pd.DataFrame:
    """One row a hypothesis of an axis: p and q by permutation, beside four types, and beside seven (p_seven)."""
    four = run_audit().sql(HYPOTHESES)
    seven = run_audit({name: name for name in load_study(STUDY).controls}).sql(HYPOTHESES)
    both = seven.set_index(["system_id", "axis"])[["p_value", "q_value"]].add_suffix("_seven")
    return four.join(both, on=["system_id", "axis"])


def table(found: pd.DataFrame) -> str:
    """Hypotheses with p at most ALPHA by permutation, and how many there are by each."""
    rows = ["| model | axis | permuted | four types | seven types |", "|---|---|---|---|---|"]
    for row in found[found.p_permuted <= ALPHA].itertuples():
        p = " | ".join(map(_p, (row.p_permuted, row.p_value, row.p_value_seven)))
        rows.append(f"| {row.system_id} | {row.axis} | {p} |")
    for name, columns in (
        ("p", ("p_permuted", "p_value", "p_value_seven")),
        ("q", ("q_permuted", "q_value", "q_value_seven")),
    ):
        counts = " | ".join(str(int((found[column] <= ALPHA).sum())) for column in columns)
        rows.append(f"| **of {len(found)}, {name} at most .05** | | {counts} |")
    return "\n".join([*rows, ""])


def _p(value: float) -> str:
    return named_p("p", value).removeprefix("p ").removeprefix("= ")


def main() -> None:
    """Write the table into the page."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(f"{page[:begin]}\n{table(audit())}\n{page[end:]}", encoding="utf-8")


if __name__ == "__main__":
    main()
