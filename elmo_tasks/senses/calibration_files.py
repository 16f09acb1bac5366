"""Files of a calibration: its settings, its tensors and the centroids of all meanings."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import read_json, write_json
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.scoring import UNKNOWN_FEATURES, SenseCalibration
from elmo_tasks.weights.safetensors_files import read_safetensors, write_safetensors

MEANINGS_NAME = "meanings"
SETTINGS_NAME = "meanings.json"
#: Increase this when the embedding of uses changes: it invalidates older files.
EMBEDDING_VERSION = 3


def models_checksum(encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None) -> str:
    """Return a key that changes when any model that embeds uses does."""
    parts = [
        str(EMBEDDING_VERSION),
        encoder.checksum,
        static.checksum,
        expected.checksum if expected is not None else "",
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def write_calibration(
    folder: Path, calibration: SenseCalibration, centroids: Mapping[str, Vectors]
) -> None:
    """Write a calibration and the centroids of meanings.

    The settings come last and mark the rest as complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(centroids)
    tensors = {
        f"centre.{view}": torch.from_numpy(np.ascontiguousarray(v))
        for view, v in calibration.centres.items()
    }
    tensors["parts"] = torch.from_numpy(np.ascontiguousarray(calibration.part_matrix))
    if calibration.projection is not None:
        tensors["projection"] = torch.from_numpy(np.ascontiguousarray(calibration.projection))
    if names:
        tensors["centroids"] = torch.from_numpy(np.stack([centroids[name] for name in names]))
    write_safetensors(folder, MEANINGS_NAME, tensors, torch.float16)
    settings = {
        "method": EMBEDDING_VERSION,
        "checksum": calibration.checksum,
        "layers": list(calibration.layers),
        "weights": dict(calibration.weights),
        "slope": calibration.slope,
        "match": calibration.match,
        "part": calibration.part,
        "parts": list(calibration.parts),
        "unknown": list(calibration.unknown),
        "same": list(calibration.same),
        "measured": dict(calibration.measured),
        "centroids": " ".join(names),
    }
    write_json(folder / SETTINGS_NAME, settings)


def read_calibration(
    folder: Path, checksum: str
) -> tuple[SenseCalibration, dict[str, Vectors]] | None:
    """Read a calibration with its centroids.

    Return ``None`` if there is none, or if it belongs to other models.

    Raises:
        WeightsError: the files are broken.
    """
    path = folder / SETTINGS_NAME
    if not path.exists():
        return None
    try:
        raw = read_json(path)
        if raw["checksum"] != checksum or raw["method"] != EMBEDDING_VERSION:
            return None
        tensors = {
            name: np.asarray(t.float().numpy())
            for name, t in read_safetensors(folder, MEANINGS_NAME).items()
        }
        calibration = SenseCalibration(
            checksum=str(raw["checksum"]),
            layers=tuple(int(k) for k in raw["layers"]),
            weights={str(view): float(weight) for view, weight in raw["weights"].items()},
            centres={
                k.removeprefix("centre."): v for k, v in tensors.items() if k.startswith("centre.")
            },
            projection=tensors.get("projection"),
            slope=_numbers([raw["slope"]], 1)[0],
            match=_numbers([raw["match"]], 1)[0],
            part=_numbers([raw["part"]], 1)[0],
            parts=tuple(map(str, raw["parts"])),
            part_matrix=tensors["parts"],
            unknown=_numbers(raw["unknown"], 1 + len(UNKNOWN_FEATURES)),
            same=_numbers(raw["same"], 2),  # type: ignore[arg-type]
            measured=dict(raw["measured"]),
        )
        names = str(raw["centroids"]).split()
        centroids = dict(zip(names, tensors["centroids"], strict=True)) if names else {}
        _check_widths(calibration, centroids)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WeightsError(
            f"{path}: not a calibration of meanings ({type(error).__name__}: {error})"
        ) from None
    return calibration, centroids


def _check_widths(calibration: SenseCalibration, centroids: Mapping[str, Vectors]) -> None:
    width = sum(len(calibration.centres[view]) for view in calibration.weights)
    if calibration.projection is not None:
        rows, embedded = calibration.projection.shape
        if rows != width:
            raise ValueError(f"expected a projection of {width} rows, found {rows}")
        width = embedded
    if calibration.part_matrix.shape != (width + 1, len(calibration.parts)):
        raise ValueError(
            f"expected part-of-speech scores of {width + 1} rows, found"
            f" {len(calibration.part_matrix)}"
        )
    if found := {len(centroid) for centroid in centroids.values()} - {width}:
        raise ValueError(f"expected centroids of width {width}, found {found.pop()}")


def _numbers(values: Sequence[Any], n: int) -> tuple[float, ...]:
    found = tuple(float(value) for value in values)
    if len(found) != n or not all(map(math.isfinite, found)):
        raise ValueError(f"expected {n} numbers, found {values!r:.80}")
    return found
