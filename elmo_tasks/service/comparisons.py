"""Comparisons of the uses of a word, by one model or by several, and of whole sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor

from elmo_tasks import api
from elmo_tasks.encoders import Encoder
from elmo_tasks.encoders.sentences import checked_texts
from elmo_tasks.encoders.transformer_files import SentenceModel, gives_sentences
from elmo_tasks.encoders.use_vectors import read_uses
from elmo_tasks.errors import InputError
from elmo_tasks.layers import layer_names, with_mean
from elmo_tasks.messages import meanings
from elmo_tasks.messages.answers import agreement_answer, no_sentence_answer, sentences_answer
from elmo_tasks.senses.entries import Entry
from elmo_tasks.senses.judging import Judged, judge, likely_spelling, not_english
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.sentences import (
    SentenceTest,
    score_vectors,
    sentence_vectors,
    sentences_of_test,
)
from elmo_tasks.senses.similarity import cosine_matrix
from elmo_tasks.service.examples import known_meanings
from elmo_tasks.service.further_views import rounded, views_of
from elmo_tasks.service.loaded_models import LoadedModel, LoadedModels, OnceCache
from elmo_tasks.service.validation import check_number, checked_tokens, find_uses
from elmo_tasks.text.phrases import Pattern
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Mention
from elmo_tasks.text.word_forms import are_inflections, differ_in_hyphens_or_accents, folded

#: Layer name for the sentence embedding of a model that was trained to provide one.
SENTENCE = "sentence"


def compare_uses(
    word: str,
    mentions: Sequence[Mention],
    loaded: LoadedModel,
    own_meanings: Sequence[Entry] = (),
    heads: Sequence[tuple[str, api.LayerWeights]] = (),
) -> api.Comparison:
    """Implement :meth:`elmo_tasks.api.Service.compare` for given uses.

    The uses are also compared by the mixes of the ``heads``.
    """
    encoder = loaded.encoder
    senses = loaded.senses
    lexicon = bundled_lexicon()
    read = read_uses(encoder, mentions, with_norms=True)
    layers = _layers(loaded, with_mean(read.layers), read.token_norms)
    spellings = [spelling(mention) for mention in mentions]
    is_one_word = are_one_word(spellings)
    judged = Judged(api.MeaningSource.NONE)
    embedded = None
    if not encoder.reads_sentence:
        message = no_sentence_answer(encoder.name, one_spelling=len(set(spellings)) == 1)
    elif senses is None:
        message = meanings.uncalibrated_answer(encoder.name)
    elif not is_one_word:
        shown = layers[loaded.shown_layer]
        words = [mention.word for mention in mentions]
        message = meanings.different_words_answer(words, shown.cosine, shown.random_pair_cosine)
    elif language := not_english(loaded.static, [use.sentence for use in mentions]):
        message = meanings.not_english_answer(language)
    else:
        name = word.strip() if are_one_word([spellings[0], word.strip()]) else spellings[0]
        embedded = senses.embed_read(mentions, read)
        judged = judge(senses, mentions, embedded, name, lexicon, own_meanings)
        is_unlisted = judged.source is api.MeaningSource.UNLISTED
        likely = likely_spelling(loaded.static, lexicon, name) if is_unlisted else ""
        message = _answer(word, name, spellings, judged, mentions, likely)
    return api.Comparison(
        word=word.strip(),
        model=encoder.name,
        uses=_judged_uses(mentions, judged),
        layers=layers,
        message=message,
        verdict_layer=layers[loaded.shown_layer].name,
        n_words=len(lexicon.ambiguous),
        spellings_differ=not is_one_word,
        views=views_of(loaded, mentions, read.layers, embedded, heads),
        source=judged.source,
        meanings=judged.meanings,
        groups=judged.groups,
        certainty=judged.certainty,
        probability=judged.probability,
        same_meaning=judged.same_meaning,
    )


def _answer(
    word: str,
    name: str,
    spellings: Sequence[str],
    judged: Judged,
    mentions: Sequence[Mention],
    spelling: str,
) -> api.Message:
    """State the meanings of uses that were judged under ``name``, a form of ``word``.

    ``spelling`` is the word that an unlisted one may be a misspelling of.
    """
    n = len(mentions)
    if len(typed := tokenize(word)) > 1 and typed[0].text.lower() == name.lower():
        name = word.strip()  # can't, of which the first token is compared
    if judged.source is api.MeaningSource.ONE_MEANING:
        known = next(iter(judged.meanings), None)
        return meanings.one_meaning_answer(name, n, judged.certainty, known)
    if judged.source is api.MeaningSource.UNLISTED:
        is_capital = all(mention.token[:1].isupper() for mention in mentions)
        capital = [written for written in spellings if written[:1].isupper()]
        return meanings.unlisted_answer(
            name,
            n,
            judged.probability,
            judged.certainty,
            is_same=bool(judged.groups),
            # What is all in capitals (COVID, NASA) is rather an abbreviation.
            is_name=is_capital and any(not written.isupper() for written in capital),
            spelling=spelling,
        )
    chosen = [judged.meanings[use.best] for use in judged.of_uses if use.best is not None]
    return meanings.meanings_answer(
        name,
        judged.of_uses,
        judged.probability,
        judged.certainty,
        in_expression=" " not in name
        and any(meaning.part_of_speech == "expression" for meaning in chosen),
    )


def _judged_uses(mentions: Sequence[Mention], judged: Judged) -> tuple[api.JudgedUse, ...]:
    """Join the uses with their meanings, where these are known."""
    of_uses = judged.of_uses or (api.NO_MEANING,) * len(mentions)
    return tuple(
        api.JudgedUse(mention, judged.meanings, meant)
        for mention, meant in zip(mentions, of_uses, strict=True)
    )


def substitutes(word: str, mentions: Sequence[Mention], loaded: LoadedModel) -> api.Substitutes:
    """Implement :meth:`elmo_tasks.api.Service.substitutes` for given uses."""
    if loaded.expected is None:
        raise InputError(
            f"“{loaded.encoder.name}” gives vectors but does not predict words: it has no output"
            " layer. Choose another model for this.",
            field="model",
        )
    predicted = loaded.expected.candidates(mentions, read_uses(loaded.encoder, mentions))
    return api.Substitutes(
        word=word.strip(),
        model=loaded.encoder.name,
        uses=tuple(mentions),
        candidates=tuple(
            tuple(api.Candidate(other, round(probability, 6)) for other, probability in row)
            for row in predicted
        ),
    )


def _layers(
    loaded: LoadedModel, views: Tensor, token_norms: Sequence[Tensor]
) -> tuple[api.LayerComparison, ...]:
    """Convert ``[L + 1, n, D]`` vectors, the mean last, and lengths ``[L + 1, T]``."""
    return tuple(
        api.LayerComparison(
            name=name,
            cosine=rounded(cosine_matrix(vectors)),
            norms=rounded(vectors.norm(dim=-1)),
            random_pair_cosine=random,
            sees=loaded.encoder.layer_names[0] if name == "0" else "",
            token_norms=tuple(rounded(norms[k], 4) for norms in token_norms),
        )
        for k, (name, vectors, random) in enumerate(
            zip(loaded.names, views, loaded.random_pair, strict=True)
        )
    )


def spelling(mention: Mention) -> str:
    """Return the word as written, without a capital due only to the start of a sentence."""
    text = mention.token
    starts = all(not token[0].isalnum() for token in mention.tokens[: mention.token_start])
    return text[:1].lower() + text[1:] if starts and text[1:] == text[1:].lower() else text


def are_one_word(spellings: Sequence[str]) -> bool:
    """Return True if all are forms of one word, in capital or small letters (apple, Apple)."""
    first, *others = dict.fromkeys(map(folded, spellings))
    pattern = Pattern.of(first, splits=True)
    return all(
        are_inflections(first, other)
        or differ_in_hyphens_or_accents(first, other)
        or (" " in first and pattern.end_at(other.split(), 0) == len(other.split()))
        for other in others
    )


def side_by_side(
    word: str,
    sentences: Sequence[str],
    models: Sequence[str],
    loaded: LoadedModels,
    senses: Sequence[str] = (),
    own_meanings: Sequence[Entry] = (),
    heads_of: Callable[[Encoder], Sequence[tuple[str, api.LayerWeights]]] = lambda encoder: (),
) -> api.SideBySide:
    """Implement :meth:`elmo_tasks.api.Service.side_by_side`.

    ``heads_of`` gives the heads that mix the layers of a model.
    """
    names = [loaded.allowed(model) for model in models]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not 1 <= len(names) <= api.LIMITS.max_models or twice:
        had = f"is “{twice}” twice" if twice else f"are {len(names) or 'none'}"
        raise InputError(
            f"Choose one to {api.LIMITS.max_models} different models; there {had}.", field="model"
        )
    mentions = find_uses(word, sentences)
    if len(senses) not in (0, len(mentions)):
        expected = f"Expected a meaning for each of the {len(mentions)} sentences"
        raise InputError(f"{expected}, found {len(senses)}.", field="senses")
    gold = tuple(senses) or known_senses(mentions)
    models_read = [loaded.model(name) for name in names]
    comparisons = tuple(
        compare_uses(word, mentions, model, own_meanings, heads_of(model.encoder))
        for model in models_read
    )
    right = tuple(is_right(comparison, gold) for comparison in comparisons)
    groupings = {
        one.model: api.partition(one.groups) if one.groups else None for one in comparisons
    }
    correct = (
        [name for name, is_correct in zip(groupings, right, strict=True) if is_correct]
        if gold
        else None
    )
    message = agreement_answer(groupings, correct) if len(names) > 1 else api.NO_MESSAGE
    return api.SideBySide(comparisons=comparisons, senses=gold, right=right, message=message)


def is_right(comparison: api.Comparison, senses: Sequence[str]) -> bool | None:
    """Return whether the groups match the meanings; ``None`` without either."""
    if not senses or not comparison.groups:
        return None
    return api.partition(comparison.groups) == api.partition(api.group_by(senses).values())


def known_senses(mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the meaning of each use if all sentences are examples of one word; else nothing."""
    meanings = [
        known_meanings().get((mention.sentence, mention.char_start)) for mention in mentions
    ]
    one_word = len({meaning and meaning[0] for meaning in meanings}) == 1
    return tuple(meaning[1].key for meaning in meanings if meaning) if one_word else ()


def compare_sentences(
    sentences: Sequence[str], encoder: Encoder, cache: OnceCache
) -> api.SentenceComparison:
    """Implement :meth:`elmo_tasks.api.Service.sentence_similarity`; tests are cached."""
    sentences = checked_texts(sentences)
    check_number(sentences)
    for k, sentence in enumerate(sentences, 1):
        checked_tokens(sentence, f"sentence {k}", f"Sentence {k}", "is empty.")
    trained, tests = cache.once(encoder.name, lambda: _test_sentences(encoder))
    names = (*layer_names(encoder.n_layers), *([SENTENCE] if trained else []))
    layers = []
    for name, vectors, test in zip(
        names, _sentence_vectors(encoder, trained, sentences), tests, strict=True
    ):
        layer = api.SentenceLayer(
            name=name,
            cosine=rounded(cosine_matrix(vectors)),
            unconnected=test.unconnected,
            reworded=test.reworded,
            related=test.related,
            tests=test.triples,
        )
        layers.append(layer)
    # Reversed, as max keeps the first of equals: of equally good layers, show the highest.
    best = max(
        reversed(layers), key=lambda layer: (layer.reworded + layer.related, layer.name == SENTENCE)
    )
    return api.SentenceComparison(
        model=encoder.name,
        sentences=tuple(sentences),
        layers=tuple(layers),
        shown=best.name,
        message=sentences_answer(best, encoder.name),
    )


def _test_sentences(encoder: Encoder) -> tuple[SentenceModel | None, tuple[SentenceTest, ...]]:
    """Return the encoder's own model of sentences, if any, and a test of each kind of vector."""
    folder = encoder.folder
    trained = SentenceModel(folder, encoder.device) if folder and gives_sentences(folder) else None
    return trained, tuple(
        map(score_vectors, _sentence_vectors(encoder, trained, sentences_of_test()))
    )


def _sentence_vectors(
    encoder: Encoder, trained: SentenceModel | None, sentences: Sequence[str]
) -> list[Tensor]:
    """Return ``[n, D]`` for each kind of sentence vector."""
    return [
        *sentence_vectors(encoder, sentences),
        *([trained.vectors(sentences)] if trained else []),
    ]
