import pytest

from python_assets.errors import StudyFileError
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, SCRAPE, TEMPLATES, imported, templates

EDIT = "{name: day, type: weekday, place: end, text: Received on a Tuesday.}"


def edits(*listed, branch="", study=TEMPLATES):
    return {**study, "negative_controls": f"{{{branch}edits: [{', '.join(listed)}]}}"}


def levels(text, **changes):
    return {**imported(**changes), "negative_controls": f"{{levels: {text}}}"}


ASIDE = templates(texts='[{id: t1, text: "A {gender} {aside} asks."}, {id: t2, text: "Is a {gender} {aside} here?"}]')
CASES = {
    "controls beside a mistyped grouping": (edits(EDIT) | {"groupings": "[gendre]"}, "groupings[0]"),
    "a branch that does not exist": (edits(EDIT, branch="branch: womn, "), "negative_controls.branch"),
    "a branch of an unknown factor": (edits(EDIT, branch="branch: {gendr: woman}, "), "negative_controls.branch.gendr"),
    "a branch of an unknown level": (edits(EDIT, branch="branch: {gender: womn}, "), "negative_controls.branch.gender"),
    "a place in no template": (
        edits("{name: day, place: on Monday, text: on Tuesday}"),
        "negative_controls.edits[0].place",
    ),
    "a slot in no template": (edits('{name: day, place: "{aside}", text: indeed}'), "negative_controls.edits[0].place"),
    "a slot of a factor": (edits('{name: day, place: "{gender}", text: indeed}'), "negative_controls.edits[0].place"),
    "a slot of sentences": (
        edits('{name: day, place: "{aside}", text: indeed}', study=SCRAPE),
        "negative_controls.edits[0].place",
    ),
    "the end of what is completed": (edits(EDIT, study=SCRAPE), "negative_controls.edits[0].place"),
    "a type missing": (edits(EDIT, "{name: page, text: Page 1 of 1.}"), "negative_controls.edits[1].type"),
    "two of one name": (edits(EDIT, "{name: day, type: page, text: Page 1 of 1.}"), "negative_controls.edits[1].name"),
    "two of one text": (edits(EDIT, EDIT.replace("name: day", "name: date")), "negative_controls.edits[1].text"),
    "a control that is a group": (edits("{name: woman, text: Page 1 of 1.}"), "negative_controls.edits[0].name"),
    "a level that is a group": (
        levels("{woman: colour}", factors="{gender: {levels: [woman, man]}}"),
        "negative_controls.levels.woman",
    ),
    "a level's type missing": (levels("{red: colour, rain: null}"), "negative_controls.levels.rain"),
    "a level twice": (levels("[red, rain, red]"), "negative_controls.levels[2]"),
    "edits of an import": (edits(EDIT, study=IMPORT), "negative_controls.edits"),
    "levels of templates": ({**TEMPLATES, "negative_controls": "{levels: [red]}"}, "negative_controls.levels"),
    "edits and levels": (
        {**TEMPLATES, "negative_controls": f"{{levels: [red], edits: [{EDIT}]}}"},
        "negative_controls",
    ),
    "neither": ({**TEMPLATES, "negative_controls": "{branch: man}"}, "negative_controls"),
    "a branch of levels": ({**IMPORT, "negative_controls": "{levels: [red], branch: man}"}, "negative_controls"),
    "a word like packaged": ({**ASIDE, "negative_controls": "package"}, "negative_controls"),
    "a list of texts": ({**TEMPLATES, "negative_controls": "[It rains., Page 1 of 1.]"}, "negative_controls"),
    "a slot that is misspelt": (
        edits('{name: day, place: "{beside}", text: indeed}', study=ASIDE),
        "negative_controls.edits[0].place",
    ),
    "another word": ({**TEMPLATES, "negative_controls": "packed"}, "negative_controls"),
    "a factor of that name": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man]}, negative_control: {levels: [a]}}"},
        "factors.negative_control",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_does_not_fit_is_told_at_its_place(refused_file, name):
    sections, field = CASES[name]
    with refused_file(StudyFileError, field):
        refused_file.load(sections)


@pytest.fixture
def refused_file(tmp_path, refused):
    """Expect the problem of a study file of sections."""

    class Refused:
        def __call__(self, kind, *fields):
            return refused(kind, *fields)

        @staticmethod
        def load(sections):
            path = tmp_path / "mine.yml"
            path.write_text("".join(f"{key}: {content}\n" for key, content in sections.items()), encoding="utf-8")
            load_study(path, check_files=False)

    return Refused()


def loaded(tmp_path, sections):
    path = tmp_path / "mine.yml"
    path.write_text("".join(f"{key}: {content}\n" for key, content in sections.items()), encoding="utf-8")
    return load_study(path, check_files=False)


def test_packaged_edits_are_ten_of_ten_types_and_written_out(tmp_path):
    study = loaded(tmp_path, {**TEMPLATES, "negative_controls": "packaged"})
    assert len(study.controls) == len(set(study.controls.values())) == 10
    assert '"text":"The folder is blue."' in study.config_json
    assert loaded(tmp_path, {**SCRAPE, "negative_controls": "packaged"}).controls == study.controls


def test_a_study_without_controls_is_the_version_that_it_was(tmp_path):
    study = loaded(tmp_path, TEMPLATES)
    assert "negative_control" not in study.config_json
    assert (study.controls, study.all_groupings, study.references.keys()) == ({}, [("gender",)], {"gender"})


def test_two_hundred_controls_are_a_study(tmp_path):
    many = [f"{{name: ref {n}, type: number {n}, text: Ref. {n}.}}" for n in range(200)]
    assert len(loaded(tmp_path, edits(*many)).controls) == 200


def test_a_slot_of_an_edit_is_no_unknown_slot(tmp_path):
    with_slot = templates(texts='[{id: t1, text: "A {gender} {aside} asks."}]')
    edit = '{name: day, type: weekday, place: "{aside}", text: on a Tuesday}'
    assert loaded(tmp_path, edits(edit, study=with_slot)).controls == {"day": "weekday"}


def test_controls_are_a_grouping_beside_those_of_groups(tmp_path):
    study = loaded(tmp_path, edits(EDIT))
    assert study.groupings == [("gender",)]
    assert study.all_groupings == [("gender",), ("negative_control",)]
    assert [str(against) for against, _ in study.references.values()] == ["rest", "rest"]


def test_controls_stand_beside_a_grouping_of_a_factor_that_the_file_does_not_declare(tmp_path):
    sections = edits(EDIT) | {"groupings": "[gender, decoding]"}
    path = tmp_path / "mine.yml"
    path.write_text("".join(f"{key}: {content}\n" for key, content in sections.items()), encoding="utf-8")
    assert load_study(path, check_files=False).controls == {"day": "weekday"}
