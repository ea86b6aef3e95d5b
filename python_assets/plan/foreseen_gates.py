"""Gates of a run that what is assembled cannot pass, told before anything is asked.

Belongs here: the bounds of analysis.quality on prompts and imported rows that were set aside. The gates themselves,
which Great Expectations runs, are expectations.
"""

from collections.abc import Iterator
from typing import Final

import duckdb

from python_assets.errors import StudyError
from python_assets.study.prompts import OF_JUDGE
from python_assets.study.study import Study

_SET_ASIDE: Final = """
    select rule, count(*), min(detail) from raw.quarantine
    where stage = 'assemble' and (not list_contains($1, rule) or $2)
    group by rule order by count(*) desc, rule
"""


def foreseen_gates(study: Study, connection: duckdb.DuckDBPyConnection, n_responses: int) -> Iterator[StudyError]:
    """The gate on records in quarantine, where more of them are there already than it lets pass.

    Args:
        study: its bound is max_removed_share.
        connection: with raw.prompts and raw.quarantine filled by scraping and assembling.
        n_responses: that the study will have; of an import its rows are held to the bound, else its prompts.
    """
    is_import = study.prompts.import_ is not None
    rows = connection.execute(_SET_ASIDE, [list(OF_JUDGE), is_import]).fetchall()
    n_removed = sum(n for _, n, _ in rows)
    [n_prompts] = connection.execute("select count(*) from raw.prompts").fetchone() or (0,)
    n_all = n_removed + (n_responses if is_import else n_prompts)
    most = study.analysis.quality.max_removed_share
    if not n_removed or n_removed <= most * n_all:
        return
    what = "rows" if is_import else "prompts"
    reasons = ", ".join(f"{n:,} {rule}" for rule, n, _ in rows)
    yield StudyError(
        ("analysis", "quality", "max_removed_share"),
        most,
        f"at least {n_removed / n_all:.3g}, for {n_removed:,} of {n_all:,} {what} are set aside: {reasons}; the first: "
        f"{rows[0][2]}",
        f"mend these {what}, or raise the share",
    )
