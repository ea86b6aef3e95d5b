"""A head that labels train: its seconds for 10,000 labels, and how it agrees with a reader on real answers.

python -m bench.bench_trained_head
With PLUMBLINE_DATA=FOLDER also the answers of FAIR-SEA that one reader labelled (fairsea/SOURCE.md), each taken for a
root prompt of its own: kappa of the cross-fitted reading with the reader, beside that of the packaged prototypes.
"""

import os
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from bench.label_agreement import SETS, found_labels, read_by_one_reader
from python_assets.embeddings.embedding import load_encoder
from python_assets.extract.trained.head import cross_fitted

N_LABELS = 10_000
N_PROMPTS = 100
KINDS = {"binary": 2, "categorical": 8, "continuous": 1}


def made_up(n_labels: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Vectors as long as those of MiniLM, of 40 directions and noise, and labels that they tell in part."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(N_LABELS, 40)) @ rng.normal(size=(40, 384)) + 0.5 * rng.normal(size=(N_LABELS, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = vectors @ (4 * rng.normal(size=(384, n_labels))) + rng.gumbel(size=(N_LABELS, n_labels))
    labels = scores.argmax(axis=1) if n_labels > 1 else scores[:, 0]
    return vectors.astype(np.float32), labels.astype(np.float64)


def main() -> None:
    """Print the seconds by kind of label, then the kappas."""
    for kind, n_labels in KINDS.items():
        vectors, labels = made_up(n_labels, seed=1)
        root_prompt = np.arange(N_LABELS) % N_PROMPTS
        started = process_time()
        cross_fitted(vectors, labels, root_prompt, kind, seed=1)
        print(f"{N_LABELS:,} labels, {kind}: {process_time() - started:.1f} s of one core")
    if "PLUMBLINE_DATA" not in os.environ:
        return
    rows = read_by_one_reader(Path(os.environ["PLUMBLINE_DATA"]))
    for category, name in SETS.items():
        own = [row for row in rows if row["prompt_category"] == category]
        texts, said = [row["llm_output"] for row in own], [row["label"] for row in own]
        names, codes = np.unique(said, return_inverse=True)
        if len(names) < 2:
            print(f"{category}: the reader gave {len(own)} answers one label, which trains no head")
            continue
        _, prompt = np.unique(texts, return_inverse=True)
        found = cross_fitted(load_encoder().encode(texts), codes.astype(float), prompt, "categorical", seed=1)
        by_head = cohen_kappa_score(said, names[found.astype(int)])
        by_prototypes = cohen_kappa_score(said, found_labels(texts, name))
        print(f"{category}: {len(own)} answers, kappa {by_head:.2f} by a head, {by_prototypes:.2f} by prototypes")


if __name__ == "__main__":
    main()
