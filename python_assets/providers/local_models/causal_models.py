"""Causal language models on this machine: which one is meant, loading it, messages as it reads them.

Nothing is downloaded and no code of a model is run: what is absent is told with the command that fetches it.
"""

import hashlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.errors import ProviderError
from python_assets.providers.local_models.options import AS_IT_IS, Loading, lacking
from python_assets.providers.messages import plain_text
from python_assets.providers.records import Message
from python_assets.warehouse.file_hashes import sha256_of_file

_MOST_TOKENS: Final = 1_024  # where neither the study nor the model has a bound
_DIGESTED: Final = frozenset({".safetensors", ".bin", ".json", ".txt", ".model", ".jinja"})


class Place(NamedTuple):
    """Where a model lies; digest: the hub's commit, or the sha256 of the folder's files."""

    folder: Path
    digest: str


class Loaded(NamedTuple):
    """A model ready to answer.

    stops: tokens that end an answer. n_positions: most tokens of prompt and answer together, None where the
    model has no bound. most_tokens: of an answer, where the study has no bound.
    """

    model: Any
    tokenizer: Any
    stops: list[int]
    n_positions: int | None
    most_tokens: int


def find_folder(study_folder: Path, model: str, revision: str | None, where: str) -> Path:
    """Find the files of a model on this machine; none is read.

    Args:
        study_folder: which a relative path starts from.
        model: a folder, or a name of the hub whose files are in the cache of huggingface_hub.
        revision: the commit; None takes what the cache has as the main branch.
        where: who asks for it, for error texts.

    Raises:
        ProviderError: it is not there; the text has the command that fetches it.
    """
    folder = study_folder / model
    if folder.is_dir():
        return folder
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        command = f"hf download {model}" + (f" --revision {revision}" if revision else "")
        expected = "a folder, or a model that this machine has"
        raise ProviderError(where, model, expected, f"fetch it: {command}") from error


def find_model(study_folder: Path, model: str, revision: str | None, where: str) -> Place:
    """Find a model on this machine; it is not loaded.

    Args:
        study_folder: as find_folder takes it, and so the others.
        model: a folder, or a name of the hub.
        revision: the commit.
        where: who asks for it.

    Raises:
        ProviderError: as find_folder.
    """
    folder = find_folder(study_folder, model, revision, where)
    is_own = (study_folder / model).is_dir()
    return Place(folder, _sha256_of_folder(folder) if is_own else folder.name)


@lru_cache(maxsize=1)
def load_model(folder: Path, digest: str, loading: Loading = AS_IT_IS) -> Loaded:
    """Load a model, on the accelerator where there is one; only the latest stays in memory.

    Args:
        folder: where it lies.
        digest: of its files: other ones are loaded anew.
        loading: in which type of weights, where and how quantised.

    Raises:
        ProviderError: its files are not whole, it needs code of its own, an answer cannot end, it does not
            fit into memory, or this machine lacks what `loading` wants.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    if lack := lacking(loading):
        raise lack.at((folder,))
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, output_loading_info=True, **loading.arguments()
        )
        if loading.device_map is None and loading.quantization is None:
            loaded[0].to(loading.device or default_device())
    except torch.OutOfMemoryError as error:
        remedy = "set dtype, quantization, device_map or device in options"
        raise ProviderError(folder, error, "a model that fits into memory", remedy) from error
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        expected = "a whole causal language model that the library knows"
        raise ProviderError(folder, error, expected, "fetch or copy it anew") from error
    model, read = loaded
    if missing := untrained_weights(read):
        got, expected = f"no {missing}, which would be random numbers", "a model that was trained to write"
        raise ProviderError(folder, got, expected, "name one, or fetch it anew")
    defaults = model.generation_config
    stops = defaults.eos_token_id if isinstance(defaults.eos_token_id, list) else [defaults.eos_token_id]
    return Loaded(
        model=model.eval(),
        tokenizer=tokenizer,
        stops=_checked_stops(folder, model, [*stops, tokenizer.eos_token_id]),
        n_positions=getattr(model.config.get_text_config(), "max_position_embeddings", None),
        most_tokens=defaults.max_new_tokens or _MOST_TOKENS,
    )


def default_device() -> str:
    """The GPU where torch sees one, else the CPU."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _checked_stops(folder: Path, model: Any, named: list[int | None]) -> list[int]:
    """The tokens that end an answer, each once; one that the model cannot write would end none."""
    stops = list(dict.fromkeys(token for token in named if token is not None))
    n_tokens = model.config.get_text_config().vocab_size
    if outside := [token for token in stops if not 0 <= token < n_tokens]:
        raise ProviderError(
            folder,
            f"end token {outside[0]} (eos_token_id), with which no answer would end",
            f"one of the vocabulary of {n_tokens:,} tokens",
            "correct it in generation_config.json and tokenizer_config.json, or fetch the model anew",
        )
    return stops


def untrained_weights(loading: Mapping[str, Collection[str]]) -> str:
    """The first weights that transformers made up while it loaded a model, '' where it read them all.

    Args:
        loading: what from_pretrained says with output_loading_info.
    """
    missing = sorted([*loading["missing_keys"], *(str(key) for key in loading["mismatched_keys"])])
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return missing[0] + more if missing else ""


def message_tokens(tokenizer: Any, messages: list[Message], where: str) -> list[int]:
    """Messages as a model reads them.

    Args:
        tokenizer: with a chat template, which writes the turns; without one the texts follow one another. A
            template that refuses the system message, or leaves it out, gets it in the first user turn.
        messages: a control token that stands in one is text like any other.
        where: who asks, for error texts.

    Raises:
        ProviderError: the template refuses the messages.
    """
    readable = [Message(role=one["role"], content=_storable(one["content"])) for one in messages]
    if tokenizer.chat_template is None:
        tokens: list[int] = tokenizer(plain_text(readable), split_special_tokens=True)["input_ids"]
        return tokens
    if readable[0]["role"] == "system" and not _takes_system(tokenizer, readable):
        system, user, *rest = readable
        readable = [Message(role="user", content=f"{system['content']}\n\n{user['content']}"), *rest]
    from jinja2 import TemplateError

    try:
        return list(
            tokenizer.apply_chat_template(
                readable, add_generation_prompt=True, sanitize_control_tokens=True, return_dict=False
            )
        )
    except (TemplateError, ValueError) as error:
        raise ProviderError(where, error, "messages that its chat template takes") from error


def _takes_system(tokenizer: Any, messages: list[Message]) -> bool:
    """Tell whether a chat template writes the system message: some refuse it, some leave it out."""
    from jinja2 import TemplateError

    try:
        written = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    except TemplateError:
        return False
    return messages[0]["content"].strip() in written


def _sha256_of_folder(folder: Path) -> str:
    """One hash of the files that an answer depends on: weights, tokenizer, configuration, template."""
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.iterdir() if file.suffix in _DIGESTED):
        whole.update(f"{file.name} {sha256_of_file(file)}\n".encode())
    return whole.hexdigest()


def _storable(text: str) -> str:
    """A text without lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
