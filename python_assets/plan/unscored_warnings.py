"""Systems that lost many responses in the last run of a study: another run will lose as many.

Belongs here: reading the published tables. When and in which words it is said, published/losses.py tells.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from python_assets.published.losses import loss_warnings, losses_of
from python_assets.published.query import open_published

_IS_PUBLISHED = """
    select count(*) > 0 from information_schema.tables where table_name = 'scored_responses'
"""


def unscored_warnings(study_id: str, systems: Collection[str], published: Path) -> Iterator[str]:
    """Write a line for every system and measure with too many unscored responses; none before the first run.

    Args:
        study_id: the study.
        systems: those that it has now.
        published: the published database; one of an earlier version has no counts.
    """
    if not published.exists():
        return
    with open_published(published) as connection:
        if connection.execute(_IS_PUBLISHED).fetchone() == (True,):
            losses = [one for one in losses_of(connection, study_id) if one.system_id in systems]
            yield from (f"in the last run {warning}" for warning in loss_warnings(losses))
