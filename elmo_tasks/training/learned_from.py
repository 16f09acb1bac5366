"""What a biLM was asked for while it learned, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elmo_tasks.training.auxiliary import FARTHEST, NEAREST


def learned_from(settings: Mapping[str, Any], teacher: str | None, n_taught: int) -> list[str]:
    """A sentence for each thing that the weights were asked for, for the model's card.

    Args:
        settings: of :class:`elmo_tasks.training.bilm_module.BiLMModule`.
        teacher: the encoder that was learned from, if there was one.
        n_taught: sentences that the teacher read.
    """
    asked = ["the next word of the text, in each direction (the language model)"]
    if settings["freeze_reader"]:
        asked.append(f"layer 0, which reads single words, was not trained: it is that of {settings['start_from']}")
    if settings["distant_weight"]:
        asked.append(
            f"words {NEAREST} to {FARTHEST} further on in the same sentence, predicted by the top layer, the commonest "
            f"words left out (weight {settings['distant_weight']:g})"
        )
    if settings["bag_weight"]:
        asked.append(
            "which words stand on each side of a word in its sentence, asked of the top layer: their fixed vectors "
            f"({settings['static']}) added up, rare words weighing more (weight {settings['bag_weight']:g})"
        )
    if settings["pair_weight"]:
        asked.append(
            "how alike two words are in what stands on each side of them: the top layer at two words is to be as alike, by "
            f"cosine, as those fixed vectors ({settings['static']}) added up (weight {settings['pair_weight']:g})"
        )
    if settings["teacher_weight"]:
        asked.append(
            f"what another model, {teacher}, gives for each word of {n_taught:,} sentences, asked of "
            f"the top layer through a linear map (weight {settings['teacher_weight']:g})"
        )
    if settings["teacher_pair_weight"]:
        asked.append(
            f"how alike two uses of a word are to {teacher}, asked of the cosines of the LSTM layers (weight "
            f"{settings['teacher_pair_weight']:g})"
        )
    return asked
