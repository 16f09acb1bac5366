"""What the Present tab asks for beside comparisons: static neighbours, and a meaning that forms word by word."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_tasks.api import GallerySense, IncrementalReading, ReadingStep, StaticNeighbour, StaticNeighbours
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.gallery import gallery, gallery_words
from elmo_tasks.senses.two_senses import TwoSenses
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.serving.asked_uses import check_length
from elmo_tasks.serving.comparisons import rounded
from elmo_tasks.serving.loaded_models import LoadedModel, LoadModel, LoadStatic
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import are_inflections
from elmo_tasks.uses import Use, UseVectors, read_uses

#: Every word is read with all words before it: the work grows with the square of this.
MOST_WORDS = 40
MOST_NEIGHBOURS = 50


class Presentation:
    """Answers what is shown to an audience. Nothing is loaded or computed before it is asked for."""

    def __init__(self, load: LoadModel, static: LoadStatic) -> None:
        self._load, self._static = load, static
        self._known: dict[tuple[str, str], tuple[list[tuple[str, ...]], list[str], Tensor, Tensor]] = {}

    def senses(self, word: str) -> tuple[GallerySense, ...]:
        """See :meth:`elmo_tasks.api.PresentService.senses`."""
        wanted = _gallery_word(word.strip().lower())
        found: dict[str, list[str]] = {}
        glosses: dict[str, str] = {}
        for use in gallery():
            if use.word == wanted:
                found.setdefault(use.sense, []).append(use.sentence)
                glosses[use.sense] = use.gloss
        return tuple(GallerySense(wanted, name, glosses[name], tuple(sentences)) for name, sentences in found.items())

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """See :meth:`elmo_tasks.api.PresentService.neighbours`."""
        check_word(word)
        if not 1 <= n <= MOST_NEIGHBOURS:
            raise InputError(f"Between 1 and {MOST_NEIGHBOURS} neighbours can be shown, not {n}.", field="n")
        vectors = self._static()
        if word.strip() not in vectors:
            raise InputError(
                f"“{word.strip()[:40]}” is not among the {len(vectors):,} words that have a static vector here.",
                field="word",
            )
        near = tuple(StaticNeighbour(other, round(value, 6)) for other, value in vectors.nearest(word.strip(), n))
        return StaticNeighbours(word.strip(), vectors.name, len(vectors), near)

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> IncrementalReading:
        """See :meth:`elmo_tasks.api.PresentService.forms`."""
        check_length(sentence, "sentence 1")
        mention = find_mention(word, sentence, field="sentence 1")
        tokens = mention.tokens
        if len(tokens) > MOST_WORDS:
            raise InputError(
                f"The sentence has {len(tokens)} words; the most is {MOST_WORDS} here. Shorten it.", field="sentence 1"
            )
        chosen = self._two(word, senses)
        loaded = self._load(model)
        layer = loaded.calibration.verdict_layer
        texts, names, vectors, seen = self._uses(loaded, chosen[0].word)
        kept = [
            [k for k, name in enumerate(names) if name == sense.name and texts[k] != tokens] for sense in chosen
        ]  # the sentence itself may be one of the examples
        poles = TwoSenses.of(*(seen[rows] for rows in kept))
        alone, letters = (TwoSenses.of(*(with_mean(vectors)[at][rows] for rows in kept)) for at in (layer, 0))
        read = range(mention.token_start + 1, len(tokens) + 1)
        so_far = [Use.of_tokens(tokens[:n], mention.token_start) for n in read]
        cosines = poles.cosines(_as_the_verdict(loaded, so_far, read_uses(loaded.encoder, so_far)))
        differences = cosines[:, 0] - cosines[:, 1]
        steps = tuple(
            ReadingStep(n, pair, None if side is None else chosen[side].name)
            for n, pair, side in zip(read, rounded(cosines), poles.sides(differences), strict=True)
        )
        known = tuple(map(rounded, poles.known))
        return IncrementalReading(
            word=word.strip(),
            model=loaded.encoder.name,
            layer=loaded.names[layer],
            sentence=mention.sentence,
            tokens=tokens,
            offsets=tuple((token.start, token.end) for token in tokenize(mention.sentence)),
            index=mention.token_start,
            senses=chosen,
            steps=steps,
            known=(known[0], known[1]),
            middle=round(poles.middle, 6),
            right=poles.right,
            right_by_spelling=letters.right,
            can_tell=poles.can_tell,
            read_from=_read_from(loaded),
            right_by_layer=alone.right,
        )

    def _two(self, word: str, senses: Sequence[str] | None) -> tuple[GallerySense, GallerySense]:
        check_word(word)
        offered = {sense.name: sense for sense in self.senses(word)}
        if len(offered) < 2:
            raise InputError(f"“{word.strip()[:40]}” is not among the words whose senses are known here.", field="word")
        names = list(offered)[:2] if not senses else list(senses)
        if len(names) != 2 or names[0] == names[1] or not set(names) <= set(offered):
            raise InputError(f"Choose two different senses of “{word.strip()}”: {', '.join(offered)}.", field="senses")
        return offered[names[0]], offered[names[1]]

    def _uses(self, loaded: LoadedModel, word: str) -> tuple[list[tuple[str, ...]], list[str], Tensor, Tensor]:
        """The gallery's uses of a word: tokens, names of the senses, ``[L, n, D]`` layers, ``[n, S]`` as the verdict reads."""
        key = (loaded.encoder.name, word)
        if key not in self._known:
            entries = [entry for entry in gallery() if entry.word == word]
            uses = [gallery_use(entry) for entry in entries]
            senses = [entry.sense for entry in entries]
            read = read_uses(loaded.encoder, uses)
            self._known[key] = ([use.tokens for use in uses], senses, read.layers, _as_the_verdict(loaded, uses, read))
        return self._known[key]


def _read_from(loaded: LoadedModel) -> tuple[str, ...]:
    """What the verdict reads, or the layer that it shows, where it was not measured what to read."""
    selected = loaded.calibration.selected_reading
    return selected.views if selected.same_sense is not None else (loaded.names[loaded.calibration.verdict_layer],)


def _as_the_verdict(loaded: LoadedModel, uses: Sequence[Use], read: UseVectors) -> Tensor:
    """``[n, S]`` the uses as one vector each of all that the verdict reads."""
    calibration = loaded.calibration
    if calibration.selected_reading.same_sense is None:
        return torch.from_numpy(loaded.seen(loaded.names[calibration.verdict_layer], uses, read))
    return torch.from_numpy(calibration.joined(lambda view: loaded.seen(view, uses, read)))


def _gallery_word(word: str) -> str:
    """The word of the gallery that this is, or is an inflection of (tables: table); itself if there is none."""
    known = gallery_words()
    return word if word in known else next((other for other in known if are_inflections(word, other)), word)
