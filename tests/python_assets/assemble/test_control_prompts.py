import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext

FACTORS = {
    "gender": {"levels": ["Female", "Male"], "texts": {"Female": "woman", "Male": "man"}, "reference": "Male"},
    "race": {"levels": ["Chinese", "Malay"], "reference": "Chinese"},
}
TEXTS = [
    {"id": "t1", "text": "A {race} {gender} {aside} came on Monday.", "baseline": "A {gender} went on Monday."},
    {"id": "t2", "text": "{aside} Is a {gender} here?"},
]
DAY = {"name": "day", "type": "weekday", "place": "Monday", "text": "Tuesday"}
CAR = {"name": "car", "type": "colour", "place": "{aside}", "text": "with a red folder"}
LINE = {"name": "line", "type": "number", "place": "end", "text": "Ref. 4471."}
BLANK = {"name": "blank", "type": "blank line", "place": "start", "text": ""}
TOWNS = "The old towns in the north of Italy were rebuilt by the state after the war."
ROADS = "The new roads in the south of Italy have changed the life of many families."
LEVELS = """
    select factor, level from raw.prompt_factors join raw.prompts using (prompt_id)
    where negative_control is not null group by all order by all
"""


def without_slot(texts):
    return [text | {"text": text["text"].replace("{aside} ", "")} for text in texts]


@pytest.fixture
def assembled(make_study, build):
    """Assemble templates with some edits; gives the counts."""

    def run(*edits, texts=TEXTS, cross=("gender", "race"), branch=None):
        if CAR not in edits:
            texts = without_slot(texts)
        controls = {"edits": list(edits)} | ({} if branch is None else {"branch": branch})
        prompts = {"templates": {"texts": texts, "cross": list(cross)}}
        factors = {name: FACTORS[name] for name in cross}
        return assemble(make_study(prompts, factors=factors, negative_controls=controls), build)

    return run


def rows(build, columns, where="negative_control is not null"):
    return build.sql(f"select {columns} from raw.prompts where {where} order by rowid").fetchall()


def test_edits_stand_where_the_study_says_and_slots_are_empty_elsewhere(assembled, build):
    assembled(DAY, CAR, LINE, BLANK)
    assert rows(build, "prompt_id, prompt_text", "prompt_id like 't1 > Male x Chinese%'") == [
        ("t1 > Male x Chinese", "A Chinese man came on Monday."),
        ("t1 > Male x Chinese > day", "A Chinese man came on Tuesday."),
        ("t1 > Male x Chinese > car", "A Chinese man with a red folder came on Monday."),
        ("t1 > Male x Chinese > line", "A Chinese man came on Monday.\nRef. 4471."),
        ("t1 > Male x Chinese > blank", "\nA Chinese man came on Monday."),
    ]
    assert rows(build, "prompt_text", "prompt_id like 't2 > Male x Chinese%'") == [
        ("Is a man here?",),
        ("with a red folder Is a man here?",),
        ("Is a man here?\nRef. 4471.",),
        ("\nIs a man here?",),
    ]


def test_the_baseline_keeps_its_own_words(assembled, build):
    assembled(DAY)
    assert rows(build, "baseline_text, baseline_kind, task") == [("A man went on Monday.", "actual", "question")]


def test_words_are_whole_ones(assembled, build):
    word = {"name": "to", "type": "word", "place": "man", "text": "person"}
    assembled(word, branch={"gender": "Female"}, texts=[{"id": "t", "text": "Is a {gender} a man?"}])
    assert rows(build, "prompt_text") == [("Is a woman a person?",)]


def test_a_control_is_of_its_root_prompt_and_of_no_group(assembled, build):
    assembled(LINE)
    assert rows(build, "root_prompt_id, unit_id, unit_factor, is_root") == [
        ("t1", "t1", None, False),
        ("t2", "t2", None, False),
    ]
    assert build.sql(LEVELS).fetchall() == [
        ("document", "(none)"),
        ("keyword", "(none)"),
        ("negative_control", "line"),
        ("source_tag", "templates"),
        ("task", "question"),
        ("template", "t1"),
        ("template", "t2"),
    ]


def test_the_branch_is_the_reference_or_the_one_that_is_named(assembled, build):
    assembled(LINE)
    columns = "select control_type, place, edit_text, branch from raw.negative_controls"
    assert build.sql(columns).fetchall() == [("number", "end", "Ref. 4471.", "Male x Chinese")]
    for branch in ("Female", {"gender": "Female"}):
        assembled(LINE, branch=branch)
        assert build.sql("select branch from raw.negative_controls").fetchall() == [("Female x Chinese",)]


def test_a_template_that_the_branch_does_not_vary_in_has_controls_too(assembled, build):
    texts = [TEXTS[0], {"id": "t2", "text": "A {race} person?", "cross": ["race"]}]
    assembled(LINE, texts=texts, branch={"gender": "Female"})
    assert rows(build, "prompt_id") == [("t1 > Female x Chinese > line",), ("t2 > Chinese > line",)]


def test_every_order_of_options_is_edited_and_keeps_its_level(assembled, build):
    texts = [{"id": "t", "text": "Is a {gender} here? {options}", "options": ["yes", "no"]}]
    assembled(LINE, texts=texts, cross=["gender"])
    assert rows(build, "prompt_id") == [("t > Male > 1-2 > line",), ("t > Male > 2-1 > line",)]
    assert [row for row in build.sql(LEVELS).fetchall() if row[0] == "option_order"] == [
        ("option_order", "1-2"),
        ("option_order", "2-1"),
    ]


def test_root_prompts_without_the_branch_or_the_place_are_told(assembled):
    texts = [*TEXTS, {"id": "t3", "text": "A {gender} and a {race} cat."}]
    notes = assembled(CAR, texts=texts, branch="Malay").notes
    assert notes == [
        "negative_controls.edits: 1 of 3 root prompts lack the place of 'car', first 't3'; a control needs half "
        "of them to be tested"
    ]


def test_an_edit_of_no_prompt_is_refused(assembled, refused):
    same = {"name": "same", "type": "word", "place": "A Malay woman", "text": "She"}
    texts = [{"id": "t", "text": "A Malay womanly {gender}."}]
    with refused(SourceError, "negative_controls.edits[0].place"):
        assembled(same, texts=texts, cross=["gender"])


def test_sentences_have_lines_before_them(make_study, build):
    scraped = {
        "levels": ["Italy", "France"],
        "keywords": {"Italy": ["Italy"]},
        "sources": [{"tag": "article", "path": "a.txt", "levels": ["Italy"]}],
    }
    prompts = {"scrape": scraped, "branch": {"from": "Italy"}, "assemble": {"after_words": "keyword"}}
    study = make_study(prompts, {"a.txt": f"{TOWNS} {ROADS}"}, negative_controls={"edits": "packaged"})
    scrape(study, build)
    assemble(study, build)
    assert len(rows(build, "prompt_id")) == 20
    texts = rows(build, "prompt_text, root_prompt_id", "negative_control = 'weather' or is_root")
    roots = {root: text for text, root in texts[:2]}
    assert [text for text, _ in texts[2:]] == [f"It rained that morning.\n{text}" for text in roots.values()]


def test_a_look_asks_the_controls_of_its_root_prompts(make_study, build, tmp_path):
    texts = [{"id": f"t{n}", "text": f"Is a {{gender}} {n} here?"} for n in range(6)]
    prompts = {"templates": {"texts": texts, "cross": ["gender"]}}
    study = make_study(
        prompts,
        factors={"gender": FACTORS["gender"]},
        negative_controls={"edits": [LINE, BLANK]},
        analysis={"looks": 2},
    )
    assemble(study, build, RunContext(Home(tmp_path), SILENT, look=1))
    n_prompts = build.sql(
        "select count(*), count(negative_control) from raw.prompts group by root_prompt_id"
    ).fetchall()
    assert n_prompts == [(4, 2)] * 3


def test_where_units_are_declared_a_control_is_of_its_root_prompt(make_study, build):
    prompts = {"templates": {"texts": without_slot(TEXTS), "cross": ["gender", "race"]}}
    study = make_study(prompts, factors=FACTORS, unit="race", negative_controls={"edits": [LINE]}, groupings=["gender"])
    assemble(study, build)
    assert set(rows(build, "unit_id, unit_factor")) == {("t1", None), ("t2", None)}
    assert {unit for unit, _ in rows(build, "unit_id, unit_factor", "negative_control is null")} == {"Chinese", "Malay"}
