"""Whether two runs were read alike: a change that another version of the reader of refusals made is no model's.

Belongs here: comparing what each run recorded with what the comparison reads. Everything else is moved.py.
"""

from pathlib import Path
from typing import Final

import duckdb

from python_assets.errors import WarehouseError
from python_assets.gate.both_runs import NOW, THEN, BothRuns
from python_assets.published.archived import MARTS
from python_assets.published.copies import literal
from python_assets.warehouse.build import connect

_VERSIONS: Final = "select distinct {version} from read_parquet({file}) where outcome is not null"
_EXPECTED: Final = "outcomes that one version read"
_CHANGED: Final = """
    select count(*), count(*) filter (where recorded.outcome <> compared.outcome)
    from read_parquet({file}) as recorded
    inner join comparison.responses as compared
        on compared.system_id = recorded.system_id || '_' || {wave}
        and (compared.prompt_id, compared.replicate) = (recorded.prompt_id, recorded.replicate)
    -- of another language both are unreadable
    where recorded.outcome is not null and compared.outcome is not null
"""


def require_outcomes_alike(runs: BothRuns, published: Path) -> list[str]:
    """See that no outcome that is compared is another one by the reader of the other run.

    Args:
        runs: which runs were compared.
        published: the database that the comparison was published in.

    Returns:
        What to print with the comparison: nothing where one version read both runs.

    Raises:
        WarehouseError: two versions read them, and some outcome is another one for it.
    """
    files = {
        wave: literal(str(run.folder / MARTS / "responses.parquet"))
        for wave, run in ((THEN, runs.then), (NOW, runs.now))
    }
    with connect() as connection:
        versions = {wave: _versions(connection, file) for wave, file in files.items()}
        if unknown := [wave for wave, readers in versions.items() if readers is None]:
            got = f"run {getattr(runs, unknown[0]).run_id}, which a version made that recorded no outcomes"
            remedy = "gate against a run of this version: a rerun reads the answers of its log anew and asks nothing"
            raise WarehouseError(f"study {runs.study_id}", got, _EXPECTED, remedy)
        if versions[THEN] == versions[NOW]:
            return []
        connection.execute(f"attach {literal(str(published))} as comparison (read_only)")
        queries = [_CHANGED.format(file=file, wave=literal(wave)) for wave, file in files.items()]
        changed = [row for query in queries for row in connection.execute(query).fetchall()]
    n, n_changed = (sum(counts) for counts in zip(*changed, strict=True))
    readers = " and ".join(" | ".join(sorted(versions[wave] or ())) or "a version that did not say" for wave in files)
    if n_changed:
        got = f"runs whose refusals were read by {readers}, which read {n_changed:,} of {n:,} outcomes otherwise"
        remedy = "gate against a run that this version made: a rerun reads the answers of its log anew and asks nothing"
        raise WarehouseError(f"study {runs.study_id}", got, _EXPECTED, remedy)
    return [f"Refusals were read by {readers}: all {n:,} outcomes are the same by both."]


def _versions(connection: duckdb.DuckDBPyConnection, file: str) -> set[str] | None:
    columns = {name for name, *_ in connection.execute(f"describe select * from read_parquet({file})").fetchall()}
    if "outcome" not in columns:  # of a version that kept flags alone
        return None
    version = "coalesce(outcome_version, '')" if "outcome_version" in columns else "''"
    return {name for (name,) in connection.execute(_VERSIONS.format(version=version, file=file)).fetchall()} - {""}
