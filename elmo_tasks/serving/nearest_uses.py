"""The nearest uses of any word: in the gallery, or in an index of one's own text."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from elmo_tasks.analysis.calibration import Calibration
from elmo_tasks.api import Limits, NearestUses, NearUse, Progress, StaticNeighbour
from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.corpus.gallery import gallery
from elmo_tasks.corpus.use_index import UseIndex, build_index, text_key
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError, DataError, InputError
from elmo_tasks.serving.present import LoadedModel
from elmo_tasks.text.mentions import Mention, find_mention
from elmo_tasks.text.word_forms import are_inflections

GALLERY = "gallery"
ONLY = ("all", "same", "other")
MOST = 50
_STATIC = 10

_log = logging.getLogger(__name__)


class NearestUse:
    """Answers for the Nearest uses tab. The gallery is encoded when it is first searched, and kept in the user's cache.

    Args:
        load: gives a model by name, the default one for ``None``; raises :class:`InputError` for one that is not on offer.
        index: folder of an index of one's own text, if there is one.
        limits: how much one request may hold.

    Raises:
        DataError: the folder holds no index.
    """

    def __init__(
        self, load: Callable[[str | None], LoadedModel], index: str | Path | None = None, limits: Limits | None = None
    ) -> None:
        self._load, self._limits = load, limits or Limits()
        self._own = UseIndex(index) if index is not None else None
        self._galleries: dict[str, UseIndex] = {}
        self._static: StaticVectors | None = None
        self._lock = threading.Lock()

    def nearest(
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
        """See :meth:`elmo_tasks.api.Service.nearest`."""
        mention = self._mention(word, sentence)
        if only not in ONLY:
            raise InputError(f"Choose {', '.join(ONLY)}, not “{only[:40]}”.", field="only")
        if not 1 <= n <= MOST:
            raise InputError(f"Between 1 and {MOST} uses can be shown, not {n}.", field="n")
        loaded = self._load(model)
        if layer is not None and layer not in loaded.names:
            raise InputError(f"There is no layer “{layer[:40]}”; there is {', '.join(loaded.names)}.", field="layer")
        sources = self._sources(loaded.elmo)
        source = source or sources[-1]
        if source not in sources:
            raise InputError(f"There is no “{source[:40]}” to search; there is {', '.join(sources)}.", field="source")
        index = self._index(loaded.elmo, source, progress)
        at = loaded.calibration.verdict_layer if layer is None else loaded.names.index(layer)
        tokens = [token.text for token in mention.tokens]
        values = loaded.elmo.encode([tokens]).values[:, 0, mention.index].float().cpu()  # [L, D]
        vector = values[at] if at < len(values) else values.mean(dim=0)
        token = mention.token
        forms = index.forms_of(token.text)
        among = None if only == "all" else forms if only == "same" else ~forms
        hits = index.search(vector.numpy(), at, n, among, leave_out=mention.sentence)
        key = token.text.casefold()
        uses = tuple(
            NearUse(
                hit.sentence,
                hit.start,
                hit.end,
                hit.sentence[hit.start : hit.end],
                round(hit.cosine, 6),
                are_inflections(key, hit.sentence[hit.start : hit.end].casefold()),
            )
            for hit in hits
        )
        return NearestUses(
            word=token.text,
            sentence=mention.sentence,
            start=token.start,
            end=token.end,
            model=loaded.elmo.name,
            layer=loaded.names[at],
            layers=loaded.names,
            source=source,
            sources=sources,
            n_tokens=len(index),
            only=only,
            random_pair_cosine=loaded.calibration.layers[at].random_pair_cosine,
            uses=uses,
            static=self._static_neighbours(token.text),
            answer=_answer(token.text, uses, only, loaded.calibration, at),
        )

    def _mention(self, word: str, sentence: str) -> Mention:
        if len(sentence) > self._limits.max_characters:
            raise InputError(
                f"The sentence has {len(sentence):,} characters; the most is {self._limits.max_characters:,}. Shorten it.",
                field="sentence",
            )
        mention = find_mention(word, sentence, field="sentence")
        if len(mention.tokens) > self._limits.max_tokens:
            raise InputError(
                f"The sentence has {len(mention.tokens):,} words; the most is {self._limits.max_tokens}. Shorten it.",
                field="sentence",
            )
        return mention

    def _sources(self, elmo: Elmo) -> tuple[str, ...]:
        """What can be searched with a model: an index holds the vectors of one."""
        if self._own is None or self._own.description.checksum != elmo.checksum:
            return (GALLERY,)
        return (GALLERY, self._own.description.title)

    def _index(self, elmo: Elmo, source: str, progress: Progress | None) -> UseIndex:
        if source != GALLERY and self._own is not None:
            return self._own
        with self._lock:  # two people who ask first wait for one encoding
            if elmo.name not in self._galleries:
                sentences = [use.sentence.replace("[", "").replace("]", "") for use in gallery()]
                folder = cache_folder() / "uses" / f"{elmo.checksum[:16]}-{text_key(sentences)}"
                tell = None if progress is None else lambda share: progress("Reading the example sentences once", share)
                self._galleries[elmo.name] = _opened(elmo, sentences, folder, tell)
            return self._galleries[elmo.name]

    def _static_neighbours(self, word: str) -> tuple[StaticNeighbour, ...]:
        with self._lock:
            if self._static is None:
                self._static = StaticVectors.load()
            if word not in self._static:
                return ()
            return tuple(StaticNeighbour(w, round(value, 6)) for w, value in self._static.nearest(word, _STATIC))


def _opened(elmo: Elmo, sentences: Sequence[str], folder: Path, progress: Callable[[float], None] | None) -> UseIndex:
    try:
        return build_index(elmo, sentences, folder, GALLERY, progress=progress)
    except (DataError, ConfigError) as error:
        if not folder.exists():
            raise
        _log.warning("%s; it is made again", error)
        shutil.rmtree(folder)
        return build_index(elmo, sentences, folder, GALLERY, progress=progress)


def _answer(word: str, uses: Sequence[NearUse], only: str, calibration: Calibration, layer: int) -> str:
    if not uses:
        return (
            f"There is no other use of “{word}” here." if only == "same" else "There is nothing else to compare with."
        )
    random = calibration.layers[layer].random_pair_cosine
    first = uses[0]
    nearest = f"The nearest use is “{first.token}” with a cosine of {first.cosine:.2f}, where two random words have {random:.2f}."
    if only != "all":
        return nearest
    n_same = sum(use.same_word for use in uses)
    which = (
        f"All {len(uses)} nearest uses are of this word too."
        if n_same == len(uses)
        else f"None of the {len(uses)} nearest uses is of this word itself."
        if n_same == 0
        else f"{n_same} of the {len(uses)} nearest uses {'is' if n_same == 1 else 'are'} of this word too."
    )
    return f"{nearest} {which}"
