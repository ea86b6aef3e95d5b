import os
import sys
from pathlib import Path

import pytest
import yaml

from python_assets.study_file.load import load_study
from python_assets.warehouse.build import open_build

ROOT = Path(__file__).resolve().parents[1]
ONE_WORKER = ("tests/dbt_models/",)  # one dbt build


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep the tests of a file on one worker, where its fixtures are made; those of some folders share more.

    Marks would say it (--dist loadgroup), but pytest-xdist 3.8 cannot write them into pytest 9.2's node ids.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFixtures(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            return next((folder for folder in ONE_WORKER if file.startswith(folder)), file)

    return ByFixtures(config, log)


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
