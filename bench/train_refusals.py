"""Trains the linear model of refusals and tells how rightly it reads models that it was not trained on.

    PLUMBLINE_DATA=FOLDER python -m bench.train_refusals          what leaving each model out shows
    PLUMBLINE_DATA=FOLDER python -m bench.train_refusals --write  writes the package's weights as well, and what each
                                                                  real answer is read as by the model without it

Trained on: real answers labelled refused or answered (refusals/refusals.csv: XSTest, two people each, CC BY 4.0;
SpeechMap, by a judge, Apache 2.0); as answers, answers of two models to FAIR-SEA (MIT), sentences of the World
Factbook (public domain), contexts and questions of BBQ (CC BY 4.0); phrasings of our own
(tests/python_assets/phrasings). Partial refusals train the second column only. The threshold is the lowest at
which rules or model are right in PRECISION of the answers that they call refused, each model read by weights that
never saw it.
"""

import argparse
import csv
import hashlib
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import cohens_kappa, to_table
from tqdm import tqdm

from python_assets.providers.refusal.linear import MOST_WORDS, TOKEN, WEIGHTS, may_refuse, read_text, save_weights
from python_assets.providers.refusal.opening import opening_sentences
from python_assets.providers.refusal.rules import refuses_by_rules

PRECISION: Final = 0.94
REAL: Final = ("xstest", "speechmap")
# columns of the weights
REFUSED, PARTLY = 0, 1
_C_REFUSED: Final = 10.0
_C_PARTLY: Final = 3.0
_MOST_WORDS_KEPT: Final = 16_000
_FOLDS: Final = 8
_ANSWERS_OF_FAIR_SEA: Final = 40  # of a category and a model
HELD_OUT_OF_BBQ: Final = ("Age", "Religion")
_TEXTS_OF_BBQ: Final = 150  # of a category
_TRAINED_ON_FAIR_SEA: Final = ("gpt-4o-mini", "gpt-4.1-nano")
HELD_OUT: Final = Path(__file__).with_name("refusals_held_out.csv")
_OWN: Final = Path(__file__).parents[1] / "tests" / "python_assets" / "phrasings"


_Row = tuple[str, str, str, str, str, str]


class Labelled(NamedTuple):
    """Texts and what they are.

    label: refused, partly, answered. fold: what is left out together, a model. material: refusals.csv's source, or
    what else a text is. topic: of its question.
    """

    texts: NDArray[np.object_]
    label: NDArray[np.object_]
    fold: NDArray[np.object_]
    material: NDArray[np.object_]
    topic: NDArray[np.object_]
    language: NDArray[np.object_]


def labelled(data: Path) -> Labelled:
    """All texts that the model is trained on."""
    rows = pd.DataFrame(
        [*_real(data), *_fair_sea(data), *_factbook(data), *_bbq(data), *_own()], columns=list(Labelled._fields)
    )
    return Labelled(*(rows[name].to_numpy(dtype=object) for name in Labelled._fields))


def _real(data: Path) -> Iterator[_Row]:
    for row in _csv(data / "refusals" / "refusals.csv"):
        yield row["text"], row["label"], row["model"], row["source"], row["topic"], row["language"]


def _fair_sea(data: Path) -> Iterator[_Row]:
    read = pd.read_parquet(
        data / "fairsea" / "fairsea_responses.parquet", columns=["model", "prompt_category", "llm_output"]
    )
    read = read[read["model"].isin(_TRAINED_ON_FAIR_SEA)].drop_duplicates("llm_output").sample(frac=1, random_state=1)
    for row in read.groupby(["model", "prompt_category"]).head(_ANSWERS_OF_FAIR_SEA).itertuples():
        yield row.llm_output, "answered", f"fair_sea {row.model}", "fair_sea", row.prompt_category, "en"


def _factbook(data: Path) -> Iterator[_Row]:
    for path in sorted((data / "factbook").glob("*.txt")):
        for sentence in opening_sentences(path.read_text(encoding="utf-8")):
            yield sentence, "answered", "factbook", "factbook", path.stem, "en"


def _bbq(data: Path) -> Iterator[_Row]:
    """Sentences about people that refuse nothing; the other categories are what a test reads."""
    items = pd.read_parquet(data / "bbq" / "bbq_items_6cat.parquet", columns=["category", "context", "question"])
    items = items[~items["category"].isin(HELD_OUT_OF_BBQ)]
    for column in ("context", "question"):
        drawn = items.drop_duplicates(column).sample(frac=1, random_state=1).groupby("category").head(_TEXTS_OF_BBQ)
        for row in drawn.itertuples():
            yield getattr(row, column), "answered", f"bbq {row.category}", "bbq", row.category, "en"


def _own() -> Iterator[_Row]:
    for row in _csv(_OWN / "labels.csv"):
        yield row["text"], "answered", "own labels", "own labels", row["category"], "en"
    drawn = random.Random(1)
    for kind in ("refusals", "yes_no", "multiple_choice"):
        for row in _csv(_OWN / f"{kind}.csv"):
            label = "refused" if row["truth"] == "refusal" else "answered"
            yield row["text"], label, f"own {drawn.randrange(_FOLDS)}", f"own {kind}", "", "en"


def _csv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


class Fitted(NamedTuple):
    """Words, their inverse document frequencies (n,), coefficients (2, n) and intercepts (2,)."""

    words: list[str]
    idf: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def decisions(self, read: Sequence[str]) -> NDArray[np.float64]:
        """Log odds of refused and partly: shape (texts, 2)."""
        found = _vectorizer(vocabulary=self.words)
        found.idf_ = self.idf
        return np.asarray(found.transform(read) @ self.coefficients.T) + self.intercepts


def _vectorizer(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(ngram_range=(1, MOST_WORDS), sublinear_tf=True, token_pattern=TOKEN, **options)


def fitted(read: Sequence[str], label: NDArray[np.object_]) -> Fitted:
    """Train on texts as the model reads them; the words that say most are kept, and fitted again."""
    every = _vectorizer(min_df=2)
    weight = np.abs(_fit(every.fit_transform(read), label)[0]).max(axis=0)
    words = sorted(every.get_feature_names_out()[np.argsort(-weight)[:_MOST_WORDS_KEPT]])
    kept = _vectorizer(vocabulary=words)
    return Fitted(words, *_rounded(kept.fit_transform(read), kept, label))


def _rounded(found: Any, kept: Any, label: NDArray[np.object_]) -> tuple[NDArray[np.float64], ...]:
    """As the file keeps them: what is measured is what is read."""
    return tuple(np.asarray(one, dtype=np.float32).astype(np.float64) for one in (kept.idf_, *_fit(found, label)))


def _fit(found: Any, label: NDArray[np.object_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients and intercepts of refused against answered, and of partly against the rest."""
    from sklearn.linear_model import LogisticRegression

    columns = []
    for target, used, c in (("refused", label != "partly", _C_REFUSED), ("partly", label != "", _C_PARTLY)):
        one = LogisticRegression(C=c, class_weight="balanced", solver="liblinear", max_iter=1000)
        columns.append(one.fit(found[used], label[used] == target))
    return np.stack([one.coef_[0] for one in columns]), np.array([one.intercept_[0] for one in columns])


def left_out(texts: Labelled, fold: NDArray[np.object_]) -> NDArray[np.float64]:
    """Log odds of every text by a model trained without its fold: shape (texts, 2)."""
    read = read_texts(texts)
    found = np.empty((len(read), 2))
    for one in tqdm(np.unique(fold), desc="folds", disable=None):
        out = fold == one
        found[out] = fitted(read[~out], texts.label[~out]).decisions(read[out])
    found[[not may_refuse(one) for one in read], REFUSED] = -np.inf
    return found


def read_texts(texts: Labelled) -> NDArray[np.object_]:
    """What the model reads of each text."""
    return np.array([read_text(opening_sentences(text)) for text in texts.texts], dtype=object)


def thresholds_of(texts: Labelled, decisions: NDArray[np.float64], by_rules: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The lowest threshold of each column that is right often enough; of partly, as many as there are."""
    real = is_real(texts)
    told = real & (texts.label != "partly")
    refused = texts.label == "refused"
    for lowest in np.arange(-1, 3, 0.02):
        found = by_rules | (decisions[:, REFUSED] > lowest)
        if refused[found & told].mean() >= PRECISION:
            break
    open_ = real & ~found
    n_partly = int((texts.label[open_] == "partly").sum())
    return np.array([lowest, np.sort(decisions[open_, PARTLY])[-n_partly - 1]])


def is_real(texts: Labelled) -> NDArray[np.bool_]:
    """Which texts are answers of models in English that people or a judge labelled."""
    return np.isin(texts.material, REAL) & (texts.language == "en")


def outcomes(
    decisions: NDArray[np.float64], thresholds: NDArray[np.float64], by_rules: NDArray[np.bool_]
) -> NDArray[np.object_]:
    """What each text is read as."""
    refused = by_rules | (decisions[:, REFUSED] > thresholds[REFUSED])
    partly = decisions[:, PARTLY] > thresholds[PARTLY]
    return np.where(refused, "refused", np.where(partly, "partly", "answered")).astype(object)


def report(texts: Labelled, read: NDArray[np.object_], heading: str) -> Iterator[str]:
    """Lines of Markdown: recall and precision by source, model and topic; partial refusals aside."""
    yield f"\n| {heading} | n | refused | recall | precision |\n|---|---|---|---|---|"
    told = texts.label != "partly"
    real = is_real(texts)
    parts = {"all": real} | {one: texts.material == one for one in REAL}
    parts |= {str(one): real & (texts.fold == one) for one in np.unique(texts.fold[real])}
    parts["discrimination"] = real & np.array(["discr" in topic for topic in texts.topic])
    parts |= {one: texts.material == one for one in np.unique(texts.material[~np.isin(texts.material, REAL)])}
    for name, part in parts.items():
        own = part & told
        refused, called = (texts.label == "refused") & own, (read == "refused") & own
        recall, precision = (f"{(refused & called).sum() / n.sum():.3f}" if n.any() else "" for n in (refused, called))
        yield f"| {name} | {own.sum()} | {refused.sum()} | {recall} | {precision} ({(called & ~refused).sum()} wrong) |"
    same = (read[real] == texts.label[real]).mean()
    kappa = cohens_kappa(to_table(np.stack([read[real], texts.label[real]], axis=1))[0]).kappa
    yield f"\nThree classes, {real.sum()} real answers: agreement {same:.3f}, kappa {kappa:.3f}"


def digest(text: str) -> str:
    """The beginning of a text's SHA-256, which names it in HELD_OUT."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def held_out() -> dict[str, str]:
    """What the real answers were read as by weights trained without their model, by digest."""
    return {row["sha256"]: row["outcome"] for row in _csv(HELD_OUT)}


def main() -> None:
    """Leave each model out; write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    texts = labelled(Path(os.environ["PLUMBLINE_DATA"]))
    by_rules = np.array([refuses_by_rules(opening_sentences(text)) for text in texts.texts])
    decisions = left_out(texts, texts.fold)
    thresholds = thresholds_of(texts, decisions, by_rules)
    print(f"thresholds {thresholds.round(3).tolist()}")
    read = outcomes(decisions, thresholds, by_rules)
    print("\n".join(report(texts, read, "each model left out")))
    print(
        "\n".join(
            report(texts, outcomes(decisions, thresholds, np.zeros_like(by_rules)), "the same, without the rules")
        )
    )
    if arguments.write:
        final = fitted(read_texts(texts), texts.label)
        save_weights(WEIGHTS, final.words, final.idf, final.coefficients, final.intercepts, thresholds)
        real = np.isin(texts.material, REAL)
        with HELD_OUT.open("w", encoding="utf-8", newline="") as file:
            rows = ((digest(text), outcome) for text, outcome in zip(texts.texts[real], read[real], strict=True))
            csv.writer(file, lineterminator="\n").writerows([("sha256", "outcome"), *rows])
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes, {len(final.words):,} runs of words")


if __name__ == "__main__":
    main()
