from python_assets.texts import patterns
from python_assets.texts.patterns import PatternTimeout, is_found

CATASTROPHIC = r"(a|aa)+$"


def test_an_expression_reads_as_python_reads_it():
    assert is_found(r"(?i)\bthey\b", "When They came")
    assert not is_found(r"\bthey\b", "When They came")


def test_an_expression_without_end_is_given_up_with_a_remedy(monkeypatch, refused):
    monkeypatch.setattr(patterns, "PATTERN_SECONDS", 0.05)
    with refused(PatternTimeout, "expression"):
        is_found(CATASTROPHIC, "a" * 60 + "b")
