"""Cloze head: predict the word in a gap from both directions of a frozen biLM.

The two directions of a biLM never meet: each predicts from one side of the gap only, and joining
the two predictions afterwards loses how the sides interact. This network reads both sides before it
predicts (context2vec: Melamud, Goldberger and Dagan, 2016). Its files ``cloze.safetensors``
(float16) and ``cloze.json`` lie beside its biLM; the JSON describes the inputs of the head.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import read_json, write_json
from elmo_tasks.weights.safetensors_files import read_safetensors, weight_files, write_safetensors

CLOZE_NAME = "cloze"
SETTINGS_NAME = "cloze.json"

# Larger distances from the gap count as this one; few sentences of the training text are longer.
_MAX_DISTANCE = 24
# Length of the word vectors at the start of training: with length 1, the scores of 15,000 words
# would hardly differ.
_START_LENGTH = 3.0


@dataclass(frozen=True)
class ClozeOptions:
    """Sizes of a :class:`Cloze`."""

    n_layers: int  # LSTM layers of the biLM
    projection_dim: int  # size P of a direction's state
    # number V of words to choose among, the most frequent ones of the static vectors
    n_words: int = 15_000
    hidden: int = 512  # size of its hidden layers
    n_heads: int = 4  # heads of the attention over the words around the gap
    dropout: float = 0.1  # share of the hidden numbers that is dropped while it learns


@dataclass(frozen=True)
class Gaps:
    """Positions in sentences whose own word is hidden."""

    #: [n, T] places of the tokens among the static vectors; one past the last for unknown ones and
    #: for the gap itself
    rows: Tensor
    offsets: Tensor  # [n, T] distance of each token from the gap; 0 in the gap
    mask: Tensor  # [n, T] True for tokens and the gap, False for padding
    #: [n, 2 K P] states of the K LSTM layers before the gap, then of the backward direction's
    states: Tensor

    def __len__(self) -> int:
        return len(self.rows)


def gaps_at(
    static: StaticVectors,
    places: Sequence[tuple[Sequence[str], int, int]],
    before: Tensor,
    after: Tensor,
) -> Gaps:
    """Create gaps in place of words.

    Args:
        static: vectors of the words around.
        places: for each of ``n`` gaps the tokens of its sentence, and the index of the word's first
            token and the one after its last; several tokens make one gap.
        before: ``[K, n, P]`` states of the forward direction one step before the word.
        after: ``[K, n, P]`` states of the backward direction one step after it.
    """
    unknown, device = len(static), before.device
    words = dict.fromkeys(token for tokens, _, _ in places for token in tokens)
    row_of = dict(zip(words, static.rows_of(words).tolist(), strict=True))
    rows = [
        torch.tensor(
            [
                *(row_of[token] for token in tokens[:start]),
                unknown,
                *(row_of[token] for token in tokens[end:]),
            ]
        )
        for tokens, start, end in places
    ]
    offsets = [
        torch.arange(len(row)) - start for row, (_, start, _) in zip(rows, places, strict=True)
    ]
    lengths = torch.tensor([len(row) for row in rows])
    padded = pad_sequence(rows, batch_first=True, padding_value=unknown)
    return Gaps(
        rows=padded.to(device),
        offsets=pad_sequence(offsets, batch_first=True).to(device),
        mask=(torch.arange(padded.shape[1]) < lengths.unsqueeze(1)).to(device),
        states=torch.cat([side.transpose(0, 1).flatten(1) for side in (before, after)], dim=1),
    )


class Cloze(nn.Module):
    """Network that scores the words for a gap.

    The states of the biLM ask, by attention, which words around the gap matter; those words as
    static vectors, their bags on either side (rare words weighing more) and the states go through
    two hidden layers and are compared with a vector per word. The static vectors are not changed;
    no file is read here.
    """

    def __init__(self, options: ClozeOptions, static: StaticVectors) -> None:
        super().__init__()
        self.options = options
        width, n_states = static.width, 2 * options.n_layers * options.projection_dim
        shares = torch.tensor([static.share_of(word) for word in static.words], dtype=torch.float64)
        table = F.normalize(static.vectors.cpu().float(), dim=-1)
        # The static vectors are not saved again; they have their own files.
        # [words + 1, S]
        self.register_buffer("table", F.pad(table, (0, 0, 0, 1)), persistent=False)
        # [words + 1]
        self.register_buffer("weights", F.pad(rarity(shares).float(), (0, 1)), persistent=False)
        self.table: Tensor
        self.weights: Tensor
        self.norm = nn.LayerNorm(n_states)
        self.query = nn.Linear(n_states, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.place = nn.Embedding(2 * _MAX_DISTANCE + 1, 2 * width)
        nn.init.normal_(self.place.weight, std=0.02)
        self.hidden = nn.Sequential(
            nn.Linear(n_states + 4 * width, options.hidden),
            nn.GELU(),
            nn.Dropout(options.dropout),
            nn.Linear(options.hidden, options.hidden),
            nn.GELU(),
            nn.Linear(options.hidden, width),
        )
        self.words = nn.Parameter(_START_LENGTH * self.table[: options.n_words].clone())  # [V, S]
        self.bias = nn.Parameter(shares[: options.n_words].clamp_min(1e-9).sqrt().log().float())

    def forward(self, gaps: Gaps) -> Tensor:
        """Return ``[n, V]`` scores of the words, whose softmax is their probability."""
        return F.linear(self.read(gaps), self.words, self.bias)

    def read(self, gaps: Gaps) -> Tensor:
        """Compute the ``[n, S]`` vectors that are compared with the words."""
        vectors, states = self.table[gaps.rows], self.norm(gaps.states)  # [n, T, S], [n, 2 K P]
        bags = vectors * (self.weights[gaps.rows] * gaps.mask).unsqueeze(-1)
        left, right = (
            (bags * side.unsqueeze(-1)).sum(dim=1) for side in (gaps.offsets < 0, gaps.offsets > 0)
        )
        attended = self._attended(vectors, states, gaps)
        read: Tensor = self.hidden(torch.cat([states, attended, left, right, left + right], dim=1))
        return read

    def _attended(self, vectors: Tensor, states: Tensor, gaps: Gaps) -> Tensor:
        """Attend to the words around the gap with the states as queries: ``[n, S]``."""
        n, length, width = vectors.shape
        heads = (n, length, self.options.n_heads, width // self.options.n_heads)
        placed = self.key_value(vectors) + self.place(
            gaps.offsets.clamp(-_MAX_DISTANCE, _MAX_DISTANCE) + _MAX_DISTANCE
        )
        # [n, heads, T, S / heads]
        key, value = (part.view(heads).transpose(1, 2) for part in placed.chunk(2, dim=-1))
        query = self.query(states).view(n, heads[2], 1, heads[3])
        scores = (query @ key.transpose(-1, -2)) / math.sqrt(heads[3])  # [n, heads, 1, T]
        share = scores.masked_fill(~gaps.mask[:, None, None], -torch.inf).softmax(dim=-1)
        return (share @ value).reshape(n, width)


def write_cloze(
    folder: Path,
    cloze: Cloze,
    encoder: Encoder,
    static: StaticVectors,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write a cloze head and its training record into its biLM's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_safetensors(folder, CLOZE_NAME, cloze.state_dict(), torch.float16)
    settings = {
        "model": {"name": encoder.name, "checksum": encoder.checksum},
        "static": {"name": static.name, "checksum": static.checksum},
        "options": asdict(cloze.options),
        **(about or {}),
    }
    write_json(folder / SETTINGS_NAME, settings)  # last: it says that the weights are whole


def load_cloze(encoder: Encoder, static: StaticVectors) -> Cloze | None:
    """Load the cloze head beside a biLM, if any that reads these static vectors."""
    folder = encoder.folder
    if folder is None or not (folder / SETTINGS_NAME).exists():
        return None
    path = folder / SETTINGS_NAME
    try:
        settings = read_json(path)
        model, of_static = (settings[key]["checksum"] for key in ("model", "static"))
        options = ClozeOptions(**settings["options"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(
            f"{path}: not the settings of a cloze head ({type(error).__name__}: {error})"
        ) from None
    if of_static != static.checksum:
        return None
    if model != encoder.checksum:
        raise WeightsError(
            f"{path}: this cloze head reads the states of another model than the one beside it"
            f" (checksum {model[:16]}…, found {encoder.checksum[:16]}…); train it again"
            f" (docs/language_model.md), or remove {CLOZE_NAME}.* from the folder"
        )
    cloze = Cloze(options, static)
    try:
        cloze.load_state_dict(read_safetensors(folder, CLOZE_NAME))
    except RuntimeError as error:  # names or shapes that do not fit
        raise WeightsError(
            f"{weight_files(folder, CLOZE_NAME)[0]}: does not fit {path}: {error}"
        ) from None
    return cloze.eval().requires_grad_(False)
