"""The sha256 of files: what archives, publications, models and stamps are known by."""

import hashlib
from pathlib import Path


def sha256_of_file(path: Path) -> str:
    """The sha256 of the bytes of a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
