"""What stands behind the screen and the commands: comparisons, and the parts that answer everything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from elmo_tasks.analysis.expected_words import EXPECTED
from elmo_tasks.analysis.senses import Grouping, group_uses, probabilities
from elmo_tasks.analysis.similarity import cosine_matrix
from elmo_tasks.analysis.substitutes import states_around
from elmo_tasks.analysis.verdicts import ranked, verdict
from elmo_tasks.analysis.views_of_uses import WORDS
from elmo_tasks.api import Comparison, LayerComparison, Limits, ModelInfo
from elmo_tasks.corpus.use_index import UseIndex
from elmo_tasks.layers.views import with_mean
from elmo_tasks.serving.asked_uses import find_uses, item_of
from elmo_tasks.serving.loaded_models import LoadedModels
from elmo_tasks.serving.map_calibrations import words_around
from elmo_tasks.serving.model_cards import told
from elmo_tasks.serving.nearest_uses import NearestUse
from elmo_tasks.serving.present import Presentation
from elmo_tasks.serving.sense_maps import SenseMaps
from elmo_tasks.serving.substitutes import Writer
from elmo_tasks.serving.trained_heads import TrainedHeads
from elmo_tasks.serving.training_jobs import TrainingJobs
from elmo_tasks.serving.what_if import WhatIf
from elmo_tasks.serving.why import Explainer

_TITLES = {"elmo-mini": "elmo-mini, the small ELMo that comes with the program"}


class Session:
    """Implements :class:`elmo_tasks.api.Service`. What a person types is not kept; what they
    upload to train on is, in the folder of runs.

    Args:
        model: name or folder of the model to start with; the default one if ``None``.
        device: where to compute; a GPU if there is one and ``None`` is given.
        runs_dir: where training runs leave their heads.
        training: whether people may train heads from the screen, and upload data for it.
        index: folder of an index of one's own text, to search beside the gallery.

    Raises:
        ConfigError: there is no such model.
        WeightsError: it is a published model that was not downloaded.
        DataError: the folder holds no index.
    """

    limits = Limits()

    def __init__(
        self,
        model: str | None = None,
        device: str | None = None,
        runs_dir: str | Path = "runs",
        training: bool = False,
        index: str | Path | None = None,
    ) -> None:
        self.loaded = loaded = LoadedModels(model, device)
        self.why = Explainer(self.compare, loaded.model)
        self.substitutes = Writer(self.compare, loaded.elmo)
        self.what_if = WhatIf(loaded.model, self.limits)
        own = UseIndex(index) if index is not None else None
        self.maps = SenseMaps(lambda name: loaded.elmo(loaded.allowed(name)), loaded.static, own)
        self.nearest = NearestUse(loaded.model, loaded.static, own, self.limits)
        self.heads = TrainedHeads(loaded.elmo, [Path(runs_dir)], loaded.device, self.limits)
        encoder = loaded.default if model is None else str(model)
        self.training = TrainingJobs(Path(runs_dir), encoder, lambda: loaded.elmo(loaded.default).n_layers, training)
        self.present = Presentation(loaded.model, loaded.static, self.limits)

    def models(self) -> tuple[ModelInfo, ...]:
        """See :meth:`elmo_tasks.api.Service.models`."""
        found = []
        for name in self.loaded.names():
            loaded = self.loaded.model(name)
            about = told(loaded.elmo.files) if loaded.elmo.files is not None else ()
            found.append(ModelInfo(name, _TITLES.get(name, name), loaded.names, about))
        return tuple(found)

    def compare(self, word: str, sentences: Sequence[str], model: str | None = None) -> Comparison:
        """See :meth:`elmo_tasks.api.Service.compare`."""
        mentions = find_uses(word, sentences, self.limits)
        loaded = self.loaded.model(model)
        tokens = [[t.text for t in m.tokens] for m in mentions]
        states = loaded.elmo.states(tokens).layers  # [L, n, T, D], with the boundaries
        places = torch.tensor([m.index + 1 for m in mentions], device=states.device)
        rows = torch.arange(len(places), device=states.device)
        views = with_mean(states[:, rows, places].cpu())  # [L + 1, n, D]
        compared = tuple(
            LayerComparison(
                name=name,
                cosine=tuple(tuple(round(v, 6) for v in row) for row in cosine_matrix(vectors).tolist()),
                norms=tuple(round(v, 6) for v in vectors.norm(dim=-1).tolist()),
                random_pair_cosine=known.random_pair_cosine,
            )
            for name, vectors, known in zip(loaded.names, views, loaded.calibration.layers, strict=True)
        )
        calibration = loaded.calibration
        shown, speaks = compared[calibration.verdict_layer], calibration.speaks
        spellings = {m.token.text for m in mentions}
        word_shown = mentions[0].token.text
        grouping = Grouping((), 0.0, False)
        same: tuple[tuple[float, ...], ...] = ()
        read_from: tuple[str, ...] = ()
        if len(spellings) > 1:
            read_from = (shown.name,)  # different spellings are ranked by its cosines, and by nothing else
            said = ranked(shown.cosine, shown.random_pair_cosine, shown.name)
        # What a cosine means was measured on one spelling at a time, in English.
        elif speaks.same_sense is None or not any("a" <= c <= "z" for c in word_shown.lower()):
            said = f"The model cannot tell these uses of “{word_shown}” apart. It was measured on English words only."
        else:
            read_from = speaks.views
            cosines = {layer.name: np.asarray(layer.cosine) for layer in compared}
            around = [words_around(loaded.static, words, m.index) for words, m in zip(tokens, mentions, strict=True)]
            cosines[WORDS] = calibration.cosines(WORDS, np.stack(around))
            if EXPECTED in speaks.views and loaded.expected is not None:
                written = loaded.expected(*states_around(states[-1], places))
                cosines[EXPECTED] = calibration.cosines(EXPECTED, written)
            odds = speaks.same_sense.log_odds(*(cosines[view] for view in speaks.views))
            grouping = group_uses(odds, speaks.same_sense.least_sure_of(len(odds)))
            same = tuple(tuple(round(v, 4) for v in row) for row in probabilities(odds).tolist())
            said = verdict(grouping, same, shown.cosine, shown.random_pair_cosine, shown.name, word_shown)
        return Comparison(
            word=word.strip(),
            model=loaded.elmo.name,
            items=tuple(item_of(m) for m in mentions),
            layers=compared,
            groups=grouping.groups if grouping.is_clear else (),
            verdict=said,
            verdict_layer=shown.name,
            read_from=read_from,
            same_meaning=same,
            right_when_clear=speaks.right,
        )
