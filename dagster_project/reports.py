"""The reports of the warehouse at addresses of the UI's own server, so that a link of Dagster's opens one.

A browser opens no file from a page. A report holds what models said; it is served as a page of no origin, so
that nothing in it could ask Dagster anything.
"""

import re
from typing import Final

from starlette.responses import FileResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from python_assets.study.study import ID_PATTERN
from python_assets.warehouse import paths

_FOLDER: Final = "/reports/"
SUFFIX: Final = ".html"
ALONE: Final = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads allow-popups"}


def address_of(study_id: str) -> str:
    """Where the UI serves the report of a study; the part after its own address."""
    return f"{_FOLDER}{study_id}{SUFFIX}"


class Reports:
    """Answers with a report where one is asked for, and hands everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers everything else."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        study_id = _study_of(scope)
        # of one publication, whatever is published while it is sent
        report = paths.home().report(study_id).resolve() if study_id else None
        if report is not None and report.is_file():
            await FileResponse(report, media_type="text/html; charset=utf-8", headers=ALONE)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _study_of(scope: Scope) -> str | None:
    """The study whose report is asked for; None where the path is no name of a study."""
    path = scope.get("path", "")
    if scope["type"] != "http" or not path.startswith(_FOLDER) or not path.endswith(SUFFIX):
        return None
    name = path.removeprefix(_FOLDER).removesuffix(SUFFIX)
    return name if re.fullmatch(ID_PATTERN, name) else None
