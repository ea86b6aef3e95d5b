import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.sandbox.sandbox import dismiss, in_sandbox
from python_assets.sandbox.worker import Limits, _address_space
from tests.python_assets.sandbox import readers

SMALL = Limits(memory_bytes=400 * 1024**2, cpu_seconds=60)
QUICK = SMALL._replace(cpu_seconds=1)
FILE = Path("a.docx")


def opened(read, *arguments, limits=SMALL):
    return in_sandbox(partial(read, *arguments), FILE, ("field",), limits)


def test_one_process_reads_file_after_file_and_it_is_another():
    dismiss()  # one that earlier files have made large would be replaced
    assert opened(readers.process) == opened(readers.process) != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold to a limit of memory")
def test_a_file_that_fills_memory_is_told_and_the_next_one_is_read(refused):
    with refused(SourceError, "field"):
        opened(readers.fill_memory)
    assert opened(readers.say) == "answered"


def test_a_file_that_takes_too_long_is_told_and_the_next_one_is_read(refused):
    with refused(SourceError, "field"):
        opened(readers.never_end, limits=QUICK)
    assert opened(readers.say) == "answered"


def test_a_file_that_is_waited_for_is_told(monkeypatch, refused):
    monkeypatch.setattr("python_assets.sandbox.sandbox._SECONDS_WAITED", 0.5)
    with refused(SourceError, "field"):
        opened(readers.wait, limits=QUICK)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_what_ends_its_reader_is_told_and_the_next_file_gets_a_new_one(number, refused):
    before = opened(readers.process)
    with refused(SourceError, "field"):
        opened(readers.be_killed, int(number))
    assert opened(readers.process) != before


@pytest.mark.parametrize(
    "read",
    [
        readers.leave,
        readers.stumble,
        readers.answer_otherwise,
        readers.give_an_object,
        readers.send_a_pickle,
        readers.send_without_end,
        readers.send_nothing,
        readers.send_no_place,
        readers.say_a_book,
    ],
)
def test_no_answer_and_another_than_is_declared_are_told(read, refused, capfd):
    with refused(SourceError, "field"):
        opened(read)
    assert opened(readers.say) == "answered"
    assert "taken over" not in "".join(capfd.readouterr())


def test_an_error_of_a_reader_is_the_same_error_here():
    with pytest.raises(StudyError) as raised:
        opened(readers.refuse)
    assert raised.value.where == (Path("a.yml"), "prompts", 0)
    assert str(raised.value) == "a.yml: prompts[0]: got this; expected that; do so"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold to a limit of memory")
def test_of_several_files_the_one_that_was_read_is_named():
    with pytest.raises(SourceError, match=r"second\.eval: reading it takes more"):
        opened(readers.read_two, "first.eval", "second.eval")


def test_a_reader_writes_no_file_and_knows_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "sk-1")
    with pytest.raises(SourceError):
        opened(readers.leave)  # the next one starts with this environment
    assert opened(readers.write, str(tmp_path / "x")) != ""
    assert (tmp_path / "x").read_bytes() == b""
    assert "SECRET_KEY" not in opened(readers.environment)


def test_threads_ask_one_after_another():
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(len(opened(readers.texts, n)))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


def test_an_interrupted_question_is_not_answered_later():
    before = opened(readers.process)
    with pytest.raises(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        opened(readers.wait)
    assert opened(readers.process) != before


@pytest.fixture(autouse=True)
def interrupting():
    def interrupt(_signal, _frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_the_address_space_is_that_of_the_system():
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines())
    assert _address_space() == pytest.approx(int(told["VmSize"].split()[0]) * 1024, rel=0.02)
