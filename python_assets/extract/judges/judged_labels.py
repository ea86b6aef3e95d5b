"""Labels that rules leave open, marked by an engine: `choices` with `judge: ENGINE` beside them.

What the rules decide is not asked: they are right where they speak, and cost nothing.
"""

from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.extract.job import Job
from python_assets.extract.judges.marking import NO_MARK, marks_of, version_of
from python_assets.extract.units import Ids
from python_assets.study.study import Judge

_NONE: Final = "none of them"
_RUBRIC: Final = (
    "The text replies to a question that is not shown here. Which of these answers does it give, in words or "
    f"in substance? '{_NONE}' where it gives no answer, gives several, or says that it cannot tell."
)


class JudgedLabels(NamedTuple):
    """Scores with a judge's labels where rules gave none; n_unusable: texts whose mark names no option."""

    scores: pd.DataFrame
    version: str
    n_unusable: int


def label_judge(job: Job) -> Judge:
    """Who marks what the rules of a measure leave open."""
    engine = job.measure.spec.engine
    if engine is None:
        raise ValueError(f"measure {job.measure.measure_id} has no judge")
    return Judge(engine=engine, rubric=_RUBRIC, options=[*job.measure.spec.labels, _NONE])


def with_judged_labels(job: Job, scores: pd.DataFrame, text_ids: Ids) -> JudgedLabels:
    """Fill in the labels that rules left open.

    Args:
        job: the measure.
        scores: what the rules gave, one row a text id, same order.
        text_ids: positions in Units.texts, -1 for no text.

    Returns:
        The scores, label_method judge where the engine named a label; where it says that none fits the reason
        of the rules stays, where its reply cannot be used it is judge_unusable.

    Raises:
        OfflineError: nothing may be asked, and not every text is marked already.
        ProviderError: the engine cannot answer at all.
    """
    judge = label_judge(job)
    is_open = (text_ids >= 0) & scores["label"].isna().to_numpy()
    open_ids = np.unique(text_ids[is_open])
    marks = marks_of(job, judge, open_ids)[text_ids, 0]
    labels = np.array([*job.measure.spec.labels, None], dtype=object)
    is_named = is_open & (marks != NO_MARK) & (marks < len(labels) - 1)
    is_unusable = is_open & (marks == NO_MARK)
    judged = scores.reset_index(drop=True)
    judged.loc[is_named, "label"] = labels[marks[is_named]]
    judged.loc[is_named, "label_method"] = "judge"
    judged.loc[is_named, "reason"] = None
    judged.loc[is_unusable, "reason"] = "judge_unusable"
    n_unusable = len(np.unique(text_ids[is_unusable]))
    return JudgedLabels(judged, version_of(job, judge), n_unusable)
