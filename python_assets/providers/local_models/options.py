"""The options of provider transformers: what the study file may say, and what this machine lacks for it.

Belongs here: their forms and places. How they are used is transformers.py and causal_models.py.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from python_assets.errors import ProviderError, StudyError
from python_assets.study.base import Device
from python_assets.study.problems import unknown_name

THREADS: Final = 2  # as the embedder has: another number changes the last digits of a sum
DTYPES: Final = ("auto", "float32", "float16", "bfloat16")
DEVICE_MAPS: Final = ("auto", "balanced", "balanced_low_0", "sequential")
_DEVICE: Final = TypeAdapter(Device)
_METHOD: Final = "quant_method"


class Loading(NamedTuple):
    """How a model is loaded; device_map and quantization are JSON, None leaves it to the library."""

    dtype: str | None = None
    device: str | None = None
    device_map: str | None = None
    quantization: str | None = None

    def arguments(self) -> dict[str, Any]:
        """What from_pretrained is called with besides the place of the model."""
        options = {
            "dtype": self.dtype,
            "device_map": _read(self.device_map),
            "quantization_config": _read(self.quantization),
        }
        return {name: value for name, value in options.items() if value is not None}


AS_IT_IS: Final = Loading()


class _Option(NamedTuple):
    is_right: Callable[[Any], bool]
    expected: str


def _is_count(value: Any, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)


def _is_device(value: Any) -> bool:
    try:
        _DEVICE.validate_python(value)
    except ValidationError:
        return False
    return True


def _is_device_map(value: Any) -> bool:
    return value in DEVICE_MAPS if isinstance(value, str) else isinstance(value, Mapping) and bool(value)


_OPTIONS: Final[Mapping[str, _Option]] = {
    "revision": _Option(lambda value: isinstance(value, str), "a text, the commit in quotes"),
    "top_logprobs": _Option(_is_count, "a whole number of tokens, 1 or more"),
    "dtype": _Option(lambda value: value in DTYPES, f"a type of weights: {', '.join(DTYPES)}"),
    "device": _Option(_is_device, "a device: cpu, cuda, cuda:1 and so on, or mps"),
    "device_map": _Option(_is_device_map, f"{', '.join(DEVICE_MAPS)}, or a mapping from layers to devices"),
    "quantization": _Option(
        lambda value: isinstance(value, Mapping) and isinstance(value.get(_METHOD), str),
        f"{{{_METHOD}: NAME, ...}} with the fields that transformers has for it",
    ),
    "threads": _Option(_is_count, "a whole number of threads, 1 or more"),
    "stop": _Option(_are_texts, "a list of texts that end an answer, none empty"),
    "top_k": _Option(lambda value: _is_count(value, 0), "a whole number of tokens, 0 for all"),
}


def option_problems(options: Mapping[str, Any]) -> Iterator[StudyError]:
    """What is wrong with options, by their field below the generation."""
    for name, value in options.items():
        if name not in _OPTIONS:
            yield unknown_name(("options", name), name, "an option", list(_OPTIONS), "remove it")
        elif not _OPTIONS[name].is_right(value):
            yield StudyError(("options", name), value, _OPTIONS[name].expected, "correct it")
    if "device" in options and "device_map" in options:
        where, expected = ("options", "device_map"), "one place, not a second beside device"
        yield StudyError(where, options["device_map"], expected, "keep one of them")


def loading_of(options: Mapping[str, Any]) -> Loading:
    """How options that have no problem say that the model is loaded."""
    return Loading(
        dtype=options.get("dtype"),
        device=options.get("device"),
        device_map=_written(options.get("device_map")),
        quantization=_written(options.get("quantization")),
    )


def lacking(loading: Loading) -> ProviderError | None:
    """What this machine lacks to load a model so, with the remedy; no model is read."""
    if loading.device_map is not None and find_spec("accelerate") is None:
        expected, remedy = "accelerate, which device_map needs", "install it: pip install accelerate"
        return ProviderError(("options", "device_map"), "no package accelerate", expected, remedy)
    return next(filter(None, map(absent_device, _devices(loading))), None) or _lacking_quantizer(loading)


def _devices(loading: Loading) -> list[str]:
    placed = _read(loading.device_map)
    places = placed.values() if isinstance(placed, dict) else []
    named = [f"cuda:{device}" if isinstance(device, int) else str(device) for device in places]
    return [*named, *([loading.device] if loading.device else [])]


def absent_device(device: str) -> ProviderError | None:
    """That this machine lacks a device, with the remedy; None where it is there."""
    kind, _, index = device.partition(":")
    if kind not in ("cuda", "mps"):
        return None
    import torch

    n_there = torch.cuda.device_count() if kind == "cuda" else int(torch.backends.mps.is_available())
    if int(index or 0) < n_there:
        return None
    got = f"device {device}, where torch {torch.__version__} sees {n_there} of kind {kind}"
    return ProviderError("device", got, "one that this machine has", "correct it, or leave it out")


def _lacking_quantizer(loading: Loading) -> ProviderError | None:
    """What the library says it lacks: a package, a GPU, or the method itself."""
    if loading.quantization is None:
        return None
    from transformers.quantizers.auto import AutoHfQuantizer, AutoQuantizationConfig

    try:
        config = AutoQuantizationConfig.from_dict(_read(loading.quantization))
        AutoHfQuantizer.from_config(config, pre_quantized=False).validate_environment(
            device_map=_read(loading.device_map)
        )
    except (ImportError, RuntimeError, TypeError, ValueError, NotImplementedError) as error:
        got, expected = " ".join(str(error).split()), "a quantization that this machine can do"
        return ProviderError(("options", "quantization"), got, expected)
    return None


def _written(value: Any) -> str | None:
    return None if value is None else json.dumps(value, sort_keys=True)


def _read(written: str | None) -> Any:
    return None if written is None else json.loads(written)
