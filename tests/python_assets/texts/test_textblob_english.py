import subprocess
import sys

import pytest

from python_assets.texts.textblob_english import part_of_speech, tag, textblob_english

SENTENCES = [
    "Ideraland is a country that borders on nothing.",
    "Nurses , who don't sleep , were seen by Mary Smith in Paris .",
    "The 20 unfriendliest villagers quickly googled it (twice) .",
]
WHOLE = """
from python_assets.texts.textblob_english import tag
own = tag("She runs.", tokenize=True)
import textblob, textblob.en
from textblob.en.taggers import PatternTagger
assert textblob.TextBlob("She runs.").upper() == "SHE RUNS."
assert PatternTagger().tag("She runs.") == own
print("whole")
"""


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("tokenize", [True, False])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_words_are_tagged_as_the_whole_of_textblob_tags_them(sentence, tokenize):
    from textblob.en.taggers import PatternTagger

    assert tag(sentence, tokenize=tokenize) == PatternTagger().tag(sentence, tokenize=tokenize)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_lexicon_is_that_of_textblob():
    from textblob.en import lexicon

    assert dict(textblob_english().lexicon.items()) == dict(lexicon.items())
    assert (part_of_speech("nurse"), part_of_speech("Nurse"), part_of_speech("qqq")) == (
        "NN",
        lexicon.get("Nurse"),
        None,
    )


def test_who_imports_textblob_afterwards_has_the_whole_of_it():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", WHOLE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("whole\n", "")
