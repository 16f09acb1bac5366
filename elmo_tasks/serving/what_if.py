"""What if the layers were mixed otherwise, or the word were spelled otherwise: the numbers for both."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional as F

from elmo_tasks.api import LayerProducts, RespelledLayer, Respelling
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.similarity import layer_products
from elmo_tasks.serving.asked_uses import find_uses, item_of
from elmo_tasks.serving.comparisons import rounded
from elmo_tasks.serving.loaded_models import LoadModel
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use, use_vectors

_LONGEST = 50
#: Common words of unlike letters and meanings: how near a word comes that has nothing to do with the one it replaces.
UNRELATED = ("garden", "seven", "often", "purple", "journey")


class WhatIf:
    """Computes what other mixes and other spellings do."""

    def __init__(self, load: LoadModel) -> None:
        self._load = load

    def layer_products(self, word: str, sentences: Sequence[str], model: str | None = None) -> LayerProducts:
        """See :meth:`elmo_tasks.api.WhatIfService.layer_products`."""
        mentions = find_uses(word, sentences)
        loaded = self._load(model)
        vectors = use_vectors(loaded.encoder, [mention.use for mention in mentions])
        return LayerProducts(
            word=word.strip(),
            model=loaded.encoder.name,
            items=tuple(item_of(mention) for mention in mentions),
            layers=loaded.names[: loaded.encoder.n_layers],
            products=rounded(layer_products(vectors), 5),
        )

    def respell(self, word: str, sentences: Sequence[str], spelling: str, model: str | None = None) -> Respelling:
        """See :meth:`elmo_tasks.api.WhatIfService.respell`."""
        mentions = find_uses(word, sentences, fewest=1)
        loaded = self._load(model)
        if not loaded.encoder.reads_sentence:
            raise InputError(
                f"“{loaded.encoder.name}” does not look at letters: another spelling is another word to it, or none that it knows. "
                "Choose another model for this.",
                field="spelling",
            )
        put = _one_word(spelling)
        before = [mention.use for mention in mentions]
        known = {put.lower(), *(u.word.lower() for u in before)}
        words = [put, *(word for word in UNRELATED if word not in known)]
        after = [Use.of_tokens([*u.tokens[: u.start], w, *u.tokens[u.end :]], u.start) for w in words for u in before]
        old, *new = (
            with_mean(part) for part in use_vectors(loaded.encoder, [*before, *after]).double().split(len(before), 1)
        )
        cosine, *others = (F.cosine_similarity(old, one, dim=-1).clamp(-1.0, 1.0) for one in new)  # [L + 1, n] each
        unrelated = torch.stack(others).mean(dim=(0, 2))  # [L + 1]
        return Respelling(
            word=mentions[0].token.text,
            spelling=put,
            model=loaded.encoder.name,
            sentences=tuple(f"{m.sentence[: m.token.start]}[{put}]{m.sentence[m.token.end :]}" for m in mentions),
            layers=tuple(
                RespelledLayer(
                    name, row, layer.random_pair_cosine, other, loaded.encoder.layer_names[0] if name == "0" else ""
                )
                for name, row, layer, other in zip(
                    loaded.names, rounded(cosine), loaded.calibration.layers, rounded(unrelated), strict=True
                )
            ),
            unrelated=tuple(words[1:]),
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
