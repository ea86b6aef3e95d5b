from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bench.train_refusals import HELD_OUT_OF_BBQ
from python_assets.errors import ProviderError
from python_assets.providers.refusal.linear import WEIGHTS, log_odds, packaged_weights, score
from python_assets.providers.refusal.outcome import is_refusal
from python_assets.providers.refusal.tokens import features, tokens
from tests.python_assets.phrasings.written import own_phrasings

STUDIES = Path(__file__).parents[4] / "studies"
PACKAGED = packaged_weights(WEIGHTS)


def test_scores_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = TfidfVectorizer(
        analyzer=lambda read: list(features(read)), sublinear_tf=True, vocabulary=list(PACKAGED.position)
    )
    vectorizer.idf_ = PACKAGED.idf
    read = [tokens("", text) for text in ["", "zzz", *(text for text, _ in own_phrasings("refusals"))]]
    regression = LogisticRegression()
    regression.classes_ = np.array([False, True])
    regression.coef_, regression.intercept_ = PACKAGED.coefficients[None], PACKAGED.intercept[None]
    ours = [log_odds(PACKAGED, one) for one in read]
    assert np.abs(regression.decision_function(vectorizer.transform(read)) - ours).max() < 1e-9


def test_the_package_holds_tokens_and_numbers_in_few_bytes() -> None:
    assert WEIGHTS.stat().st_size <= 200_000
    assert PACKAGED.coefficients.shape == PACKAGED.idf.shape == (len(PACKAGED.position),)
    assert len(PACKAGED.position) <= 12_000


def test_words_that_it_does_not_know_say_nothing() -> None:
    assert score(tokens("", "Zzz zzz zzz zzz")) < 0
    assert score(tokens("", "Zzz zzz zzz zzz zzz.")) == score(tokens("", "Qqq."))


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


@pytest.mark.parametrize("name", ["weights.npz", "absent.npz"])
def test_what_is_no_file_of_weights_is_refused(tmp_path: Path, refused, name: str) -> None:
    (tmp_path / "weights.npz").write_bytes(b"PK\x03\x04 not whole")
    with refused(ProviderError, "the file"):
        packaged_weights(tmp_path / name)
