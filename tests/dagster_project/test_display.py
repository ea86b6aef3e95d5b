import io
import re

import pytest

from dagster_project.display import display


class Screen(io.StringIO):
    """Standard error as a terminal or a file."""

    def __init__(self, is_terminal):
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal

    def lines(self):
        """What was written, without the codes that move the cursor and colour."""
        return [
            line.rstrip() for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", self.getvalue()))
        ]


@pytest.fixture
def shown_on(monkeypatch):
    """Show a stage of three answers, the last of which an interrupt may keep away."""

    def show(is_terminal, n_done=3, term="xterm"):
        screen = Screen(is_terminal)
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setenv("TERM", term)
        monkeypatch.setenv("COLUMNS", "120")
        with display() as shown:
            shown.begins("9 of 17  generate")
            shown.progress.say("fair[/]\x07: 0 answers from the log, 3 to ask for")
            tell = shown.progress.start("fair", "answers", 3)
            for n in range(1, n_done + 1):
                tell(n)
            if n_done < 3:
                raise KeyboardInterrupt
            shown.ends("9 of 17  generate", "0.1 s")
        return screen

    return show


def test_a_file_gets_plain_lines(shown_on):
    screen = shown_on(is_terminal=False)
    assert "\x1b" not in screen.getvalue()
    begun, said, counted, ended, rest = screen.lines()
    assert (begun, ended, rest) == ("9 of 17  generate", "9 of 17  generate: 0.1 s", "")
    assert said.startswith("    fair[/]\\u0007: 0 answers")
    assert counted.startswith("    fair: 3 answers in 0.0 s")


def test_a_terminal_without_cursor_gets_plain_lines(shown_on):
    assert "\x1b" not in shown_on(is_terminal=True, term="dumb").getvalue()


def test_a_terminal_keeps_what_was_said_and_no_bar(shown_on):
    screen = shown_on(is_terminal=True)
    assert "\x1b[?25l" in screen.getvalue()  # the cursor is hidden while bars are drawn, and comes back
    assert screen.getvalue().count("\x1b[?25l") == screen.getvalue().count("\x1b[?25h")
    lines = screen.lines()
    assert any(line.startswith("    fair[/]\\u0007: 0 answers") for line in lines)
    assert any(line.startswith("    fair: 3 answers in ") for line in lines)
    assert "9 of 17  generate: 0.1 s" in lines


def test_an_interrupt_gives_the_terminal_back(shown_on, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        shown_on(is_terminal=True, n_done=1)
    import sys

    assert sys.stderr.getvalue().rstrip("\r\n").endswith(("\x1b[?25h", "\x1b[2K"))
