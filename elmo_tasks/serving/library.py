"""Functions that ``from elmo_tasks import …`` provides beside the encoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from elmo_tasks.api import Comparison, NearestUses, SentenceComparison, SideBySide
from elmo_tasks.encoders.sentences import checked_texts
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import InputError
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.serving.asked_uses import find_uses
from elmo_tasks.serving.comparisons import compare_uses
from elmo_tasks.serving.comparisons import side_by_side as compare_side_by_side
from elmo_tasks.serving.loaded_models import LoadedModels
from elmo_tasks.serving.nearest_uses import NearestSearch
from elmo_tasks.serving.sentences import Sentences


@lru_cache(maxsize=2)  # A model and its calibration stay in memory between calls.
def _loaded(
    model: str | None, device: str | None, others: tuple[str, ...] = (), may_measure: bool = True
) -> LoadedModels:
    return LoadedModels(model, device, others, may_measure)


def compare(
    word: str,
    sentences: Iterable[str],
    model: str | Path | None = None,
    device: str | None = None,
    calibration: bool = True,
) -> Comparison:
    """Compare the uses of a word: its meanings, and the cosines at every layer.

    The first call loads the model and keeps it.

    Args:
        word: the word to look at; inflected forms match, too.
        sentences: 2 to 12 sentences that have it; ``[brackets]`` in one mark another word there.
        model: name or folder of an encoder; the bundled biLM if ``None``.
        device: where to compute; a GPU if there is one and ``None`` is given.
        calibration: whether to calibrate, once, a model that came without a calibration, which takes a minute or two.
            An uncalibrated model predicts no meanings.

    Returns:
        ``verdict`` is the answer in plain words, ``layers[k].cosine`` the matrix of a layer, ``to_dict()`` what ``--json`` prints.

    Raises:
        InputError: the word is not in a sentence, or there are too few, too many or too long ones.
        ConfigError: there is no such model.
        WeightsError: its weights are missing or broken.
    """
    loaded = _loaded(None if model is None else str(model), device, (), calibration)
    return compare_uses(word, find_uses(word, sentences), loaded.model())


def side_by_side(
    word: str,
    sentences: Iterable[str],
    models: Sequence[str | Path],
    device: str | None = None,
    calibration: bool = True,
) -> SideBySide:
    """Compare the uses of a word by two or three models at once.

    Each result rests on the measurements of its own model.

    ``models`` are names or folders of up to three encoders (biLMs, static vectors, transformers); all else is as for
    :func:`compare`.

    Returns:
        ``comparisons``, one for each model; ``agreement``, a line on which models agree.

    Raises:
        InputError: see :func:`compare`; or there are too many models, or one twice.
        ConfigError: there is no such model, or two of them have one name.
        WeightsError: weights are missing or broken.
    """
    if isinstance(models, str):
        raise InputError(
            f"models: expected a list of names or folders, found one string: {models!r:.60}", field="model"
        )
    models = list(models)
    first, *others = dict.fromkeys(map(str, models)) or [None]
    loaded = _loaded(first, device, tuple(filter(None, others)), calibration)
    names = [loaded.name_of(str(model)) for model in models]
    return compare_side_by_side(word, checked_texts(sentences), names, loaded)


def sentence_similarity(
    sentences: Iterable[str], model: str | Path | None = None, device: str | None = None
) -> SentenceComparison:
    """Compare 2 to 12 whole sentences.

    The mean of the words at each layer gives one vector per sentence; a model that was trained for it also gives its
    own sentence embedding.

    The latter needs the package sentence-transformers and a folder in its format. Models and devices are as for :func:`compare`.

    Returns:
        ``layers[k].cosine`` is the matrix of a layer; ``told`` states its capabilities and limits, as measured.

    Raises:
        InputError: there are too few, too many or too long sentences.
        ConfigError: there is no such model.
        WeightsError: weights are missing or broken.
    """
    loaded = _loaded(None if model is None else str(model), device)
    return Sentences(lambda _: loaded.encoder(loaded.default)).compare(checked_texts(sentences))


def nearest(
    word: str,
    sentence: str,
    index: str | Path | None = None,
    n: int = 15,
    layer: str | None = None,
    only: str = "all",
    model: str | Path | None = None,
    device: str | None = None,
    static: str | Path | None = None,
) -> NearestUses:
    """Find the uses of any word that are nearest to a word in a sentence.

    Args:
        word: the word to look at.
        sentence: a sentence that has it; ``[brackets]`` mark which word is meant.
        index: folder that ``elmo-tasks index`` wrote, to search your own text; examples of the dictionary if ``None``. They
            are encoded on the first call (half a minute for the bundled model) and kept in your cache folder.
        n: how many uses, 1 to 50.
        layer: name of the layer (``"0"``, ``"1"``, …, ``"mean"``), or ``"meanings"``, the sense
            embedding; the latter if ``None``.
        only: ``"same"`` for uses of this word, ``"other"`` for other words, ``"all"``.
        model: name or folder of an encoder; the bundled biLM if ``None``.
        device: where to compute; a GPU if there is one and ``None`` is given.
        static: name or folder of static vectors, or a file of word2vec, GloVe or fastText, for the words beside the uses; those
            that come with the program if ``None``.

    Returns:
        ``uses`` nearest first, each with its sentence and cosine, and ``static``, the word's neighbours among static vectors.

    Raises:
        InputError: the word is not in the sentence, or there is no such layer.
        DataError: the folder holds no index, or that of another model.
        ConfigError: there is no such model.
        WeightsError: its weights are missing or broken.
    """
    loaded = _loaded(None if model is None else str(model), device)
    own = UseIndex(index) if index is not None else None
    words = loaded.static if static is None else lambda: StaticVectors.load(static)
    return NearestSearch(loaded.model, words, own).uses(word, sentence, layer, only, n=n)
