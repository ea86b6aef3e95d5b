"""Red flags in plain words, and the section of the report that lists them.

Belongs here: the sentence of a flag. dbt calls it: int_red_flag_sentences.py hands over the rows of
int_red_flags. Which flags are raised is decided there, in SQL.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from python_assets.published.account import why
from python_assets.report.sentences import measure_name
from python_assets.report.text import number, plural, share, words

Row = Mapping[str, Any]
NAMES: Final[dict[str, str]] = {
    "cramers_v": "Cramér's V",
    "fdi": "FDI",
    "fdi_group": "FDI",
    "idi": "IDI",
    "dbi": "DBI",
    "jsd_truth_weighted": "divergence from the ground truth, over answers",
    "jsd_truth_unweighted": "divergence from the ground truth, over labels",
    "jsd_truth_marginal": "divergence of all labels from the ground truth",
    "jsd_truth_by_group": "divergence of labels from the ground truth, by group",
}


def flag_sentences(flags: Sequence[Row]) -> pa.Table:
    """The sentence of every flag.

    Args:
        flags: rows of int_red_flags.

    Returns:
        Columns study_id, flag_id and sentence.
    """
    rows = [
        {"study_id": flag["study_id"], "flag_id": flag["flag_id"], "sentence": flag_sentence(flag)} for flag in flags
    ]
    return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in ("study_id", "flag_id", "sentence")]))


def flag_sentence(flag: Row) -> str:
    """What a flag says: raised, red alone, nothing found, or nothing that could be looked at.

    Args:
        flag: its row of int_red_flags.
    """
    if flag["status"] == "not_evaluated":
        where = f" ({_place(flag)})" if flag["grouping_id"] else ""
        return f"{words(flag['flag']).capitalize()}{where} could not be evaluated: {_why(flag)}."
    match flag["flag"]:
        case "consistent_direction":
            return _of_direction(flag)
        case "cross_model":
            return _of_models(flag)
        case "amplification":
            return _of_amplification(flag)
        case _:
            return _of_band(flag)


def _of_direction(flag: Row) -> str:
    models = plural(flag["n_models"], "model")
    if flag["status"] == "raised":
        return (
            f"{flag['group_id']} is the worst off of {flag['grouping_id']} in {share(flag['value'])} of the "
            f"questions of {models}, with a verdict in two of them or more."
        )
    return (
        f"No group of {flag['grouping_id']} is the worst off in three models and {share(flag['threshold'])} "
        f"of the questions with a verdict in two models; the one that is most often is so in "
        f"{share(flag['value'])} of the questions of {models}."
    )


def _of_models(flag: Row) -> str:
    models = plural(flag["n_models"], "model")
    if flag["status"] == "raised":
        label = f" in “{flag['category']}”" if flag["category"] else ""
        return (
            f"{_place(flag)}: {flag['group_id']} differs{label} to the same side in {number(flag['value'])} "
            f"of {models}."
        )
    return f"{_place(flag)}: no group differs to the same side in two models or more of {models}."


def _of_amplification(flag: Row) -> str:
    subject = f"{_place(flag)}: {NAMES[flag['metric']]}"
    if flag["value"] <= 0:
        return f"{subject} does not exceed the largest FDI of its parts."
    by = f"{subject} exceeds the largest FDI of its parts by {number(flag['value'])}"
    chance = f"chance alone adds up to {number(flag['null_q95'])} to that part"
    if flag["status"] == "not_raised" and flag["value"] > flag["null_q95"]:
        return f"{by}: {chance}, and this is more, but the question of these groups is not called."
    return f"{by}: {chance}, and this is {'more' if flag['status'] == 'raised' else 'no more'}."


def _of_band(flag: Row) -> str:
    is_group = f" of {flag['group_id']}" if flag["group_id"] else ""
    size = f"{_place(flag)}: {NAMES[flag['metric']]}{is_group} is {number(flag['value'])}"
    if flag["status"] == "not_raised":
        return f"{size}, not past the {number(flag['threshold'])} where the document's red begins."
    red = f"{size}, past the {number(flag['threshold'])} where the document's red begins"
    if flag["status"] == "raised":
        return f"{red}, and a difference was shown."
    return f"{red}, but {_unproven(flag)}."


def _unproven(flag: Row) -> str:
    """Why a red number is no finding."""
    value, floor = flag["value"], flag["null_q95"]
    if floor is not None and abs(value) <= floor:
        return f"chance alone gives up to {number(floor)} to so few answers"
    match flag["verdict"]:
        case None:
            return "no question is asked of this number"
        case "not_tested":
            return "no test stands behind it"
        case "inconclusive":
            return "no difference was shown once all questions of the study are counted"
        case "equivalent":
            return "the groups were shown to differ by less than the margin of the study"
        case _:
            return "the difference that was shown is not of this group"


def _place(flag: Row) -> str:
    """Where it was looked for."""
    model = f"{flag['system_id']}, " if flag["system_id"] else ""
    measure = f"{measure_name(flag['measure_id'])} " if flag["measure_id"] else ""
    slice_suffix = f" in slice {flag['slice_id']}" if flag["slice_id"] not in ("", "all") else ""
    return f"{model}{measure}by {flag['grouping_id']}{slice_suffix}"


def _why(flag: Row) -> str:
    return why(flag["reason"], flag["meaning"], flag["remedy"])
