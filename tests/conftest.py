import os
import sys
from pathlib import Path

import pytest
import yaml

from python_assets.study_file.load import load_study
from python_assets.warehouse.build import open_build

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(items):
    """The tests of a file stay on one worker, for its fixtures are made there; a mark joins several files."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.split("::")[0]))


@pytest.fixture(autouse=True)
def one_torch_thread():
    """An encoder or classifier sets two for its process; two workers with two each wait for one another."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def data_folder():
    """The folder of real data that two studies read; without it their tests are skipped."""
    folder = Path(os.environ.get("PLUMBLINE_DATA") or ROOT.parent / "shared" / "data").absolute()
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: set PLUMBLINE_DATA to the folder of factbook and fairsea")
    return folder


@pytest.fixture
def plumbline_data(data_folder, monkeypatch):
    """That folder, named in the environment as study files expect it."""
    monkeypatch.setenv("PLUMBLINE_DATA", str(data_folder))
    return data_folder


@pytest.fixture
def make_study(tmp_path):
    """Write a study file with the given prompts and read it."""

    def make(prompts, files=None, check_files=False, **parts):
        for name, content in (files or {}).items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            (tmp_path / name).write_bytes(data)
        base = {
            "title": "Test",
            "generations": [{"name": "one", "provider": "simulator"}],
            "measures": ["vader"],
        }
        path = tmp_path / "test_study.yml"
        path.write_text(
            yaml.safe_dump({**base, "prompts": prompts, **parts}, allow_unicode=True), encoding="utf-8"
        )
        return load_study(path, check_files=check_files)

    return make


@pytest.fixture
def build(tmp_path):
    """An open build file."""
    with open_build(tmp_path / "build" / "test.duckdb") as connection:
        yield connection
