"""Plumbline from Python: studies, their results, and a check of a table without a study file.

import plumbline

plumbline.check(frame, group="gender", prompt="question", value="score")
plumbline.Study.load("g20_demo", simulated=True).run().findings
plumbline.Results().differences
"""

from importlib.metadata import version

from python_assets.errors import PlumblineError, ProviderError, QualityError, SourceError, StudyError, WarehouseError
from python_assets.library.check import check
from python_assets.library.results import Results
from python_assets.library.study import Study

__version__ = version("plumbline")
__all__ = [
    "ProviderError",
    "PlumblineError",
    "QualityError",
    "Results",
    "SourceError",
    "Study",
    "StudyError",
    "WarehouseError",
    "check",
]
