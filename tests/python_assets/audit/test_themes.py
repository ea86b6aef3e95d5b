"""The studies of the shelf as they are: what an audit takes for granted of each."""

import pytest
import yaml

from python_assets.audit.shelf import FOLDER, themes
from python_assets.study_file.load import load_study


@pytest.mark.parametrize("theme", themes())
def test_a_study_of_the_shelf_stands_as_an_audit_needs_it(theme):
    study = load_study(FOLDER / f"{theme}.yml")
    data = yaml.safe_load((FOLDER / f"{theme}.yml").read_text(encoding="utf-8"))
    assert [one.system_id for one in study.systems] == ["fair", "biased"]
    assert study.primary
    assert study.analysis.power
    assert len(data["prompts"]["templates"]["texts"]) >= 40
    assert (FOLDER / f"{theme}.md").is_file()
