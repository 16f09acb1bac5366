"""Published ELMo models: names, addresses, sizes, and checks of their files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.errors import ConfigError, WeightsError

#: Two addresses of one bucket: where one is blocked or fails, the other often answers.
BASE_URLS = (
    "https://s3-us-west-2.amazonaws.com/allennlp/models/elmo/",
    "https://allennlp.s3.amazonaws.com/models/elmo/",
)

_GIVES_SHAPES = (
    ("lstm", "dim"),
    ("lstm", "projection_dim"),
    ("lstm", "n_layers"),
    ("char_cnn", "n_highway"),
    ("char_cnn", "filters"),
)


@dataclass(frozen=True)
class PublishedModel:
    """Published biLM, with enough detail to identify its files."""

    name: str  # what a user types
    layout: str  # the folder it is published in, and the middle of its file names
    dim: int  # width of each LSTM's cell
    projection_dim: int  # width each LSTM projects its output to
    n_highway: int  # highway layers behind the character convolutions
    weights_bytes: int | None = None  # the exact size of the weights file, where one was measured
    #: (width, number) of the character convolutions; the same in all published models
    filters: tuple[tuple[int, int], ...] = CharCNNOptions.filters
    n_layers: int = 2  # biLSTM layers

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
        """Number of values in the weights file, without the unsaved padding row."""
        n_filters, dim = self._char_cnn.n_filters, self._char_cnn.embedding_dim
        characters = 261 * dim
        convolutions = sum(number * (width * dim + 1) for width, number in self.filters)
        highways = self.n_highway * 2 * n_filters * (n_filters + 1)
        projection = (n_filters + 1) * self.projection_dim
        cell = 2 * self.projection_dim * 4 * self.dim + 4 * self.dim + self.dim * self.projection_dim
        return characters + convolutions + highways + projection + 2 * self.n_layers * cell

    @property
    def smallest_bytes(self) -> int:
        """Minimum size of a complete weights file: its float32 values without headers."""
        return 4 * self.parameters

    @property
    def options_text(self) -> str:
        """Content of the published options file, byte for byte.

        Its MD5 was compared for ``medium``.
        """
        lstm = LSTMOptions(self.dim, self.projection_dim, self.n_layers, cell_clip=3, proj_clip=3)
        return json.dumps(BiLMOptions(lstm, self._char_cnn).to_dict()) + "\n"

    @property
    def _char_cnn(self) -> CharCNNOptions:
        return CharCNNOptions(self.filters, self.n_highway)


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
    """Return the published model of this name.

    Raises:
        ConfigError: there is no published model of this name.
    """
    if name not in MODELS:
        raise ConfigError(f"There is no published ELMo model {name!r}; there are {', '.join(MODELS)}.")
    return MODELS[name]


def command(name: str, *, offline: bool = False) -> str:
    """Return the command to download this model or to import it from a file."""
    return f"elmo-tasks model download {name}" + (" --from FILE" if offline else "")


def check_files(model: PublishedModel, options: Path, weights: Path) -> None:
    """Check that two files are the options and the weights of this model.

    Their names are ignored.

    Raises:
        WeightsError: they are not; the text says which file is wrong, and in what.
    """
    check_options(model, options)
    _check_not_a_page(weights)
    size = weights.stat().st_size
    if model.weights_bytes is not None and size != model.weights_bytes:
        raise WeightsError(f"the weights have {size:,} bytes; the published file has {model.weights_bytes:,}.")
    if size < model.smallest_bytes:
        raise WeightsError(
            f"the weights have {size:,} bytes; {model.parameters:,} float32 numbers need {model.smallest_bytes:,}."
        )
    from elmo_tasks.bilm.hdf5 import check_hdf5  # h5py is slow to import, and not needed to fail early

    try:
        check_hdf5(weights, BiLMOptions.load(options))
    except ConfigError as error:  # the options came with the weights; no setting of the user's is at fault
        raise WeightsError(str(error)) from error


def check_options(model: PublishedModel, options: Path) -> None:
    """Check that an options file gives this model's shapes.

    Raises:
        WeightsError: it does not.
    """
    _check_not_a_page(options)
    try:
        found = json.loads(options.read_text(encoding="utf-8"))
    except ValueError as error:  # not JSON, or not even text
        raise WeightsError(f"the options are not JSON: {error}.") from error
    expected = json.loads(model.options_text)
    for section, key in _GIVES_SHAPES:
        try:
            value = found[section][key]
        except (KeyError, TypeError) as error:
            raise WeightsError(f"the options are not a biLM's: there is no {section}.{key}.") from error
        if value != expected[section][key]:
            raise WeightsError(
                f"the options are not those of {model.name}: {section}.{key} should be {expected[section][key]} "
                f"and is {value}."
            )


def _check_not_a_page(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(512)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        beginning = " ".join(head.decode("utf-8", errors="replace").split())[:60]
        raise WeightsError(f"this is a web page (HTML or XML), not a model file: it begins with {beginning!r}.")
