"""Settings of a biLM, as in the ``options.json`` of published ELMo and bilm-tf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.errors import ConfigError
from elmo_tasks.files import read_json

MAX_CHARACTERS = 50
#: The most that an options file may ask for: some eight times the largest ELMo, and little enough to be refused at once.
_MOST = {
    "dim": 32_768,
    "projection_dim": 8_192,
    "n_layers": 32,
    "max_characters_per_token": 1_000,
    "filters": 64,
    "filter": 32_768,
    "n_highway": 32,
}


@dataclass(frozen=True)
class CharCNNOptions:
    """Settings of the token encoder: characters, convolutions, highway, projection."""

    #: (width, number) of each convolution
    filters: tuple[tuple[int, int], ...] = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
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

        Keys that only training needs (``n_train_tokens``, ``dropout``, ...) are passed over, as every reader of these files does.

        Raises:
            ConfigError: a key is missing, or has a value that no biLM can have.
        """
        if not isinstance(raw, Mapping):
            raise ConfigError(
                f"{where}: expected a JSON object with the keys 'lstm' and 'char_cnn', found {type(raw).__name__}"
            )
        lstm, cnn = (_section(raw, key, where) for key in ("lstm", "char_cnn"))
        embedding = _section(cnn, "embedding", f"{where}: char_cnn")
        n_characters = cnn.get("n_characters", 262)
        if n_characters not in (261, 262):
            raise ConfigError(
                f"{where}: char_cnn.n_characters is {n_characters!r}; ELMo's alphabet has 261 characters "
                "(261 in files for training, 262 in files for loading; both are read alike)"
            )
        activation = cnn.get("activation", "relu")
        if activation not in ("relu", "tanh"):
            raise ConfigError(f"{where}: char_cnn.activation is {activation!r}; expected 'relu' or 'tanh'")
        filters = cnn.get("filters")
        listed = filters if isinstance(filters, (list, tuple)) else ()
        if not 1 <= len(listed) <= _MOST["filters"] or not all(_is_filter(pair) for pair in listed):
            raise ConfigError(
                f"{where}: char_cnn.filters is {_short(filters)}; expected up to {_MOST['filters']} pairs [width, number], "
                f"each 1 to {_MOST['filter']:,}"
            )
        n_highway = cnn.get("n_highway") or 0
        if not isinstance(n_highway, int) or not 0 <= n_highway <= _MOST["n_highway"]:
            raise ConfigError(
                f"{where}: char_cnn.n_highway is {_short(n_highway)}; expected a whole number up to {_MOST['n_highway']}"
            )
        options = cls(
            lstm=LSTMOptions(
                dim=_positive(lstm, "dim", f"{where}: lstm"),
                projection_dim=_positive(lstm, "projection_dim", f"{where}: lstm"),
                n_layers=_positive(lstm, "n_layers", f"{where}: lstm"),
                cell_clip=_clip(lstm, "cell_clip", where),
                proj_clip=_clip(lstm, "proj_clip", where),
                use_skip_connections=bool(lstm.get("use_skip_connections", False)),
            ),
            char_cnn=CharCNNOptions(
                filters=tuple((int(width), int(number)) for width, number in listed),
                n_highway=n_highway,
                embedding_dim=_positive(embedding, "dim", f"{where}: char_cnn.embedding"),
                max_characters_per_token=_positive(cnn, "max_characters_per_token", f"{where}: char_cnn"),
                activation=activation,
            ),
        )
        widest = max(width for width, _ in options.char_cnn.filters)
        if widest > options.char_cnn.max_characters_per_token:
            raise ConfigError(
                f"{where}: a filter of width {widest} does not fit into char_cnn.max_characters_per_token "
                f"{options.char_cnn.max_characters_per_token}"
            )
        return options

    def to_dict(self) -> dict[str, Any]:
        """Return the contents of an ``options.json`` that other ELMo software reads."""
        return {
            "lstm": {
                "use_skip_connections": self.lstm.use_skip_connections,
                "projection_dim": self.lstm.projection_dim,
                "cell_clip": self.lstm.cell_clip,
                "proj_clip": self.lstm.proj_clip,
                "dim": self.lstm.dim,
                "n_layers": self.lstm.n_layers,
            },
            "char_cnn": {
                "activation": self.char_cnn.activation,
                "filters": [list(pair) for pair in self.char_cnn.filters],
                "n_highway": self.char_cnn.n_highway,
                "embedding": {"dim": self.char_cnn.embedding_dim},
                "n_characters": 262,
                "max_characters_per_token": self.char_cnn.max_characters_per_token,
            },
        }

    @classmethod
    def load(cls, path: Path) -> BiLMOptions:
        """Read an ``options.json``.

        Raises:
            ConfigError: the file is missing, is not JSON, or :meth:`from_dict` rejects it.
        """
        try:
            raw = read_json(path)
        except FileNotFoundError:
            raise ConfigError(f"{path}: no such file; expected the options of a biLM in JSON") from None
        except ValueError as error:
            raise ConfigError(f"{path}: expected JSON, found something else ({error})") from None
        return cls.from_dict(raw, str(path))


def _section(raw: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    section = raw.get(key)
    if not isinstance(section, Mapping):
        raise ConfigError(f"{where}: expected an object under the key '{key}', found {_short(section)}")
    return section


def _positive(raw: Mapping[str, Any], key: str, where: str) -> int:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{where}.{key} is {_short(value)}; expected a whole number of at least 1")
    if value > _MOST[key]:
        raise ConfigError(f"{where}.{key} is {_short(value)}; the most that is read is {_MOST[key]:,}")
    return value


def _short(value: Any) -> str:
    """Shorten a long value for a message."""
    text = f"a number of {value.bit_length():,} bits" if isinstance(value, int) and value > 10**20 else repr(value)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _clip(raw: Mapping[str, Any], key: str, where: str) -> float | None:
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise ConfigError(f"{where}: lstm.{key} is {value!r}; expected a positive number, or null for no clipping")
    return float(value) or None  # bilm-tf writes 0 for "no clipping"


def _is_filter(pair: Any) -> bool:
    return (
        isinstance(pair, (list, tuple))
        and len(pair) == 2
        and all(isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= _MOST["filter"] for n in pair)
    )
