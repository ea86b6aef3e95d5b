import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, settings

from python_assets.errors import field_name
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import open_build
from tests.cost import Cost

ROOT = Path(__file__).resolve().parents[1]
ONE_WORKER = ("tests/dbt_models/",)  # one dbt build
LONG = {"data_folder", "plumbline_data", "tab", "ui"}  # fixtures of real data, a browser and the UI
BUILDS = {"built", "planned", "planned_of_data"}  # fixtures for which dbt builds tables
# how fast this machine is at the moment is no property of the code
settings.register_profile("any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_machine")


def pytest_configure(config):
    """Have the CPU seconds of the tests counted."""
    config.pluginmanager.register(Cost(config))


def pytest_collection_modifyitems(items):
    """Mark the tests that make test leaves out, and those that read what dbt built; the others are unit tests."""
    for item in items:
        if item.nodeid.startswith("tests/end_to_end/") or LONG.intersection(item.fixturenames):
            item.add_marker(pytest.mark.run)
        elif BUILDS.intersection(item.fixturenames):
            item.add_marker(pytest.mark.build)


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


@pytest.fixture
def alike(tmp_path_factory):
    """A text less what each run or each machine has of its own."""
    own = {
        re.escape(str(tmp_path_factory.getbasetemp())) + r"/[^/\s]+": "TMP",
        re.escape(str(ROOT)): "ROOT",
        r"\b127\.0\.0\.1:\d{5}\b": "127.0.0.1:PORT",
        r"\b[0-9a-f]{64}\b": "SHA256",
        r"\d{4}-\d\d-\d\dT[\d:-]+\.\d+Z?|\b\d{8}T\d{6}\.\d+Z": "TIME",
        r"\btorch \d[\w.+]*": "torch VERSION",
        r"\bPlumbline \d\S* reads": "Plumbline VERSION reads",
        r"\bunpacks to [\d,]+": "unpacks to N",
        r"\d{4}-\d\d-\d\dT[\d.-]+(?=\.jsonl?\b)": "TIME",
    }

    def rewritten(text):
        for pattern, name in own.items() if isinstance(text, str) else ():
            text = re.sub(pattern, name, text)
        return text

    return rewritten


def fields_of(errors):
    """Where errors are, less the file."""
    return [field_name(tuple(step for step in one.where if not isinstance(step, Path))) for one in errors]


@pytest.fixture
def told(snapshot):
    """The fields of errors, whose texts are in the snapshot."""

    def fields(errors):
        listed = list(errors)
        assert [str(one) for one in listed] == snapshot
        return fields_of(listed)

    return fields


@pytest.fixture
def snapshot(snapshot, alike):
    """Texts as they were when last looked at."""
    return snapshot.with_defaults(matcher=lambda data, path: alike(data))


@pytest.fixture
def refused(snapshot, alike):
    """Expect an error of a class and of fields within the block; its text is in the snapshot."""

    @contextmanager
    def expect(kind, *fields):
        with pytest.raises(kind) as raised:
            yield raised
        found = [alike(field) for field in fields_of(getattr(raised.value, "problems", [raised.value]))]
        assert (type(raised.value), found) == (kind, list(fields))
        assert str(raised.value) == snapshot

    return expect


@pytest.fixture(autouse=True)
def one_torch_thread(monkeypatch):
    """torch computes with one thread, whatever it is told: two workers with two each wait for one another."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
        told = [1]
        monkeypatch.setattr(torch, "set_num_threads", told.append)
        monkeypatch.setattr(torch, "get_num_threads", lambda: told[-1])


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
        base = {"title": "Test", "systems": [{"name": "one", "provider": "simulator"}], "measures": ["vader"]}
        path = tmp_path / "test_study.yml"
        path.write_text(yaml.safe_dump({**base, "prompts": prompts, **parts}, allow_unicode=True), encoding="utf-8")
        return load_study(path, check_files=check_files)

    return make


@pytest.fixture
def build(tmp_path):
    """An open build file."""
    with open_build(tmp_path / "build" / "test.duckdb") as connection:
        yield connection
