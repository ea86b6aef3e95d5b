"""What people said of the answers of two kept runs, as sheets of the study that compares them.

Belongs here: which labels go along, and their rows. The answers have other ids there, so rows name them by generation,
prompt and replicate.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from python_assets.importers.copies import Copy, hidden_name, named_systems
from python_assets.labelling.sheets import LABEL
from python_assets.published.copies import literal
from python_assets.study.study import make_id
from python_assets.warehouse.build import connect

# a label of numbers is one by its value, as allowed.py reads it; what was drawn and says nothing stays blank
_LABELS: Final = f"""
    select measure_id, rater, is_automatic, system_id, prompt_id, replicate,
        case when labels.reason is null then coalesce(printf('%.17g', value), label) end as {LABEL}
    from read_parquet({{labels}}) as labels
    inner join read_parquet({{responses}}) using (study_id, response_id)
    order by measure_id, rater, system_id, prompt_id, replicate
"""


def write_labels(copies: Sequence[Copy], folder: Path) -> list[dict[str, Any]]:
    """Write the labels of measures that people labelled in every run, a sheet a run, measure and rater.

    Args:
        copies: archives, as the comparison imports them.
        folder: of its study file.

    Returns:
        Entries of human_labels; none where a run has no labels.

    Raises:
        SourceError: a file of an archive is absent or was changed.
    """
    read = [_labels(copy, names) for copy, names in zip(copies, _names(copies), strict=True)]
    if any(copy.manifest.hides_texts for copy in copies):  # then prompts are named alike in all of them
        read = [_renamed(one, copy) for one, copy in zip(read, copies, strict=True)]
    in_all = set.intersection(*(set(one.loc[one[LABEL].notna(), "measure_id"]) for one in read))
    return [entry for wave, one in enumerate(read) for entry in _sheets(one[one.measure_id.isin(in_all)], wave, folder)]


def _names(copies: Sequence[Copy]) -> list[dict[str, str]]:
    """What the generations of each archive are called in the comparison."""
    return [{key: make_id(named.name) for key, named in names.items()} for names in named_systems(copies)]


def _labels(copy: Copy, names: dict[str, str]) -> pd.DataFrame:
    labels, responses = copy.mart("human_labels"), copy.mart("responses")
    if labels is None or responses is None:
        return pd.DataFrame(columns=["measure_id", LABEL])
    with connect() as connection:
        places = {"labels": literal(str(labels)), "responses": literal(str(responses))}
        rows = connection.execute(_LABELS.format(**places)).df()
    return rows.assign(system_id=rows.system_id.map(names)).dropna(subset="system_id")


def _renamed(labels: pd.DataFrame, copy: Copy) -> pd.DataFrame:
    if copy.manifest.hides_texts or "prompt_id" not in labels:
        return labels
    return labels.assign(prompt_id=labels.prompt_id.map(hidden_name))


def _sheets(labels: pd.DataFrame, wave: int, folder: Path) -> Iterator[dict[str, Any]]:
    by_rater = labels.groupby(["measure_id", "rater", "is_automatic"], sort=False)
    for number, (key, rows) in enumerate(by_rater):
        if rows[LABEL].isna().all():
            continue
        measure, rater, is_automatic = key
        file = f"labels_{wave}_{number}.csv"
        rows[["system_id", "prompt_id", "replicate", LABEL]].to_csv(folder / file, index=False)
        yield {"measure": measure, "file": file, "rater": rater, "automatic": bool(is_automatic)}
