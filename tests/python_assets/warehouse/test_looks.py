import numpy as np
import pytest

from python_assets.errors import StudyError
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home
from python_assets.warehouse.looks import (
    TakenLook,
    by_look,
    finish_look,
    look_sizes,
    look_to_ask,
    now,
    planned_shares,
    prompts_sha256,
    require_same_prompts,
    take_look,
    taken_looks,
)
from python_assets.warehouse.preregistration import analysis_sha256, preregister

BASE = {
    "factors": "{gender: {levels: [woman, man]}}",
    "prompts": '{templates: {cross: [gender], texts: [{id: t1, text: "A {gender} asks."}]}}',
    "systems": "[{name: fair, provider: simulator}]",
    "measures": "[sentiment]",
    "groupings": "[gender]",
    "analysis": "{looks: 3}",
}
ROOTS = [f"root {i}" for i in range(100)]


@pytest.fixture
def study_of(write_study):
    return lambda **changes: load_study(write_study(BASE | changes))


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def taken(study, look, **fields):
    known = {
        "look": look,
        "n_root_prompts": 10 * look,
        "share": look / 3,
        "level": 0.01,
        "taken_at": now(),
        "analysis_sha256": analysis_sha256(study),
        "prompts_sha256": prompts_sha256(ROOTS),
        "data": "d",
        "significant": {},
    }
    return TakenLook(**known | fields)


def test_a_study_that_is_looked_at_once_has_no_look(study_of, home):
    assert look_to_ask(study_of(analysis="{alpha: 0.05}"), home) is None
    with pytest.raises(StudyError, match="analysis.looks"):
        look_to_ask(study_of(analysis="{alpha: 0.05}"), home, 1)


def test_looks_need_a_preregistered_plan(study_of, home):
    study = study_of()
    with pytest.raises(StudyError, match="plan mine --preregister"):
        look_to_ask(study, home)
    preregister(study, home)
    assert look_to_ask(study, home) == 1
    with pytest.raises(StudyError, match="frozen as it is now"):
        look_to_ask(study_of(analysis="{looks: 2}"), home)


def test_the_next_look_is_asked_until_the_last(study_of, home):
    study = study_of()
    preregister(study, home)
    assert look_to_ask(study, home, 2) == 2  # one may be skipped
    take_look(study, home, taken(study, 1))
    assert look_to_ask(study, home) == 1  # the run of it did not come to its end
    finish_look(study, home, 1)
    finish_look(study, home, 1)
    assert home.looks("mine", is_simulated=False).read_text().count("finished") == 1
    assert look_to_ask(study, home) == 2
    assert look_to_ask(study, home, 1) == 1
    take_look(study, home, taken(study, 3))
    finish_look(study, home, 3)
    assert look_to_ask(study, home) == 3
    with pytest.raises(StudyError, match="look 3, which was taken"):
        look_to_ask(study, home, 2)
    for wanted in (0, 4):
        with pytest.raises(StudyError, match="a look from 1 to 3"):
            look_to_ask(study, home, wanted)


def test_what_was_spent_stays_spent(study_of, home):
    study = study_of()
    preregister(study, home)
    take_look(study, home, taken(study, 1))
    for other in (study_of(analysis="{looks: 2}"), study_of(analysis="{alpha: 0.05}")):
        preregister(other, home)
        with pytest.raises(StudyError, match="changed since look 1 was taken"):
            look_to_ask(other, home)


def test_a_line_that_a_kill_cut_short_took_no_look(study_of, home):
    study = study_of()
    take_look(study, home, taken(study, 1))
    path = home.looks("mine", is_simulated=False)
    path.write_bytes(path.read_bytes()[:-20])
    assert taken_looks(study, home) == []
    take_look(study, home, taken(study, 1))
    assert [one.look for one in taken_looks(study, home)] == [1]


def test_a_simulated_run_takes_no_look_of_the_models(study_of, home):
    study = study_of()
    take_look(study.model_copy(update={"has_stand_in": True}), home, taken(study, 1))
    assert taken_looks(study, home) == []


def test_root_prompts_are_put_into_looks_by_the_seed_alone(study_of):
    study = study_of()
    found = by_look(study, ROOTS)
    assert found.value_counts().sort_index().tolist() == [33, 34, 33]
    shuffled = by_look(study, np.random.default_rng(1).permutation(ROOTS))
    assert shuffled.to_dict() == found.to_dict()
    assert by_look(study_of(analysis="{looks: 3, seed: 5}"), ROOTS).to_dict() != found.to_dict()
    # no order of the prompts decides it
    assert abs(np.corrcoef(found[ROOTS], range(100))[0, 1]) < 0.3


def test_looks_by_root_prompts_end_at_all_that_are_planned(study_of, refused):
    study = study_of(analysis="{looks: [30, 55, 100]}")
    assert look_sizes(study, 100) == [30, 55, 100]
    assert planned_shares(study) == [0.3, 0.55, 1.0]
    with refused(StudyError, "analysis.looks"):
        look_sizes(study, 90)
    with pytest.raises(StudyError, match="2 root prompts; expected 3 at least"):
        look_sizes(study_of(), 2)


def test_other_root_prompts_than_those_of_the_first_look_are_refused(study_of, home):
    study = study_of()
    require_same_prompts(study, home, ROOTS)
    take_look(study, home, taken(study, 1))
    require_same_prompts(study, home, ROOTS[::-1])
    with pytest.raises(StudyError, match="other root prompts than look 1"):
        require_same_prompts(study, home, ROOTS[1:])


@pytest.mark.parametrize(
    "looks", ["1", "6", "true", "0.5", '"3"', "[30]", "[30, 20]", "[10, 10, 20]", "[0, 10]", "[1, 2, 3, 4, 5, 6]"]
)
def test_looks_that_are_none_are_told(study_of, looks):
    with pytest.raises(StudyError, match="analysis.looks"):
        study_of(analysis=f"{{looks: {looks}}}")
