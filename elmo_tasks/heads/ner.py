"""A tagger with a BiLSTM and a CRF: entities, or parts of speech without spans."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.options import CharCNNOptions
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.crf import CRF
from elmo_tasks.heads.head import (
    BiLSTM,
    HeadTask,
    TokenFeatures,
    check_at_least,
    check_share,
    settings_in,
)
from elmo_tasks.heads.tagging import TaggingHead
from elmo_tasks.layers import ScalarMix
from elmo_tasks.text.characters import MAX_CHARACTERS


class NerHead(TaggingHead):
    """Scalar mix, BiLSTM and CRF (Peters et al., 2018; Lample et al., 2016).

    The sizes are the published ones by default.

    Args:
        task: the tags, their scheme (None for tags without constraints), and the input sizes.
        lstm_hidden: cells of an LSTM layer in each direction; 0 for no LSTM.
        lstm_layers: number of LSTM layers.
        dropout: in training, of the LSTM's inputs, between its layers, and of its outputs.
        character_filters: filters of a character CNN that is trained with the head; 0 for none.
        character_width: characters that each filter sees.
        character_embedding: size of a character's vector.
        normalize_mixed: see ``output_norm`` of :class:`ScalarMix`; by default True where other
            features are joined, whose scale may differ.
        mix_layer_norm: see :class:`ScalarMix`.
        fixed_weights: see :class:`ScalarMix`.
    """

    def __init__(
        self,
        task: HeadTask,
        *,
        lstm_hidden: int = 200,
        lstm_layers: int = 2,
        dropout: float = 0.5,
        character_filters: int = 0,
        character_width: int = 3,
        character_embedding: int = 16,
        normalize_mixed: bool | None = None,
        mix_layer_norm: bool = False,
        fixed_weights: Sequence[float] | None = None,
    ) -> None:
        super().__init__(task, settings_in(locals()))
        check_at_least("lstm_hidden", lstm_hidden, 0)
        check_at_least("character_filters", character_filters, 0)
        check_share("dropout", dropout)
        self.dropout = nn.Dropout(dropout)
        if normalize_mixed is None:
            normalize_mixed = bool(character_filters or task.static_dim)
        self.mix = ScalarMix(
            task.n_layers, mix_layer_norm, fixed_weights, output_norm=normalize_mixed
        )
        self.characters = (
            _character_cnn(character_filters, character_width, character_embedding)
            if character_filters
            else None
        )
        joined = task.input_dim + character_filters + task.static_dim
        self.bilstm = (
            BiLSTM(input_dim=joined, hidden=lstm_hidden, n_layers=lstm_layers, dropout=dropout)
            if lstm_hidden
            else None
        )
        self.crf = CRF(task.labels, task.scheme)
        self.emit = nn.Linear(
            joined if self.bilstm is None else self.bilstm.output_dim, self.crf.num_tags
        )

    @property
    def reads_characters(self) -> bool:
        """True if :class:`TokenFeatures` must have characters."""
        return self.characters is not None

    def forward(
        self, values: Tensor, mask: Tensor, features: TokenFeatures | None = None
    ) -> Tensor:
        """Score every tag for every token; see :meth:`TaskHead.forward`."""
        x = self._inputs(self.mix(values, mask), features or TokenFeatures())  # [B, T, inputs]
        return self.emit(x if self.bilstm is None else self.dropout(self.bilstm(x, mask)))

    def _inputs(self, mixed: Tensor, features: TokenFeatures) -> Tensor:
        """``[B, T, D]`` -> ``[B, T, D + characters + static]``, dropped out."""
        dtype = self.emit.weight.dtype
        joined = [self.dropout(mixed.to(dtype))]
        if self.characters is not None:
            assert features.characters is not None
            joined.append(self.dropout(self.characters(features.characters)[features.words]))
        if self.task.static_dim:
            assert features.static is not None
            joined.append(self.dropout(features.static.to(dtype)))
        return torch.cat(joined, dim=2)


def _character_cnn(filters: int, width: int, embedding: int) -> CharacterCNN:
    """The biLM's token encoder with one convolution and no highway layer."""
    check_at_least("character_width", width, 1)
    check_at_least("character_embedding", embedding, 1)
    if width > MAX_CHARACTERS:
        raise ConfigError(f"character_width: a token has {MAX_CHARACTERS} characters, got {width}")
    return CharacterCNN(CharCNNOptions(((width, filters),), 0, embedding), filters)
