"""Causal language models of a few thousand random weights, with a tokenizer: files like those of a hub."""

from pathlib import Path
from typing import Any

WORDS = ["[UNK]", *(f"w{i}" for i in range(40)), "be", "brief", "a", "question", "?", "."]
# no words of the vocabulary: within a text they are unknown
BOS, EOS, TAGS = "<s>", "</s>", ["<user>", "<assistant>", "<system>"]
SPECIAL = {token: len(WORDS) + i for i, token in enumerate([BOS, EOS, *TAGS])}
CHAT = (
    "{% for m in messages %}<{{ m['role'] }}> {{ m['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + CHAT
SILENT = CHAT.replace("{% for m in messages %}", "{% for m in messages if m['role'] != 'system' %}")


def save_model(
    folder: Path,
    template: str | None = None,
    seed: int = 0,
    ends: bool = True,
    has_absolute_positions: bool = False,
    **config: Any,
) -> Path:
    """Write a Llama, or a GPT-2, and its tokenizer; ends: whether an answer can end before max_tokens."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    tokens = {"bos_token_id": SPECIAL[BOS], "eos_token_id": SPECIAL[EOS] if ends else None}
    n_tokens = len(WORDS) + len(SPECIAL)
    settings = {"vocab_size": n_tokens, "max_position_embeddings": 64, "initializer_range": 0.4}
    named = sizes | settings | tokens | config
    model = GPT2LMHeadModel(GPT2Config(**named)) if has_absolute_positions else LlamaForCausalLM(LlamaConfig(**named))
    model.save_pretrained(folder)
    save_tokenizer(folder, template, ends)
    return folder


def save_tokenizer(folder: Path, template: str | None, ends: bool) -> None:
    """Write a tokenizer of WORDS that puts <s> before a text and calls the tags of CHAT special."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{BOS} $A", special_tokens=[(BOS, SPECIAL[BOS])])
    end = {"eos_token": EOS} if ends else {}
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, unk_token="[UNK]", additional_special_tokens=TAGS, **end
    )
    wrapped.chat_template = template
    wrapped.save_pretrained(folder)
