"""Nearest uses of any word, in the dictionary or in the user's index."""

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
from elmo_tasks.messages.answers import nearest_answer, nearest_of_word_vectors
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.features import Vectors, unit
from elmo_tasks.senses.use_index import UseIndex, build_index, text_key
from elmo_tasks.senses.uses import example_uses
from elmo_tasks.service.asked_uses import find_use
from elmo_tasks.service.loaded_models import LoadedModel, LoadModel, LoadStatic
from elmo_tasks.service.meanings import ANOTHER, dictionary, known_meaning, meanings_of_uses
from elmo_tasks.text.word_forms import are_inflections
from elmo_tasks.uses import Use, use_vectors

DICTIONARY = "dictionary"
#: View that meanings are predicted from.
MEANINGS = "meanings"
ONLY = ("all", "same", "other")
MAX_USES = 50
_STATIC = 10
#: Number of nearest uses by a layer to rank again by the sense embedding, which an index does not hold.
_RERANKED = 60
#: Number of words whose pairs estimate the cosine of two random words.
_DRAWN = 40

_log = logging.getLogger(__name__)


class NearestSearch:
    """Implements :class:`elmo_tasks.api.NearestService`.

    An index holds one example of each meaning; the first search builds it in the user's cache. The other examples of
    the query word are encoded with every query.
    """

    def __init__(self, load: LoadModel, static: LoadStatic, own: UseIndex | None = None) -> None:
        self._load, self._static, self._own = load, static, own
        self._indexes: dict[str, UseIndex] = {}
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
        """Implement :meth:`elmo_tasks.api.NearestService.uses`."""
        mention = find_use(word, sentence, "sentence")
        if only not in ONLY:
            raise InputError(f"Choose {', '.join(ONLY)}, not “{only[:40]}”.", field="only")
        if not 1 <= n <= MAX_USES:
            raise InputError(f"Between 1 and {MAX_USES} uses can be shown, not {n}.", field="n")
        loaded = self._load(model)
        views = (*((MEANINGS,) if loaded.senses else ()), *loaded.names)
        view = layer or (MEANINGS if loaded.senses else loaded.names[loaded.shown_layer])
        if view not in views:
            raise InputError(f"There is no layer “{view[:40]}”; there is {', '.join(views)}.", field="layer")
        sources = self._sources(loaded.encoder)
        source = source or sources[-1]
        if source not in sources:
            raise InputError(f"There is no “{source[:40]}” to search; there is {', '.join(sources)}.", field="source")
        index = self._index(loaded.encoder, source, progress)
        at = loaded.shown_layer if view == MEANINGS else loaded.names.index(view)
        token, use = mention.token, mention
        forms = index.forms_of(token)
        among = None if only == "all" else forms if only == "same" else ~forms
        vector = _at_layer(loaded, [use], at)[0]
        n_first = max(n, _RERANKED) if view == MEANINGS else n
        near = {h.use.sentence: (h.use, h.cosine) for h in index.search(vector, at, n_first, among, use.sentence)}
        n_searched = len(index)
        if source == DICTIONARY and only != "other":
            more = [u for u, _, _ in example_uses(dictionary().find(token)) if u.sentence != use.sentence]
            more = list({u.sentence: u for u in more if u.sentence not in near}.values())
            n_searched += len(more)
            cosines = (_at_layer(loaded, more, at) @ vector).tolist() if more else []
            near |= {u.sentence: (u, cosine) for u, cosine in zip(more, cosines, strict=True)}
        hits = list(near.values())
        random = loaded.random_pair[at]
        if view == MEANINGS and loaded.senses:
            first, *others = loaded.senses.embed([use, *(u for u, _ in hits)])
            hits = [(u, float(first @ other)) for (u, _), other in zip(hits, others, strict=True)]
            random = self._random_pair(loaded.senses, source, index, at)
        hits = sorted(hits, key=lambda hit: -hit[1])[:n]
        senses = _senses(loaded.senses, [use, *(u for u, _ in hits)])
        key = token.casefold()
        uses = tuple(
            NearUse(
                u.sentence,
                u.char_start,
                u.char_end,
                u.word,
                round(min(1.0, cosine), 6),
                are_inflections(key, u.word.casefold()),
                *sense,
            )
            for (u, cosine), sense in zip(hits, senses[1:], strict=True)
        )
        static = loaded.encoder if isinstance(loaded.encoder, StaticVectors) else self._static()
        words = _neighbours(static, token)
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
            n_tokens=n_searched,
            only=only,
            random_pair_cosine=round(random, 6),
            uses=uses,
            static=words,
            said=nearest_answer(token, uses, only, random, senses[0][0])
            if loaded.encoder.reads_sentence
            else nearest_of_word_vectors(static.name, len(static), token, words if token in static else None),
            vectors=static.name,
            reads_sentence=loaded.encoder.reads_sentence,
            sense=senses[0][0],
            probability=senses[0][1],
        )

    def _random_pair(self, model: SenseModel, source: str, index: UseIndex, layer: int) -> float:
        """Return the mean cosine of two random words of the index, by sense embedding."""
        key = (model.encoder.name, source)
        if key not in self._random_pairs:
            embedded = model.embed([use for use, _ in index.some_words(_DRAWN, layer)])
            cosines = (embedded @ embedded.T)[np.triu_indices(len(embedded), 1)]
            self._random_pairs[key] = float(cosines.mean()) if len(cosines) else 0.0
        return self._random_pairs[key]

    def _sources(self, encoder: Encoder) -> tuple[str, ...]:
        """Return the collections available to a model: an index holds the vectors of one."""
        if self._own is None or self._own.description.checksum != encoder.checksum:
            return (DICTIONARY,)
        return (DICTIONARY, self._own.description.title)

    def _index(self, encoder: Encoder, source: str, progress: Progress | None) -> UseIndex:
        if source != DICTIONARY and self._own is not None:
            return self._own
        with self._lock:  # The lock makes two clients that start at the same time wait for one encoding.
            if encoder.name not in self._indexes:
                sentences = _one_of_each_meaning()
                name = f"{encoder.checksum[:16]}-{text_key(sentences)}"
                tell = None if progress is None else lambda share: progress("Reading the example sentences once", share)
                self._indexes[encoder.name] = _opened(encoder, sentences, name, tell)
            return self._indexes[encoder.name]


@cache
def _one_of_each_meaning() -> list[str]:
    """Return the first example of each meaning of the dictionary."""
    first = (sense.sentences[0] for entry in dictionary().values() for sense in entry.senses)
    return list(dict.fromkeys(sentence.replace("[", "").replace("]", "") for sentence in first))


def _at_layer(loaded: LoadedModel, uses: Sequence[Use], layer: int) -> Vectors:
    return unit(with_mean(use_vectors(loaded.encoder, uses))[layer].numpy())


def _senses(model: SenseModel | None, uses: Sequence[Use]) -> list[tuple[str, float | None]]:
    """Return the meaning of each use, with its probability if it is a prediction.

    The name is empty if no meanings are known.
    """
    found: list[tuple[str, float | None]] = []
    unknown = []
    for k, use in enumerate(uses):
        known = known_meaning(use.sentence, use.char_start)
        found.append((known[1].key, None) if known else ("", None))
        if known is None and model is not None and len(senses_of(dictionary().find(use.word))) > 1:
            unknown.append(k)
    if model is not None and unknown:
        for k, vector in zip(unknown, model.embed([uses[k] for k in unknown]), strict=True):
            entries = dictionary().find(uses[k].word)
            meaning = meanings_of_uses(model, [uses[k]], vector[None], entries)[0]
            name = ANOTHER if meaning.best is None else senses_of(entries)[meaning.best][1].key
            found[k] = (name, meaning.probability)
    return found


def _neighbours(static: StaticVectors, word: str) -> tuple[StaticNeighbour, ...]:
    if word not in static:
        return ()
    return tuple(StaticNeighbour(other, round(value, 6)) for other, value in static.nearest(word, _STATIC))


def _opened(
    encoder: Encoder, sentences: Sequence[str], name: str, progress: Callable[[float], None] | None
) -> UseIndex:
    """Open the index of the dictionary in the user's cache.

    Use a temporary folder if the cache is read-only or full.
    """
    for place in (cache_folder(), temporary_cache()):
        folder = place / "uses" / name
        try:
            try:
                return build_index(encoder, sentences, folder, DICTIONARY, progress=progress, wait=True)
            except (DataError, ConfigError) as error:
                if not folder.exists():
                    raise
                _log.warning("%s; it is made again", error)
                shutil.rmtree(folder)
                return build_index(encoder, sentences, folder, DICTIONARY, progress=progress, wait=True)
        except (ConfigError, OSError) as error:
            _log.warning("%s cannot be written: %s", folder, error)
    raise InputError(
        "The example sentences cannot be searched: no folder takes their vectors. Whoever runs this app can name one that can be "
        f"written in ${CACHE_VARIABLE}.",
        field="source",
    )
