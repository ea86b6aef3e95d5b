"""Rows of sheets that a run would set aside, told by the answers that were published last.

Belongs here: what the plan says of them. What is wrong with a row is labelling's; a sheet that cannot be read at all is
an error of the study file.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final

from python_assets.labelling.label_study import problems_of_answers
from python_assets.published.copies import literal
from python_assets.study.study import Study
from python_assets.warehouse.build import connect

_HAS_RESPONSES: Final = """
    select count(*) > 0 from duckdb_tables() where database_name = 'published' and table_name = 'responses'
"""


def sheet_warnings(study: Study, published: Path) -> Iterator[str]:
    """One line a rule that rows of human_labels break, with the first of them; none before anything is published.

    Args:
        study: that names the sheets.
        published: the file of published studies.
    """
    if not study.human_labels or not published.is_file():
        return
    with connect() as connection:
        connection.execute(f"attach {literal(str(published))} as published (read_only)")
        if connection.execute(_HAS_RESPONSES).fetchone() != (True,):
            return
        connection.execute("create schema raw")
        connection.execute("create view raw.responses as from published.responses")
        query = "select count(*) from raw.responses where study_id = ?"
        if connection.execute(query, [study.study_id]).fetchone() == (0,):
            return
        problems = problems_of_answers(study, connection)
    by_rule = attrgetter("rule")
    for rule, records in groupby(sorted(problems, key=by_rule), key=by_rule):
        rows = list(records)
        n = f"{len(rows):,} row{'s' * (len(rows) > 1)}"
        yield f"human_labels: beside the last run's answers {n} would be set aside ({rule}), first {rows[0].detail}"
