import pandas as pd

from python_assets.generate.response_tables import responses_table
from python_assets.providers.outcomes import response_of
from python_assets.providers.records import Description, Outcome, Prompt, Request, SystemConfig, SystemRun
from python_assets.study.study import System, SystemSpec


def table_of(*outcomes):
    """The rows of one generation whose responses came out so."""
    responses = [
        response_of(Request(str(i), "{}", Prompt(str(i), "r", "?"), 0, []), outcome, SystemConfig("own", "replay"))
        for i, outcome in enumerate(outcomes)
    ]
    spec = SystemSpec(name="own", provider="simulator")
    system = System(system_id="own", model="", system_prompt="", spec=spec)
    run = SystemRun(responses, Description(), False, {}, 0, 0, 0, 0, {}, {}, 0.0, [])
    return responses_table([(system, run)])


def test_a_response_that_failed_stands_beside_one_that_did_not():
    table = table_of(Outcome("fine"), Outcome(None, error="timeout: no answer"))
    assert table["status"].tolist() == ["ok", "error"]
    assert table["is_refused"].tolist() == [False, None]
    for column, expected in (
        ("response_text", ["fine", None]),
        ("error", [None, "timeout: no answer"]),
        ("context_json", [None, None]),
    ):
        assert [None if pd.isna(text) else text for text in table[column]] == expected


def test_characters_that_no_table_holds_are_replaced():
    table = table_of(Outcome("a\0b\udc00", context_json='{"reasoning": "\udc00"}'))
    assert table["response_text"].tolist() == ["a\ufffdb\ufffd"]
    assert table["context_json"].tolist() == ['{"reasoning": "\ufffd"}']
