import os
from pathlib import Path

import pytest

from python_assets.errors import StudyFileError
from python_assets.study_file.load import load_study
from python_assets.study_file.yaml_lines import read_study_file
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

UNREADABLE = {
    "not UTF-8": (b"title: caf\xe9\n", 1),
    "not YAML": (b"title: a\nprompts: [\n", 3),
    "a tab": (b"prompts:\n\tscrape: 1\n", 2),
    "a control character": (b"title: a\nb: \x07\n", 2),
    "two documents": (b"title: a\n---\ntitle: b\n", 2),
    "a list": (b"- a\n- b\n", 1),
    "empty": (b"", 1),
    "nested without end": (b"a: " + b"[" * 5000, 1),
    "a text": (b"study", 1),
}


@pytest.mark.parametrize(("content", "line"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_told_with_its_line(tmp_path, problems_of, snapshot, content, line):
    path = tmp_path / "mine.yml"
    path.write_bytes(content)
    error = problems_of(path)
    assert [(one.where, one.line) for one in error.problems] == [((), line)]
    assert str(error) == snapshot


def test_half_of_a_surrogate_pair_in_a_text_of_no_file_is_told():
    with pytest.raises(StudyFileError, match="printable characters"):
        read_study_file(Path("mine.yml"), 'title: "\ud800"')


def test_a_file_that_is_not_there_is_told(tmp_path, refused):
    with refused(StudyFileError, "the file"):
        read_study_file(tmp_path / "mine.yml")


def test_every_duplicate_key_is_told_with_both_lines(tmp_path, problems_of, snapshot):
    path = tmp_path / "mine.yml"
    content = "".join(f"{key}: {value}\n" for key, value in TEMPLATES.items())
    path.write_text(f"title: a\n{content}title: b\nanalysis:\n  alpha: 0.1\n  alpha: 0.2\n", encoding="utf-8")
    error = problems_of(path)
    assert [(one.line, one.field) for one in error.problems] == [(5, "title"), (8, "analysis.alpha")]
    assert str(error) == snapshot


def test_a_key_may_override_a_merged_one(write_study):
    entries = "[&fair {name: fair, provider: simulator, replicates: 3}, {<<: *fair, name: other}]"
    study = load_study(write_study({**TEMPLATES, "systems": entries}))
    assert [(g.system_id, g.spec.replicates) for g in study.systems] == [("fair", 3), ("other", 3)]


def test_an_alias_to_itself_is_told(mistaken):
    assert "slices.south" in mistaken({**SCRAPE, "slices": "&s {south: *s}"})


def test_a_tag_of_another_language_is_told_and_nothing_is_made_of_it(mistaken):
    sections = {**SCRAPE, "title": "!!python/object/apply:os.getcwd []"}
    assert mistaken(sections)[0] == "title"


@pytest.mark.parametrize("joined", ["[{}]", "{{<<: [{}]}}"], ids=["lists", "merges"])
def test_aliases_of_aliases_are_not_written_out(tmp_path, refused, joined):
    lines = ["a0: &a0 " + ("[x]" if joined == "[{}]" else "{x: 1}")]
    lines += [f"a{n}: &a{n} " + joined.format(", ".join([f"*a{n - 1}"] * 9)) for n in range(1, 10)]
    path = tmp_path / "bomb.yml"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert path.stat().st_size < 1_000
    with refused(StudyFileError, "the file"):
        read_study_file(path)


def test_a_pipe_is_no_study_file(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.yml")
    with refused(StudyFileError, "the file"):
        read_study_file(tmp_path / "pipe.yml")
