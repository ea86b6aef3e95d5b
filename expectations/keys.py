"""What every suite says of its rows, its keys and its texts."""

from typing import Final

from great_expectations import expectations as gxe
from great_expectations.expectations import Expectation

NOT_BLANK: Final = r"(?s).*\S.*"  # DuckDB matches a whole text
_REPEATED: Final = "remove the duplicates from the source, or materialise the stage again"
_EMPTY: Final = "give the records identifiers and texts, or materialise the stage again"


def has_rows(table: str, notes: str) -> Expectation:
    """The table holds a row of the study; without it every other expectation would hold for nothing.

    Args:
        table: name of the raw table.
        notes: what the user does when it is empty.
    """
    return gxe.ExpectTableRowCountToBeBetween(
        min_value=1, description=f"raw.{table} holds rows of the study", notes=notes
    )


def filled(*columns: str) -> list[Expectation]:
    """The columns are neither NULL nor blank.

    Args:
        columns: names of text columns.
    """
    nulls = [
        gxe.ExpectColumnValuesToNotBeNull(column=column, description=f"{column} is not NULL", notes=_EMPTY)
        for column in columns
    ]
    blanks = [
        gxe.ExpectColumnValuesToMatchRegex(
            column=column, regex=NOT_BLANK, description=f"{column} is not blank", notes=_EMPTY
        )
        for column in columns
    ]
    return [*nulls, *blanks]


def unique(*columns: str) -> Expectation:
    """No key occurs twice: a row counted twice weighs twice.

    Args:
        columns: the columns of the key besides study_id.
    """
    description = f"({', '.join(columns)}) occurs once"
    if len(columns) == 1:
        return gxe.ExpectColumnValuesToBeUnique(column=columns[0], description=description, notes=_REPEATED)
    return gxe.ExpectCompoundColumnsToBeUnique(column_list=list(columns), description=description, notes=_REPEATED)
