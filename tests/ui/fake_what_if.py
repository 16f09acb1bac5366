"""Other mixes and other spellings without a model: uses are apart the more, the further apart they stand."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ComparisonItem, LayerProducts, RespelledLayer, Respelling
from elmo_tasks.errors import InputError


class FakeWhatIf:
    """What the mixer and the other spelling ask."""

    def layer_products(self, word: str, sentences: Sequence[str], model: str | None = None) -> LayerProducts:
        n = len(sentences)
        items = tuple(ComparisonItem(s, tuple(s.split()), 0, s.split()[0], 0, len(s.split()[0])) for s in sentences)
        # Layer 0: all uses are one vector; layers 1 and 2: uses are apart the more, the further apart they stand.
        cosine = [[[0.2 ** (layer / 2) if i != j else 1.0 for j in range(n)] for i in range(n)] for layer in range(3)]
        products = tuple(
            tuple(
                tuple(tuple(cosine[a][i][j] if a == b else 0.0 for j in range(n)) for i in range(n)) for b in range(3)
            )
            for a in range(3)
        )
        return LayerProducts(word, model or "fake-small", items, ("0", "1", "2"), products)

    def respell(self, word: str, sentences: Sequence[str], spelling: str, model: str | None = None) -> Respelling:
        if not spelling.strip() or " " in spelling.strip():
            raise InputError("Type one word without spaces.", field="spelling")
        same = 1.0 if spelling == word else 0.4
        layers = tuple(RespelledLayer(name, tuple(same for _ in sentences), 0.1) for name in ("0", "1", "2", "mean"))
        return Respelling(
            word, spelling, model or "fake-small", tuple(s.replace(word, f"[{spelling}]") for s in sentences), layers
        )
