"""The nearest uses of any word: in the gallery, or in an index of one's own text."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from elmo_tasks.api import NearestUses, NearUse, Progress, StaticNeighbour
from elmo_tasks.bilm.model_cache import CACHE_VARIABLE, cache_folder, temporary_cache
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError, DataError, InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.gallery import gallery
from elmo_tasks.senses.index_building import build_index, text_key
from elmo_tasks.senses.use_index import Hit, UseIndex
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import BOTH, unit
from elmo_tasks.serving.asked_uses import find_use
from elmo_tasks.serving.loaded_models import LoadedModel, LoadModel, LoadStatic
from elmo_tasks.text.word_forms import are_inflections
from elmo_tasks.uses import Use, use_vectors
from elmo_tasks.wording.answers import nearest_answer
from elmo_tasks.wording.models import nearest_of_word_vectors

GALLERY = "gallery"
ONLY = ("all", "same", "other")
MOST = 50
_STATIC = 10
#: So many of the nearest by the layer are put in order anew by layer and surroundings together: the index has no surroundings.
_RANKED = 200
#: Words whose pairs show what two random words have.
_DRAWN = 120

_log = logging.getLogger(__name__)


class NearestSearch:
    """Answers for the Nearest uses tab. The gallery is encoded when it is first searched, and kept in the user's cache."""

    def __init__(self, load: LoadModel, static: LoadStatic, own: UseIndex | None = None) -> None:
        self._load, self._static, self._own = load, static, own
        self._galleries: dict[str, UseIndex] = {}
        self._random_pairs: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def uses(
        self,
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
        progress: Progress | None = None,
    ) -> NearestUses:
        """See :meth:`elmo_tasks.api.NearestService.uses`."""
        mention = find_use(word, sentence, "sentence")
        if only not in ONLY:
            raise InputError(f"Choose {', '.join(ONLY)}, not “{only[:40]}”.", field="only")
        if not 1 <= n <= MOST:
            raise InputError(f"Between 1 and {MOST} uses can be shown, not {n}.", field="n")
        loaded = self._load(model)
        views = (BOTH, *loaded.names) if loaded.encoder.reads_sentence else loaded.names
        if layer is not None and layer not in views:
            raise InputError(f"There is no layer “{layer[:40]}”; there is {', '.join(views)}.", field="layer")
        view = layer or (BOTH if BOTH in views else views[min(1, len(views) - 1)])
        sources = self._sources(loaded.encoder)
        source = source or sources[-1]
        if source not in sources:
            raise InputError(f"There is no “{source[:40]}” to search; there is {', '.join(sources)}.", field="source")
        index = self._index(loaded.encoder, source, progress)
        at = min(1, len(loaded.names) - 1) if view == BOTH else loaded.names.index(view)
        vector = with_mean(use_vectors(loaded.encoder, [mention]))[at, 0]
        token = mention.token
        forms = index.forms_of(token)
        among = None if only == "all" else forms if only == "same" else ~forms
        n_first = _RANKED if view == BOTH else n
        hits = index.search(vector.numpy(), at, n_first, among, leave_out=mention.sentence)
        random = loaded.calibration.layers[at].random_pair_cosine
        if view == BOTH:
            hits = _by_both(hits, mention, loaded)[:n]
            random = self._random_pair(loaded, source, index, at)
        key = token.casefold()
        uses = tuple(
            NearUse(
                use.sentence,
                use.char_start,
                use.char_end,
                use.word,
                round(cosine, 6),
                same := are_inflections(key, use.word.casefold()),
                _sense_of(use.sentence, use.char_start) if same else "",
            )
            for use, cosine in ((hit.use, hit.cosine) for hit in hits)
        )
        static = loaded.encoder if isinstance(loaded.encoder, StaticVectors) else self._static()
        near = _neighbours(static, token)
        return NearestUses(
            word=token,
            sentence=mention.sentence,
            start=mention.char_start,
            end=mention.char_end,
            model=loaded.encoder.name,
            layer=view,
            layers=views,
            source=source,
            sources=sources,
            n_tokens=len(index),
            only=only,
            random_pair_cosine=random,
            uses=uses,
            static=near,
            said=nearest_answer(token, uses, only, random)
            if loaded.encoder.reads_sentence
            else nearest_of_word_vectors(static.name, len(static), token, near if token in static else None),
            vectors=static.name,
            reads_sentence=loaded.encoder.reads_sentence,
            sense=_sense_of(mention.sentence, mention.char_start),
        )

    def _random_pair(self, loaded: LoadedModel, source: str, index: UseIndex, layer: int) -> float:
        """The mean cosine of two random words of the index, by a layer and the words around them together."""
        key = (loaded.encoder.name, source)
        if key not in self._random_pairs:
            drawn = index.some_words(_DRAWN, layer)
            layers = unit(np.stack([vector for _, vector in drawn]))
            around = loaded.around([use for use, _ in drawn])
            cosines = (layers @ layers.T + around @ around.T) / 2
            self._random_pairs[key] = float(cosines[np.triu_indices(len(drawn), 1)].mean()) if len(drawn) > 1 else 0.0
        return self._random_pairs[key]

    def _sources(self, encoder: Encoder) -> tuple[str, ...]:
        """What can be searched with a model: an index holds the vectors of one."""
        if self._own is None or self._own.description.checksum != encoder.checksum:
            return (GALLERY,)
        return (GALLERY, self._own.description.title)

    def _index(self, encoder: Encoder, source: str, progress: Progress | None) -> UseIndex:
        if source != GALLERY and self._own is not None:
            return self._own
        with self._lock:  # two people who ask first wait for one encoding
            if encoder.name not in self._galleries:
                sentences = [use.sentence.replace("[", "").replace("]", "") for use in gallery()]
                name = f"{encoder.checksum[:16]}-{text_key(sentences)}"
                tell = None if progress is None else lambda share: progress("Reading the example sentences once", share)
                self._galleries[encoder.name] = _opened(encoder, sentences, name, tell)
            return self._galleries[encoder.name]


def _by_both(hits: Sequence[Hit], asked: Use, loaded: LoadedModel) -> tuple[Hit, ...]:
    """Hits in the order of the mean of two cosines: of the layer that found them, and of the words around the uses.

    That is the cosine of what :func:`~elmo_tasks.senses.views_of_uses.view_of` puts side by side.
    """
    own, *around = loaded.around([asked, *(hit.use for hit in hits)])
    found = [Hit(hit.use, (hit.cosine + float(one @ own)) / 2) for hit, one in zip(hits, around, strict=True)]
    return tuple(sorted(found, key=lambda hit: -hit.cosine))


def _neighbours(static: StaticVectors, word: str) -> tuple[StaticNeighbour, ...]:
    if word not in static:
        return ()
    return tuple(StaticNeighbour(other, round(value, 6)) for other, value in static.nearest(word, _STATIC))


@cache
def _senses() -> dict[tuple[str, int], str]:
    """Sentence and where the word stands in it -> what it means there, for the example sentences."""
    return {(use.sentence, use.char_start): use.sense or "" for use in map(gallery_use, gallery())}


def _sense_of(sentence: str, start: int) -> str:
    return _senses().get((sentence, start), "")


def _opened(
    encoder: Encoder, sentences: Sequence[str], name: str, progress: Callable[[float], None] | None
) -> UseIndex:
    """The gallery's index in the user's cache; in a temporary folder where that is read-only or full."""
    for place in (cache_folder(), temporary_cache()):
        folder = place / "uses" / name
        try:
            try:
                return build_index(encoder, sentences, folder, GALLERY, progress=progress, wait=True)
            except (DataError, ConfigError) as error:
                if not folder.exists():
                    raise
                _log.warning("%s; it is made again", error)
                shutil.rmtree(folder)
                return build_index(encoder, sentences, folder, GALLERY, progress=progress, wait=True)
        except (ConfigError, OSError) as error:
            _log.warning("%s cannot be written: %s", folder, error)
    raise InputError(
        "The example sentences cannot be searched: no folder takes their vectors. Whoever runs this app can name one that can be "
        f"written in ${CACHE_VARIABLE}.",
        field="source",
    )
