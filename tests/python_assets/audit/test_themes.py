"""The studies of the shelf as they are: what an audit takes for granted of each."""

import pytest
import yaml

from python_assets.audit.shelf import FOLDER, themes
from python_assets.study_file.load import load_study


@pytest.mark.parametrize("theme", themes())
def test_a_study_of_the_shelf_stands_as_an_audit_needs_it(theme):
    study = load_study(FOLDER / f"{theme}.yml")
    data = yaml.safe_load((FOLDER / f"{theme}.yml").read_text(encoding="utf-8"))
    assert [one.generation_id for one in study.generations] == ["fair", "biased"]
    assert study.primary
    assert study.analysis.power
    assert len(data["prompts"]["templates"]["texts"]) >= 40
    assert (FOLDER / f"{theme}.md").is_file()


def test_two_studies_put_the_same_cases_about_other_people():
    """What their pages say: a case that is mended in one is mended in both."""

    def cases(theme, person):
        data = yaml.safe_load((FOLDER / f"{theme}.yml").read_text(encoding="utf-8"))
        texts = data["prompts"]["templates"]["texts"]
        return [(one["id"], one["factors"], one["text"].replace(person, "PERSON")) for one in texts]

    expected = cases("disability", "{disability}")
    assert all(text.count("PERSON") == 1 for *_, text in expected)
    assert cases("sexual_orientation", "a {orientation} {gender}") == expected
