"""What a run would set aside of the sheets is told before it, by the answers that are published."""

import pandas as pd

from python_assets.labelling.label_study import label_study
from python_assets.plan.sheet_warnings import sheet_warnings
from python_assets.study.study import HumanLabels
from tests.python_assets.labelling.conftest import studied  # noqa: F401


def sheet(studied, rows):  # noqa: F811
    pd.DataFrame(rows, columns=["response_id", "label"]).to_csv(studied.folder / "sheet.csv", index=False)
    labels = [HumanLabels(file="sheet.csv", measure="refusal", rater="anna")]
    return studied.study.model_copy(update={"human_labels": labels})


def test_rows_that_a_run_would_set_aside_are_told_with_the_first_of_each_rule(studied, snapshot):  # noqa: F811
    study = sheet(
        studied, [("plain-t0-woman", "yes"), ("warm-t9-man", "no"), ("warm-t1-man", "maybe"), ("warm-t8-man", "no")]
    )
    assert list(sheet_warnings(study, studied.home.published)) == snapshot
    with studied.build() as connection:
        assert label_study(study, connection).n_quarantined == 3


def test_nothing_is_told_of_sound_sheets_or_before_anything_is_published(studied, tmp_path):  # noqa: F811
    study = sheet(studied, [("plain-t0-woman", "yes"), ("warm-t1-man", "")])
    assert list(sheet_warnings(study, studied.home.published)) == []
    assert list(sheet_warnings(study, tmp_path / "absent.duckdb")) == []
    other = sheet(studied, [("unknown", "yes")]).model_copy(update={"study_id": "another"})
    assert list(sheet_warnings(other, studied.home.published)) == []
