import difflib

import pytest
import yaml

from python_assets.audit.benchmarks import path_of
from python_assets.audit.costs import EFFECTS, FULL, QUICK
from python_assets.audit.design import detectable_effect, sized
from python_assets.audit.models import asked_models
from python_assets.audit.sized_text import sized_text
from python_assets.errors import AuditError
from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study
from tests.python_assets.audit.conftest import grants

ASKED = [{"name": "a: b", "provider": "ollama", "model": "ä", "decoding": {"temperature": 0}}]


def test_a_sized_text_differs_in_what_was_to_change_alone():
    before = grants()
    after = sized_text(before, systems=ASKED, effect=0.15, n_texts=200)
    was, now = yaml.safe_load(before), yaml.safe_load(after)
    assert now["systems"] == ASKED
    assert now["prompts"]["templates"]["texts"] == was["prompts"]["templates"]["texts"][:200]
    assert now["analysis"]["power"] == {"favoured": {"rate": 0.5, "correlation": 0.5, "effect": 0.15}}
    assert {key: now[key] for key in ("title", "factors", "measures", "groupings")} == {
        key: was[key] for key in ("title", "factors", "measures", "groupings")
    }
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    changed = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    assert [op[0] for op in changed] == ["delete", "replace", "replace"]
    for comment in ("# Who is granted what.", "# Two simulated models.", "# What is read.", "# of which differences"):
        assert comment in after


@pytest.mark.parametrize("n_texts", [None, 240, 999])
def test_no_more_texts_than_there_are(n_texts):
    after = sized_text(grants(), systems=ASKED, effect=0.1, n_texts=n_texts)
    assert len(yaml.safe_load(after)["prompts"]["templates"]["texts"]) == 240


@pytest.mark.parametrize("design", [QUICK, FULL])
def test_a_design_is_the_least_that_shows_its_difference(packaged, home, tmp_path, design):
    models = asked_models(["simulator:fair"])
    n = sized("grants", "audit_grants", models, design).n_texts
    shown = []
    for n_texts in (n - 1, n):
        path = tmp_path / f"with_{n_texts}.yml"
        entries = [models[0].entry_in(path_of("grants"))]
        path.write_text(sized_text(grants(), systems=entries, effect=EFFECTS[design], n_texts=n_texts))
        shown.append(detectable_effect(plan_study(load_study(path))))
    # the number needed and the difference shown are two formulas of one power, which round to a text
    assert shown[1] <= EFFECTS[design] + 0.0005 < shown[0] + 0.001


def test_more_models_take_more_texts(packaged, home):
    one, two = (
        sized("grants", "audit_grants", asked_models([f"simulator:{name}" for name in names]), QUICK).n_texts
        for names in (["fair"], ["fair", "biased"])
    )
    assert one < two


def test_where_all_texts_are_too_few_all_are_asked(packaged, home):
    (packaged / "grants.yml").write_text(grants(30))
    found = sized("grants", "audit_grants", asked_models(["simulator:fair"]), FULL)
    assert (found.n_texts, found.n_there) == (30, 30)


def test_a_model_that_a_benchmark_does_not_simulate_is_told(packaged, home, refused):
    with refused(AuditError, "--model"):
        sized("grants", "audit_grants", asked_models(["simulator:unfair"]), QUICK)
