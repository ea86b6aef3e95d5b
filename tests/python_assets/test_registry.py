import sys

import pytest

from python_assets.errors import PlumblineError, StudyError
from python_assets.registry import Registry, absent_function, is_function_path, load_function, unfit_function


@pytest.fixture
def things(tmp_path, monkeypatch):
    """A registry in a package of its own, where the file beside it registers 'b' when it is imported."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "__init__.py").write_text("")
    (shelf / "things.py").write_text(
        'from python_assets.registry import Registry\n\nTHINGS = Registry("thing", __name__)\n'
    )
    (shelf / "b.py").write_text('from shelf.things import THINGS\n\nTHINGS.register("b")(1)\n')
    monkeypatch.syspath_prepend(tmp_path)
    import shelf.things

    yield shelf.things.THINGS
    for name in [name for name in sys.modules if name.partition(".")[0] == "shelf"]:
        del sys.modules[name]


def test_files_register_themselves_when_something_is_asked_for(things):
    assert "shelf.b" not in sys.modules
    assert things["b"] == 1
    assert "shelf.b" in sys.modules


def test_an_unknown_name_lists_the_known_ones(refused, things):
    things.register("a")(2)
    assert "c" not in things
    assert list(things) == ["a", "b"]
    with refused(PlumblineError, "thing"):
        things["c"]


def test_a_name_taken_twice_is_an_error():
    things = Registry("thing", __name__)
    things.register("a")(1)
    with pytest.raises(ValueError, match="registered twice"):
        things.register("a")(2)


def test_a_function_beside_the_study_is_found_and_hashed(tmp_path):
    (tmp_path / "mine.py").write_text("def score(texts):\n    return [len(t) for t in texts]\n")
    found = load_function("mine:score", tmp_path)
    assert found.function(["ab"]) == [2]
    assert len(found.source_sha256) == 64


@pytest.mark.parametrize(
    "source", [None, "def other(): ...", "import no_such_module_anywhere\n\ndef score(): ...", "def score(:"]
)
def test_what_is_wrong_with_a_function_is_said(refused, tmp_path, source):
    if source is not None:
        (tmp_path / "mine.py").write_text(source)
    with refused(StudyError, "mine:score"):
        load_function("mine:score", tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        "raise AssertionError\ndef score(): ...",
        "try:\n    from fast import score\nexcept ImportError:\n    from slow import score",
        "from slow import *",
        "globals()['score'] = print",
    ],
)
def test_a_function_that_may_be_there_is_not_called_absent_and_its_file_is_not_run(tmp_path, source):
    (tmp_path / "mine.py").write_text(source)
    assert absent_function("mine:score", tmp_path) is None


def test_a_path_is_no_function_path():
    assert is_function_path("mine:score")
    assert not is_function_path("../mine:score")
    assert not is_function_path("vader")


TAKEN = [
    "def score(values): ...",
    "def score(values, trim=0.1): ...",
    "def score(*values, trim=0.1): ...",
    "score = lambda values: 1",
    "from numpy import mean as score",
    "def score(a, b): ...\n\n\ndef score(a): ...",
    "def score(a, b): ...\n\n\nfrom numpy import mean as score",
    "def score(a): ...\n\n\ndef other():\n    score = lambda a, b: 1",
]
NOT_TAKEN = [
    "def score(): ...",
    "def score(x, b): ...",
    "def score(values, *, trim): ...",
    "score = lambda x, b: 1",
    "def score(a): ...\n\n\ndef score(a, b): ...",
]


@pytest.mark.parametrize("source", TAKEN)
def test_a_function_that_takes_one_value_is_fit(tmp_path, source):
    (tmp_path / "mine.py").write_text(source)
    assert unfit_function("mine:score", tmp_path, 1) is None
    assert load_function("mine:score", tmp_path, 1)


@pytest.mark.parametrize("source", NOT_TAKEN)
def test_a_function_that_does_not_is_told_without_running_its_file(tmp_path, source, snapshot):
    (tmp_path / "mine.py").write_text(f"raise AssertionError\n{source}")
    problem = unfit_function("mine:score", tmp_path, 1)
    assert str(problem) == snapshot
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(StudyError, match="called with 1 argument"):
        load_function("mine:score", tmp_path, 1)


def test_what_another_function_makes_is_looked_at_once_it_is_loaded(tmp_path):
    lines = [
        "from functools import partial",
        "def of_two(a, b): ...",
        "score = partial(of_two, b=1)",
        "odd = partial(of_two)",
    ]
    (tmp_path / "mine.py").write_text("\n".join(lines))
    assert unfit_function("mine:odd", tmp_path, 1) is None
    assert load_function("mine:score", tmp_path, 1)
    with pytest.raises(StudyError, match="called with 1 argument"):
        load_function("mine:odd", tmp_path, 1)
