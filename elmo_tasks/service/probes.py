"""Stored measurements of each layer, read from the files beside the models."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from elmo_tasks.api import LayerScore, ModelProbes, PaperScores, ProbeResult
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.errors import DataError
from elmo_tasks.evaluation.results import NAME, PUBLISHED, Row, read_probes
from elmo_tasks.service.loaded_models import LoadedModels

_log = logging.getLogger(__name__)


def read_measurements(models: LoadedModels) -> tuple[ModelProbes, ...]:
    """Implement :meth:`elmo_tasks.api.Service.probes`."""
    default, *others = models.names()
    measured = [_of_model(models, name) for name in others if _file(models, name) is not None]
    return (_of_model(models, default), *(model for model in measured if model.results))


def _file(models: LoadedModels, name: str) -> Path | None:
    """Return the path of a model's measurements without loading the model."""
    folder = models.folder(name)
    return folder / NAME if folder is not None and (folder / NAME).is_file() else None


def _of_model(models: LoadedModels, name: str) -> ModelProbes:
    encoder, path = models.encoder(name), _file(models, name)
    # The page may be public: do not show the path on this machine.
    bundled = models.folder(name) == CHECKPOINTS / name
    command = (
        f"elmo-tasks evaluate --probes --model {name} --out {f'{CHECKPOINTS.name}/{name}' if bundled else name}/{NAME}"
    )
    results: tuple[ProbeResult, ...] = ()
    remark = "It was not measured yet."
    if path is not None:
        try:
            measured = read_probes(path)
            results, remark = tuple(_result(row) for row in measured.rows if row.is_main), ""
            if measured.checksum != encoder.checksum:
                results, remark = (), "What was measured is of other weights than these."
        except DataError as error:
            _log.warning("%s", error)
            remark = f"Its file {NAME} cannot be read."
    return ModelProbes(name, encoder.layer_names, command, results, remark)


def _result(row: Row) -> ProbeResult:
    paper = next((paper for paper in PUBLISHED if paper.task == row.task), None)
    measured = (row.task, row.title, row.unit, _scores(row.scores), row.without, row.without_name, row.note)
    if paper is None:
        return ProbeResult(*measured)
    return ProbeResult(*measured, PaperScores(paper.data, paper.source, _scores(paper.scores), paper.same_data))


def _scores(by_layer: Mapping[str, float]) -> tuple[LayerScore, ...]:
    return tuple(LayerScore(*pair) for pair in by_layer.items())
