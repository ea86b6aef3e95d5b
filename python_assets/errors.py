"""Errors that a user can mend: the command line and the Dagster assets show their text without a traceback.

Belongs here: one class per thing a user can fix. A wrong argument to a function is a ValueError instead.
"""

from typing import Final

OTHER_HOME: Final = "Set PLUMBLINE_HOME to a folder that can be written."
TRY_SIMULATED: Final = "or run with --provider simulator to try the study without models"


class PlumblineError(Exception):
    """Something the user can mend; the text says where, what was expected, what came and what to do."""


class StudyError(PlumblineError):
    """The study file cannot be used; the text lists every problem found, not only the first."""


class SourceError(PlumblineError):
    """A document, text or table that the study names cannot be read or holds nothing of use."""


class GenerationError(PlumblineError):
    """A generation cannot answer at all: its model is missing, its server unreachable, its key refused."""


class ExtractionError(PlumblineError):
    """A measure cannot be computed at all: its model is missing or is not the one expected."""


class WarehouseError(PlumblineError):
    """A warehouse file cannot be written or read."""


class TransformError(PlumblineError):
    """dbt could not build a table, or a test of one failed."""


class QualityError(PlumblineError):
    """The data does not satisfy an expectation that wrong numbers would follow from."""
