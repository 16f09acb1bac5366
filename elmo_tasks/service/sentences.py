"""Comparisons of whole sentences by their sentence vectors."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from torch import Tensor

from elmo_tasks.api import LIMITS, SentenceComparison, SentenceLayer
from elmo_tasks.encoders import Encoder
from elmo_tasks.encoders.sentence_transformer import SentenceModel, gives_sentences
from elmo_tasks.encoders.sentences import checked_texts
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import layer_names
from elmo_tasks.messages.answers import closest, limits_of
from elmo_tasks.senses.sentences import SentenceTest, score_vectors, sentence_vectors, sentences_of_test
from elmo_tasks.senses.similarity import cosine_matrix
from elmo_tasks.service.asked_uses import check_length, check_number
from elmo_tasks.service.comparisons import rounded
from elmo_tasks.service.loaded_models import LoadEncoder
from elmo_tasks.text.tokens import tokenize

#: Layer name for the sentence embedding of a model that was trained to provide one.
SENTENCE = "sentence"


class Sentences:
    """Implements :class:`elmo_tasks.api.SentenceService`; measures a model on first use."""

    def __init__(self, load: LoadEncoder) -> None:
        self._load = load
        self._tests: dict[str, tuple[SentenceTest, ...]] = {}
        self._trained: dict[str, SentenceModel | None] = {}
        self._lock = threading.Lock()

    def compare(self, sentences: Sequence[str], model: str | None = None) -> SentenceComparison:
        """Implement :meth:`elmo_tasks.api.SentenceService.compare`."""
        sentences = checked_texts(sentences)
        check_number(sentences)
        for k, sentence in enumerate(sentences, 1):
            check_length(sentence, f"sentence {k}", f"Sentence {k}")
            n_tokens = len(tokenize(sentence))
            if not 1 <= n_tokens <= LIMITS.max_tokens:
                said = "is empty" if not n_tokens else f"has {n_tokens:,} words; the most is {LIMITS.max_tokens}"
                raise InputError(f"Sentence {k} {said}.", field=f"sentence {k}")
        encoder = self._load(model)
        tests = self._tested(encoder)
        names = (*layer_names(encoder.n_layers), *([SENTENCE] if self._trained[encoder.name] else []))
        layers = tuple(
            SentenceLayer(
                name, rounded(cosine_matrix(vectors)), test.unconnected, test.reworded, test.related, test.triples
            )
            for name, vectors, test in zip(names, self._vectors(encoder, sentences), tests, strict=True)
        )
        # Reversed, as max keeps the first of equals: of equally good layers, show the highest.
        best = max(reversed(layers), key=lambda layer: (layer.reworded + layer.related, layer.name == SENTENCE))
        return SentenceComparison(
            encoder.name,
            tuple(sentences),
            layers,
            best.name,
            closest(best.cosine, best.unconnected, best.name),
            limits_of(encoder.name, best.reworded, best.related, best.tests),
        )

    def _tested(self, encoder: Encoder) -> tuple[SentenceTest, ...]:
        with self._lock:
            if encoder.name not in self._tests:
                trained = encoder.folder if gives_sentences(encoder.folder) else None
                self._trained[encoder.name] = None if trained is None else SentenceModel(trained, encoder.device)
                self._tests[encoder.name] = tuple(map(score_vectors, self._vectors(encoder, sentences_of_test())))
            return self._tests[encoder.name]

    def _vectors(self, encoder: Encoder, sentences: Sequence[str]) -> list[Tensor]:
        """Return ``[n, D]`` for each kind of sentence vector."""
        trained = self._trained[encoder.name]
        found = list(sentence_vectors(encoder, sentences))
        return found if trained is None else [*found, trained.vectors(sentences)]
