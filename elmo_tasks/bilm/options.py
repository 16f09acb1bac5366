"""Settings of a biLM, as in the ``options.json`` of published ELMo and bilm-tf."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.errors import ConfigError
from elmo_tasks.files import read_json
from elmo_tasks.text.characters import MAX_CHARACTERS

#: Largest sizes that an options file may have, about eight times those of the largest ELMo.
_MAX_SIZES = {
    "dim": 32_768,
    "projection_dim": 8_192,
    "n_layers": 32,
    "max_characters_per_token": 1_000,
    "n_highway": 32,
}
_MAX_FILTERS = 64
_MAX_FILTER = 32_768
# In the order of the published files.
_LSTM_KEYS = ("use_skip_connections", "projection_dim", "cell_clip", "proj_clip", "dim", "n_layers")


@dataclass(frozen=True)
class CharCNNOptions:
    """Settings of the token encoder: characters, convolutions, highway, projection."""

    #: (width, number) of each convolution
    filters: tuple[tuple[int, int], ...] = (
        (1, 32),
        (2, 32),
        (3, 64),
        (4, 128),
        (5, 256),
        (6, 512),
        (7, 1024),
    )
    n_highway: int = 1  # number of highway layers
    embedding_dim: int = 16  # size of a character's vector
    max_characters_per_token: int = MAX_CHARACTERS  # longer tokens are cut, shorter ones padded
    activation: str = "relu"  # "relu" or "tanh", applied after the maximum over positions

    @property
    def n_filters(self) -> int:
        """Number of filters of all widths."""
        return sum(number for _, number in self.filters)


@dataclass(frozen=True)
class LSTMOptions:
    """Settings of the language model: projected LSTM layers in each direction."""

    dim: int = 1024  # cells of a layer
    projection_dim: int = 128  # outputs of a layer, and size of a token's vector
    n_layers: int = 2  # LSTM layers in each direction
    cell_clip: float | None = None  # cell state is kept within +-this; None for no clipping
    proj_clip: float | None = None  # output is kept within +-this; None for no clipping
    use_skip_connections: bool = True  # every layer above the first adds its input to its output


@dataclass(frozen=True)
class BiLMOptions:
    """Settings that determine the shape of a biLM."""

    lstm: LSTMOptions  # the language model
    char_cnn: CharCNNOptions  # the token encoder

    @property
    def n_layers(self) -> int:
        """Number of layers: the token layer and one per LSTM layer."""
        return self.lstm.n_layers + 1

    @property
    def width(self) -> int:
        """Size of a layer's vectors: both directions side by side."""
        return 2 * self.lstm.projection_dim

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], where: str = "options") -> BiLMOptions:
        """Parse the contents of an ``options.json``; ``where`` names it in errors.

        Keys that only training needs (``n_train_tokens``, ``dropout``, ...) are skipped, as every
        reader of these files does.
        """
        lstm, cnn = (_section(raw, key, where) for key in ("lstm", "char_cnn"))
        embedding = _section(cnn, "embedding", f"{where}: char_cnn")
        for key, allowed in (("n_characters", (261, 262)), ("activation", ("relu", "tanh"))):
            if key in cnn and cnn[key] not in allowed:
                raise ConfigError(
                    f"{where}: char_cnn.{key} is {reprlib.repr(cnn[key])}; expected {allowed[0]!r}"
                    f" or {allowed[1]!r}"
                )
        filters = cnn.get("filters")
        pairs = filters if isinstance(filters, (list, tuple)) else ()
        if not 1 <= len(pairs) <= _MAX_FILTERS or not all(map(_is_filter, pairs)):
            raise ConfigError(
                f"{where}: char_cnn.filters is {reprlib.repr(filters)}; expected up to"
                f" {_MAX_FILTERS} pairs [width, number], each 1 to {_MAX_FILTER:,}"
            )
        options = cls(
            LSTMOptions(
                dim=_whole_number(lstm, "dim", f"{where}: lstm"),
                projection_dim=_whole_number(lstm, "projection_dim", f"{where}: lstm"),
                n_layers=_whole_number(lstm, "n_layers", f"{where}: lstm"),
                cell_clip=_clip(lstm, "cell_clip", where),
                proj_clip=_clip(lstm, "proj_clip", where),
                use_skip_connections=bool(lstm.get("use_skip_connections", False)),
            ),
            CharCNNOptions(
                filters=tuple((width, number) for width, number in pairs),
                n_highway=_whole_number(cnn, "n_highway", f"{where}: char_cnn", minimum=0),
                embedding_dim=_whole_number(embedding, "dim", f"{where}: char_cnn.embedding"),
                max_characters_per_token=_whole_number(
                    cnn, "max_characters_per_token", f"{where}: char_cnn"
                ),
                activation=cnn.get("activation", "relu"),
            ),
        )
        longest = options.char_cnn.max_characters_per_token
        if (widest := max(width for width, _ in pairs)) > longest:
            raise ConfigError(
                f"{where}: a filter of width {widest} does not fit into"
                f" char_cnn.max_characters_per_token {longest}"
            )
        return options

    def to_dict(self) -> dict[str, Any]:
        """Return the contents of an ``options.json`` that other ELMo software reads."""
        cnn = self.char_cnn
        return {
            "lstm": {key: getattr(self.lstm, key) for key in _LSTM_KEYS},
            "char_cnn": {
                "activation": cnn.activation,
                "filters": [list(pair) for pair in cnn.filters],
                "n_highway": cnn.n_highway,
                "embedding": {"dim": cnn.embedding_dim},
                "n_characters": 262,
                "max_characters_per_token": cnn.max_characters_per_token,
            },
        }

    @classmethod
    def load(cls, path: Path) -> BiLMOptions:
        """Read an ``options.json``."""
        try:
            raw = read_json(path)
        except (FileNotFoundError, ValueError) as error:
            raise ConfigError(f"{path}: expected the options of a biLM in JSON ({error})") from None
        return cls.from_dict(raw, str(path))


def _section(raw: Any, key: str, where: str) -> Mapping[str, Any]:
    section = raw.get(key) if isinstance(raw, Mapping) else None
    if not isinstance(section, Mapping):
        raise ConfigError(
            f"{where}: expected an object under the key '{key}', found {reprlib.repr(section)}"
        )
    return section


def _whole_number(raw: Mapping[str, Any], key: str, where: str, minimum: int = 1) -> int:
    value = raw.get(key)
    if value is None and minimum == 0:
        return 0
    if type(value) is not int or not minimum <= value <= _MAX_SIZES[key]:
        raise ConfigError(
            f"{where}.{key} is {reprlib.repr(value)}; expected a whole number of at least {minimum}"
            f" and at most {_MAX_SIZES[key]:,}"
        )
    return value


def _clip(raw: Mapping[str, Any], key: str, where: str) -> float | None:
    value = raw.get(key) or 0  # bilm-tf writes 0 for "no clipping"
    if type(value) not in (int, float) or value < 0:
        raise ConfigError(
            f"{where}: lstm.{key} is {reprlib.repr(value)}; expected a positive number, or null for"
            " no clipping"
        )
    return float(value) or None


def _is_filter(pair: Any) -> bool:
    is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2
    return is_pair and all(type(n) is int and 1 <= n <= _MAX_FILTER for n in pair)
