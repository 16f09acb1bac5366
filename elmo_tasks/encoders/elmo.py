"""Frozen biLM as an encoder of sentences."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import torch
from tqdm import tqdm

from elmo_tasks.bilm.bilm import BiLM, BiLMOutput
from elmo_tasks.bilm.int8 import in_precision, is_int8
from elmo_tasks.bilm.model_files import ModelFiles, find_model, has_softmax, load_bilm, load_softmax
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.devices import checked_device
from elmo_tasks.encoders.grouping import by_length
from elmo_tasks.encoders.sentences import (
    OneSentenceWarning,
    TextOrTokens,
    Tokens,
    checked_sentences,
    tokenized,
)
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.layers import Layers, Offsets, masked_mean
from elmo_tasks.text.characters import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids
from elmo_tasks.text.vocabulary import Vocabulary

_BATCH_TOKENS = 4096  # padding included
_BATCH_SENTENCES = 256
#: The largest result of one call.
_MOST_BYTES = 16_000_000_000


class Elmo:
    """Frozen biLM encoder: a sentence always has the same vectors.

    Every call starts from the same state. The model is put into evaluation mode and frozen;
    ``files`` are those it came from.
    """

    reads_sentence = True  # from both ends

    def __init__(self, bilm: BiLM, name: str = "elmo", files: ModelFiles | None = None) -> None:
        self.bilm = bilm.eval().requires_grad_(False)
        self.name, self.files = name, files
        #: The context-free token layer and one per LSTM layer; the vectors are a forward half, then
        #: a backward half.
        self.n_layers, self.width = bilm.options.n_layers, bilm.options.width
        self.layer_names = (
            "the letters of the word",
            *(f"LSTM layer {k}" for k in range(1, self.n_layers)),
        )
        self._learns = False

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        weights: str | Path | None = None,
        device: torch.device | str | None = None,
        precision: str = "float32",
    ) -> Elmo:
        """Load a biLM from its files, onto a device.

        Args:
            model: a name in ``checkpoints/``, a published name, a folder, or an options file; the
                default model if ``None``.
            weights: the ``.hdf5`` file, if ``model`` is an options file.
            device: where to compute; by default a GPU if there is one, but the CPU in int8.
            precision: of the products: ``"float32"``, or ``"int8"``, which is faster on a CPU where
                the model is large, and gives nearly the same vectors.

        Raises:
            ConfigError: there is no such model, device or precision, or the model's options cannot
                be read.
            WeightsError: the weights are missing, broken or do not fit.
        """
        if device is None and precision == "int8":
            device = "cpu"
        files, device = find_model(model, weights), checked_device(device)
        return cls(in_precision(load_bilm(files), precision, device), files.name, files)

    @property
    def device(self) -> torch.device:
        """Device of the model."""
        return next(self.bilm.parameters()).device

    def to(self, device: torch.device | str, /) -> Elmo:
        """Move the model to a device, and return the encoder."""
        device = checked_device(device)
        if device.type != "cpu":
            self._check_float("computes on CPUs")
        self.bilm.to(device)
        return self

    @property
    def precision(self) -> str:
        """Precision of the products: ``"float32"`` or ``"int8"``."""
        return "int8" if is_int8(self.bilm) else "float32"

    def _check_float(self, limit: str) -> None:
        if is_int8(self.bilm):
            raise ConfigError(
                f"{self.name}: a model in int8 {limit}; load it with precision='float32'"
            )

    def unfrozen(self) -> BiLM:
        """Enable gradients of the weights, and return the model."""
        self._check_float("cannot be trained")
        self.files, self._learns = None, True
        return unfreeze(self.bilm)

    @property
    def folder(self) -> Path | None:
        """Folder of its files; None if it was not loaded from files."""
        return None if self.files is None else self.files.folder

    @property
    def language_model(self) -> Elmo:
        """Return itself, a language model in both directions."""
        return self

    def predictions(self) -> tuple[LMSoftmax, Vocabulary] | None:
        """Output layer trained with the model, and its vocabulary; None if unpublished."""
        return (
            load_softmax(self.files) if self.files is not None and has_softmax(self.files) else None
        )

    @property
    def checksum(self) -> str:
        """SHA-256 of the weights: of their files, or of the values without files."""
        if self.files is not None:
            return self.files.checksum
        digest = hashlib.sha256()
        for name, value in sorted(self.bilm.state_dict().items()):
            digest.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
            digest.update(
                value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
            )
        return digest.hexdigest()

    def encode(self, sentences: Sequence[TextOrTokens]) -> Layers:
        """Encode sentences into one result, padded to the longest of them.

        Many sentences are encoded in batches of similar length, with a progress bar on a terminal.

        Args:
            sentences: raw strings, which are tokenized as the training text is
                (:mod:`elmo_tasks.text.tokens`), or lists of tokens, which are taken as they are.

        Returns:
            vectors of all tokens at all layers, on the model's device.

        Raises:
            InputError: there is no sentence, an item is neither text nor tokens, or the result is
                too large.
        """
        tokens, offsets = tokenized(sentences)
        n_places = len(tokens) * max(map(len, tokens))
        self._check_room(len(tokens), n_places)
        if n_places <= _BATCH_TOKENS or self._learns:
            return self._encode_at_once(tokens, offsets)
        longest = max(map(len, tokens))
        values = torch.zeros(self.n_layers, len(tokens), longest, self.width, device=self.device)
        mask = torch.zeros(len(tokens), longest, dtype=torch.bool, device=self.device)
        with tqdm(total=len(tokens), unit="sentence", disable=None, leave=False) as bar:
            for chosen in by_length(
                [len(words) for words in tokens], _BATCH_SENTENCES, _BATCH_TOKENS
            ):
                part = self._encode_at_once(tuple(tokens[k] for k in chosen), None)
                values[:, chosen, : part.values.shape[2]] = part.values
                mask[chosen, : part.mask.shape[1]] = part.mask
                bar.update(len(chosen))
        return Layers(values=values, mask=mask, tokens=tokens, offsets=offsets)

    def _check_room(self, n_sentences: int, n_places: int) -> None:
        """Refuse a result that no memory holds, before anything is computed."""
        n_bytes = 4 * self.n_layers * self.width * n_places
        if n_bytes > _MOST_BYTES:
            raise InputError(
                f"{n_sentences:,} sentences, all as long as the longest of"
                f" {n_places // n_sentences:,} tokens, need {n_bytes / 1e9:,.0f} GB in one result;"
                " encode_batches() gives them a batch at a time",
                field="sentences",
            )

    def _encode_at_once(
        self, tokens: tuple[Tokens, ...], offsets: tuple[Offsets, ...] | None
    ) -> Layers:
        lengths = torch.tensor([len(words) for words in tokens], device=self.device)
        longest = max(map(len, tokens))
        mask = torch.arange(longest, device=self.device) < lengths.unsqueeze(1)
        # [L, B, T + 2, D]: without the boundary before the tokens, and without all after them.
        values = self.states(tokens).layers[:, :, 1 : longest + 1] * mask.unsqueeze(-1)
        return Layers(values=values, mask=mask, tokens=tokens, offsets=offsets)

    def encode_batches(
        self, sentences: Iterable[TextOrTokens], batch_size: int = 64
    ) -> Iterator[Layers]:
        """Encode a corpus lazily, one batch at a time; see :meth:`encode`."""
        if (
            isinstance(sentences, str)
            or not isinstance(sentences, Iterable)
            or getattr(sentences, "ndim", 1) != 1
        ):
            checked_sentences(sentences)
        if batch_size < 1:
            raise ConfigError(f"batch_size: expected 1 or more, found {batch_size}")
        remaining, first = iter(sentences), 1
        while batch := list(islice(remaining, batch_size)):
            batch = list(checked_sentences(batch, first))  # numbered as in the corpus
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OneSentenceWarning)
                layers = self.encode(batch)
            yield layers
            first += len(batch)

    def states(self, sentences: Sequence[Sequence[str]]) -> BiLMOutput:
        """Run the language model, with states at every step, boundaries included.

        Step 0 is the beginning of a sentence, token ``k`` is step ``k + 1``, and the step behind
        its last token is its end.
        """
        limit = self.bilm.options.char_cnn.max_characters_per_token
        # Not inference mode: a head that trains on live layers saves them for its own backward
        # pass.
        with torch.set_grad_enabled(self._learns and torch.is_grad_enabled()):
            output: BiLMOutput = self.bilm(*steps_of(sentences, limit, self.device))
        return output

    @torch.no_grad()
    def hub_outputs(
        self, sentences: Sequence[TextOrTokens], lengths: Sequence[int] | None = None
    ) -> dict[str, torch.Tensor]:
        """Return the outputs of the TF-Hub module of ELMo with ``as_dict=True``.

        Args:
            sentences: text, cut at its spaces as the module did (its signature "default"), or lists
                of tokens, which may be padded with empty strings (its signature "tokens").
            lengths: tokens of each list that count (``sequence_len``); all but the empty strings at
                its end if ``None``.

        Returns:
            - ``word_emb`` ``[B, T, P]``: layer 0, as wide as one direction (512 for the published
              models);
            - ``lstm_outputs1``, ``lstm_outputs2``, … ``[B, T, 2 P]``: the LSTM layers;
            - ``elmo`` ``[B, T, 2 P]``: their mean with layer 0, the module's mix before training;
            - ``default`` ``[B, 2 P]``: the mean of ``elmo`` over the tokens of each sentence.

            Positions after a sentence's end are zero.

        Raises:
            InputError: no sentence, one without tokens, or lengths that do not fit.
        """
        given = checked_sentences(sentences)
        tokens = [
            sentence.split() if isinstance(sentence, str) else list(sentence) for sentence in given
        ]
        n_tokens = [
            next((n for n in range(len(words), 0, -1) if words[n - 1]), 0) for words in tokens
        ]
        if 0 in n_tokens:
            field = f"sentence {n_tokens.index(0) + 1}"
            raise InputError(f"{field} has no tokens, and so no mean; leave it out", field=field)
        lengths = n_tokens if lengths is None else list(lengths)
        fit = (0 < n <= len(words) for n, words in zip(lengths, tokens, strict=False))
        if len(lengths) != len(tokens) or not all(fit):
            raise InputError(
                f"lengths: expected one for each of {len(tokens)} sentences, from 1 to its number"
                f" of tokens, got {lengths}"
            )
        layers = self.encode([words[:n] for words, n in zip(tokens, lengths, strict=True)])
        values = layers.values  # [L, B, T, 2 P]
        mixed = values.mean(dim=0)
        return {
            # The published layer 0 is one direction, repeated.
            "word_emb": values[0, ..., : values.shape[-1] // 2],
            **{f"lstm_outputs{k}": layer for k, layer in enumerate(values[1:], start=1)},
            "elmo": mixed,
            "default": masked_mean(mixed, layers.mask),
        }


def steps_of(
    sentences: Sequence[Sequence[str]], max_characters: int, device: torch.device | str = "cpu"
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Build the arguments of :meth:`BiLM.forward`, with sentence boundaries.

    Returns:
        ``[U, C]`` character ids of the beginning, the end and the distinct words; ``[B, T + 2]``
        rows of it, padded with the end's; ``[B]`` steps of each sentence, its boundaries included.
    """
    characters: list[Sequence[int]] = [BEGIN_SENTENCE_IDS, END_SENTENCE_IDS]
    rows: dict[str, int] = {}
    for word in (word for words in sentences for word in words):
        if word not in rows:
            rows[word] = len(characters)
            characters.append(character_ids(word, max_characters))
    longest = max(len(words) for words in sentences)
    padded = [
        [0, *(rows[word] for word in words), 1, *[1] * (longest - len(words))]
        for words in sentences
    ]
    table = torch.tensor([list(ids)[:max_characters] for ids in characters], device=device)
    lengths = torch.tensor([len(words) + 2 for words in sentences], device=device)
    return table, torch.tensor(padded, device=device), lengths


def unfreeze(bilm: BiLM) -> BiLM:
    """Enable gradients of a biLM, but not of its biases that are held at zero."""
    bilm.requires_grad_(True)
    for lstm in (*bilm.forward_lm.layers, *bilm.backward_lm.layers):
        lstm.get_parameter("bias_hh_l0").requires_grad_(False)
    return bilm
