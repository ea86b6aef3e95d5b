import pandas as pd
import pytest

from python_assets.errors import StudyError
from python_assets.study.study import System
from python_assets.study.systems import SystemSpec
from python_assets.warehouse.build import write_stage

LENGTH = {"name": "length", "kind": "continuous", "function": "mine:length"}


def system(key, role="", model="m", name="{model}_{system_prompt_name}", wave=""):
    spec = SystemSpec(name=name, provider="simulator")
    return System(system_id=key, model=model, system_prompt="", system_prompt_name=role, wave=wave, spec=spec)


@pytest.fixture
def answered(build, tmp_path):
    """Responses of several generations whose lengths are given: (generation, prompt, replicate, length)."""
    (tmp_path / "mine.py").write_text("def length(texts):\n    return [float(len(text)) for text in texts]\n")

    def fill(*rows):
        build.prompts(p="b" * 50, q=None)
        frames = []
        for key in dict.fromkeys(row[0] for row in rows):
            build.responses(
                *((prompt, "x" * n, "ok", replicate) for k, prompt, replicate, n in rows if k == key), system_id=key
            )
            frames += [build.connection.execute("select * exclude study_id from raw.responses").df()]
        write_stage(build.connection, "study", "generate", {"responses": pd.concat(frames)})

    return fill


def values(build):
    rows = build.rows("length", "system_id", "prompt_id", "replicate", "value", "baseline_value")
    return {(key, prompt, replicate): pair for key, prompt, replicate, *pair in rows}


ROWS = (
    ("plain", "p", 0, 10),
    ("plain", "p", 1, 20),
    ("plain", "q", 0, 7),
    ("judge", "p", 0, 30),
    ("judge", "p", 1, 31),
    ("other", "q", 0, 5),
    ("other", "p", 0, 6),
)


def test_a_system_is_the_baseline_of_all_others_by_its_mean_over_replicates(build, make_study, answered):
    answered(*ROWS)
    systems = [system(key) for key in ("plain", "judge", "other")]
    build.extract(make_study(LENGTH, baseline="plain", systems=systems))
    assert values(build) == {
        ("baseline", "p", 0): [50.0, None],
        ("plain", "p", 0): [10.0, None],
        ("plain", "p", 1): [20.0, None],
        ("plain", "q", 0): [7.0, None],
        ("judge", "p", 0): [30.0, 15.0],
        ("judge", "p", 1): [31.0, 15.0],
        ("other", "p", 0): [6.0, 15.0],
        ("other", "q", 0): [5.0, 7.0],
    }
    query = "select parameters from raw.measures where measure_id = 'length'"
    assert build.connection.execute(query).fetchall() == [("baseline=plain",)]


def test_a_role_is_the_baseline_of_the_same_model(build, make_study, answered):
    rows = [
        (f"{model}_{role}", "p", 0, n)
        for (model, role), n in {
            ("a", "none"): 1,
            ("a", "judge"): 3,
            ("b", "none"): 10,
            ("b", "judge"): 30,
            ("c", "judge"): 9,
        }.items()
    ]
    answered(*rows)
    systems = [system(key, key[2:], key[0]) for key, *_ in rows]
    build.extract(make_study(LENGTH, baseline="none", systems=systems))
    found = {key: pair[1] for (key, *_), pair in values(build).items()}
    assert found == {"baseline": None, "a_none": None, "b_none": None, "a_judge": 1, "b_judge": 10, "c_judge": None}


def test_a_role_is_the_baseline_of_its_own_wave(build, make_study, answered):
    rows = [("plain_1", "p", 0, 1), ("plain_2", "p", 0, 2), ("judge_1", "p", 0, 3), ("judge_2", "p", 0, 4)]
    answered(*rows)
    systems = [system(key, key[:-2], wave=key[-1]) for key, *_ in rows]
    build.extract(make_study(LENGTH, baseline="plain", systems=systems))
    found = {key: pair[1] for (key, *_), pair in values(build).items()}
    assert (found["judge_1"], found["judge_2"]) == (1, 2)


def test_labels_and_flags_have_no_baseline(build, make_study, answered):
    answered(*ROWS)
    answer = {"name": "answer", "choices": ["x"]}
    build.extract(make_study(LENGTH, answer, baseline="plain", systems=[]))
    for measure in ("answer", "refusal"):
        assert {value for (value,) in build.rows(measure, "baseline_value")} == {None}
    query = "select parameters from raw.measures where measure_id = 'answer'"
    assert build.connection.execute(query).fetchall() == [("labels=x",)]


def test_an_imported_baseline_that_is_not_there_is_an_error(build, make_study, answered, refused):
    answered(*ROWS)
    with refused(StudyError, "baseline"):
        build.extract(make_study(LENGTH, baseline="plan", systems=[]))
