import json

import numpy as np
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.found_replacements import ATTEMPTS, WORDS_AN_INQUIRY, distinct_words
from python_assets.scrape.scrape_study import scrape
from python_assets.warehouse.run_context import OfflineError

SIMULATOR = {"name": "one", "provider": "simulator"}
TEXT = (
    "The king and the queen of the kingdom were crowned by a bishop in the old cathedral of the land. "
    "The princess and the prince of the kingdom were painted with a sword and a shield in the hall."
)
# cosines to "kingdom"; of the words without one here they fall below
COSINES = {"kingdom": 1.0, "king": 0.9, "queen": 0.8, "prince": 0.45, "crowned": 0.38, "princess": 0.33}
COUNTERPARTS = {"king": "president", "queen": "first lady", "prince": "minister", "princess": "secretary"}

REPLY = """
import json
if text.startswith("Each"):
    words = json.loads(text.partition("Words: ")[2].splitlines()[0])
    return json.dumps({{word: {counterparts!r}[word] for word in words if word in {counterparts!r}}})
words = json.loads(text.partition("Words: ")[2].splitlines()[0])
return "Yes" if set(words) & {tied!r} else "No"
"""


@pytest.fixture
def vectors(tmp_path):
    """Static vectors of the words of the text with those cosines, as a study file names them."""
    others = [word for word in distinct_words([TEXT]) if word not in COSINES]
    cosines = COSINES | {word: 0.25 - 0.01 * place for place, word in enumerate(others)}
    lines = [f"{word} {cosine} {np.sqrt(1 - cosine**2)}" for word, cosine in cosines.items()]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    return {"vectors": "v.txt"}


@pytest.fixture
def run(make_study, engine, build, run_context, vectors):
    def assembled(body, threshold="auto", run_context=run_context, **branch):
        study = make_study(
            {
                "scrape": {
                    "levels": ["kingdom", "republic"],
                    "keywords": {"kingdom": ["kingdom"]},
                    "sources": [{"tag": "t", "path": "a.txt"}],
                },
                "branch": {
                    "from": "kingdom",
                    "find": {"engine": "helper", "threshold": threshold},
                    # kings and queens are what the engine is asked for
                    "portable": "keep",
                    **branch,
                },
            },
            {"a.txt": TEXT},
            systems=[SIMULATOR, engine(body)],
            embedding=vectors,
        )
        scrape(study, build)
        return assemble(study, build, run_context)

    return assembled


def body(tied=("king", "queen", "prince", "princess"), counterparts=COUNTERPARTS):
    return REPLY.format(counterparts=dict(counterparts), tied=set(tied))


def branches(build):
    rows = build.sql("select baseline_text, replacements_json from raw.prompts where not is_root").fetchall()
    return [(text, json.loads(replacements)) for text, replacements in rows]


def words_of(line):
    return json.loads(line.partition("Words: ")[2].partition("]")[0] + "]")


def test_tied_words_get_the_counterparts_of_the_engine_and_every_branch_shows_which(run, build):
    counts = run(body())
    (first, of_first), (second, of_second) = branches(build)
    assert first == (
        "The president and the first lady of the republic were crowned by a bishop in the old cathedral of the land."
    )
    assert of_first == {"king": "president", "queen": "first lady", "kingdom": "republic"}
    assert "The secretary and the minister of the republic" in second
    assert of_second == {"princess": "secretary", "prince": "minister", "kingdom": "republic"}
    assert counts.n_replacements["found"] == 4
    assert counts.n_dropped == {}


def test_the_automatic_threshold_is_as_high_as_leaves_no_tied_word_out(run, inquiries_sent):
    run(body())
    inquiries = [words_of(line) for line in inquiries_sent() if line.startswith("Is any")]
    first = next(words_of(line) for line in inquiries_sent() if line.startswith("Each"))
    tied = {"king", "queen", "prince", "princess"}
    assert tied <= set(first)
    assert first[-1] in tied
    assert all(len(words) <= 15 for words in inquiries)
    assert len(inquiries) <= 7


def test_a_fixed_threshold_asks_for_the_words_of_that_cosine_and_nothing_else(run, inquiries_sent):
    run(body(), threshold=0.41)
    assert words_of(inquiries_sent()[0]) == ["king", "queen", "prince"]
    assert len(inquiries_sent()) == 1


def test_a_threshold_that_no_word_reaches_finds_nothing(run, build, inquiries_sent):
    assert run(body(), threshold=1.0).n_replacements == {}
    assert inquiries_sent() == []
    assert len(branches(build)) == 2


def test_words_that_the_file_gives_are_not_asked_for(run, build, inquiries_sent):
    run(body(), replacements={"republic": {"king": "chief"}})
    assert all("king" not in words_of(line) for line in inquiries_sent() if line.startswith("Each"))
    assert branches(build)[0][1]["king"] == "chief"


def test_a_word_without_a_counterpart_is_asked_for_at_most_five_times(run, build, inquiries_sent):
    counts = run(body(tied={"king"}, counterparts={}))
    assert len([line for line in inquiries_sent() if line.startswith("Each")]) == ATTEMPTS
    assert counts.n_replacements["without_counterpart"] == len(words_of(inquiries_sent()[-1]))
    assert all(set(replaced) == {"kingdom"} for _, replaced in branches(build))


@pytest.mark.parametrize(
    "written", ["the kingdom", "a queen of another kingdom", "", "...", "a b c d e f", "line\u0000break", "kingdoms"]
)
def test_a_counterpart_that_cannot_be_written_is_none(run, build, written):
    run(body(tied={"king"}, counterparts={"king": written}))
    assert all(set(replaced) == {"kingdom"} for _, replaced in branches(build))


def test_a_word_that_fits_both_levels_stays_and_is_not_asked_for_again(run, inquiries_sent):
    counts = run(
        "import json\nwords = json.loads(text.partition('Words: ')[2].splitlines()[0])\n"
        "return json.dumps({word: word for word in words}) if text.startswith('Each') else 'No'",
        threshold=0.3,
    )
    assert set(counts.n_replacements) == {"unchanged"}
    assert len(inquiries_sent()) == 1


def test_replies_that_cannot_be_read_are_counted(run, build):
    counts = run("return 'Sorry.'", threshold=0.5)
    assert counts.n_replacements == {"unusable_replies": ATTEMPTS, "without_counterpart": 2}
    assert len(branches(build)) == 2


def test_the_levels_own_words_are_asked_for_whatever_the_threshold(
    make_study, engine, build, run_context, spelling_vectors
):
    text = "The Ideralandian mayor of Ideraland was crowned by a bishop in the old cathedral of the land."
    study = make_study(
        {
            "scrape": {
                "levels": ["Ideraland", "Italy"],
                "keywords": {"Ideraland": ["Ideraland", "Ideralandian"]},
                "sources": [{"tag": "t", "path": "a.txt"}],
            },
            "branch": {"from": "Ideraland", "find": {"engine": "helper", "threshold": 1.0}},
        },
        {"a.txt": text},
        systems=[SIMULATOR, engine(body(counterparts={"Ideralandian": "Italian"}))],
        embedding=spelling_vectors(text),
    )
    scrape(study, build)
    assemble(study, build, run_context)
    assert branches(build)[0][0].startswith("The Italian mayor of Italy was")


def test_nothing_is_asked_where_nothing_may_be_and_a_rerun_asks_nothing(run, inquiries_sent, run_context, refused):
    with refused(OfflineError, "engine 'helper'"):
        run(body(), run_context=None)
    run(body())
    n_sent = len(inquiries_sent())
    run(body())
    assert len(inquiries_sent()) == n_sent


def test_distinct_words_have_no_punctuation_and_small_letters_where_the_text_has_them():
    texts = ["The US told us: the “king’s” horses, (well-fed) and his 3 dogs' food.", "King George's café; हिन्दी 日本"]
    assert distinct_words(texts) == sorted(
        {"the", "US", "told", "us", "king", "horses", "well-fed", "and", "his", "dogs", "food"}
        | {"George", "café", "हिन्दी", "日本"}
    )


def test_the_words_of_an_inquiry_are_bounded(run, inquiries_sent):
    run(body(counterparts={}), threshold=-1.0)
    assert all(len(words_of(line)) <= WORDS_AN_INQUIRY for line in inquiries_sent())
