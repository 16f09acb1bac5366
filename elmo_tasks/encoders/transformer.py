"""Hugging Face encoder of words: all hidden states, word pieces averaged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from elmo_tasks.devices import checked_device
from elmo_tasks.encoders.grouping import by_length
from elmo_tasks.encoders.sentences import TextOrTokens, tokenized
from elmo_tasks.encoders.transformer_files import (
    HUB,
    WEIGHTS_NAME,
    read_model,
    read_tokenizer,
    transformer_folder,
)
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import given_name
from elmo_tasks.layers import Layers
from elmo_tasks.weights.folders import sha256
from elmo_tasks.weights.safetensors_files import weight_files

# Word pieces that are computed at once, padding included.
_PIECES_AT_ONCE = 16_384
_DEFAULT_LIMIT = 512  # where a model does not state its limit


@dataclass(frozen=True)
class Window:
    """Part of a sentence that is encoded at once."""

    sentence: int  # number of the sentence in its batch
    ids: list[int]  # word pieces, with the special tokens around them
    # positions in ids that are kept: those with more context here than in the next window
    places: list[int]
    words: list[int]  # the word of each of these pieces


class Transformer:
    """Frozen transformer encoder of sentences.

    A word's vector is the mean of those of its word pieces; the special tokens are read and
    dropped. A sentence longer than the model can read is read in windows that overlap by half, and
    each piece is taken from the window with more context around it. On a GPU it computes in
    bfloat16 where that is safe (autocast). The model, which gives ``hidden_states``, is put into
    evaluation mode and frozen; the tokenizer is a fast one, which knows the word that a piece
    belongs to.
    """

    reads_sentence = True
    language_model = None  # every state of a masked model has read the word itself

    def __init__(
        self, model: Any, tokenizer: Any, name: str = "transformer", *, folder: Path | None = None
    ) -> None:
        # Of an encoder-decoder model, only the encoder is used: the decoder writes text.
        reader = model.get_encoder() if model.config.is_encoder_decoder else model
        self.model = reader.float().eval().requires_grad_(False)
        self.tokenizer = tokenizer
        self.name = name
        self.folder = folder
        sizes: list[Any] = [
            getattr(self.model.config, key, None) for key in ("num_hidden_layers", "hidden_size")
        ]
        if not all(isinstance(value, int) for value in sizes):
            raise ConfigError(
                f"{name}: {type(model).__name__} does not encode text: its configuration lacks its"
                " sizes"
            )
        #: The embeddings and one layer per transformer layer.
        self.n_layers, self.width = int(sizes[0]) + 1, int(sizes[1])
        layers = (f"transformer layer {k}" for k in range(1, self.n_layers))
        self.layer_names = ("the word's pieces and their places", *layers)
        if not tokenizer.is_fast:
            raise ConfigError(
                f"{name}: expected a tokenizer in tokenizer.json, which knows the word of each"
                " piece"
            )
        # Truncation and padding of its file are unused; the first call would drop them and change
        # the checksum.
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
        self.window = _longest(self.model, tokenizer)

    @classmethod
    def load(cls, name_or_folder: str | Path, device: torch.device | str = "cpu") -> Transformer:
        """Load a transformer from a folder, or from the hub (``hub:NAME``).

        The folder has ``config.json``, ``model.safetensors`` (whole or in parts) and the
        tokenizer's files.

        Raises:
            ConfigError: the package transformers is not installed, or the model's settings cannot
                be used.
            WeightsError: weights are missing or broken, or are not safetensors.
        """
        name = str(name_or_folder)
        folder = transformer_folder(name)
        title = name if name.startswith(HUB) else given_name(folder)
        return cls(read_model(folder), read_tokenizer(folder), title, folder=folder).to(device)

    @property
    def device(self) -> torch.device:
        """Device of the model."""
        return next(self.model.parameters()).device

    def to(self, device: torch.device | str, /) -> Transformer:
        """Move the model to a device, and return the encoder."""
        self.model.to(checked_device(device))
        return self

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the weights and the tokenizer."""
        if self.folder is None:
            state = {
                key: value.cpu().contiguous() for key, value in self.model.state_dict().items()
            }
            return _digest(save(state), self.tokenizer.backend_tokenizer.to_str().encode())
        weights = sha256(weight_files(self.folder, WEIGHTS_NAME))
        settings = (self.folder / "config.json").read_bytes()
        return _digest(
            weights.encode(), settings, self.tokenizer.backend_tokenizer.to_str().encode()
        )

    # not inference mode: a head that trains on live layers saves them for its own backward pass
    @torch.no_grad()
    def encode(self, sentences: Iterable[TextOrTokens]) -> Layers:
        """Encode a batch to float32 layers on the model's device.

        See :meth:`Elmo.encode`; a token that has no word piece has the zero vector.
        """
        tokens, offsets = tokenized(sentences)
        lengths = torch.tensor([len(sentence) for sentence in tokens])
        longest = int(lengths.max())
        # Sums over the pieces of each word and their numbers, in float32 and over all windows:
        # [L, B * T, D] and [B * T].
        sums = torch.zeros(self.n_layers, len(tokens) * longest, self.width, device=self.device)
        counts = torch.zeros(len(tokens) * longest, device=self.device)
        windows = [window for window in self._windows(tokens) if window.places]
        # By length, for little padding; the sums put each piece back in its place.
        for chosen in by_length(
            [len(window.ids) for window in windows],
            len(windows),
            _PIECES_AT_ONCE,
            longest_first=True,
        ):
            batch = [windows[k] for k in chosen]
            hidden = self._hidden([window.ids for window in batch])  # [L, N, P, D]
            rows = [k for k, window in enumerate(batch) for _ in window.places]
            columns = [place for window in batch for place in window.places]
            target = [window.sentence * longest + word for window in batch for word in window.words]
            where = torch.tensor(target, dtype=torch.long, device=self.device)
            sums.index_add_(1, where, hidden[:, rows, columns])  # [L, pieces, D]
            counts.index_add_(0, where, torch.ones(len(target), device=self.device))
        values = (sums / counts.clamp(min=1).unsqueeze(-1)).view(
            self.n_layers, len(tokens), longest, self.width
        )
        mask = torch.arange(longest) < lengths.unsqueeze(1)
        return Layers(values=values, mask=mask.to(self.device), tokens=tokens, offsets=offsets)

    def _windows(self, sentences: Sequence[tuple[str, ...]]) -> Iterator[Window]:
        room = self.window - self.tokenizer.num_special_tokens_to_add()
        step = max(1, room // 2)
        before, after = self._special
        for number, sentence in enumerate(sentences):
            pieces, words = self._pieces(sentence)
            for start in range(0, max(1, len(pieces) - (room - step)), step):
                stop = min(start + room, len(pieces))
                # Where two windows overlap, the first half of the overlap is taken from the first,
                # the second half from the second.
                first = start if start == 0 else start + (room - step) // 2
                last = stop if stop == len(pieces) else start + step + (room - step) // 2
                ids = [*before, *pieces[start:stop], *after]
                places = [len(before) + k - start for k in range(first, last)]
                yield Window(sentence=number, ids=ids, places=places, words=words[first:last])

    def _pieces(self, sentence: tuple[str, ...]) -> tuple[list[int], list[int]]:
        """Return the ids of all word pieces of a sentence, and the word of each."""
        ids, words = self._cut(sentence)
        unknown = self.tokenizer.unk_token_id
        if unknown is not None and (lost := set(range(len(sentence))) - set(words)):
            # A word of control characters has no pieces; the other words keep their positions.
            pairs = [*zip(words, ids, strict=True), *((k, unknown) for k in lost)]
            pairs.sort(key=lambda pair: pair[0])
            return [piece for _, piece in pairs], [word for word, _ in pairs]
        return ids, words

    def _cut(self, words: Sequence[str]) -> tuple[list[int], list[int]]:
        if not words:
            return [], []
        # "[SEP]" or "<s>" in a text is text; the special tokens are added by their ids.
        read = self.tokenizer(
            list(words),
            is_split_into_words=True,
            add_special_tokens=False,
            split_special_tokens=True,
            verbose=False,
        )
        pairs = [
            (piece, word)
            for piece, word in zip(read["input_ids"], read.word_ids(), strict=True)
            if word is not None
        ]
        return [piece for piece, _ in pairs], [word for _, word in pairs]

    @cached_property
    def _special(self) -> tuple[list[int], list[int]]:
        """Return the special tokens before and after the pieces of one sentence."""
        around = self.tokenizer("a")["input_ids"]
        inside = self.tokenizer("a", add_special_tokens=False)["input_ids"]
        at = next((k for k in range(len(around)) if around[k : k + len(inside)] == inside), 0)
        return around[:at], around[at + len(inside) :]

    def _hidden(self, ids: Sequence[Sequence[int]]) -> Tensor:
        """Compute ``[L, N, P, D]`` float32 hidden states of ``N`` windows."""
        longest = max(map(len, ids))
        filler = self.tokenizer.pad_token_id or 0
        padded = torch.tensor(
            [[*row, *[filler] * (longest - len(row))] for row in ids], device=self.device
        )
        mask = torch.tensor(
            [[1] * len(row) + [0] * (longest - len(row)) for row in ids], device=self.device
        )
        on_gpu = self.device.type == "cuda"
        with torch.autocast("cuda", torch.bfloat16) if on_gpu else nullcontext():
            states = self.model(
                input_ids=padded, attention_mask=mask, output_hidden_states=True
            ).hidden_states
        if len(states) != self.n_layers:
            raise ConfigError(
                f"{self.name}: config.json says {self.n_layers} hidden states, found {len(states)}"
            )
        return torch.stack([state.float() for state in states])


def _longest(model: Any, tokenizer: Any) -> int:
    """Return the maximum number of word pieces of the model, special tokens included."""
    places = getattr(model.config, "max_position_embeddings", None) or _DEFAULT_LIMIT
    table: Any = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if table is not None and getattr(table, "padding_idx", None) is not None:
        # like RoBERTa, whose positions begin after that of the padding
        places -= table.padding_idx + 1
    return int(min(places, tokenizer.model_max_length))


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
