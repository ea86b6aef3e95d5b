import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_assets.providers.replies import parse_list, parse_mapping, parse_yes_no

WORDS = st.lists(st.text(min_size=1).map(str.strip).filter(bool))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ('["Delhi", "Mumbai"]', ["Delhi", "Mumbai"]),
        ("['Delhi', 'Mumbai']", ["Delhi", "Mumbai"]),
        ("('Delhi', 3)\n", None),
        ('Here you are:\n```json\n["Delhi"]\n```\nAnything else?', ["Delhi"]),
        ("```python\n['Delhi',]\n```", ["Delhi"]),
        ('The words are ["Delhi", "Mumbai"].', ["Delhi", "Mumbai"]),
        ('[" Delhi ", "", 3, 0.5]', ["Delhi", "3", "0.5"]),
        ("[]", []),
        ("- Delhi\n- Mumbai", ["Delhi", "Mumbai"]),
        ("Sure:\n1. Delhi,\n2) \u201cMumbai\u201d\n\n", ["Delhi", "Mumbai"]),
        ("* **Delhi**: the capital\n* **Mumbai** - a city", ["Delhi", "Mumbai"]),
        ("\u2022 New Delhi", ["New Delhi"]),
        ("Delhi, Mumbai", None),
        ('{"Delhi": 1}', None),
        ('[["Delhi"]]', None),
        ("[true]", None),
        ("[null]", None),
        ("NO", None),
        ("", None),
        (None, None),
    ],
)
def test_a_list_is_read_in_the_forms_that_models_write(text: str | None, entries: list[str] | None) -> None:
    assert parse_list(text) == entries


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ('{"Delhi": "Paris"}', {"Delhi": "Paris"}),
        ("{'Delhi': 'Paris', 'rupees': 'euros'}", {"Delhi": "Paris", "rupees": "euros"}),
        ('Sure! ```json\n{"Delhi": "Paris"}\n```', {"Delhi": "Paris"}),
        ('I say {"Delhi": " Paris ", "x": ""} to this.', {"Delhi": "Paris"}),
        ("- Delhi -> Paris\n- **rupees**: euros", {"Delhi": "Paris", "rupees": "euros"}),
        ("{}", {}),
        ('{"Delhi": ["Paris"]}', None),
        ('{"Delhi": null}', None),
        ('["Delhi"]', None),
        ("- Delhi\n- Paris", None),
        ("Delhi: Paris", None),
        (None, None),
    ],
)
def test_a_mapping_is_read_in_the_forms_that_models_write(text: str | None, mapping: dict[str, str] | None) -> None:
    assert parse_mapping(text) == mapping


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes", True),
        ("**No**.", False),
        ("yes, it does, since there are many.", True),
        ("The answer is: No!", False),
        ("No doubt about it: yes", None),
        ("Nothing speaks for it", None),
        ("Yesterday", None),
        ("Perhaps", None),
        ("", None),
        (None, None),
    ],
)
def test_yes_and_no_are_the_first_or_the_last_word(text: str | None, said: bool | None) -> None:
    assert parse_yes_no(text) is said


@pytest.mark.parametrize(
    "text",
    ["[__import__('os')]", "[open('x')]", "[1 + 1, 'a' * 9]", "[" * 100_000, "[" + "(" * 5_000 + "]", "['\x00"],
    ids=lambda text: text[:12],
)
def test_nothing_is_evaluated_and_no_text_raises(text: str) -> None:
    assert parse_list(text) is None
    assert parse_mapping(text.replace("[", "{").replace("]", "}")) is None


@given(WORDS)
def test_every_list_of_words_is_read_back(words: list[str]) -> None:
    assert parse_list(json.dumps(words)) == words
    assert parse_list(repr(words)) == words


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_list, parse_mapping, parse_yes_no):
        read(text)


def test_a_backslash_that_escapes_nothing_is_kept():
    assert parse_list(r"['\d', 'a']") == ["\\d", "a"]
