"""Texts and tokens a second that the embedding model reads, for texts of 20 words, loading counted apart.

python -m bench.bench_embedding [--texts 3000]

Tokens are word pieces, the two that stand for beginning and end included.
"""

import argparse
import random
from collections.abc import Sequence
from time import perf_counter

from python_assets.embeddings.embedding import load_encoder
from python_assets.embeddings.minilm import MODEL, wheel_folder

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
    seconds = perf_counter() - started
    texts_a_second, tokens_a_second = len(texts) / seconds, count_tokens(texts) / seconds
    print("| model | texts | words | loading (s) | texts a second | goal | tokens a second |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    print(
        f"| {MODEL} | {len(texts)} | {N_WORDS} | {loading:.1f} | {texts_a_second:.0f} | {GOAL} "
        f"| {tokens_a_second:.0f} |"
    )


def count_tokens(texts: Sequence[str]) -> int:
    """Word pieces of the texts, those of beginning and end included."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(wheel_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    return sum(len(encoded.ids) for encoded in tokenizer.encode_batch(texts))


def made_up_texts(n: int, *, seed: int) -> list[str]:
    """Different texts of N_WORDS common words, a name of syllables in each."""
    draw = random.Random(seed)
    common = (
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
    )
    return [
        " ".join([*draw.choices(common, k=N_WORDS - 1), "".join(draw.choices(SYLLABLES, k=3)) + "."]) for _ in range(n)
    ]


if __name__ == "__main__":
    main()
