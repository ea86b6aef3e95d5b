"""What a stage may reach beyond its build file: the folders of the warehouse, the network, engines.

Belongs here: the permission and the folders. Who is asked what is providers/engine.py and scrape/.
"""

from dataclasses import dataclass

from python_assets.errors import PlumblineError
from python_assets.progress import Progress
from python_assets.warehouse.build import Home


class OfflineError(PlumblineError):
    """Something would have to be fetched or asked, and this run may not: `plumbline plan` asks nothing."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What is beyond the build file.

    Attributes:
        home: where response logs, fetched pages and caches lie.
        progress: is told how far something long is.
        may_ask: whether pages may be fetched and engines asked; where not, only what is on disk already is
            used, and the rest raises OfflineError.
    """

    home: Home
    progress: Progress
    may_ask: bool = True
