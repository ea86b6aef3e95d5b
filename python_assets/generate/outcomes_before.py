"""What the last run of a study read its responses as, where another version of the reader did.

Belongs here: looking it up before its run is replaced. What changed is mart outcome_changes.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Final

import pandas as pd

from python_assets.published.query import columns_of_table, open_published
from python_assets.warehouse.raw_tables import columns_of

_OF_READER: Final = "select distinct {version} from responses where study_id = $study and outcome is not null"
_OUTCOMES: Final = """
    select system_id, prompt_id, replicate, response_id, outcome, {version} as outcome_version
    from responses
    where study_id = $study and outcome is not null
"""


def outcomes_before(published: Path, study_id: str, versions: Collection[str]) -> pd.DataFrame:
    """The outcomes of a study as they were last published, rows of raw.outcomes_before.

    Args:
        published: the published database, which may be absent.
        study_id: the study.
        versions: of what reads outcomes now.

    Returns:
        No rows where the study is new, its outcomes were read by these versions alone, or a version without outcomes
        published it.

    Raises:
        WarehouseError: it cannot be read.
    """
    nothing = pd.DataFrame(columns=columns_of("outcomes_before"))
    if not published.is_file():
        return nothing
    with open_published(published) as connection:
        columns = columns_of_table(connection, "responses")
        if "outcome" not in columns:
            return nothing
        # a version that kept none read them all alike
        version = "outcome_version" if "outcome_version" in columns else "cast(null as varchar)"
        query = {"study": study_id}
        read_by = {name for (name,) in connection.execute(_OF_READER.format(version=version), query).fetchall()}
        if read_by <= set(versions):
            return nothing
        return connection.execute(_OUTCOMES.format(version=version), query).df()
