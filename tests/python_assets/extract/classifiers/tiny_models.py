"""Classifiers of a few thousand random weights, built in a second: files like those that a hub gives."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WORDS = ("[PAD]", "[UNK]", "a", "good", "bad", "start", "war", "the", "king", "rules", "alone")
# a word that the tokenizer knows and the model does not
BROKEN = "broken"


# a label, and the texts that it is likely and unlikely of
Says = Mapping[str, tuple[Sequence[str], Sequence[str]]]


def save_classifier(
    folder: Path, labels: Sequence[str], seed: int = 0, says: Says | None = None, **config: Any
) -> Path:
    """Write a BERT with labels and its tokenizer; `BROKEN` has a token that the model fails on.

    With says, whose texts must not be of the words of BROKEN, its head is solved to say the labels of these texts.
    """
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    known = dict.fromkeys(
        word for texts in (says or {}).values() for text in sum(map(list, texts), []) for word in text.split()
    )
    words = list(dict.fromkeys((*WORDS, *known)))
    settings = {
        "vocab_size": len(words),
        "max_position_embeddings": 12,
        "initializer_range": 1.0,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: i for i, label in enumerate(labels)},
        "pad_token_id": 0,
    }
    model = BertForSequenceClassification(BertConfig(**(sizes | settings | config))).eval()
    vocabulary = {word: i for i, word in enumerate((*words, BROKEN))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
    _teach(model, wrapped, labels, says or {})
    model.save_pretrained(folder)
    wrapped.save_pretrained(folder)
    return folder


def _teach(model: Any, tokenizer: Any, labels: Sequence[str], says: Says) -> None:
    """Solve for the last layer: logit 3 where a label is likely, -3 where it is unlikely, else 0."""
    import torch

    texts = list(dict.fromkeys(text for sides in says.values() for side in sides for text in side))
    if not texts:
        return
    wanted = torch.zeros(len(texts), len(labels))
    for label, (likely, unlikely) in says.items():
        for side, logit in ((likely, 3.0), (unlikely, -3.0)):
            for text in side:
                wanted[texts.index(text), labels.index(label)] = logit
    with torch.no_grad():
        pooled = torch.cat(
            [model.bert(**tokenizer(text, return_tensors="pt", truncation=True, max_length=12))[1] for text in texts]
        )
        # in double precision: texts that are nearly alike to the model are still told apart
        model.classifier.weight.copy_(torch.linalg.lstsq(pooled.double(), wanted.double()).solution.T)
        model.classifier.bias.zero_()


def save_on_hub(cache: Path, name: str, commit: str, labels: Sequence[str], **config: Any) -> None:
    """Write a classifier where huggingface_hub keeps what it has fetched."""
    repository = cache / f"models--{name.replace('/', '--')}"
    save_classifier(repository / "snapshots" / commit, labels, **config)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
