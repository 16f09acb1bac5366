"""Published ELMo models: names, addresses, checks, and their place in the cache."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.errors import WeightsError
from elmo_tasks.weights.cache import cache_folder

#: Two addresses of one bucket: where one is blocked or fails, the other often answers.
BASE_URLS = (
    "https://s3-us-west-2.amazonaws.com/allennlp/models/elmo/",
    "https://allennlp.s3.amazonaws.com/models/elmo/",
)


@dataclass(frozen=True)
class PublishedModel:
    """Published biLM, with what identifies its files."""

    name: str  # as a user types it
    layout: str  # the folder it is published in, and the middle of its file names
    dim: int  # width of each LSTM's cell
    projection_dim: int  # width each LSTM projects its output to
    n_highway: int  # highway layers behind the character convolutions
    n_parameters: int  # float32 numbers in the weights file
    #: (width, number) of the character convolutions; the same in all published models
    filters: tuple[tuple[int, int], ...] = CharCNNOptions.filters

    @property
    def options_name(self) -> str:
        """File name of the options."""
        return f"elmo_{self.layout}_options.json"

    @property
    def weights_name(self) -> str:
        """File name of the weights."""
        return f"elmo_{self.layout}_weights.hdf5"

    @property
    def smallest_bytes(self) -> int:
        """Size of the weights alone, without the headers of their file."""
        return 4 * self.n_parameters

    @property
    def options(self) -> BiLMOptions:
        """Options of the model."""
        lstm = LSTMOptions(self.dim, self.projection_dim, n_layers=2, cell_clip=3, proj_clip=3)
        return BiLMOptions(lstm, CharCNNOptions(self.filters, self.n_highway))

    @property
    def options_text(self) -> str:
        """Content of the published options file, byte for byte."""
        return json.dumps(self.options.to_dict()) + "\n"


MODELS: dict[str, PublishedModel] = {
    model.name: model
    for model in (
        PublishedModel(
            name="small",
            layout="2x1024_128_2048cnn_1xhighway",
            dim=1024,
            projection_dim=128,
            n_highway=1,
            n_parameters=13_593_296,
        ),
        PublishedModel(
            name="medium",
            layout="2x2048_256_2048cnn_1xhighway",
            dim=2048,
            projection_dim=256,
            n_highway=1,
            n_parameters=28_027_728,
        ),
        PublishedModel(
            name="original",
            layout="2x4096_512_2048cnn_2xhighway",
            dim=4096,
            projection_dim=512,
            n_highway=2,
            n_parameters=93_600_848,
        ),
        PublishedModel(
            name="original-5.5B",
            layout="2x4096_512_2048cnn_2xhighway_5.5B",
            dim=4096,
            projection_dim=512,
            n_highway=2,
            n_parameters=93_600_848,
        ),
    )
}


def command(name: str, *, offline: bool = False) -> str:
    """Return the command to download this model or to import it from a file."""
    return f"elmo-tasks model download {name}" + (" --from FILE" if offline else "")


def check_weights(model: PublishedModel, path: Path) -> None:
    """Check that a file, whatever its name, holds the weights of this model."""
    with path.open("rb") as file:
        head = file.read(512)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        beginning = " ".join(head.decode("utf-8", errors="replace").split())[:60]
        raise WeightsError(
            f"this is a web page (HTML or XML), not a model file: it begins with {beginning!r}."
        )
    if (size := path.stat().st_size) < model.smallest_bytes:
        raise WeightsError(
            f"the weights have {size:,} bytes; {model.n_parameters:,} float32 numbers need"
            f" {model.smallest_bytes:,}."
        )
    # h5py is slow to import, and not needed to fail early.
    from elmo_tasks.bilm.hdf5 import check_hdf5

    check_hdf5(path, model.options)


def files_of(name: str, cache: Path | None = None) -> tuple[Path, Path]:
    """Return the paths of a published model's options and weights in the cache."""
    model, folder = MODELS[name], cache_folder(cache) / "published" / name
    return folder / model.options_name, folder / model.weights_name


def locate(name: str, cache: Path | None = None) -> tuple[Path, Path]:
    """Find the options and weights of a downloaded model."""
    files = files_of(name, cache)
    if missing := [path for path in files if not path.is_file()]:
        raise WeightsError(
            f"The {name} ELMo model is not downloaded: {missing[0]} does not exist. Get it with "
            f"`{command(name)}`, or from a copy you have with `{command(name, offline=True)}`."
        )
    return files
