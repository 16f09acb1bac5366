"""What if the layers were mixed otherwise, or the word were spelled otherwise: the numbers for both."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional as F

from elmo_tasks.analysis.calibration import Calibration
from elmo_tasks.analysis.mixing import layer_products
from elmo_tasks.api import ComparisonItem, LayerProducts, RespelledLayer, Respelling
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.text.mentions import Mention
from elmo_tasks.text.tokens import tokenize

_LONGEST = 50


def products_of(
    word: str, elmo: Elmo, names: Sequence[str], mentions: Sequence[Mention], items: Sequence[ComparisonItem]
) -> LayerProducts:
    """See :meth:`elmo_tasks.api.Service.layer_products`.

    Args:
        word: as typed.
        elmo: the model.
        names: of its layers, and of their mean.
        mentions: the uses.
        items: the same for the screen.
    """
    layers = elmo.encode([[token.text for token in mention.tokens] for mention in mentions])
    uses = torch.stack([layers.values[:, k, mention.index] for k, mention in enumerate(mentions)], dim=1)
    rounded = [
        [[[round(v, 5) for v in row] for row in m] for m in line] for line in layer_products(uses.cpu()).tolist()
    ]
    return LayerProducts(
        word=word.strip(),
        model=elmo.name,
        items=tuple(items),
        layers=tuple(names[: elmo.n_layers]),
        products=tuple(tuple(tuple(tuple(row) for row in m) for m in line) for line in rounded),
    )


def respell(
    spelling: str, elmo: Elmo, names: Sequence[str], calibration: Calibration, mentions: Sequence[Mention]
) -> Respelling:
    """See :meth:`elmo_tasks.api.Service.what_if`.

    Args:
        spelling: what to put in the place of each use.
        elmo: the model.
        names: of its layers, and of their mean.
        calibration: what two random words score.
        mentions: the uses.

    Raises:
        InputError: what was typed is not one word.
    """
    if len(spelling) > 4 * _LONGEST or not spelling.strip():
        raise InputError(f"Type another spelling, up to {_LONGEST} letters.", field="spelling")
    cut = [token.text for token in tokenize(spelling)]
    if len(cut) != 1 or len(cut[0]) > _LONGEST:
        raise InputError(
            f"Type one word without spaces and punctuation, up to {_LONGEST} letters: “{spelling.strip()[:40]}” is not.",
            field="spelling",
        )
    before = [[token.text for token in mention.tokens] for mention in mentions]
    after = [[*row[: m.index], cut[0], *row[m.index + 1 :]] for row, m in zip(before, mentions, strict=True)]
    values = elmo.encode([*before, *after]).values
    n = len(mentions)
    old, new = (
        with_mean(torch.stack([values[:, start + k, m.index] for k, m in enumerate(mentions)], dim=1).double().cpu())
        for start in (0, n)
    )
    cosine = F.cosine_similarity(old, new, dim=-1).clamp(-1.0, 1.0)  # [L + 1, n]
    return Respelling(
        word=mentions[0].token.text,
        spelling=cut[0],
        model=elmo.name,
        sentences=tuple(f"{m.sentence[: m.token.start]}[{cut[0]}]{m.sentence[m.token.end :]}" for m in mentions),
        layers=tuple(
            RespelledLayer(name, tuple(round(v, 6) for v in row), known.random_pair_cosine)
            for name, row, known in zip(names, cosine.tolist(), calibration.layers, strict=True)
        ),
    )
