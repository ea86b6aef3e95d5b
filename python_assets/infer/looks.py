"""Which look at a study a build file holds, what is withheld between looks, and what is written down of a look.

Belongs here: reading and writing. Levels and what stays called are formulas/looks.py, the file of looks is
warehouse/looks.py.

Source: inference.md 6.8.
"""

from collections.abc import Callable, Collection
from typing import Any, Final

import duckdb
import pandas as pd

from python_assets.infer.formulas.looks import CALLS, KEYS_OF, Look, level, levels, only_look
from python_assets.infer.formulas.verdict import Verdict
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import ACROSS, HEADLINE, PAIR_HYPOTHESES
from python_assets.study.study import Study
from python_assets.warehouse.build import Home, rows_of
from python_assets.warehouse.looks import TakenLook, now, take_look, taken_looks
from python_assets.warehouse.preregistration import analysis_sha256

_OF_CALL: Final = ("significant_at_look", "verdict", "value_at_call")
_LOOKS: Final = "select look, n_root_prompts, share, is_asked, prompts_sha256 from raw.looks order by look"
_ERRORS: Final = "select distinct error from raw.responses where error is not null"
_PROMPTS_WITHOUT_RESPONSE: Final = """
    select count(*) from raw.prompts anti join raw.responses using (prompt_id)
"""
# the order of rows is not in it
_ANSWERS: Final = "system_id, prompt_id, replicate, status, response_text"
_MEASURED: Final = "system_id, prompt_id, replicate, measure_id, round(value, 6), label, reason"
_DIGEST: Final = f"""
    select md5(concat_ws(' ',
        (select bit_xor(md5_number_lower(to_json(row({_ANSWERS})))) from raw.responses),
        (select bit_xor(md5_number_lower(to_json(row({_MEASURED})))) from raw.measurements)
    ))
"""
# what is not told between looks, where a table has it
_WITHHELD: Final = (
    *("p_equivalence", "q_equivalence", "hypothesis_q_value", "verdict_reason"),
    *(f"headline_{name}" for name in HEADLINE),
    *(
        "p_value",
        "p_value_maxt",
        "p_value_exact",
        "p_value_asymptotic",
        "p_value_permutation",
        "p_value_wild",
        "p_holm",
    ),
    *("q_permuted", "p_permuted", "p_negative_controls", "p_wording", "wording_sd_low", "wording_sd_high"),
    *("ci_low_sampling", "ci_high_sampling"),
    *("q_value", "std_error", "std_error_model", "ci_low", "ci_high", "ci_low_selected", "ci_high_selected"),
    *("ci_low_missing", "ci_high_missing", "verdict_with_missing", "tipping_shift", "value_shrunken"),
    *("value_at_call", "value_without", "explained_by", "value_alone", "ci_low_alone", "ci_high_alone"),
    *(
        "n_needed",
        "n_needed_for",
        "n_needed_reason",
        "significant_at_look",
        "log_disparity_ci_low",
        "log_disparity_ci_high",
    ),
)


def look_of(study: Study, connection: duckdb.DuckDBPyConnection, home: Home, may_pass: Callable[[str], bool]) -> Look:
    """The look that a build file holds.

    A look that was taken is the same again where the same was answered and measured; where not, and where root prompts
    are still to be answered, nothing is called.

    Args:
        study: what it declares.
        connection: to its build file, with responses and measurements.
        home: its warehouse.
        may_pass: whether an answer that ended in an error is asked for again by the next run.
    """
    planned = connection.execute(_LOOKS).df() if study.looks is not None else pd.DataFrame()
    if not len(planned):
        return only_look(study)
    shares, number, n = planned.share.to_list(), int(planned.is_asked.sum()), len(planned)
    taken = taken_looks(study, home)
    before = [one for one in taken if one.look < number]
    again = [one for one in taken if one.look >= number]
    reason = None
    if again and (again[-1].look > number or again[-1].data != _digest(connection)):
        reason = InferenceReason.LOOKS_SPENT if again[-1].look == n else InferenceReason.BETWEEN_LOOKS
    elif not again and _is_partly_answered(connection, may_pass):
        reason = InferenceReason.BETWEEN_LOOKS
    last = before[-1] if before else None
    return Look(
        level=level(shares[number - 1], last.share if last else 0.0, study.alpha),
        last_level=levels(shares, study.alpha)[-1],
        number=number,
        n=n,
        reason=reason,
        earlier=_calls_of(last) if last else {},
    )


def asked_look(connection: duckdb.DuckDBPyConnection) -> int:
    """The look whose prompts a build file holds; 0 where its study is looked at once."""
    return int(connection.execute("select count(*) from raw.looks where is_asked").fetchall()[0][0])


def _is_partly_answered(connection: duckdb.DuckDBPyConnection, may_pass: Callable[[str], bool]) -> bool:
    """Whether another run would ask for answers of this look: some ended in an error that passes, or are not there."""
    errors = [str(error) for (error,) in connection.execute(_ERRORS).fetchall()]
    return any(map(may_pass, errors)) or connection.execute(_PROMPTS_WITHOUT_RESPONSE).fetchall()[0][0] > 0


def _digest(connection: duckdb.DuckDBPyConnection) -> str:
    return str(connection.execute(_DIGEST).fetchall()[0][0])


def _calls_of(taken: TakenLook) -> dict[str, pd.DataFrame]:
    """What was called by a look, by table; questions of pairs of generations are rows of both."""
    calls = {
        table: pd.DataFrame(taken.significant.get(table, []), columns=[*keys, *_OF_CALL])
        for table, keys in KEYS_OF.items()
    }
    pairs = calls["system_comparisons"]
    pair_calls = pairs[pairs.comparison.isin(PAIR_HYPOTHESES)]
    as_hypotheses = pair_calls.assign(
        system_id=pair_calls.system_id + ACROSS + pair_calls.reference_system_id,
        statistic=pair_calls.comparison,
        parameters="",
    )
    calls["hypotheses"] = pd.concat(
        [calls["hypotheses"], as_hypotheses[calls["hypotheses"].columns]], ignore_index=True
    )
    return calls


def withhold(connection: duckdb.DuckDBPyConnection, tables: Collection[str], reason: InferenceReason) -> None:
    """Leave values and noise floors of tables of schema inference, and the reason in place of all that is claimed.

    Args:
        connection: to the build file.
        tables: names.
        reason: why there is no verdict.
    """
    for table in tables:
        columns = [name for name, *_ in connection.execute(f"describe inference.{table}").fetchall()]
        taken = [name for name in _WITHHELD if name in columns]
        claimed = [name for name in ("p_value", "ci_low", "ci_high") if name in taken]
        changed = [f"{name} = null" for name in taken]
        if "inference_reason" in columns and claimed:
            is_any = " or ".join(f"{name} is not null" for name in claimed)
            changed.append(f"inference_reason = case when {is_any} then '{reason}' else inference_reason end")
        if "verdict" in columns:
            changed.append(f"verdict = case when verdict is not null then '{Verdict.NOT_TESTED}' end")
        if "role" in columns:
            changed.append("role = 'none'")
        if changed:
            connection.execute(f"update inference.{table} set {', '.join(changed)}")


def record_look(study: Study, connection: duckdb.DuckDBPyConnection, home: Home, look: Look) -> None:
    """Write down that the look of a build file was taken and what is called by now, unless it stands there.

    Args:
        study: what it declares.
        connection: to the build file, with schema inference.
        home: its warehouse.
        look: of look_of.
    """
    if study.looks is None or look.reason is not None:
        return
    if any(one.look >= look.number for one in taken_looks(study, home)):
        return
    planned = connection.execute(_LOOKS).df()
    planned_look = planned[planned.look == look.number].iloc[0]
    taken = TakenLook(
        look=look.number,
        n_root_prompts=int(planned_look.n_root_prompts),
        share=float(planned_look.share),
        level=look.level,
        taken_at=now(),
        analysis_sha256=analysis_sha256(study),
        prompts_sha256=str(planned_look.prompts_sha256),
        data=_digest(connection),
        significant={table: _significant_rows(connection, table) for table in KEYS_OF},
    )
    take_look(study, home, taken)


def _significant_rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    calls = ", ".join(f"'{word}'" for word in CALLS)
    call_columns, is_worded = ", ".join(_OF_CALL), f" or verdict in ({calls})"
    is_own = ""
    if table == "hypotheses":
        # those of pairs of generations are rows of system_comparisons
        call_columns, is_worded, is_own = "significant_at_look", "", " and reference_system_id = ''"
    return rows_of(
        connection,
        f"select {', '.join(KEYS_OF[table])}, {call_columns} from inference.{table} "
        f"where (significant_at_look is not null{is_worded}){is_own} order by all",
    )
