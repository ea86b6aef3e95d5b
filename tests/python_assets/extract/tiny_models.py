"""Classifiers of a few thousand random weights, built in a second: files like those that a hub gives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = ("[PAD]", "[UNK]", "a", "good", "bad", "start", "war", "the", "king", "rules", "alone")
# a word that the tokenizer knows and the model does not
BROKEN = "broken"


def save_classifier(folder: Path, labels: Sequence[str], seed: int = 0, **config: Any) -> Path:
    """Write a BERT with labels and its tokenizer; `BROKEN` has a token that the model fails on."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    settings = {
        "vocab_size": len(WORDS),
        "max_position_embeddings": 12,
        "initializer_range": 1.0,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: i for i, label in enumerate(labels)},
        "pad_token_id": 0,
    }
    BertForSequenceClassification(BertConfig(**(sizes | settings | config))).save_pretrained(folder)
    vocabulary = {word: i for i, word in enumerate((*WORDS, BROKEN))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
    wrapped.save_pretrained(folder)
    return folder


def save_on_hub(cache: Path, name: str, commit: str, labels: Sequence[str], **config: Any) -> None:
    """Write a classifier where huggingface_hub keeps what it has fetched."""
    repository = cache / f"models--{name.replace('/', '--')}"
    save_classifier(repository / "snapshots" / commit, labels, **config)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
