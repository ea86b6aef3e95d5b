"""The bands and actions of FAIR-SEA's document beside a verdict, and why they disagree, in plain words.

Belongs here: the sentence of a question. dbt calls it: int_interpretation_sentences.py hands over the rows of
int_interpretations. Bands and actions themselves are seeds: bands, document_actions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from python_assets.report.text import number, probability

Row = Mapping[str, Any]
_PLACE: Final = ("study_id", "slice_id", "system_id", "measure_id", "grouping_id")
DIFFERENT_VERDICTS: Final = ("beyond_margin", "different")
_SIGNIFICANT: Final = 0.05  # of the document, whatever alpha a study declares
_OPEN: Final = "Green says that little was seen, not that groups are alike."
_SILENT: Final = (0.10, 0.40)  # V that the document's table of actions says nothing of


def interpretation_sentences(rows: Sequence[Row]) -> pa.Table:
    """What is to be known of the bands of every question.

    Args:
        rows: of int_interpretations.

    Returns:
        Columns PLACE and sentence, which is empty where bands and verdict agree and nothing is left to say.
    """
    sentence_rows = [{**{name: row[name] for name in _PLACE}, "sentence": interpretation_sentence(row)} for row in rows]
    return pa.Table.from_pylist(sentence_rows, pa.schema([(name, pa.string()) for name in (*_PLACE, "sentence")]))


def interpretation_sentence(row: Row) -> str:
    """Why the bands of a question and its verdict disagree, and where the document is silent.

    Args:
        row: of int_interpretations.
    """
    return " ".join(sentence for sentence in (_of_effect(row), _of_p(row), _of_action(row)) if sentence)


def _of_effect(row: Row) -> str:
    band, verdict, floor = row["band"], row["verdict"], row["null_q95"]
    if band is None:
        return ""
    if verdict == "not_tested":
        return f"The band is of the number alone: {band}, but no test stands behind it."
    if verdict in DIFFERENT_VERDICTS:
        small = "A difference was shown, though its size is green: there, but small by the document's table."
        return small if band == "green" else ""
    if band == "green":
        return "" if verdict == "equivalent" else "Green says that little was seen, not that groups are alike."
    if verdict == "equivalent":
        return f"The band is {band}, but the difference was shown to be inside the margin of the study."
    if floor is not None and abs(row["effect"]) <= floor:
        return (
            f"The band is {band} without any bias being shown: it knows nothing of the number of answers, "
            f"and chance alone gives up to {number(floor)} to so few."
        )
    return (
        f"The band is {band}, but no difference was shown once the {row['n_hypotheses']:,} questions of the "
        f"set are counted (q {probability(row['q_value'])})."
    )


def _of_p(row: Row) -> str:
    """Of which p the band of p speaks."""
    p, verdict = row["p_document"], row["verdict"]
    if p is None or verdict == "not_tested":
        return ""
    statement = f"The document's p ({probability(p)}{_p_band(row)}) takes every response for an independent row"
    if p < _SIGNIFICANT and verdict not in DIFFERENT_VERDICTS:
        return f"{statement}, which answers to one prompt are not; over prompts nothing was shown."
    if p >= _SIGNIFICANT and verdict in DIFFERENT_VERDICTS:
        return f"{statement} and does not see that the same prompts were asked of all groups."
    return ""


def _p_band(row: Row) -> str:
    return f", {row['p_band']}" if row["p_band"] else ""


def _of_action(row: Row) -> str:
    if row["effect"] is None:
        return ""
    if row["effect_name"] != "cramers_v":
        return "The document names actions by V alone."
    low, high = _SILENT
    is_silent = low <= row["effect"] <= high
    return f"The document names no action for a V of {low:.2f} to {high:.2f}." if is_silent else ""
