"""Functions that ``from elmo_tasks import …`` provides beside the encoder.

They call the method of the same name of a :class:`Session`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from elmo_tasks.api import (
    Comparison,
    NearestRequest,
    NearestUses,
    SentenceComparison,
    SideBySide,
    TextSenses,
)
from elmo_tasks.encoders.sentences import checked_text, checked_texts
from elmo_tasks.errors import InputError
from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.service.session import Session


@lru_cache(maxsize=2)  # A model and its calibration stay in memory between calls.
def _loaded(
    model: str | None, device: str | None, may_measure: bool, others: tuple[str, ...]
) -> LoadedModels:
    return LoadedModels(model=model, device=device, others=others, may_measure=may_measure)


def _session(
    model: str | Path | None,
    device: str | None,
    calibration: bool = True,
    others: tuple[str, ...] = (),
    lexicon: str | Path | None = None,
    index: str | Path | None = None,
    static: str | Path | None = None,
) -> Session:
    """Return a session by a model; its models are those of the last sessions, if possible."""
    name = None if model is None else str(model)
    loaded = _loaded(name, device, calibration, others)
    return Session(loaded, lexicon=lexicon, index=index, static=static)


def compare(
    word: str,
    sentences: Iterable[str],
    model: str | Path | None = None,
    device: str | None = None,
    calibration: bool = True,
    lexicon: str | Path | None = None,
) -> Comparison:
    """Compare the uses of a word: its meanings, and the cosines at every layer.

    The first call loads the model and keeps it.

    Args:
        word: the word to look at; inflected forms match, too.
        sentences: 2 to 12 sentences that have it; ``[brackets]`` in one mark another word there.
        model: name or folder of an encoder; the bundled biLM if ``None``.
        device: where to compute; by default a GPU if there is one.
        calibration: whether to calibrate, once, a model that has no calibration, in a minute or
            two; else it names no meanings.
        lexicon: dictionary file whose entries add to those of the program, or take their place.

    Returns:
        ``message`` is the answer in plain words, ``uses[k].meaning`` the meaning of a use,
        ``layers[k].cosine`` the matrix of a layer, ``to_dict()`` what ``--json`` prints.

    Raises:
        InputError: the word is not in a sentence, or there are too few, too many or too long ones.
        ConfigError: there is no such model.
        WeightsError: its weights are missing or broken.
        DataError: the dictionary file breaks the format.
    """
    session = _session(model, device, calibration, lexicon=lexicon)
    return session.compare(word, checked_texts(sentences))


def disambiguate(
    text: str,
    model: str | Path | None = None,
    device: str | None = None,
    lexicon: str | Path | None = None,
) -> TextSenses:
    """Find the meaning of each word of a text for which the dictionary lists several.

    The text has up to 20,000 characters; all else is as for :func:`compare`. The result has
    ``words``, each with its place in the text and its likeliest ``meaning``; its ``to_dict()`` is
    what the command ``senses`` prints.
    """
    session = _session(model, device, lexicon=lexicon)
    return session.disambiguate(checked_text(text, "The text", "text"))


def side_by_side(
    word: str,
    sentences: Iterable[str],
    models: Sequence[str | Path],
    device: str | None = None,
    calibration: bool = True,
    lexicon: str | Path | None = None,
) -> SideBySide:
    """Compare the uses of a word by two or three models, each with its own calibration.

    ``models`` are names or folders of up to three encoders (biLMs, static vectors, transformers),
    each with a name of its own; all else is as for :func:`compare`. The result has a comparison for
    each model, and a line on which models agree.
    """
    if isinstance(models, str):
        message = f"models: expected a list of names or folders, found one string: {models!r:.60}"
        raise InputError(message, field="model")
    places = list(map(str, models))
    first, *others = dict.fromkeys(places) or [None]
    named = tuple(filter(None, others))
    session = _session(first, device, calibration, named, lexicon=lexicon)
    return session.side_by_side(word, checked_texts(sentences), places)


def sentence_similarity(
    sentences: Iterable[str], model: str | Path | None = None, device: str | None = None
) -> SentenceComparison:
    """Compare 2 to 12 whole sentences; models, devices and errors are as for :func:`compare`.

    The mean of the words at each layer gives one vector per sentence. A model that was trained for
    it also gives its own sentence embedding, if it is a folder in the format of the package
    sentence-transformers, which must be installed. In the result, ``layers[k].cosine`` is the
    matrix of a layer, and ``message.details`` states what such cosines can tell, as measured.
    """
    return _session(model, device).sentence_similarity(checked_texts(sentences))


def nearest(
    word: str,
    sentence: str = "",
    index: str | Path | None = None,
    n: int = 15,
    layer: str | None = None,
    only: str = "all",
    model: str | Path | None = None,
    device: str | None = None,
    static: str | Path | None = None,
    meaning: str = "",
) -> NearestUses:
    """Find the uses of any word that are nearest to a word in a sentence.

    Args:
        word: the word to look at.
        sentence: a sentence that has it; ``[brackets]`` mark which word is meant. It may be left
            out where a ``meaning`` is given.
        index: folder that ``elmo-tasks index`` wrote, to search your own text. If ``None``,
            examples of the dictionary, which the first call encodes (half a minute for the bundled
            model) and keeps in your cache folder.
        n: how many uses, 1 to 50.
        layer: name of the layer (``"0"``, ``"1"``, …, ``"mean"``), or ``"meanings"``, the sense
            embedding, as for ``None``.
        only: ``"same"`` for uses of this word, ``"other"`` for other words, ``"all"``.
        model: see :func:`compare`.
        device: see :func:`compare`.
        static: name or folder of static vectors, or a file of word2vec, GloVe or fastText, for the
            words beside the uses; the bundled ones if ``None``.
        meaning: short name of a meaning of the word in the dictionary (``"river"``), for uses in
            this meaning only. Of more than 300 uses, the nearest 300 to the sentence, or without
            one to the dictionary's examples of the meaning, have their meaning computed.

    Returns:
        ``uses`` nearest first, each with its sentence and cosine, and ``static``, the word's
        neighbours among static vectors.

    Raises:
        InputError: the word is not in the sentence, or there is no such layer or meaning.
        DataError: the folder does not hold an index, or its vectors are by another model.
    """
    session = _session(model, device, index=index, static=static)
    if index is not None:
        session.check_index()
    request = NearestRequest(
        word=word, sentence=sentence, layer=layer, only=only, n=n, meaning=meaning
    )
    return session.nearest(request)
