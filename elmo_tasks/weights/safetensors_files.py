"""Project file format: safetensors in files of at most 9 MB, for any host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from elmo_tasks.errors import WeightsError
from elmo_tasks.files import atomic_file, write_json
from elmo_tasks.weights.folders import verify

MAX_BYTES = 9_000_000


def write_safetensors(
    folder: Path, name: str, tensors: Mapping[str, Tensor], dtype: torch.dtype | None = None
) -> list[Path]:
    """Write tensors as one or several safetensors files, and return the paths.

    A tensor that is too large by itself is cut into blocks of rows ``key:0``, ``key:1``, ...
    ``dtype`` converts floating-point tensors.
    """
    pieces: dict[str, Tensor] = {}
    for key, tensor in tensors.items():
        value = (
            (tensor.to(dtype) if dtype and tensor.is_floating_point() else tensor).detach().cpu()
        )
        if value.nbytes > MAX_BYTES:
            rows = max(1, MAX_BYTES * len(value) // value.nbytes)
            pieces |= {
                f"{key}:{k}": block.clone()
                for k, block in enumerate(value.contiguous().split(rows))
            }
        else:
            pieces[key] = value.contiguous().clone()
    shards: list[dict[str, Tensor]] = [{}]
    for key, value in pieces.items():
        if (
            sum(piece.nbytes for piece in shards[-1].values()) + value.nbytes > MAX_BYTES
            and shards[-1]
        ):
            shards.append({})
        shards[-1][key] = value
    n = len(shards)
    names = (
        [f"{name}.safetensors"]
        if n == 1
        else [f"{name}-{k:05d}-of-{n:05d}.safetensors" for k in range(1, n + 1)]
    )
    files = []
    for file_name, shard in zip(names, shards, strict=True):
        with atomic_file(folder / file_name) as partial:
            try:
                save_file(shard, partial)
            except SafetensorError as error:  # not an OSError, even for disk errors
                raise OSError(f"{folder / file_name}: {error}") from error
        files.append(folder / file_name)
    if n > 1:
        index = {
            key: file_name for file_name, shard in zip(names, shards, strict=True) for key in shard
        }
        path = folder / f"{name}.safetensors.index.json"
        write_json(path, {"weight_map": index})
        files.append(path)
    return files


def weight_files(folder: Path, name: str) -> list[Path]:
    """Return the files of :func:`write_safetensors` by name, or an empty list."""
    single, index = folder / f"{name}.safetensors", folder / f"{name}.safetensors.index.json"
    if index.exists():
        try:
            names = sorted(
                set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
            )
        except (ValueError, KeyError, AttributeError) as error:
            raise WeightsError(
                f"{index}: expected a JSON object with the key 'weight_map' ({error})"
            ) from None
        return [folder / Path(n).name for n in names]
    return [single] if single.exists() else []


def read_safetensors(folder: Path, name: str) -> dict[str, Tensor]:
    """Read the files of :func:`write_safetensors` as float32.

    Raises:
        WeightsError: a file is missing, broken or not the one that the card beside it describes, or
            a number is not finite.
    """
    files = weight_files(folder, name)
    if not files:
        raise WeightsError(
            f"{folder}: no {name}.safetensors there, and no {name}.safetensors.index.json"
        )
    pieces: dict[str, Tensor] = {}
    for path in files:
        if not path.exists():
            raise WeightsError(f"{path}: no such file, although the index beside it names it")
        try:
            with safe_open(path, "pt") as file:
                pieces |= {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - not a dict
        except SafetensorError as error:
            raise WeightsError(f"{path}: not a safetensors file, or cut short ({error})") from None
    verify(files)
    blocks: dict[str, dict[int, Tensor]] = {}
    for key, value in pieces.items():
        base, _, number = key.partition(":")
        if not torch.isfinite(value).all():
            raise WeightsError(
                f"{folder}: '{key}' holds numbers that are not finite (NaN or infinity)"
            )
        blocks.setdefault(base, {})[int(number or 0)] = (
            value.float() if value.is_floating_point() else value
        )
    return {
        key: torch.cat([parts[k] for k in sorted(parts)]) if len(parts) > 1 else parts[0]
        for key, parts in blocks.items()
    }


def shape_problems(
    expected: Mapping[str, tuple[int, ...]], given: Mapping[str, tuple[int, ...]]
) -> str:
    """Describe weights that are missing, surplus or of another shape."""
    problems = [
        f"'{name}' has shape {given.get(name, 'missing')}, expected"
        f" {expected.get(name, 'no such weight')}"
        for name in sorted(expected.keys() | given.keys())
        if expected.get(name) != given.get(name)
    ]
    return "; ".join(problems[:4]) + (
        f"; and {len(problems) - 4} more" if len(problems) > 4 else ""
    )
