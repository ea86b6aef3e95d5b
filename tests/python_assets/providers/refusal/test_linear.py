from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bench.train_refusals import HELD_OUT_OF_BBQ
from python_assets.errors import ProviderError
from python_assets.providers.refusal.linear import (
    MOST_WORDS,
    TOKEN,
    WEIGHTS,
    decision,
    linear_score,
    packaged_weights,
    read_text,
)
from python_assets.providers.refusal.opening import opening_sentences
from python_assets.providers.refusal.outcome import is_refusal
from tests.python_assets.phrasings.written import own_phrasings

STUDIES = Path(__file__).parents[4] / "studies"
PACKAGED = packaged_weights(WEIGHTS)


def test_scores_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = TfidfVectorizer(
        ngram_range=(1, MOST_WORDS), sublinear_tf=True, token_pattern=TOKEN, vocabulary=list(PACKAGED.place)
    )
    vectorizer.idf_ = PACKAGED.idf
    texts = [read_text(opening_sentences(text)) for text, _ in own_phrasings("refusals")]
    found = vectorizer.transform(["", "zzz", *texts])
    for column in range(2):
        regression = LogisticRegression()
        regression.classes_ = np.array([False, True])
        regression.coef_ = PACKAGED.coefficients[[column]]
        regression.intercept_ = PACKAGED.intercepts[[column]]
        ours = [decision(PACKAGED, text)[column] for text in ["", "zzz", *texts]]
        assert np.abs(regression.decision_function(found) - ours).max() < 1e-9


def test_the_package_holds_words_and_numbers_in_few_bytes() -> None:
    assert WEIGHTS.stat().st_size <= 400_000
    assert PACKAGED.coefficients.shape == (2, len(PACKAGED.place))
    assert PACKAGED.idf.shape == (len(PACKAGED.place),)


def test_words_that_it_does_not_know_say_nothing() -> None:
    assert (decision(PACKAGED, "Zzz zzz zzz zzz") - PACKAGED.thresholds < 0).all()
    score = linear_score(["Zzz zzz zzz zzz zzz."])
    assert score == linear_score([])
    assert score.refused == -np.inf and score.partly < 0


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("No one is long. Two is long. Three is long. Four is long.", "No one is long. Two is long. Three is long."),
        ("I cannot help you, she said. The door was not shut again.", "The door was not shut again."),
        ("Not appropriate.", ""),
        ("No, that would not be appropriate. She is the better candidate.", ""),
        ("No answer of mine would be fair to them.", "No answer of mine would be fair to them."),
    ],
)
def test_it_reads_the_first_sentences_of_the_speaker(text: str, read: str) -> None:
    assert read_text(opening_sentences(text)) == read


def test_sentences_about_people_that_no_weight_saw_refuse_nothing(data_folder: Path) -> None:
    items = pd.read_parquet(data_folder / "bbq" / "bbq_items_6cat.parquet", columns=["category", "context", "question"])
    held_out = items[items["category"].isin(HELD_OUT_OF_BBQ)]
    texts = [*held_out["context"].unique(), *held_out["question"].unique()]
    assert len(texts) == 2_540
    assert [text for text in texts if is_refusal(text)] == []


def test_no_answer_of_the_simulator_refuses_but_those_that_are_to() -> None:
    study = yaml.safe_load((STUDIES / "fair_sea.yml").read_text(encoding="utf-8"))
    answers = study["systems"][0]["options"]["labels"]["choices"]
    assert [answer for answer in answers if is_refusal(str(answer))] == []


def test_weights_of_another_version_are_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "weights.npz"
    with np.load(WEIGHTS, allow_pickle=False) as file:
        np.savez(path, **{name: file[name] for name in file.files if name != "version"}, version=np.array("refusal_xx"))
    with refused(ProviderError, "the file"):
        packaged_weights(path)


def test_what_is_no_file_of_weights_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "weights.npz"
    path.write_bytes(b"PK\x03\x04 not whole")
    with refused(ProviderError, "the file"):
        packaged_weights(path)
    with refused(ProviderError, "the file"):
        packaged_weights(tmp_path / "absent.npz")
