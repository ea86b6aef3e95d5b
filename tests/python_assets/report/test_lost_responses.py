"""The block on responses of page one: nothing that a model wrote is markup, and no block of zeros."""

from python_assets.published.losses import LOSSES, Form, Losses, loss_warnings, responses_in_words
from python_assets.report.lost_responses import LostResponses, Quoted
from python_assets.report.templates import template

NO_LOSS = dict.fromkeys(LOSSES, 0)


def losses(n_scored, *forms, **lost):
    lost = NO_LOSS | lost
    n = n_scored + sum(lost.values())
    return Losses("g", "is_kind", "", "", n=n, n_scored=n_scored, lost=lost, unscored_forms=forms)


def page(one: Losses, **fields) -> tuple[str, str]:
    is_lossy = one.n_scored < one.n
    lost = LostResponses(
        **{
            "warnings": loss_warnings([one]),
            "line": responses_in_words([one]),
            "quoted": [],
            "kinds": {"unscored": "unscored"},
            "rows": [one] if is_lossy else [],
            "n_rows": int(is_lossy),
            **fields,
        }
    )
    macros = template("responses.html").module
    return str(macros.unscored_first(lost)), str(macros.responses_block(lost, 3, "study"))


def test_where_nothing_is_lost_one_line_says_so():
    first, block = page(losses(40))
    assert not first.strip()
    assert "40 of 40 (100 %) scored, 0 unscored, 0 errors" in block
    assert "<table" not in block and "<details" not in block


def test_texts_of_models_are_escaped_above_the_lead_and_in_the_block():
    form = "<script>x</script>"
    quoted = [Quoted("g", "is kind", unscored=f'20 of 40 (50 %): "{form}" (20)', undecided="")]
    first, block = page(losses(20, Form(form, "no_rule_matched", 20), unscored=20), quoted=quoted)
    assert "g, is kind: 20 of 40 responses (50 %) are unscored: " in first
    for html in (first, block):
        assert form not in html and "&lt;script&gt;" in html
    assert "20 (50 %)" in block


def test_a_study_without_a_measure_of_its_own_has_no_block():
    assert not page(losses(40), line="")[1].strip()


def test_rows_that_are_not_shown_are_counted():
    _, block = page(losses(20, unscored=20), n_rows=1_234)
    assert "1 of 1,234 rows are shown" in block


def test_the_page_begins_with_what_is_unscored_and_says_nothing_of_it_elsewhere(report):
    keys = {"study_id": "small", "system_id": "biased", "measure_id": "sentiment", "grouping_id": "", "group_id": ""}
    counts = {"n_responses": 40, "n_scored": 30, "n_unscored": 10}
    zeros = dict.fromkeys(("n_undecided", "n_refused", "n_empty", "n_failed", "n_other", "n_unscored_truncated"), 0)
    form = {"position": 1, "reason": "no_rule_matched", "form": "Well, hm.", "n_responses": 10}
    form |= {name: keys[name] for name in ("study_id", "system_id", "measure_id")}
    shown = report(scored_responses=[keys | counts | zeros], unscored_forms=[form])
    findings = " ".join(shown.sections["findings"].split())
    warning = 'biased, sentiment: 10 of 40 responses (25 %) are unscored: "Well, hm." (10)'
    assert findings.startswith(f"Results {warning}")
    assert findings.count("are unscored") == 1
    assert "30 of 40 (75 %) scored, 10 unscored (25 %), 0 errors" in findings
