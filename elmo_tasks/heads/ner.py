"""Layers -> a tag for each token: entities with BIO or BIOES tags, parts of speech without a scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.options import CharCNNOptions
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.bilstm import BiLSTM, check_at_least, check_share
from elmo_tasks.heads.crf import CRF
from elmo_tasks.heads.head import HeadTask, Prediction, TaskHead, names_of
from elmo_tasks.heads.token_features import TokenFeatures
from elmo_tasks.layers.scalar_mix import ScalarMix
from elmo_tasks.text.characters import MAX_CHARACTERS
from elmo_tasks.text.tag_schemes import Scheme, Span, convert, spans_of


@dataclass(frozen=True)
class FoundSpan:
    """A span that a head found.

    Attributes:
        start: the first token, counted from 0.
        end: one past the last token.
        type: what it is, such as ``PER``.
        confidence: the model's probability of exactly this span: this type, from this token to that one.
    """

    start: int
    end: int
    type: str
    confidence: float


@dataclass(frozen=True)
class TagReading:
    """One way to tag a sentence.

    Attributes:
        tags: one for each token, as BIO; as the labels are where there is no scheme.
        spans: what the tags spell, in order; none where there is no scheme.
        probability: of this reading as a whole.
    """

    tags: tuple[str, ...]
    spans: tuple[FoundSpan, ...]
    probability: float


@dataclass(frozen=True)
class TagPrediction(TagReading):
    """The best reading of a sentence.

    Attributes:
        runners_up: the next best ones, best first, if they were asked for.
    """

    runners_up: tuple[TagReading, ...] = ()


class NerHead(TaskHead):
    """Scalar mix, then a BiLSTM, then a CRF (Peters et al., 2018; Lample et al., 2016).

    The defaults are the published recipe's. :meth:`forward` gives emissions for :attr:`crf`, where scores and tags of a
    batch are wanted from one pass; :meth:`predict` also says how sure it is.

    Args:
        task: the tags, how they spell spans (no scheme, no constraints: parts of speech), and what is read.
        lstm_hidden: cells of an LSTM layer in each direction; 0 for no LSTM, so that all context comes from the encoder.
        lstm_layers: number of LSTM layers.
        dropout: share that is dropped in training of the LSTM's inputs, between its layers, and of its outputs.
        character_filters: filters of a character CNN that is trained with the head; 0 for none.
        character_width: characters that each filter sees.
        character_embedding: size of a character's vector.
        normalize_mixed: see ``output_norm`` of :class:`ScalarMix`; by default it is there where other features are joined,
            whose scale need not be that of the encoder.
        mix_layer_norm: see :class:`ScalarMix`.
        fixed_weights: see :class:`ScalarMix`.

    Raises:
        ConfigError: an argument is out of range, or the CRF refuses the labels.
        DataError: a label is not one of the scheme.
    """

    kind = "tagging"

    def __init__(
        self,
        task: HeadTask,
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
        settings = {k: v for k, v in locals().items() if k not in ("self", "task", "__class__")}
        super().__init__(task, settings)
        check_at_least("input_dim", task.input_dim, 1)
        check_at_least("lstm_hidden", lstm_hidden, 0)
        check_at_least("character_filters", character_filters, 0)
        check_at_least("static_dim", task.static_dim, 0)
        check_share("dropout", dropout)
        self.dropout = nn.Dropout(dropout)
        if normalize_mixed is None:
            normalize_mixed = bool(character_filters or task.static_dim)
        self.mix = ScalarMix(task.n_layers, mix_layer_norm, fixed_weights, output_norm=normalize_mixed)
        self.characters = (
            _character_cnn(character_filters, character_width, character_embedding) if character_filters else None
        )
        joined = task.input_dim + character_filters + task.static_dim
        self.bilstm = BiLSTM(joined, lstm_hidden, lstm_layers, dropout) if lstm_hidden else None
        self.crf = CRF(task.labels, task.scheme)
        self.emit = nn.Linear(joined if self.bilstm is None else self.bilstm.output_dim, self.crf.num_tags)

    @property
    def scheme(self) -> Scheme | None:
        """How the labels spell spans, if they do."""
        return self.task.scheme

    @property
    def reads_characters(self) -> bool:
        """Whether :class:`TokenFeatures` must have characters."""
        return self.characters is not None

    def forward(self, values: Tensor, mask: Tensor, features: TokenFeatures | None = None) -> Tensor:
        """Score every tag for every token.

        Args:
            values: ``[L, B, T, D]`` layers of an encoder; any finite numbers where the mask is False.
            mask: ``[B, T]`` bool, True for a token; padding on the right.
            features: what the head was built to read beside them.

        Returns:
            ``[B, T, K]`` emissions, before the CRF.

        Raises:
            ValueError: shapes that do not fit, or a feature that is missing.
        """
        if values.dim() != 4 or values.shape[3] != self.task.input_dim:
            raise ValueError(f"expected layers [L, B, T, {self.task.input_dim}], got {tuple(values.shape)}")
        x = self._inputs(self.mix(values, mask), features or TokenFeatures())  # [B, T, inputs]
        return self.emit(x if self.bilstm is None else self.dropout(self.bilstm(x, mask)))

    def loss(
        self, values: Tensor, mask: Tensor | None, target: Tensor, features: TokenFeatures | None = None
    ) -> Tensor:
        """Negative log likelihood.

        Args:
            values: ``[L, B, T, D]`` layers of an encoder.
            mask: ``[B, T]`` bool, True for a token; padding on the right.
            target: ``[B, T]`` ids of the tags; anything where the mask is False.
            features: what the head was built to read beside the layers.

        Returns:
            ``[]``, the mean over sentences.

        Raises:
            ValueError: shapes that do not fit, or a feature that is missing.
        """
        mask = _needed(mask)
        return -self.crf(self(values, mask, features), target, mask, "mean")

    @torch.no_grad()
    def scored(
        self, values: Tensor, mask: Tensor | None, target: Tensor, features: TokenFeatures | None = None
    ) -> tuple[Tensor, list[Prediction]]:
        """See :meth:`TaskHead.scored`."""
        mask = _needed(mask)
        emissions = self(values, mask, features)  # [B, T, K]
        return -self.crf(emissions, target, mask, "mean"), self._decoded(emissions, mask)

    @torch.no_grad()
    def best(self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None = None) -> list[Prediction]:
        """See :meth:`TaskHead.best`."""
        mask = _needed(mask)
        return self._decoded(self(values, mask, features), mask)

    def _decoded(self, emissions: Tensor, mask: Tensor) -> list[Prediction]:
        return [names_of(self.labels, ids) for ids in self.crf.decode(emissions, mask)]

    @torch.no_grad()
    def predict(
        self, values: Tensor, mask: Tensor, features: TokenFeatures | None = None, n_readings: int = 1
    ) -> list[TagPrediction]:
        """Tag sentences. Call it in evaluation mode, as dropout acts in training mode.

        Args:
            values: ``[L, B, T, D]`` layers of an encoder.
            mask: ``[B, T]`` bool, True for a token; padding on the right.
            features: what the head was built to read beside the layers.
            n_readings: how many readings of each sentence at most; all but the best are its runners-up.

        Returns:
            one prediction a sentence. A sentence without tokens has one reading, the empty one.

        Raises:
            ValueError: shapes that do not fit, a feature that is missing, or ``n_readings`` below 1.
        """
        if n_readings < 1:
            raise ValueError(f"n_readings: expected at least 1, got {n_readings}")
        if not len(mask):
            return []
        emissions = self(values, mask, features)  # [B, T, K]
        found = self.crf.k_best(emissions, n_readings, mask)
        tags = [[self._as_bio(reading.tags) for reading in row] for row in found]
        sure = self._confidences(emissions, mask, [{s for t in row for s in self._spans(t)} for row in tags])
        predictions = []
        for row, spelled, confidence in zip(found, tags, sure, strict=True):
            best, *others = (
                TagReading(
                    t,
                    tuple(FoundSpan(s.start, s.end, s.type, confidence[s]) for s in self._spans(t)),
                    reading.probability,
                )
                for reading, t in zip(row, spelled, strict=True)
            )
            predictions.append(TagPrediction(best.tags, best.spans, best.probability, tuple(others)))
        return predictions

    def _inputs(self, mixed: Tensor, features: TokenFeatures) -> Tensor:
        """``[B, T, D]`` -> ``[B, T, D + characters + static]``, dropped out."""
        dtype = self.emit.weight.dtype
        joined = [self.dropout(mixed.to(dtype))]
        if self.characters is not None:
            if features.characters is None or features.words is None:
                raise ValueError(
                    "this head reads characters: expected features with 'characters' and 'words', got none"
                )
            _check_shape("words", features.words, mixed.shape[:2])
            joined.append(self.dropout(self.characters(features.characters)[features.words]))
        if self.task.static_dim:
            if features.static is None:
                raise ValueError("this head reads static vectors: expected features with 'static', got none")
            _check_shape("static", features.static, (*mixed.shape[:2], self.task.static_dim))
            joined.append(self.dropout(features.static.to(dtype)))
        return torch.cat(joined, dim=2)

    def _as_bio(self, ids: Sequence[int]) -> tuple[str, ...]:
        tags = [self.labels[k] for k in ids]
        return tuple(tags if self.scheme is None else convert(tags, self.scheme, "BIO"))

    def _spans(self, tags: Sequence[str]) -> list[Span]:
        return [] if self.scheme is None else spans_of(tags, "BIO")

    def _confidences(self, emissions: Tensor, mask: Tensor, spans: list[set[Span]]) -> list[dict[Span, float]]:
        """Probability of each span; readings share most of theirs, so each is computed once."""
        if self.scheme is None:
            return [{} for _ in spans]
        rows = [sorted(row) for row in spans]
        chances = self.crf.span_probabilities(emissions, rows, mask)
        return [dict(zip(row, chance, strict=True)) for row, chance in zip(rows, chances, strict=True)]


def _character_cnn(filters: int, width: int, embedding: int) -> CharacterCNN:
    """The token encoder of the biLM with one convolution, no highway, and as many outputs as filters."""
    check_at_least("character_width", width, 1)
    check_at_least("character_embedding", embedding, 1)
    if width > MAX_CHARACTERS:
        raise ConfigError(f"character_width: a token has {MAX_CHARACTERS} characters, got {width}")
    return CharacterCNN(CharCNNOptions(((width, filters),), 0, embedding), filters)


def _needed(mask: Tensor | None) -> Tensor:
    if mask is None:
        raise ValueError("a tagger reads tokens: expected layers [L, B, T, D] with a mask, got pooled ones")
    return mask


def _check_shape(name: str, tensor: Tensor, expected: Sequence[int]) -> None:
    if tuple(tensor.shape) != tuple(expected):
        raise ValueError(f"features: expected {name} of shape {tuple(expected)}, got {tuple(tensor.shape)}")
