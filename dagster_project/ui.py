"""Dagster's UI on this machine: one code server, its daemon, and its webserver behind local_only.

`dagster dev` starts the same three, but takes no layer before its webserver.
"""

import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import dagster as dg
import grpc
import uvicorn
import yaml
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__ as webserver_version

from dagster_project.end_runs import runs_ended
from dagster_project.instance import instance_of_home
from dagster_project.local_only import LocalOnly
from dagster_project.reports import Reports
from python_assets.errors import PlumblineError
from python_assets.warehouse import paths

ADDRESS: Final = "127.0.0.1"
DEFINITIONS: Final = "dagster_project.definitions"
POLL_MILLISECONDS: Final = 2000  # how often a page asks for new data, as with `dagster dev`
LOG_LEVEL: Final = "WARNING"
INTERRUPTS: Final = (KeyboardInterrupt, dg.DagsterExecutionInterruptedError)  # the second while Dagster starts
PATIENCE_SECONDS: Final = 60.0
_SECONDS_BETWEEN_LOOKS: Final = 0.2


class PortError(PlumblineError):
    """The port cannot be listened on."""


class StartError(PlumblineError):
    """The UI is not up, or not yet."""


def serve(port: int) -> None:
    """Serve the UI until Ctrl-C or SIGTERM, then end the code server and the daemon too.

    Args:
        port: of this machine alone.

    Raises:
        PortError: the port is taken, or may not be used.
        HistoryError: DAGSTER_HOME is of another version of Dagster.
        StartError: the process that loads the studies ended.
    """
    with _listening(port) as listener, suppress(*INTERRUPTS), ExitStack() as stack:
        for each in (signal.SIGTERM, signal.SIGINT):  # which a job in the background ignores, and its processes with it
            signal.signal(each, signal.default_int_handler)
        instance = stack.enter_context(instance_of_home())
        workspace = stack.enter_context(_code_server())
        stack.enter_context(_process([_script("dagster-daemon"), "run", "--workspace", workspace]))
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
            remedy = "choose another: plumbline ui --port 3001"
            raise PortError(f"port {port} of {ADDRESS}", error, "one that is free", remedy) from error
        yield listener


@contextmanager
def _code_server() -> Iterator[Path]:
    """One server of the definitions, for the webserver and the daemon; the workspace file that names it."""
    with tempfile.TemporaryDirectory() as folder:
        address, workspace = Path(folder) / "code", Path(folder) / "workspace.yaml"
        server = {"socket": str(address), "location_name": DEFINITIONS}
        workspace.write_text(yaml.safe_dump({"load_from": [{"grpc_server": server}]}), encoding="utf-8")
        options: list[str | Path] = [
            "--socket",
            address,
            "--module-name",
            DEFINITIONS,
            "--working-directory",
            paths.PROJECT,
        ]
        with _process([_script("dagster"), "code-server", "start", *options]) as process:
            wait_until_up(address, process)
            yield workspace


def wait_until_up(address: Path, process: "subprocess.Popen[bytes]", patience: float = PATIENCE_SECONDS) -> None:
    """Wait until a server answers; after a minute say what can be done, and go on waiting.

    Args:
        address: the socket of the server.
        process: the server.
        patience: seconds.

    Raises:
        StartError: it ended without an answer.
    """
    where, told_at = "plumbline ui", time.monotonic() + patience
    with grpc.insecure_channel(f"unix:{address}") as channel:
        ready = grpc.channel_ready_future(channel)
        while not ready.done():
            if process.poll() is not None:
                got = f"exit code {process.returncode} of the process that loads the studies"
                raise StartError(where, got, remedy="mend what it says above; alone: dagster definitions validate")
            if time.monotonic() >= told_at:
                told_at = float("inf")
                remedy = "wait, the first start is the longest; or end it and see why: dagster definitions validate"
                print(StartError(where, f"no answer within {patience:g} s", remedy=remedy), file=sys.stderr, flush=True)
            time.sleep(_SECONDS_BETWEEN_LOOKS)


@contextmanager
def _process(command: Sequence[str | Path]) -> "Iterator[subprocess.Popen[bytes]]":
    """A process that ends with this one."""
    # a session of its own: Ctrl-C reaches it once, from here
    with subprocess.Popen([*command, "--log-level", LOG_LEVEL.lower()], start_new_session=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def _script(name: str) -> Path:
    """A command that Dagster installs."""
    return Path(sysconfig.get_path("scripts")) / name
