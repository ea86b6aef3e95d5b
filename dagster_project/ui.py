"""Dagster's UI on this machine: one code server, its daemon, and its webserver behind local_only.

`dagster dev` starts the same three, but takes no layer before its webserver.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import dagster as dg
import uvicorn
import yaml
from dagster._cli.proxy_server_manager import ProxyServerManager
from dagster._core.errors import DagsterExecutionInterruptedError
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import ModuleTarget, WorkspaceFileTarget
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__ as webserver_version

from dagster_project.end_runs import runs_ended
from dagster_project.local_only import LocalOnly
from dagster_project.partitions import offer_studies
from dagster_project.reports import Reports
from python_assets.errors import PlumblineError
from python_assets.warehouse import paths

ADDRESS: Final = "127.0.0.1"
DEFINITIONS: Final = "dagster_project.definitions"
POLL_MILLISECONDS: Final = 2000  # how often a page asks for new data, as with `dagster dev`
LOG_LEVEL: Final = "WARNING"
INTERRUPTS: Final = (KeyboardInterrupt, DagsterExecutionInterruptedError)  # the second while Dagster starts


class PortError(PlumblineError):
    """The port cannot be listened on."""


def serve(port: int) -> None:
    """Serve the UI until Ctrl-C or SIGTERM, then end the code server and the daemon too.

    Args:
        port: of this machine alone.

    Raises:
        PortError: the port is taken, or may not be used.
    """
    with _listening(port) as listener, suppress(*INTERRUPTS), ExitStack() as stack:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        instance = stack.enter_context(dg.DagsterInstance.get())
        offer_studies(instance, paths.study_names())
        module = ModuleTarget(DEFINITIONS, None, str(paths.PROJECT), None)
        code = stack.enter_context(ProxyServerManager(instance, module, LOG_LEVEL))
        workspace = stack.enter_context(_workspace(code.get_code_server_specs()))
        stack.enter_context(_daemon(workspace))
        context = stack.enter_context(
            WorkspaceProcessContext(
                instance,
                version=webserver_version,
                read_only=False,
                workspace_load_target=WorkspaceFileTarget([str(workspace)]),
            )
        )
        stack.enter_context(runs_ended(instance))
        app = LocalOnly(Reports(create_app_from_workspace_process_context(context, "", POLL_MILLISECONDS)))
        print(f"Dagster's UI: http://{ADDRESS}:{listener.getsockname()[1]} (Ctrl-C ends it)", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level=LOG_LEVEL.lower())).run(sockets=[listener])


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((ADDRESS, port))
            listener.listen()  # who comes before the webserver is up, waits
        except (OSError, OverflowError) as error:
            raise PortError(
                f"Port {port} of {ADDRESS} cannot be listened on: {error}. "
                "Choose another: plumbline ui --port 3001"
            ) from error
        yield listener


@contextmanager
def _workspace(code_servers: list[dict[str, Any]]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workspace.yaml"
        path.write_text(yaml.safe_dump({"load_from": code_servers}), encoding="utf-8")
        yield path


@contextmanager
def _daemon(workspace: Path) -> Iterator[None]:
    """Dagster's daemon, which starts the runs that are queued."""
    options = ["--workspace", str(workspace), "--log-level", LOG_LEVEL.lower()]
    # a session of its own: Ctrl-C reaches it once, from here
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster._daemon", "run", *options], env=os.environ, start_new_session=True
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()
