"""What if the layers were mixed otherwise, or the word were spelled otherwise: the numbers for both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch.nn import functional as F

from elmo_tasks.analysis.mixing import layer_products
from elmo_tasks.api import LayerProducts, Limits, RespelledLayer, Respelling
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.serving.asked_uses import find_uses, item_of
from elmo_tasks.serving.loaded_models import LoadedModel
from elmo_tasks.text.tokens import tokenize

_LONGEST = 50


class WhatIf:
    """Computes what other mixes and other spellings do.

    Args:
        load: gives a model by name, the default one for ``None``; raises :class:`InputError` for one that is not on offer.
        limits: how much one request may hold.
    """

    def __init__(self, load: Callable[[str | None], LoadedModel], limits: Limits | None = None) -> None:
        self._load, self._limits = load, limits or Limits()

    def layer_products(self, word: str, sentences: Sequence[str], model: str | None = None) -> LayerProducts:
        """See :meth:`elmo_tasks.api.WhatIfService.layer_products`."""
        mentions = find_uses(word, sentences, self._limits)
        loaded = self._load(model)
        layers = loaded.elmo.encode([[token.text for token in mention.tokens] for mention in mentions])
        uses = torch.stack([layers.values[:, k, mention.index] for k, mention in enumerate(mentions)], dim=1)
        rounded = [
            [[[round(v, 5) for v in row] for row in m] for m in line] for line in layer_products(uses.cpu()).tolist()
        ]
        return LayerProducts(
            word=word.strip(),
            model=loaded.elmo.name,
            items=tuple(item_of(mention) for mention in mentions),
            layers=loaded.names[: loaded.elmo.n_layers],
            products=tuple(tuple(tuple(tuple(row) for row in m) for m in line) for line in rounded),
        )

    def respell(self, word: str, sentences: Sequence[str], spelling: str, model: str | None = None) -> Respelling:
        """See :meth:`elmo_tasks.api.WhatIfService.respell`."""
        mentions = find_uses(word, sentences, self._limits, fewest=1)
        loaded = self._load(model)
        put = _one_word(spelling)
        before = [[token.text for token in mention.tokens] for mention in mentions]
        after = [[*row[: m.index], put, *row[m.index + 1 :]] for row, m in zip(before, mentions, strict=True)]
        values = loaded.elmo.encode([*before, *after]).values
        n = len(mentions)
        old, new = (
            with_mean(
                torch.stack([values[:, start + k, m.index] for k, m in enumerate(mentions)], dim=1).double().cpu()
            )
            for start in (0, n)
        )
        cosine = F.cosine_similarity(old, new, dim=-1).clamp(-1.0, 1.0)  # [L + 1, n]
        return Respelling(
            word=mentions[0].token.text,
            spelling=put,
            model=loaded.elmo.name,
            sentences=tuple(f"{m.sentence[: m.token.start]}[{put}]{m.sentence[m.token.end :]}" for m in mentions),
            layers=tuple(
                RespelledLayer(name, tuple(round(v, 6) for v in row), known.random_pair_cosine)
                for name, row, known in zip(loaded.names, cosine.tolist(), loaded.calibration.layers, strict=True)
            ),
        )


def _one_word(spelling: str) -> str:
    if len(spelling) > 4 * _LONGEST or not spelling.strip():
        raise InputError(f"Type another spelling, up to {_LONGEST} letters.", field="spelling")
    cut = [token.text for token in tokenize(spelling)]
    if len(cut) != 1 or len(cut[0]) > _LONGEST:
        raise InputError(
            f"Type one word without spaces and punctuation, up to {_LONGEST} letters: “{spelling.strip()[:40]}” is not.",
            field="spelling",
        )
    return cut[0]
