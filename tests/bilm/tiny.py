"""Small biLMs for tests, and sentences of many lengths."""

from pathlib import Path

import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import read_hdf5
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions

LONG = "Nobody answered , so we walked around the house and knocked at the back door ."
SENTENCES = [
    ["The", "old", "ferry", "left", "the", "harbour", "before", "the", "fog", "had", "lifted", "."],
    ["Yes"],
    LONG.split(),
    [],
    ["a", "extraordinarilylongwordthatnevercomestoanendandthensomemorelettersuntilitiscut", "b"],
    ["Tea", "or", "coffee", "?"],
]


def tiny(clip: float | None = None, skip: bool = True, highways: int = 1, dim: int = 24) -> BiLM:
    """Build a biLM of a few hundred weights, always the same."""
    torch.manual_seed(0)
    return BiLM(
        BiLMOptions(
            LSTMOptions(dim, 16, 2, clip, clip, skip),
            CharCNNOptions(((1, 4), (2, 8), (3, 8)), highways, embedding_dim=5),
        )
    ).eval()


def load_published(folder: Path) -> BiLM:
    """Load the options and weights of a published model from a folder of test data."""
    options = BiLMOptions.load(folder / "options.json")
    bilm = BiLM(options)
    bilm.load_state_dict(read_hdf5(folder / "lm_weights.hdf5", options))
    return bilm.eval()
