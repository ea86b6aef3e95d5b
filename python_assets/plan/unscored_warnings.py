"""Measures that read no answer of a generation in the last run of a study: their questions will have no answer either.

Belongs here: reading the published account. What is unread is published/account.py.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from python_assets.published.account import UNSCORED_MEASURES, unscored_in_words
from python_assets.published.query import open_published
from python_assets.warehouse.build import rows_of

_IS_PUBLISHED = """
    select count(*) > 0 from information_schema.tables where table_name = 'hypotheses'
"""


def unscored_warnings(study_id: str, systems: Collection[str], published: Path) -> Iterator[str]:
    """One line a generation and measure whose answers could not be read; none before the first run.

    Args:
        study_id: the study.
        systems: that it has now.
        published: the published database.
    """
    if not published.exists():
        return
    with open_published(published) as connection:
        if connection.execute(_IS_PUBLISHED).fetchone() == (True,):
            for row in rows_of(connection, UNSCORED_MEASURES, {"study": study_id}):
                if row["system_id"] in systems:
                    yield f"in the last run {unscored_in_words(row)}"
