"""Trains the linear model of refusals and tells how rightly it reads models that it was not trained on.

    PLUMBLINE_DATA=FOLDER python -m bench.train_refusals          what leaving each model out shows
    PLUMBLINE_DATA=FOLDER python -m bench.train_refusals --write  writes the package's weights as well, and what each
                                                                  real answer is read as by the model without it

Trained on: answers of models labelled refused or answered (refusals/refusals.csv and refusals2/refusals2.csv, whose
sources docs/sources.md names); as answers, those of two models to FAIR-SEA (MIT), sentences of the World Factbook
(public domain), contexts and questions of BBQ (CC BY 4.0); phrasings of our own (tests/python_assets/phrasings, the
source `decisions` of refusals2). Partial refusals, stances and other languages are left out. The threshold is the
lowest at which FALSE_CALLS of the real answers are called refusals, each read by weights that never saw its model.
"""

import argparse
import csv
import hashlib
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from python_assets.providers.refusal.lexicon import RECALL_LOST, lexicon
from python_assets.providers.refusal.linear import WEIGHTS, save_weights
from python_assets.providers.refusal.opening import opened, opening_sentences
from python_assets.providers.refusal.outcome import may_refuse, read_outcome
from python_assets.providers.refusal.tokens import OTHER_WORDS, collapsed, features, speaks, tokens

FALSE_CALLS: Final = 0.015
REAL: Final = ("xstest", "speechmap", "rbr", "coconot", "jbb", "refusalbench", "pct")
_C: Final = 10.0
_FEATURES_KEPT: Final = 12_000
# rows of one hand or one grammar are alike: they teach wordings, and not how often models use them
_WEIGHTS: Final = {"grammar": 0.3, "hand": 0.1}
_FIRST_ROUND_OF_HANDS: Final = 7
_FOLDS: Final = 8
_ANSWERS_OF_FAIR_SEA: Final = 40  # of a category and a model
HELD_OUT_OF_BBQ: Final = ("Age", "Religion")
_TEXTS_OF_BBQ: Final = 150  # of a category
_TRAINED_ON_FAIR_SEA: Final = ("gpt-4o-mini", "gpt-4.1-nano")
HELD_OUT: Final = Path(__file__).with_name("refusals_held_out.csv")
_OWN: Final = Path(__file__).parents[1] / "tests" / "python_assets" / "phrasings"
# what was asked for where the rows themselves do not say
_ASKED: Final = {"letter": "Write a letter.", "roleplay": "Write a dialogue."}


_LABELS: Final = ("refused", "answered", "stance", "partly")


class Row(NamedTuple):
    """A text and what it is.

    label: refused, partly, stance, answered. fold: what is left out together, a model. material: source of the
    answers, or what else a text is. topic: of its question. prompt: what was asked, where it matters.
    """

    text: str
    label: str
    fold: str
    material: str
    topic: str
    prompt: str = ""


def labelled(data: Path) -> pd.DataFrame:
    """All texts, a column a field of Row: those that the model is trained on, and partial refusals and stances."""
    rows = [*_real(data), *_fair_sea(data), *_factbook(data), *_bbq(data), *_own()]
    return pd.DataFrame(rows, columns=Row._fields)


def _real(data: Path) -> Iterator[Row]:
    relabelled = {row["sha256"]: row["what"] for row in _csv(data / "refusals2" / "relabelled.csv")}
    for path in (data / "refusals" / "refusals.csv", data / "refusals2" / "refusals2.csv"):
        for row in _csv(path):
            what = relabelled.get(digest(row["text"]), row["label"])
            if what != "not_english" and row.get("language", "en") == "en":
                asked = _ASKED.get(row["topic"], "")
                yield Row(row["text"], what, row["model"], row["source"], row["topic"], asked)


def _fair_sea(data: Path) -> Iterator[Row]:
    read = pd.read_parquet(
        data / "fairsea" / "fairsea_responses.parquet", columns=["model", "prompt_category", "llm_output"]
    )
    read = read[read["model"].isin(_TRAINED_ON_FAIR_SEA)].drop_duplicates("llm_output").sample(frac=1, random_state=1)
    for row in read.groupby(["model", "prompt_category"]).head(_ANSWERS_OF_FAIR_SEA).itertuples():
        yield Row(row.llm_output, "answered", f"fair_sea {row.model}", "fair_sea", row.prompt_category)


def _factbook(data: Path) -> Iterator[Row]:
    for path in sorted((data / "factbook").glob("*.txt")):
        for sentence in opening_sentences(opened(path.read_text(encoding="utf-8"))):
            yield Row(sentence, "answered", "factbook", "factbook", path.stem)


def _bbq(data: Path) -> Iterator[Row]:
    """Sentences about people that refuse nothing; the other categories are what a test reads."""
    items = pd.read_parquet(data / "bbq" / "bbq_items_6cat.parquet", columns=["category", "context", "question"])
    items = items[~items["category"].isin(HELD_OUT_OF_BBQ)]
    for column in ("context", "question"):
        drawn = items.drop_duplicates(column).sample(frac=1, random_state=1).groupby("category").head(_TEXTS_OF_BBQ)
        for row in drawn.itertuples():
            yield Row(getattr(row, column), "answered", f"bbq {row.category}", "bbq", row.category)


def _own() -> Iterator[Row]:
    for row in _csv(_OWN / "labels.csv"):
        yield Row(row["text"], "answered", "own labels", "own labels", row["category"])
    drawn = random.Random(1)
    for kind in ("refusals", "yes_no", "multiple_choice"):
        for row in _csv(_OWN / f"{kind}.csv"):
            label = "refused" if row["truth"] == "refusal" else "answered"
            fold = drawn.randrange(_FOLDS)
            is_of_hand = kind == "refusals" and int(row["round"]) >= _FIRST_ROUND_OF_HANDS
            topic, left_out = ("hand", f"round {row['round']}") if is_of_hand else ("", str(fold))
            yield Row(row["text"], label, f"own {left_out}", f"own {kind}", topic)


def _csv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


class Fitted(NamedTuple):
    """Features, their inverse document frequencies and coefficients (n,), and the intercept (1,)."""

    features: list[str]
    idf: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def log_odds(self, counted: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Log odds of a refusal: shape (texts,)."""
        vectors = _vectorizer(vocabulary=self.features)
        vectors.idf_ = self.idf
        return np.asarray(vectors.transform(counted) @ self.coefficients) + self.intercept


def _vectorizer(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=list, lowercase=False, sublinear_tf=True, **options)


def fitted(counted: Sequence[Sequence[str]], refused: NDArray[np.bool_], weight: NDArray[np.float64]) -> Fitted:
    """Train on the features of texts; those that say most are kept, and fitted again."""
    every = _vectorizer(min_df=2)
    size = np.abs(_fit(every.fit_transform(counted), refused, weight)[0])
    kept = sorted(every.get_feature_names_out()[np.argsort(-size, kind="stable")[:_FEATURES_KEPT]])
    vectors = _vectorizer(vocabulary=kept)
    # as the file keeps them: what is measured is what is read
    arrays = (np.asarray(vectors.fit(counted).idf_), *_fit(vectors.transform(counted), refused, weight))
    return Fitted(kept, *(one.astype(np.float32).astype(np.float64) for one in arrays))


def _fit(vectors: Any, refused: NDArray[np.bool_], weight: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=_C, class_weight="balanced", solver="liblinear", max_iter=1000)
    model.fit(vectors, refused, sample_weight=weight)
    return [model.coef_[0], model.intercept_]


def counted(texts: pd.DataFrame) -> NDArray[np.object_]:
    """The features of each text."""
    every = np.empty(len(texts), dtype=object)
    every[:] = [list(features(tokens(prompt, text))) for prompt, text in zip(texts.prompt, texts.text, strict=True)]
    return every


def is_trained_on(texts: pd.DataFrame) -> NDArray[np.bool_]:
    """Which texts teach: those that refuse wholly or not at all."""
    return texts.label.isin(["refused", "answered"]).to_numpy()


def weights_of(texts: pd.DataFrame) -> NDArray[np.float64]:
    """How much each text counts."""
    return texts.topic.map(_WEIGHTS).fillna(1.0).to_numpy(dtype=float)


def models_without(texts: pd.DataFrame, read: NDArray[np.object_]) -> dict[str, Fitted]:
    """A model a fold, trained without its texts."""
    teaches, weight = is_trained_on(texts), weights_of(texts)
    refused = (texts.label == "refused").to_numpy()
    models = {}
    for fold in tqdm(texts.fold.unique(), desc="folds", disable=None):
        rest = (texts.fold != fold).to_numpy() & teaches
        models[fold] = fitted(read[rest], refused[rest], weight[rest])
    return models


def left_out(texts: pd.DataFrame, read: NDArray[np.object_], models: Mapping[str, Fitted]) -> NDArray[np.float64]:
    """Log odds of every text by the model without its fold; minus infinity where it does not speak."""
    found = np.empty(len(texts))
    for fold, model in models.items():
        out = (texts.fold == fold).to_numpy()
        found[out] = model.log_odds(read[out])
    spoken = [may_refuse(tokens(prompt, text)) for prompt, text in zip(texts.prompt, texts.text, strict=True)]
    return np.where(spoken, found, -np.inf)


def called_refusals(texts: pd.DataFrame, models: Mapping[str, Fitted], threshold: float) -> NDArray[np.bool_]:
    """Whether each text is read as a refusal, as a study reads it but by the model without its fold."""

    def is_read_so(row: Any) -> bool:
        model = models[row.fold]

        def refuses(tokens: Sequence[str]) -> bool:
            return may_refuse(tokens) and bool(model.log_odds([list(features(tokens))])[0] > threshold)

        return read_outcome(row.text, row.prompt, refuses=refuses) == "refused"

    rows = tqdm(texts.itertuples(), total=len(texts), desc="texts", disable=None)
    return np.array([is_read_so(row) for row in rows])


def recall_lost(texts: pd.DataFrame, model: Fitted, threshold: float) -> dict[str, float]:
    """Of each word of the lexicon the share of found refusals that are not found without it.

    That is what masking it costs where it names a group of a study.
    """
    refused = texts[(texts.label == "refused") & texts.material.isin(REAL)]
    read = [tokens(prompt, text) for prompt, text in zip(refused.prompt, refused.text, strict=True)]
    found = [one for one in read if speaks(one) and model.log_odds([list(features(one))])[0] > threshold]
    lost = Counter[str]()
    for one in found:
        words = sorted(set(one) & lexicon().words)
        without = [list(collapsed(OTHER_WORDS if token == word else token for token in one)) for word in words]
        beyond = model.log_odds([list(features(masked)) for masked in without]) > threshold if words else []
        lost.update(
            word
            for word, masked, is_beyond in zip(words, without, beyond, strict=True)
            if not (is_beyond and speaks(masked))
        )
    return {word: n / len(found) for word, n in sorted(lost.items())}


def threshold_of(texts: pd.DataFrame, log_odds: NDArray[np.float64]) -> float:
    """The lowest threshold at which no more than FALSE_CALLS of the real answers are called."""
    answered = np.sort(log_odds[(texts.label == "answered") & texts.material.isin(REAL)])
    return float(answered[-int(FALSE_CALLS * len(answered)) - 1])


def report(texts: pd.DataFrame, called: NDArray[np.bool_], heading: str) -> Iterator[str]:
    """Lines of Markdown: recall, precision and false calls by source and model; stances and partial ones beside."""
    yield f"\n| {heading} | n | refused | recall | precision | of answered called | of stances | of partial ones |"
    yield "|---|---|---|---|---|---|---|---|"
    real = texts.material.isin(REAL).to_numpy()
    parts = {"all": real} | {one: (texts.material == one).to_numpy() for one in REAL}
    parts |= {str(one): real & (texts.fold == one).to_numpy() for one in texts.fold[real].unique()}
    parts |= {str(one): (texts.material == one).to_numpy() for one in texts.material[~real].unique()}
    for name, part in parts.items():
        is_of = {label: part & (texts.label == label).to_numpy() for label in _LABELS}
        n_refused, n_answered = is_of["refused"].sum(), is_of["answered"].sum()
        hit, false = (called & is_of["refused"]).sum(), (called & is_of["answered"]).sum()
        shares = (_share(hit, n_refused), _share(hit, hit + false), _share(false, n_answered))
        beside = (f"{(called & is_of[label]).sum()} of {is_of[label].sum()}" for label in ("stance", "partly"))
        yield f"| {name} | {n_refused + n_answered} | {n_refused} | {' | '.join((*shares, *beside))} |"


def _share(n: int, of: int) -> str:
    return f"{n / of:.3f}" if of else ""


def digest(text: str) -> str:
    """The beginning of a text's SHA-256, which names it in HELD_OUT."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def held_out() -> dict[str, bool]:
    """Whether the real answers were called refusals by weights trained without their model, by digest."""
    return {row["sha256"]: row["refused"] == "1" for row in _csv(HELD_OUT)}


def main() -> None:
    """Leave each model out; write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    texts = labelled(Path(os.environ["PLUMBLINE_DATA"]))
    read = counted(texts)
    models = models_without(texts, read)
    threshold = threshold_of(texts, left_out(texts, read, models))
    called = called_refusals(texts, models, threshold)
    print(f"threshold {threshold:.3f}")
    print("\n".join(report(texts, called, "each model left out")))
    if arguments.write:
        teaches = is_trained_on(texts)
        refused = (texts.label == "refused").to_numpy()
        final = fitted(read[teaches], refused[teaches], weights_of(texts)[teaches])
        save_weights(WEIGHTS, final.features, final.idf, final.coefficients, final.intercept[0], np.array(threshold))
        with HELD_OUT.open("w", encoding="utf-8", newline="") as file:
            real = texts.material.isin(REAL)
            rows = ((digest(text), int(one)) for text, one in zip(texts.text[real], called[real], strict=True))
            csv.writer(file, lineterminator="\n").writerows([("sha256", "refused"), *rows])
        with RECALL_LOST.open("w", encoding="utf-8", newline="") as file:
            lost = ((word, f"{share:.4f}") for word, share in recall_lost(texts, final, threshold).items())
            csv.writer(file, lineterminator="\n").writerows([("word", "share"), *lost])
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes, {len(final.features):,} features")


if __name__ == "__main__":
    main()
