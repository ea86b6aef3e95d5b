import sys

import pytest

from python_assets.errors import StudyFileError
from python_assets.plan.plan import plan_study
from python_assets.plan.would_fail import not_checked, require_ready, would_fail

WHO = {"who": {"levels": ["king", "queen"]}}
ADDRESS = "http://127.0.0.1:9/v1"


@pytest.fixture
def study(make_study):
    """A study of one template with these generations."""

    def make(*systems, baseline=None, **parts):
        text = {"id": "1", "text": "Is a {who} kind?", **({"baseline": baseline} if baseline else {})}
        named = [{"name": f"g{n}", **one} for n, one in enumerate(systems, start=1)]
        return make_study(
            {"templates": {"texts": [text], "cross": ["who"]}},
            factors=WHO,
            systems=named or [{"name": "one", "provider": "simulator"}],
            **parts,
        )

    return make


def asked(**fields):
    return {"provider": "openai", "model": "m", **fields}


def test_a_variable_that_is_not_set_is_told_once_for_all_that_use_it(snapshot, study, monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    keyed = asked(base_url=ADDRESS, api_key_env="SOME_KEY")
    found = list(would_fail(study(keyed, keyed, {**keyed, "engine": True})))
    assert list(map(str, found)) == snapshot
    monkeypatch.setenv("SOME_KEY", "a-key")
    assert list(would_fail(study(keyed))) == []


def test_each_of_several_addresses_is_named_that_only_the_network_can_tell_of(study, snapshot):
    made = study(asked(base_url=[ADDRESS, "http://127.0.0.1:19/v1"]), asked(base_url=ADDRESS))
    assert not_checked(made) == snapshot


def test_openai_needs_an_address_or_a_key(snapshot, study, monkeypatch):
    (found,) = would_fail(study(asked()))
    assert str(found) == snapshot
    assert list(would_fail(study(asked(base_url=ADDRESS)))) == []
    monkeypatch.setenv("SOME_KEY", "a-key")
    assert list(would_fail(study(asked(api_key_env="SOME_KEY")))) == []


def test_anthropic_needs_a_key(snapshot, study, monkeypatch):
    claude = {"provider": "anthropic", "model": "m"}
    (found,) = would_fail(study(claude))
    assert str(found) == snapshot
    monkeypatch.setenv("SOME_KEY", "a-key")
    assert list(would_fail(study({**claude, "api_key_env": "SOME_KEY"}))) == []
    assert list(would_fail(study({**claude, "headers": {"x-api-key": "${SOME_KEY}"}}))) == []


def test_a_gpu_that_is_not_there_is_told_of_whatever_names_it(snapshot, study):
    local = {"provider": "transformers", "model": "m", "options": {"device": "cuda:99"}}
    found = list(would_fail(study(local, embedding={"device": "cuda:99"})))
    assert list(map(str, found)) == snapshot


def test_a_header_that_cannot_be_sent_is_told(snapshot, study, monkeypatch):
    monkeypatch.setenv("SOME_KEY", " ")
    (found,) = would_fail(study(asked(base_url=ADDRESS, headers={"api-key": "${SOME_KEY}"})))
    assert str(found) == snapshot


@pytest.mark.parametrize(
    "measure", ["baseline_distance", {"name": "topic", "cluster_and_sort": {"per": "who", "k": 2}}]
)
def test_what_is_compared_with_baselines_needs_one(snapshot, study, measure):
    (found,) = would_fail(study(measures=[measure]))
    assert found.where == ("measures",)
    assert str(found) == snapshot
    assert list(would_fail(study(measures=[measure], baseline="A {who} is kind."))) == []


def test_an_import_says_which_column_is_missing(snapshot, make_study):
    columns = {"prompt": "id", "prompt_text": "text"}
    prompts = {"import": {"path": "rows.csv", "columns": columns, "factors": {"who": "who"}}}
    files = {"rows.csv": "id,text,who,base\n1,a,king,x\n2,b,queen,y\n"}
    (found,) = would_fail(make_study(prompts, files, measures=["baseline_distance"]))
    assert str(found) == snapshot
    columns["baseline_text"] = "base"
    assert list(would_fail(make_study(prompts, files, measures=["baseline_distance"]))) == []


def test_a_run_is_refused_for_what_a_plan_tells(study, monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    made = study(asked(), asked(base_url=ADDRESS, api_key_env="SOME_KEY"), measures=["baseline_distance"])
    plan = plan_study(made)
    assert len(plan.would_fail) == 3
    told = list(map(str, plan.would_fail))
    with pytest.raises(StudyFileError) as refused:
        require_ready(made)
    assert list(map(str, refused.value.problems)) == told
    assert "A run would fail:\n- " + "\n- ".join(told) in plan.text()


def test_a_function_of_the_users_own_is_not_loaded(study, tmp_path):
    source = "raise AssertionError\n\n\ndef say(messages, decoding):\n    return ''\n"
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    assert list(would_fail(study({"provider": "mine:say"}))) == []


def test_a_statistic_that_cannot_be_loaded_ends_a_run_before_it_starts(study, tmp_path):
    source = "import no_such_module_anywhere\n\n\ndef top(values):\n    return values[-1]\n"
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    made = study(analysis={"custom_statistics": {"top": "mine:top"}})
    assert list(would_fail(made)) == []  # a plan runs nothing
    with pytest.raises(StudyFileError) as refused:
        require_ready(made)
    (problem,) = refused.value.problems
    assert problem.where == ("analysis", "custom_statistics", "top")
    assert "no_such_module_anywhere" in str(problem)
    (tmp_path / "mine.py").write_text("from numpy import max as top\n", encoding="utf-8")
    require_ready(made)


def test_a_spacy_model_without_spacy_is_told_before_anything_runs(snapshot, make_study, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    scraped = {
        "levels": ["Italy", "France"],
        "keywords": {"Italy": ["Italy"]},
        "sources": [{"tag": "t", "path": "a.txt"}],
    }
    made = make_study({"scrape": scraped, "branch": {"spacy_model": "en_core_web_sm"}}, {"a.txt": "A."})
    (found,) = would_fail(made)
    assert found.where == ("prompts", "branch", "spacy_model")
    assert str(found) == snapshot
