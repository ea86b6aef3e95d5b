import textwrap

import pytest

from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext


@pytest.fixture
def run_context(tmp_path):
    return RunContext(Home(tmp_path / "warehouse"), progress=SILENT)


@pytest.fixture
def engine(tmp_path):
    """Write the engine `helper`, a function of text and seed; returns its generation.

    It appends what it is asked to sent.txt.
    """

    def write(body):
        lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
        (tmp_path / "helper.py").write_text(
            "from pathlib import Path\n\n\n"
            "def reply(messages, decoding):\n"
            '    text, seed = messages[-1]["content"], decoding["seed"]\n'
            f"    with Path({str(tmp_path / 'sent.txt')!r}).open('a', encoding='utf-8') as file:\n"
            '        file.write(text.replace("\\n", " ") + "\\n")\n'
            f"{lines}\n",
            encoding="utf-8",
        )
        return {"name": "helper", "provider": "helper:reply", "engine": True}

    return write


@pytest.fixture
def inquiries_sent(tmp_path):
    """What the engine was asked so far."""

    def read():
        file = tmp_path / "sent.txt"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    return read
