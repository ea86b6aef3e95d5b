"""A cluster of Ray: whether it answers, being connected to it, and scores by its workers.

Belongs here: what is said to Ray whatever is computed on it. Parts of inference on it are infer/chunks/on_ray.py. Ray
is an extra, `pip install plumbline[ray]`. It sends work to whoever has a free CPU, and to another where a worker dies.

Actors of Ray itself score texts, not Ray Data: texts come from the build file in the order of the cache's portions and
their scores go back there, so that there is nothing to stream from or to, and the rows are the same to the bit.
"""

import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from numpy.typing import NDArray

from python_assets.errors import NOTHING, PlumblineError
from python_assets.warehouse.stages_made import code_sha256
from python_assets.warehouse.workers import Score

VARIABLE: Final = "PLUMBLINE_RAY"
LOCAL: Final = "local"
_OPTION: Final = "--on ray"
MOST_RETRIES: Final = 4
_SECONDS_TO_ANSWER: Final = 2.0


class ClusterError(PlumblineError):
    """Ray is not there, does not answer, is of another version, or lost work more often than it is given anew."""


class Versions(NamedTuple):
    """What a worker must be like: another version would compute other numbers without a word."""

    plumbline: str
    code: str

    def require(self) -> None:
        """See that this process is like it.

        Raises:
            ClusterError: it is not.
        """
        here = versions()
        if here != self:
            got = f"plumbline {here.plumbline}, code {here.code[:8]}, on {socket.gethostname()}"
            expected = f"plumbline {self.plumbline}, code {self.code[:8]}, as the run has it"
            remedy = "install the same version, with constraints.txt, on every machine of the cluster"
            raise ClusterError("a worker of Ray", got, expected, remedy)


def versions() -> Versions:
    """Of this process."""
    try:
        return Versions(version("plumbline"), code_sha256())
    except PackageNotFoundError:
        return Versions("that is not installed", "")


def cluster_problem(address: str) -> PlumblineError | None:
    """Why nothing can be computed on a cluster, found without starting anything.

    Args:
        address: "local", or the host:port of a cluster.
    """
    if find_spec("ray") is None:
        return ClusterError(_OPTION, NOTHING, "the package ray", "pip install 'plumbline[ray]'")
    if address == LOCAL:
        return None
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return ClusterError(_OPTION, address, "the host:port of a cluster", "ray status prints it on its head")
    try:
        socket.create_connection((host, int(port)), _SECONDS_TO_ANSWER).close()
    except OSError as error:
        remedy = "start it there: ray start --head; or leave the address out, for a Ray on this machine"
        return ClusterError(f"{_OPTION} {address}", error, "a cluster that answers", remedy)
    return None


@cache
def _ray(is_own: bool) -> Any:
    """Ray, imported once the environment says what it reads there a single time.

    It tells its makers what it is used for, unless told otherwise. Whoever reaches a cluster runs code in it, and it
    listens on every address of the machine: one of our own takes only whoever knows its token, which nobody is told.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if is_own:
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    import ray

    return ray


class Cluster(AbstractContextManager["Cluster"]):
    """A cluster, that is connected to when it is first asked for something; use it in a with statement.

    Attributes:
        n_lost: workers that died while they scored texts.
    """

    def __init__(self, address: str) -> None:
        """Take its address: host:port, or "local" for one of this machine's that ends with it."""
        self._address = address
        self._is_connected = False
        self.n_lost = 0

    def __exit__(self, *raised: object) -> None:
        """Leave it."""
        if self._is_connected:
            import ray

            ray.shutdown()
            self._is_connected = False

    def connect(self) -> Any:
        """Ray, connected.

        Raises:
            ClusterError: it does not take this process; Ray's own words are in the text.
        """
        ray = _ray(is_own=self._address == LOCAL)
        if not self._is_connected:
            options = {"include_dashboard": False} if self._address == LOCAL else {}
            try:
                ray.init(address=self._address, log_to_driver=False, logging_level="ERROR", **options)
            except (ConnectionError, RuntimeError) as error:
                expected = "a cluster that takes this process"
                raise ClusterError(f"{_OPTION} {self._address}", error, expected) from error
            self._is_connected = True
        return ray

    @property
    def n_cpus(self) -> int:
        """CPUs of all of its machines."""
        return max(1, int(self.connect().cluster_resources().get("CPU", 1)))

    def answer(self, task: Any, what: str) -> Any:
        """What a task gives back.

        Args:
            task: a reference of Ray.
            what: is computed, in words.

        Raises:
            PlumblineError: a mistake of the study, as it is told without Ray.
            ClusterError: its workers died more often than it is given anew, or lack a package.
        """
        ray = self.connect()
        try:
            return ray.get(task)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, PlumblineError):
                raise error.cause from None
            if isinstance(error.cause, ImportError):
                expected = "the packages of this one on every machine of the cluster"
                raise ClusterError("a worker of Ray", error.cause, expected, "install plumbline there, too") from error
            raise
        except ray.exceptions.RayError as error:
            expected, remedy = "a worker that lives", "give workers more memory, or let fewer work at a time"
            got = f"{type(error).__name__}, {MOST_RETRIES + 1} times"
            raise ClusterError(f"{what} on Ray", got, expected, remedy) from error

    def each(self, score: Score, portions: Sequence[Sequence[str]]) -> Iterator[NDArray[Any]]:
        """The rows of every portion, in their order, by one worker for each GPU, or for each CPU where there is none.

        A worker loads its model once. Where it dies another takes its portions, up to MOST_RETRIES times.
        """
        if not portions:
            return
        ray = self.connect()
        n_gpus = int(ray.cluster_resources().get("GPU", 0))
        worker = ray.remote(
            num_cpus=1, num_gpus=1 if n_gpus else 0, max_restarts=MOST_RETRIES, max_task_retries=MOST_RETRIES
        )(_ScoringWorker)
        score_ref = ray.put(score)
        workers = [worker.remote(score_ref, versions()) for _ in range(min(n_gpus or self.n_cpus, len(portions)))]
        pids = set()
        try:
            waiting: list[Any] = []
            for index in range(len(portions)):
                # each worker has a portion more than it scores, whoever is slow
                while len(waiting) - index < 2 * len(workers) and len(waiting) < len(portions):
                    waiting.append(workers[len(waiting) % len(workers)].score.remote(list(portions[len(waiting)])))
                pid, rows = self.answer(waiting[index], "scores of texts")
                waiting[index] = None
                pids.add(pid)
                yield rows
        finally:
            self.n_lost += max(0, len(pids) - len(workers))
            for one in workers:
                ray.kill(one)


class _ScoringWorker:
    """Scores texts, in a process of its own on any machine of the cluster."""

    def __init__(self, score: Score, like: Versions) -> None:
        """Take what scores; ClusterError where this machine is not like the one that asks."""
        like.require()
        self._score = score

    def score(self, texts: Sequence[str]) -> tuple[int, NDArray[Any]]:
        """The process that scored, and the rows."""
        return os.getpid(), self._score(texts)
