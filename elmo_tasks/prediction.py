"""Prediction and evaluation with a head, its encoder and its static vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from tqdm import tqdm

from elmo_tasks.api import check_cancelled
from elmo_tasks.bilm.model_files import find_model
from elmo_tasks.bilm.published import MODELS, command
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.devices import checked_device
from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.grouping import by_length
from elmo_tasks.encoders.sentences import TextOrTokens, checked_sentences
from elmo_tasks.encoders.static_vectors import WORDS_NAME, StaticVectors, are_static_vectors
from elmo_tasks.encoders.transformer_files import is_transformer
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.confidence import Confidence
from elmo_tasks.heads.head import Prediction, TaskHead, TokenFeatures, characters_of
from elmo_tasks.heads.head_files import HeadFiles, build_head, find_head
from elmo_tasks.layers import masked_mean
from elmo_tasks.tasks import find_task
from elmo_tasks.tasks.task import LabelledRow
from elmo_tasks.text.tokens import Token, plain_token, tokenize
from elmo_tasks.weights.cache import cache_folder

if TYPE_CHECKING:
    from elmo_tasks.tasks.task_scores import TaskScores

# Files by which folders of encoders and of static vectors are found, at most three folders deep, as
# in runs/NAME/FOLDER/.
_MODEL_FILES = ("options.json", "*_options.json", WORDS_NAME, "config.json")
_MAX_DEPTH = 3
_BATCH_SIZE = 32
_MAX_TOKENS = 4096


def resolve_source(files: HeadFiles, what: str, folders: Sequence[Path] = ()) -> str:
    """Resolve a head's ``"encoder"`` or ``"static vectors"`` to a name or folder.

    Searches by name, then by checksum of the weights up to three folders deep in ``checkpoints/``,
    ``folders``, ``runs/``, around the head, and in the cache of models; folders of the same name
    first.
    """
    source = files.encoder if what == "encoder" else files.static
    assert source is not None
    mismatches: list[tuple[str, str]] = []  # the same name, another checksum
    reason = ""
    remedy = "put it into one of these, or name its folder with --encoder"
    try:
        checksum = _read_checksum(source.name)
        if checksum == source.checksum:
            return source.name
        mismatches.append((source.name, checksum))
    except (ConfigError, WeightsError, OSError) as error:
        reason = f" ({error})" if is_transformer(source.name) or Path(source.name).exists() else ""
    around = files.folder.parent.parent if files.folder.name == "head" else files.folder.parent
    places = (CHECKPOINTS, *folders, Path("runs"), around, cache_folder())
    searched = [source.name]
    tried = {Path(source.name).resolve()}
    name = Path(source.name).name
    for place in dict.fromkeys(path.absolute() for path in places if path.is_dir()):
        searched.append(str(place))
        for folder in sorted(
            _encoders_below(place), key=lambda path: (path.name != name, str(path))
        ):
            # The files of a transformer's checksum take seconds to read.
            if folder.resolve() in tried or (is_transformer(str(folder)) and folder.name != name):
                continue
            tried.add(folder.resolve())
            try:
                checksum = _read_checksum(str(folder))
            except (ConfigError, WeightsError, OSError):
                continue
            if checksum == source.checksum:
                return str(folder)
            if folder.name == name:
                mismatches.append((str(folder), checksum))
    other = "".join(
        f"; {place} has another checksum ({checksum[:12]}…)" for place, checksum in mismatches
    )
    if what != "encoder":
        remedy = "put them into one of these"
    get = (
        f". Get it with `{command(source.name)}`"
        if source.name in MODELS and not mismatches
        else ""
    )
    raise ConfigError(
        f"the head {files.name} was trained on the {what} {source.name} (checksum"
        f" {source.checksum[:12]}…) and reads no other; looked for that in"
        f" {', '.join(searched)}{other}{reason}: {remedy}{get}"
    )


def _encoders_below(place: Path) -> Iterable[Path]:
    """List encoder folders below a folder, without unfinished ones (dot names)."""
    encoders = {
        path.parent
        for depth in range(_MAX_DEPTH + 1)
        for sign in _MODEL_FILES
        for path in place.glob("*/" * depth + sign)
    }
    return (folder for folder in encoders if not folder.name.startswith("."))


def _read_checksum(name: str) -> str:
    if are_static_vectors(name) or is_transformer(name):
        return load(name).checksum
    return find_model(name).checksum  # of the files: nothing is built


def features_of(
    tokens: Sequence[Sequence[str]],
    head: TaskHead,
    static: StaticVectors | None,
    pooled: bool = False,
) -> TokenFeatures:
    """Compute a batch's additional features, on the CPU; averaged if ``pooled``."""
    characters, words = characters_of(tokens) if head.reads_characters else (None, None)
    vectors = None
    if static is not None and head.task.static_dim:
        layers = static.encode(tokens)
        vectors = masked_mean(layers.values[0], layers.mask) if pooled else layers.values[0]
    return TokenFeatures(characters, words, vectors)


@dataclass(frozen=True)
class ReadRow:
    """A tokenized sentence."""

    text: str  # tokens are joined by spaces
    tokens: tuple[Token, ...]  # with their places in the text
    words: tuple[str, ...]  # input of the encoder

    @classmethod
    def of(cls, sentence: TextOrTokens) -> ReadRow:
        """Tokenize a text; take tokens as they are."""
        if isinstance(sentence, str):
            tokens = tuple(tokenize(sentence))
            return cls(sentence, tokens, tuple(token.text for token in tokens))
        words = tuple(sentence)
        ends = list(accumulate(len(word) + 1 for word in words))
        placed = [
            Token(word, end - 1 - len(word), end - 1) for word, end in zip(words, ends, strict=True)
        ]
        return cls.of_tokens(" ".join(words), placed)

    @classmethod
    def of_tokens(cls, text: str, tokens: Iterable[Token]) -> ReadRow:
        """Build a row from tokens, converting Treebank spellings."""
        tokens = tuple(tokens)
        return cls(text, tokens, tuple(plain_token(token.text) for token in tokens))


class Predictor:
    """A trained head with its encoder and static vectors, in evaluation mode.

    A head that gives one label per text reads the first ``max_tokens`` tokens of a text, as many
    as in training; all if ``None``. The ``confidence`` calibrates a classifier. A text without a
    token has no label.
    """

    def __init__(
        self,
        encoder: Encoder,
        head: TaskHead,
        static: StaticVectors | None = None,
        *,
        device: torch.device | str = "cpu",
        max_tokens: int | None = None,
        confidence: Confidence | None = None,
    ) -> None:
        self.encoder = encoder
        self.static = static
        self.task = find_task(head.kind)
        self.max_tokens = max_tokens if self.task.one_label else None
        self.head = head.to(device).eval()
        self.device = device
        self.confidence = confidence

    @classmethod
    def load(
        cls,
        files: HeadFiles,
        encoder: Encoder | str | Path | None = None,
        device: torch.device | str = "cpu",
        folders: Sequence[Path] = (),
        precision: str = "float32",
    ) -> Predictor:
        """Load a head and its encoder; an encoder may be given by name, folder or object.

        By default :func:`resolve_source` searches for it, also in ``folders``.

        Raises:
            ConfigError: the head was trained on another encoder or other static vectors, or they
                are in none of the places.
            WeightsError: weights are missing or broken.
        """
        if encoder is None:
            encoder = load(resolve_source(files, "encoder", folders), device, precision)
        elif isinstance(encoder, str | Path):
            encoder = load(encoder, device, precision)
        trained = files.encoder
        if encoder.checksum != trained.checksum:
            raise ConfigError(
                f"the head {files.name} was trained on the encoder {trained.name} (checksum"
                f" {trained.checksum[:12]}…) and reads no other; given was {encoder.name} (checksum"
                f" {encoder.checksum[:12]}…): train a head on it, or give the encoder that it was"
                " trained on"
            )
        static = None
        if files.static is not None:
            static = StaticVectors.load(resolve_source(files, "static vectors", folders))
        max_tokens = files.reading.get("max_tokens")
        confidence = Confidence.of(files.folder)
        return cls(
            encoder,
            build_head(files),
            static,
            device=device,
            max_tokens=max_tokens,
            confidence=confidence,
        )

    def predict(self, sentences: Iterable[TextOrTokens], **options: Any) -> list[Any]:
        """Predict any number of sentences, in batches of similar length.

        Args:
            sentences: raw strings, which are tokenized as the training text is, or lists of tokens,
                which are taken as they are.
            options: those of the head's own ``predict``, such as ``n_readings`` of a tagger.

        Returns:
            a result for each, in order: :class:`~elmo_tasks.api.TaggedText` with ``tags`` and
            ``spans`` (``text``, ``type``, ``confidence``, offsets), or
            :class:`~elmo_tasks.api.ClassifiedText` with ``label`` and ``probabilities``.

        Raises:
            InputError: one string in place of a list, or something that is neither text nor tokens.
        """
        return self.predict_rows(
            [ReadRow.of(sentence) for sentence in checked_sentences(sentences)], **options
        )

    def predict_rows(self, rows: Sequence[ReadRow], **options: Any) -> list[Any]:
        """:meth:`predict` for sentences that are tokenized."""
        results: dict[int, Any] = {}
        for chosen in by_length([len(row.tokens) for row in rows], _BATCH_SIZE, _MAX_TOKENS):
            predictions = self.predict_batch([rows[k].words for k in chosen], **options)
            for k, prediction in zip(chosen, predictions, strict=True):
                results[k] = self.task.result(rows[k].text, rows[k].tokens, prediction)
        return [results[k] for k in range(len(rows))]

    def predict_batch(self, sentences: Sequence[Sequence[str]], **options: Any) -> list[Any]:
        """Return a ``TagSequence`` or a calibrated ``TextPrediction`` for each sentence."""
        predictions = self.head.predict(*self._inputs(sentences), **options)
        check_cancelled()  # a text is read in many batches
        if not self.task.one_label:
            return predictions
        return [
            self._calibrated(words, text)
            for words, text in zip(sentences, predictions, strict=True)
        ]

    def _calibrated(self, words: Sequence[str], prediction: TextPrediction) -> TextPrediction:
        if not words:
            return TextPrediction(None, {}, is_sure=False)
        return prediction if self.confidence is None else self.confidence.calibrate(prediction)

    def labels_of(self, sentences: Sequence[Sequence[str]]) -> Iterator[Prediction]:
        """Yield the best tags or class of each sentence."""
        for batch in batched(sentences):
            values, mask, features = self._inputs(batch)
            with torch.no_grad():
                scores = self.head(values, mask, features)
            yield from self.head.labels_of(scores, mask)

    @torch.inference_mode()
    def _inputs(self, sentences: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor, TokenFeatures]:
        sentences = [sentence[: self.max_tokens] for sentence in sentences]
        layers = self.encoder.encode(sentences).to(self.device)
        return (
            layers.values,
            layers.mask,
            features_of(sentences, self.head, self.static).to(self.device),
        )


def load_head(
    head: str | Path,
    encoder: str | Path | Encoder | None = None,
    device: torch.device | str | None = None,
    precision: str = "float32",
) -> Predictor:
    """Load a trained head with its encoder.

    For example::

        from elmo_tasks import load_head

        for result in load_head("ner-conll2003").predict(["Ada flew to Oslo."]):
            for span in result.spans:
                print(span.text, span.type, span.confidence)

    Args:
        head: a name in ``checkpoints/``, or a folder, as a training run leaves in
            ``runs/NAME/head``.
        encoder: see :meth:`Predictor.load`; searched for if ``None``.
        device: where to compute; by default a GPU if there is one.
        precision: of the products of an encoder that is loaded here, ``"float32"`` or ``"int8"``.

    Raises:
        ConfigError: there is no such head or device, or its encoder is in none of the searched
            folders.
        WeightsError: weights are missing or broken.
    """
    return Predictor.load(find_head(head), encoder, checked_device(device), precision=precision)


def batched(sentences: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Yield batches of sentences as they are consumed."""
    remaining = iter(sentences)
    while batch := list(islice(remaining, _BATCH_SIZE)):
        yield batch


def evaluate_head(predictor: Predictor, rows: Sequence[LabelledRow]) -> TaskScores:
    """Predict labelled rows and compare with their tags or classes."""
    scores = predictor.task.scores(predictor.head.task, alone=True)
    rows = sorted(rows, key=lambda row: len(row[0]))  # little padding; the order changes nothing
    predicted = predictor.labels_of([row[0] for row in rows])
    for (_, gold), prediction in tqdm(
        zip(rows, predicted, strict=True), total=len(rows), unit="row", disable=None
    ):
        scores.update([prediction], [gold])
    return scores
