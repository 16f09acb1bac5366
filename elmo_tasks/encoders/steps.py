"""Tokens -> what a biLM reads: the boundaries around each sentence, and each distinct word once."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_tasks.text.characters import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids


def steps_of(
    sentences: Sequence[Sequence[str]], max_characters: int, device: torch.device | str = "cpu"
) -> tuple[Tensor, Tensor, Tensor]:
    """The arguments of :meth:`elmo_tasks.bilm.bilm.BiLM.forward` for a batch of sentences.

    Args:
        sentences: lists of tokens.
        max_characters: ids of a word.
        device: where to put them.

    Returns:
        ``[U, C]`` character ids of the beginning, the end and the distinct words; ``[B, T + 2]`` rows of it, padded with
        the end's; ``[B]`` steps of each sentence, its boundaries included.
    """
    characters: list[Sequence[int]] = [BEGIN_SENTENCE_IDS, END_SENTENCE_IDS]
    rows: dict[str, int] = {}
    for word in (word for words in sentences for word in words):
        if word not in rows:
            rows[word] = len(characters)
            characters.append(character_ids(word, max_characters))
    longest = max(len(words) for words in sentences)
    padded = [[0, *(rows[word] for word in words), 1, *[1] * (longest - len(words))] for words in sentences]
    table = torch.tensor([list(ids)[:max_characters] for ids in characters], device=device)
    lengths = torch.tensor([len(words) + 2 for words in sentences], device=device)
    return table, torch.tensor(padded, device=device), lengths
