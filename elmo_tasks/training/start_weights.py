"""A biLM that goes on from another one's weights."""

from __future__ import annotations

import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.model_files import ModelFiles, has_softmax, load_bilm, load_softmax
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.vocabulary import Vocabulary


@torch.no_grad()
def take_over(files: ModelFiles, bilm: BiLM, softmax: LMSoftmax, vocabulary: Vocabulary) -> None:
    """Copy the weights of a model; of the words to predict, those that both know keep theirs.

    Args:
        files: of the model to go on from.
        bilm: changed.
        softmax: changed.
        vocabulary: whose words the softmax predicts.

    Raises:
        ConfigError: it has other sizes.
    """
    old = load_bilm(files)
    if old.options != bilm.options:
        raise ConfigError(
            f"model.start_from: {files.name} has other sizes than this configuration: expected {bilm.options}, "
            f"found {old.options}"
        )
    bilm.load_state_dict(old.state_dict())
    if has_softmax(files):
        old_softmax, old_vocabulary = load_softmax(files)
        shared = [word for word in vocabulary.words if word in old_vocabulary]
        new_rows, old_rows = ([v.id_of(word) for word in shared] for v in (vocabulary, old_vocabulary))
        softmax.weight[new_rows] = old_softmax.weight[old_rows]
        softmax.bias[new_rows] = old_softmax.bias[old_rows]
