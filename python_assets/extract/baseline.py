"""Values that are calibrated against the answers of another generation instead of the prompts' own texts."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from python_assets.errors import StudyError
from python_assets.extract.job import Read
from python_assets.extract.units import TextUnits
from python_assets.study.base import BASELINE
from python_assets.study.problems import listed
from python_assets.study.study import Study
from python_assets.study.systems import baselines_by_system_prompt


def against_systems(study: Study, units: TextUnits, reads: list[Read]) -> list[Read]:
    """The measures with the answers of the study's baseline as baseline values of continuous ones.

    Args:
        study: with the generation, or the role, that its others are calibrated against.
        units: what was measured.
        reads: every measure as it was read.

    Returns:
        The same measures. The baseline value of a response is the mean over the replicates of its baseline's
        answers to the same prompt. The baseline itself has none, and no response whose baseline has no value;
        the texts of the prompts are no answers and have none.

    Raises:
        StudyError: as baselines_of.

    Source: SAGED, B.3; metrics.md 2.
    """
    there = [key for key in pd.unique(units.column("system_id")) if key != BASELINE]
    baselines = baselines_of(study, there)
    return [
        _with_baseline(study, units, read, baselines) if read.measure.kind == "continuous" else read for read in reads
    ]


def baselines_of(study: Study, there: Sequence[str]) -> dict[str, str]:
    """The generation that each is calibrated against.

    Args:
        study: with a baseline.
        there: every generation; imported ones are known by their ids alone.

    Raises:
        StudyError: no generation has the id or role that the study names.
    """
    named = str(study.baseline)
    if named not in there and any(one.system_prompt_name == named for one in study.systems):
        return baselines_by_system_prompt(study.systems, named)
    if named not in there:
        remedy = "correct it, or remove it to calibrate against the prompts' own texts"
        raise StudyError((study.path, "baseline"), named, f"a generation or a role: {listed(there)}", remedy)
    return {key: named for key in there if key != named}


def _with_baseline(study: Study, units: TextUnits, read: Read, baselines: Mapping[str, str]) -> Read:
    table = units.table.iloc[read.values.units]
    systems = table["system_id"].astype(object).to_numpy()
    prompts = table["prompt_id"].astype(object).to_numpy()
    means = pd.Series(read.values.value).groupby([systems, prompts]).mean()
    against = pd.Series(systems).map(dict(baselines)).fillna("").to_numpy()
    numbers = np.asarray(means.reindex(pd.MultiIndex.from_arrays([against, prompts])), dtype=np.float64)
    parameters = ";".join(filter(None, (read.measure.parameters, f"baseline={study.baseline}")))
    return read._replace(
        measure=read.measure._replace(parameters=parameters), values=read.values._replace(baseline_value=numbers)
    )
