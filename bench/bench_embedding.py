"""Texts a second that the embedding model reads, for texts of 20 words, loading counted apart.

python -m bench.bench_embedding [--texts 3000]
"""

import argparse
import random
from time import perf_counter

from python_assets.extract.embedding import MODEL, load_encoder

GOAL = 150  # texts a second on 2 cores
N_WORDS = 20
SYLLABLES = ("ba", "con", "de", "er", "fi", "gra", "in", "lo", "men", "no", "per", "re", "sta", "tion", "un")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=3_000)
    texts = made_up_texts(parser.parse_args().texts, seed=1)
    started = perf_counter()
    encoder = load_encoder()
    encoder.encode(texts[:64])
    loading = perf_counter() - started
    started = perf_counter()
    encoder.encode(texts)
    per_second = len(texts) / (perf_counter() - started)
    print("| model | texts | words | loading (s) | texts a second | goal |")
    print("|---|---:|---:|---:|---:|---:|")
    print(f"| {MODEL} | {len(texts)} | {N_WORDS} | {loading:.1f} | {per_second:.0f} | {GOAL} |")


def made_up_texts(n: int, *, seed: int) -> list[str]:
    """Different texts of N_WORDS common words, a name of syllables in each."""
    draw = random.Random(seed)
    common = (
        *(
            "the",
            "people",
            "of",
            "this",
            "country",
            "are",
            "known",
            "for",
            "their",
            "work",
            "and",
            "many",
            "say",
        ),
        *(
            "that",
            "life",
            "there",
            "has",
            "become",
            "better",
            "in",
            "recent",
            "years",
            "while",
            "others",
            "doubt",
        ),
    )
    return [
        " ".join([*draw.choices(common, k=N_WORDS - 1), "".join(draw.choices(SYLLABLES, k=3)) + "."])
        for _ in range(n)
    ]


if __name__ == "__main__":
    main()
