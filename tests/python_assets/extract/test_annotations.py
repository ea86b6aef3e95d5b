from python_assets.errors import StudyError
from tests.python_assets.extract.test_column import table

QUOTED = ['say "no"', "it's; fine", "Yes, of course: (yes)"]


def measured(build, make_study, make_imported, spec: dict, texts: list[str], entries: list):
    build.prompts(**{f"p{i}": None for i in range(len(texts))})
    build.responses(*((f"p{i}", text) for i, text in enumerate(texts)))
    return build.extract(make_study(spec), make_imported(table(x=entries)))


def test_labels_with_quotes_and_commas_win_whatever_their_case(build, make_study, make_imported):
    spec = {"name": "answer", "choices": QUOTED, "annotation": "x"}
    texts = ['They say "no".', "it's; fine", "Yes, of course: (yes)", "nothing at all"]
    entries = ["IT'S; FINE", None, ' say "no" ', "yes, OF course: (yes)"]
    counts = measured(build, make_study, make_imported, spec, texts, entries)
    assert build.rows("answer", "label", "label_method", "scorer_version = 'column 1'") == [
        ("it's; fine", "column", True),
        ("it's; fine", "choice_start", False),
        ('say "no"', "column", True),
        ("Yes, of course: (yes)", "column", True),
    ]
    assert build.rows("answer_unscored", "value") == [(0.0,)] * 4
    assert counts.n_quarantined == 0


def test_an_annotation_outside_its_set_is_set_aside_and_nothing_stands_in_for_it(
    build, make_study, make_imported, snapshot
):
    spec = {"name": "answer", "choices": "yes_no", "annotation": "x"}
    counts = measured(build, make_study, make_imported, spec, ["Yes.", "No.", "No."], ["Maybe", "YES", " "])
    assert build.rows("answer", "label", "reason") == [(None, "invalid_annotation"), ("yes", None), ("no", None)]
    assert build.rows("answer_unscored", "value", "reason") == [(None, "invalid_annotation"), (0.0, None), (0.0, None)]
    assert counts.n_quarantined == 1
    [(key, rule, detail)] = build.connection.execute("select record_key, rule, detail from raw.quarantine").fetchall()
    assert (key, rule) == ("replayed/p0/0/answer", "invalid_annotation")
    assert detail == snapshot


def test_a_score_off_the_scale_is_set_aside(build, make_study, make_imported):
    spec = {"name": "tone", "scorer": "vader", "annotation": "x"}
    entries = [0.25, 1.5, "high", None, "-1"]
    counts = measured(build, make_study, make_imported, spec, ["I love this!"] * 5, entries)
    found = [
        (None if value is None else round(value, 4), reason) for value, reason in build.rows("tone", "value", "reason")
    ]
    off = (None, "invalid_annotation")
    assert found == [(0.25, None), off, off, (0.6696, None), (-1.0, None)]
    assert counts.n_quarantined == 2


def test_a_label_that_counts_as_one_can_be_given_by_people(build, make_study, make_imported):
    spec = {"name": "granted", "choices": "yes_no", "kind": "binary", "favourable": "yes", "annotation": "x"}
    measured(build, make_study, make_imported, spec, ["Yes.", "Yes.", "No."], ["no", None, "yes"])
    assert build.rows("granted", "value") == [(0.0,), (1.0,), (1.0,)]


def test_a_blank_text_leaves_the_measure_whoever_labelled_it(build, make_study, make_imported):
    spec = {"name": "answer", "choices": "yes_no", "annotation": "x"}
    build.prompts(p0=None)
    build.responses(("p0", " ", "empty"))
    build.extract(make_study(spec), make_imported(table(x=["yes"])))
    assert build.rows("answer", "label", "reason") == [(None, "response_empty")]


def test_a_column_that_is_not_there_is_named(build, make_study, make_imported, refused):
    spec = {"name": "answer", "choices": "yes_no", "annotation": "gold"}
    with refused(StudyError, "measures.answer.annotation"):
        measured(build, make_study, make_imported, spec, ["Yes."], ["yes"])
