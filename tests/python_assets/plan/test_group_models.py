"""tests/python_assets/plan/test_group_models.py - mirrors python_assets/plan/group_models.py."""

from python_assets.plan import group_models


def test_a_model_that_was_edited_is_made_as_it_is_now(build, tmp_path, monkeypatch):
    monkeypatch.setattr(group_models, "DBT_PROJECT", tmp_path)
    path = tmp_path / "models" / "intermediate" / "number.sql"
    path.parent.mkdir(parents=True)
    for number in (1, 2):
        path.write_text(f"select {number} as n")
        group_models.build_models(build, ["number"])
        assert build.execute("from intermediate.number").fetchall() == [(number,)]
