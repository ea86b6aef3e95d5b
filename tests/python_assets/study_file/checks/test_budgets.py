import pytest

from python_assets.errors import StudyFileError
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import TEMPLATES

PRICED = "[{name: m, provider: openai, model: gpt-4.1, api_key_env: KEY}]"
ELSEWHERE = '[{name: m, provider: openai, model: gpt-4.1, base_url: "http://localhost:1/v1"}]'
CASES = {
    "nothing bounded": ({"budget": "{}"}, ["budget"]),
    "a budget of 0": ({"budget": "{usd: 0}"}, ["budget.usd"]),
    "half a call": ({"budget": "{calls: 1.5}"}, ["budget.calls"]),
    "another unit": ({"budget": "{euro: 5}"}, ["budget.euro"]),
    "of a generation, of 0": (
        {"systems": "[{name: m, provider: simulator, budget: {calls: 0}}]"},
        ["systems[0].budget.calls"],
    ),
    "money where a price is unknown": ({"budget": "{usd: 5}", "systems": ELSEWHERE}, ["budget.usd"]),
    "money of a function": ({"budget": "{usd: 5}", "systems": "[{name: m, provider: 'mine:answer'}]"}, ["budget.usd"]),
    "money of one generation": (
        {"systems": ELSEWHERE.replace("}]", ", budget: {usd: 1}}]")},
        ["systems[0].budget.usd"],
    ),
    "a price without out": ({"prices": "{gpt-4.1: {in: 1}}", "systems": PRICED}, ['prices["gpt-4.1"].out']),
    "a price below 0": ({"prices": "{gpt-4.1: {in: -1, out: 1}}", "systems": PRICED}, ['prices["gpt-4.1"].in']),
    "a price of a model that nobody asks": (
        {"prices": "{gpt-4.2: {in: 1, out: 1}}", "systems": PRICED},
        ['prices["gpt-4.2"]'],
    ),
}


def written(folder, parts):
    path = folder / "mine.yml"
    text = "\n".join(f"{name}: {part}" for name, part in {**TEMPLATES, **parts}.items())
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KEY", "k")


@pytest.mark.parametrize("name", CASES)
def test_budgets_and_prices_that_cannot_be_used(name, tmp_path, refused):
    parts, fields = CASES[name]
    with refused(StudyFileError, *fields):
        load_study(written(tmp_path, parts), check_files=False)


@pytest.mark.parametrize(
    "parts",
    [
        {"budget": "{usd: 5}", "systems": PRICED},
        {"budget": "{usd: 5}"},
        {"budget": "{usd: 5}", "prices": "{gpt-4.1: {in: 0, out: 0}}", "systems": ELSEWHERE},
        {"budget": "{usd: 5}", "prices": "{m: {in: 1, out: 2}}", "systems": "[{name: m, provider: 'mine:answer'}]"},
        {"budget": "{tokens: 5}", "systems": ELSEWHERE},
    ],
    ids=["published", "simulated", "declared to be free", "a function", "tokens alone"],
)
def test_budgets_that_can(parts, tmp_path):
    assert load_study(written(tmp_path, parts), check_files=False).budget is not None


def test_a_budget_and_prices_make_no_other_version_of_a_study(tmp_path):
    plain = load_study(written(tmp_path, {"systems": PRICED}))
    bounded = {
        "budget": "{usd: 5}",
        "prices": "{gpt-4.1: {in: 1, out: 1}}",
        "systems": PRICED.replace("}]", ", budget: {calls: 5}}]"),
    }
    assert load_study(written(tmp_path, bounded)).config_json == plain.config_json
