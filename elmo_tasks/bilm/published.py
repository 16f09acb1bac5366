"""The published ELMo models: names, addresses, sizes. Facts only; nothing here opens a file or a connection."""

from __future__ import annotations

import json
from dataclasses import dataclass

from elmo_tasks.errors import ConfigError

#: Two addresses of one bucket: where one is blocked or fails, the other often answers.
BASE_URLS = (
    "https://s3-us-west-2.amazonaws.com/allennlp/models/elmo/",
    "https://allennlp.s3.amazonaws.com/models/elmo/",
)

_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
_CHARACTERS = 262
_CHARACTER_DIM = 16


@dataclass(frozen=True)
class PublishedModel:
    """One published biLM, described well enough to tell its files from any other model's.

    Args:
        name: what a user types.
        layout: the folder it is published in, and the middle of its file names.
        dim: width of each LSTM's cell.
        projection_dim: width each LSTM projects its output to.
        n_highway: highway layers behind the character convolutions.
        weights_bytes: the exact size of the weights file, where one was measured.
        filters: (width, number) of the character convolutions; the same in all published models.
        n_layers: biLSTM layers.
    """

    name: str
    layout: str
    dim: int
    projection_dim: int
    n_highway: int
    weights_bytes: int | None = None
    filters: tuple[tuple[int, int], ...] = _FILTERS
    n_layers: int = 2

    @property
    def options_name(self) -> str:
        """File name of the options."""
        return f"elmo_{self.layout}_options.json"

    @property
    def weights_name(self) -> str:
        """File name of the weights."""
        return f"elmo_{self.layout}_weights.hdf5"

    @property
    def parameters(self) -> int:
        """How many numbers the weights file holds (one row of characters, the padding, is not stored)."""
        n_filters = sum(number for _, number in self.filters)
        characters = (_CHARACTERS - 1) * _CHARACTER_DIM
        convolutions = sum(number * (width * _CHARACTER_DIM + 1) for width, number in self.filters)
        highways = self.n_highway * 2 * n_filters * (n_filters + 1)
        projection = (n_filters + 1) * self.projection_dim
        cell = 2 * self.projection_dim * 4 * self.dim + 4 * self.dim + self.dim * self.projection_dim
        return characters + convolutions + highways + projection + 2 * self.n_layers * cell

    @property
    def smallest_bytes(self) -> int:
        """The least a complete weights file can weigh: its float32 numbers without HDF5's own headers."""
        return 4 * self.parameters

    @property
    def options_text(self) -> str:
        """The published options file, to the byte (its MD5 was compared for ``medium``)."""
        lstm = {
            "use_skip_connections": True,
            "projection_dim": self.projection_dim,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": self.dim,
            "n_layers": self.n_layers,
        }
        char_cnn = {
            "activation": "relu",
            "filters": self.filters,
            "n_highway": self.n_highway,
            "embedding": {"dim": _CHARACTER_DIM},
            "n_characters": _CHARACTERS,
            "max_characters_per_token": 50,
        }
        return json.dumps({"lstm": lstm, "char_cnn": char_cnn}) + "\n"


MODELS: dict[str, PublishedModel] = {
    model.name: model
    for model in (
        PublishedModel("small", "2x1024_128_2048cnn_1xhighway", 1024, 128, 1),
        PublishedModel("medium", "2x2048_256_2048cnn_1xhighway", 2048, 256, 1),
        PublishedModel("original", "2x4096_512_2048cnn_2xhighway", 4096, 512, 2, weights_bytes=374_434_792),
        PublishedModel("original-5.5B", "2x4096_512_2048cnn_2xhighway_5.5B", 4096, 512, 2),
    )
}


def published(name: str) -> PublishedModel:
    """Look a published model up by name.

    Raises:
        ConfigError: there is no published model of this name.
    """
    if name not in MODELS:
        raise ConfigError(f"There is no published ELMo model {name!r}; there are {', '.join(MODELS)}.")
    return MODELS[name]


def command(name: str, *, offline: bool = False) -> str:
    """The command a person runs to get this model, from the network or from a file they have."""
    return f"elmo-tasks download {name}" + (" --from FILE" if offline else "")
