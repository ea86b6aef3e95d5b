import os

import pytest

from python_assets.study.problems import StudyFileError
from python_assets.study_file.load import load_study
from python_assets.study_file.yaml_lines import read_study_file
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

UNREADABLE = {
    "not UTF-8": (b"title: caf\xe9\n", 1, 'byte 0xe9"; expected UTF-8; save the file with encoding UTF-8'),
    "not YAML": (b"title: a\nprompts: [\n", 3, "expected YAML (while parsing a flow node); check brackets"),
    "a tab": (b"prompts:\n\tscrape: 1\n", 2, "expected YAML (while scanning for the next token)"),
    "a control character": (b"title: a\nb: \x07\n", 2, "expected printable characters; remove the character"),
    "two documents": (b"title: a\n---\ntitle: b\n", 2, "expected YAML (expected a single document"),
    "a list": (b"- a\n- b\n", 1, "got nothing; expected a mapping with keys such as prompts:"),
    "empty": (b"", 1, "got nothing; expected a mapping with keys such as prompts:"),
    "nested without end": (b"a: " + b"[" * 5000, 1, "expected lists and mappings a few levels deep"),
    "a text": (b"study", 1, 'the file: got "study"; expected a mapping'),
}


@pytest.mark.parametrize(("content", "line", "expected"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_told_with_its_line(tmp_path, problems_of, content, line, expected):
    path = tmp_path / "mine.yml"
    path.write_bytes(content)
    error = problems_of(path)
    assert str(error).startswith(f"{path}:{line}: the file: got ")
    assert expected in str(error)
    assert len(error.problems) == 1


def test_a_file_that_is_not_there_is_told(tmp_path, problems_of):
    path = tmp_path / "mine.yml"
    assert str(problems_of(path)) == (
        f'{path}: the file: got "No such file or directory"; expected a file that can be read; '
        "check the path, or make one with: plumbline new NAME"
    )


def test_every_duplicate_key_is_told_with_both_lines(tmp_path, problems_of):
    path = tmp_path / "mine.yml"
    content = "".join(f"{key}: {value}\n" for key, value in TEMPLATES.items())
    path.write_text(f"title: a\n{content}title: b\nanalysis:\n  alpha: 0.1\n  alpha: 0.2\n", encoding="utf-8")
    assert str(problems_of(path)).splitlines() == [
        f'{path}:5: title: got "title"; expected each key once (title stands on line 1 already); '
        "remove one of them",
        f'{path}:8: analysis.alpha: got "alpha"; expected each key once (analysis.alpha stands on '
        "line 7 already); "
        "remove one of them",
    ]


def test_a_key_may_override_a_merged_one(write_study):
    entries = "[&fair {name: fair, provider: simulator, replicates: 3}, {<<: *fair, name: other}]"
    study = load_study(write_study({**TEMPLATES, "generations": entries}))
    assert [(g.generation_id, g.spec.replicates) for g in study.generations] == [("fair", 3), ("other", 3)]


def test_an_alias_to_itself_is_told(problem_texts):
    expected = "slices.south: got nothing; expected a value that does not hold itself; remove the alias"
    assert expected in problem_texts({**SCRAPE, "slices": "&s {south: *s}"})


def test_a_tag_of_another_language_is_told_and_nothing_is_made_of_it(problem_texts):
    sections = {**SCRAPE, "title": "!!python/object/apply:os.getcwd []"}
    assert problem_texts(sections)[0].startswith("title: got ")


@pytest.mark.parametrize("joined", ["[{}]", "{{<<: [{}]}}"], ids=["lists", "merges"])
def test_aliases_of_aliases_are_not_written_out(tmp_path, joined):
    lines = ["a0: &a0 " + ("[x]" if joined == "[{}]" else "{x: 1}")]
    lines += [f"a{n}: &a{n} " + joined.format(", ".join([f"*a{n - 1}"] * 9)) for n in range(1, 10)]
    path = tmp_path / "bomb.yml"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert path.stat().st_size < 1_000
    with pytest.raises(StudyFileError, match="expected at most 100,000 values, those that aliases repeat"):
        read_study_file(path)


def test_a_pipe_is_no_study_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.yml")
    with pytest.raises(StudyFileError, match="expected a file; correct the path"):
        read_study_file(tmp_path / "pipe.yml")
