"""Nearest uses of any word, in the dictionary or in the user's index; nearest words."""

from __future__ import annotations

import contextlib
import logging
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from elmo_tasks.api import (
    NearestRequest,
    NearestUses,
    NearUse,
    Progress,
    StaticNeighbour,
    StaticNeighbours,
)
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import use_vectors
from elmo_tasks.errors import ConfigError, DataError, InputError
from elmo_tasks.layers import with_mean
from elmo_tasks.messages.answers import (
    nearest_answer,
    nearest_of_word_vectors,
    uses_in_meaning_answer,
)
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.entries import Entry, Sense
from elmo_tasks.senses.features import Vectors, unit
from elmo_tasks.senses.judging import ANOTHER_MEANING, MEANINGS, meanings_of_uses, not_english
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.use_index import UseIndex, build_index, text_key
from elmo_tasks.senses.use_sources import example_uses
from elmo_tasks.service.examples import known_meanings
from elmo_tasks.service.further_views import random_features
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_choice, check_count, find_use
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.phrases import Pattern
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import are_inflections, folded
from elmo_tasks.weights.cache import CACHE_VARIABLE, cache_folder, temporary_cache

DICTIONARY = "dictionary"
_WORD_FILTERS = ("all", "same", "other")
_MAX_SHOWN = 50
#: Number of nearest words by static vectors.
_N_STATIC = 10
#: Number of nearest uses by a layer to rank again by the sense embedding, which an index does not
#: hold.
_N_RERANKED = 60
#: Number of nearest uses of a word whose meanings are computed, to keep those of one meaning.
_MAX_JUDGED = 300
#: Seconds that an answer waits for the index of the dictionary.
_INDEX_WAIT_SECONDS = 0.7
#: Number of words whose pairs estimate the cosine of two random words.
_N_RANDOM = 40
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Search:
    """The source and the view of a request."""

    source: str
    sources: tuple[str, ...]
    own: UseIndex | None  # the user's index, if that is searched
    view: str
    views: tuple[str, ...]
    layer: int  # by which the index is searched; the sense embedding ranks its results again
    only: str  # "all", "same" or "other", as in the request
    n: int  # how many uses are taken from the index


def nearest_uses(
    request: NearestRequest,
    loaded: LoadedModel,
    static: StaticVectors,
    own_index: UseIndex | None = None,
    progress: Progress | None = None,
) -> NearestUses:
    """Implement :meth:`elmo_tasks.api.Service.nearest`.

    The index has one example of each meaning; the others of the query word are encoded with every
    query. While the index is being made, an answer that need not be complete has only these
    examples.
    """
    search = _search_of(request, loaded, own_index)
    query_uses = _query_uses(request, loaded)
    must_wait = request.complete or search.only == "other"
    index = search.own or _index_of_dictionary(loaded, progress, wait=must_wait)
    hits, n_searched = _hits(query_uses, search, loaded, index)
    sense, probability, uses = _judged(query_uses, hits, request, search, loaded)
    if not_english(loaded.static, [query_uses[0].sentence]):
        sense, probability = "", None
    found = [near for near in uses if not request.meaning or near.sense == request.meaning]
    random = _cosine_of_random_words(search, loaded, index)
    use, encoder = query_uses[0], loaded.encoder
    static = encoder if isinstance(encoder, StaticVectors) else static
    neighbours = _neighbours(use.token, _N_STATIC, static)
    if request.meaning:
        message = uses_in_meaning_answer(
            use.shown, request.meaning, request.n, len(found), len(uses), n_searched, _MAX_JUDGED
        )
    elif encoder.reads_sentence:
        # While the index is made, only the uses of the word are there.
        message = nearest_answer(
            use.shown, uses, "same" if index is None else search.only, random, sense
        )
    else:
        message = nearest_of_word_vectors(static.name, len(static), use.token, neighbours)
    return NearestUses(
        word=use.shown,
        use=use,
        model=encoder.name,
        layer=search.view,
        layers=search.views,
        source=search.source,
        sources=search.sources,
        n_tokens=n_searched,
        only=search.only,
        random_pair_cosine=round(random, 6),
        uses=tuple(found[: request.n]),
        static=neighbours,
        message=message,
        vectors=static.name,
        reads_sentence=encoder.reads_sentence,
        sense=sense,
        probability=probability,
        is_complete=index is not None,
        meaning=request.meaning,
        meanings=tuple(_meanings_of(use.token)) if loaded.senses else (),
        n_judged=len(uses) if request.meaning else 0,
    )


def _query_uses(request: NearestRequest, loaded: LoadedModel) -> list[Use]:
    """Return the uses to search with: that of the sentence, or the examples of a meaning."""
    if not request.meaning:
        return [find_use(request.word, request.sentence, "sentence")]
    typed = (
        find_use(request.word, request.sentence, "sentence") if request.sentence.strip() else None
    )
    word = typed.token if typed else request.word
    check_word(word)
    if loaded.senses is None:
        raise InputError(
            f"“{loaded.encoder.name}” names no meanings. Choose a model that does.", field="meaning"
        )
    meanings = _meanings_of(word)
    if request.meaning not in meanings:
        known = f"there is {', '.join(meanings)}" if meanings else "it lists none of this word"
        raise InputError(
            f"The dictionary has no meaning “{request.meaning[:40]}” of “{word[:40]}”; {known}.",
            field="meaning",
        )
    if typed:
        return [typed]
    entry_word, sense = meanings[request.meaning]
    return [find_mention(entry_word, sentence) for sentence in sense.examples or sense.sentences]


def _meanings_of(word: str) -> dict[str, tuple[str, Sense]]:
    """Return the meanings of a word with several, by short name, each with its word."""
    senses = senses_of(bundled_lexicon().find(word.strip()))
    if len(senses) < 2:
        return {}
    names = dict.fromkeys(sense.key for _, sense in senses)
    # Where two words share a name, as rise and rose may, the meaning of the first word is used.
    return {name: next(pair for pair in senses if pair[1].key == name) for name in names}


def _judged(
    query_uses: Sequence[Use],
    hits: Sequence[NearUse],
    request: NearestRequest,
    search: _Search,
    loaded: LoadedModel,
) -> tuple[str, float | None, list[NearUse]]:
    """Return the meaning of the use asked about, its probability, and the hits with theirs.

    Where the sense embedding compares, it decides the order of the hits.
    """
    uses = [query_uses[0], *(hit.use for hit in hits)]
    embedded = loaded.senses.embed(uses) if loaded.senses and search.view == MEANINGS else None
    if embedded is not None:
        query = embedded[0]
        if len(query_uses) > 1:
            query = unit(loaded.sense_model.embed(query_uses).mean(axis=0))
        hits = [
            NearUse(hit.use, float(query @ vector))
            for hit, vector in zip(hits, embedded[1:], strict=True)
        ]
    order = sorted(range(len(hits)), key=lambda k: -hits[k].cosine)
    order = order[: None if request.meaning else request.n]
    rows = [0, *(k + 1 for k in order)]
    (sense, probability), *senses = _senses(
        loaded.senses, [uses[k] for k in rows], None if embedded is None else embedded[rows]
    )
    near = [
        _near_use(query_uses[0], hits[k], meaning) for k, meaning in zip(order, senses, strict=True)
    ]
    return sense, probability, near


def _cosine_of_random_words(search: _Search, loaded: LoadedModel, index: UseIndex | None) -> float:
    """Return the mean cosine of two random words in the view, from the index if it is there."""
    if search.view != MEANINGS:
        return loaded.random_pair[search.layer]
    if index is None:
        return random_features(loaded)
    return loaded.cache.once(f"random pair in {index.folder}", lambda: _random_pair(loaded, index))


def _search_of(request: NearestRequest, loaded: LoadedModel, own_index: UseIndex | None) -> _Search:
    """Check a request, and choose the source and the view by default."""
    if request.only not in _WORD_FILTERS:
        raise InputError(
            f"Choose {', '.join(_WORD_FILTERS)}, not “{request.only[:40]}”.", field="only"
        )
    if request.meaning and request.only == "other":
        message = "Choose all or same: the meaning belongs to this word."
        raise InputError(message, field="only")
    check_count(request.n, _MAX_SHOWN, "n", "uses")
    views = (MEANINGS, *loaded.names) if loaded.senses else loaded.names
    view = request.layer or (MEANINGS if loaded.senses else loaded.names[loaded.shown_layer])
    check_choice(view, views, "layer", "layer")
    # An index holds the vectors of one model.
    fits = own_index is not None and own_index.description.checksum == loaded.encoder.checksum
    own = own_index if fits else None
    sources = (DICTIONARY, own.description.title) if own else (DICTIONARY,)
    source = request.source or sources[-1]
    check_choice(source, sources, "collection", "source")
    return _Search(
        source=source,
        sources=sources,
        own=own if source != DICTIONARY else None,
        view=view,
        views=views,
        layer=loaded.shown_layer if view == MEANINGS else loaded.names.index(view),
        only="same" if request.meaning else request.only,
        n=_MAX_JUDGED
        if request.meaning
        else max(request.n, _N_RERANKED if view == MEANINGS else 0),
    )


def _hits(
    query_uses: Sequence[Use], search: _Search, loaded: LoadedModel, index: UseIndex | None
) -> tuple[list[NearUse], int]:
    """Search an index and the examples of the word; return how many uses were searched, too."""
    use = query_uses[0]
    vector = unit(_at_layer(loaded, query_uses, search.layer).mean(axis=0))
    hits: list[NearUse] = []
    n_searched = 0
    if index is not None:
        hits += index.search(vector, search.layer, search.n, use.token, search.only, use.sentence)
        n_searched = len(index.rows_of(use.token)) if search.only == "same" else len(index)
    if search.source == DICTIONARY and search.only != "other":
        seen = {use.sentence, *(hit.use.sentence for hit in hits)}
        examples = {
            example.sentence: example
            for example, _, _ in example_uses(bundled_lexicon().find(use.token))
            if example.sentence not in seen
        }
        n_searched += len(examples)
        if examples:
            more = list(examples.values())
            cosines = _at_layer(loaded, more, search.layer) @ vector
            hits += map(NearUse, more, cosines.tolist())
    return hits, n_searched


def _near_use(use: Use, hit: NearUse, meaning: tuple[str, float | None]) -> NearUse:
    sense, probability = meaning
    whole = _whole_phrase(use, hit.use)
    is_same = are_inflections(use.token.casefold(), hit.use.word.casefold())
    return NearUse(
        use=whole or hit.use,
        cosine=round(min(1.0, hit.cosine), 6),
        same_word=whole is not None or is_same,
        sense=sense,
        probability=probability,
    )


def _whole_phrase(phrase: Use, found: Use) -> Use | None:
    """Return the use of a phrase that a found word is a part of, if it is one.

    Single words are searched: of *run out*, the *out* of *We ran out of milk*.
    """
    if phrase.token_end - phrase.token_start == 1:
        return None
    tokens = tokenize(found.sentence)
    if tuple(token.text for token in tokens) != found.tokens:
        return None
    for place in Pattern.of(phrase.token).places([folded(token) for token in found.tokens]):
        if place.start <= found.token_start and found.token_end <= place.end:
            return Use.in_sentence(found.sentence, tokens, place.start, place.end)
    return None


def _index_of_dictionary(
    loaded: LoadedModel, progress: Progress | None, *, wait: bool
) -> UseIndex | None:
    """Return the index of the dictionary, or ``None`` while another thread makes it.

    With ``wait`` it is returned in any case.
    """

    def made(report: Progress | None = None) -> UseIndex:
        return loaded.cache.once("index", lambda: _dictionary_index(loaded.encoder, report))

    if wait:
        return made(progress)
    thread = loaded.cache.once("index thread", lambda: threading.Thread(target=made, daemon=True))
    with contextlib.suppress(RuntimeError):  # an earlier request already started it
        thread.start()
    thread.join(_INDEX_WAIT_SECONDS)
    return None if thread.is_alive() else made(progress)


def _random_pair(loaded: LoadedModel, index: UseIndex) -> float:
    """Return the mean cosine of two random words of the index, by sense embedding."""
    embedded = loaded.sense_model.embed(index.some_words(_N_RANDOM))
    cosines = (embedded @ embedded.T)[np.triu_indices(len(embedded), 1)]
    return float(cosines.mean()) if len(cosines) else 0.0


@cache
def _one_of_each_meaning() -> list[str]:
    """Return the first example of each meaning of the dictionary."""
    first = (sense.sentences[0] for entry in bundled_lexicon().values() for sense in entry.senses)
    return list(dict.fromkeys(sentence.replace("[", "").replace("]", "") for sentence in first))


def _at_layer(loaded: LoadedModel, uses: Sequence[Use], layer: int) -> Vectors:
    return unit(with_mean(use_vectors(loaded.encoder, uses))[layer].numpy())


def _senses(
    model: SenseModel | None, uses: Sequence[Use], embedded: Vectors | None
) -> list[tuple[str, float | None]]:
    """Return each use's meaning, empty if unknown, and its probability if predicted.

    ``embedded`` are the sense embeddings ``[n, H]`` of the uses, if they have been computed.
    """
    examples = [known_meanings().get((use.sentence, use.char_start)) for use in uses]
    senses: list[tuple[str, float | None]] = [
        (meaning[1].key if meaning else "", None) for meaning in examples
    ]
    unknown: dict[tuple[Entry, ...], list[int]] = {}
    for k, use in enumerate(uses):
        entries = bundled_lexicon().find(use.word)
        if not senses[k][0] and len(senses_of(entries)) > 1:
            unknown.setdefault(entries, []).append(k)
    if model is None:
        return senses
    for entries, rows in unknown.items():
        of_entries = [uses[k] for k in rows]
        vectors = model.embed(of_entries) if embedded is None else embedded[rows]
        found = meanings_of_uses(model, of_entries, vectors, entries)
        for k, meaning in zip(rows, found, strict=True):
            name = (
                ANOTHER_MEANING if meaning.best is None else senses_of(entries)[meaning.best][1].key
            )
            senses[k] = (name, meaning.probability)
    return senses


def _dictionary_index(encoder: Encoder, progress: Progress | None) -> UseIndex:
    """Open the index of the dictionary, in a temporary folder if the cache is not writable."""
    sentences = _one_of_each_meaning()
    name = f"{encoder.checksum[:16]}-{text_key(sentences)}"
    share = None if progress is None else partial(progress, "Reading the example sentences once")
    for place in (cache_folder(), temporary_cache()):
        folder = place / "uses" / name
        for _ in range(2):
            try:
                return build_index(
                    encoder, sentences, folder, DICTIONARY, progress=share, wait=True
                )
            except (ConfigError, DataError) as error:
                _log.warning("%s; it is made again", error)
                shutil.rmtree(folder, ignore_errors=True)
            except OSError as error:
                _log.warning("%s cannot be written: %s", folder, error)
                break
    raise InputError(
        "The example sentences cannot be searched: no folder takes their vectors. Whoever runs"
        f" this app can name one that can be written in ${CACHE_VARIABLE}.",
        field="source",
    )


def static_neighbours(word: str, n: int, vectors: StaticVectors) -> StaticNeighbours:
    """Implement :meth:`elmo_tasks.api.Service.static_neighbours`."""
    check_word(word)
    check_count(n, _MAX_SHOWN, "n", "neighbours")
    word = word.strip()
    neighbours = _neighbours(word, n, vectors)
    if not neighbours:
        message = (
            f"“{word[:40]}” is not among the {len(vectors):,} words that have a static vector here."
        )
        raise InputError(message, field="word")
    return StaticNeighbours(
        word=word, vectors=vectors.name, vocabulary=len(vectors), neighbours=neighbours
    )


def _neighbours(word: str, n: int, vectors: StaticVectors) -> tuple[StaticNeighbour, ...]:
    """Return the ``n`` words nearest to a word; none to an unknown one."""
    if word not in vectors:
        return ()
    return tuple(
        StaticNeighbour(other, round(value, 6)) for other, value in vectors.nearest(word, n)
    )
