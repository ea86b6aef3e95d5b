"""Write macros/metric_models.sql, the models that make up a mart: python dbt_models/list_metrics.py

dbt reads no seed while it parses, and what is not named there is no parent: the lineage would not show it.
"""

import csv
from pathlib import Path

PROJECT = Path(__file__).parent
HEAD = "{# The models of models/metrics that make up a mart. Written by list_metrics.py from seeds/metrics.csv. #}\n"
# the study's own metrics, and the difference of any statistic, have no .sql each
SHARED = {"contrasts": ["statistic_difference"], "disparities": ["disparity_custom"]}


def metric_models():
    """The models of contrasts and of disparities: those of the seed that have a .sql, and what several lines share."""
    found = {mart: list(names) for mart, names in SHARED.items()}
    with (PROJECT / "seeds" / "metrics.csv").open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            model = f"disparity_{line['name']}" if line["of"] == "disparities" else line["name"]
            if (PROJECT / "models" / "metrics" / f"{model}.sql").exists():
                found[line["of"]].append(model)
    return {mart: sorted(names) for mart, names in found.items()}


def macro_text():
    """The text of the macro, which returns the names of one mart."""
    listed = "".join(
        f"    '{mart}': [\n" + "".join(f"        '{name}',\n" for name in names) + "    ],\n"
        for mart, names in metric_models().items()
    )
    return f"{HEAD}{{% macro metric_models(mart) -%}}\n{{{{ return({{\n{listed}}}[mart]) }}}}\n{{%- endmacro %}}\n"


if __name__ == "__main__":
    (PROJECT / "macros" / "metric_models.sql").write_text(macro_text(), encoding="utf-8")
