"""Static vectors of words by their letters: an encoder where a test is of none."""

import re
import zlib
from pathlib import Path

import numpy as np

N_NUMBERS = 256


def write_vectors(path: Path, *texts: str) -> None:
    """Write the vectors of all words of some texts; words that share letters in a row are near each other."""
    words = sorted({word.lower() for text in texts for word in re.findall(r"\w+", text)})
    lines = [" ".join([word, *map(str, _letters_in_a_row(word))]) for word in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _letters_in_a_row(word: str) -> np.ndarray:
    padded = f"^{word}$"
    runs = [padded[start : start + 3] for start in range(len(padded) - 2)]
    return np.bincount([zlib.crc32(run.encode()) % N_NUMBERS for run in runs], minlength=N_NUMBERS)
