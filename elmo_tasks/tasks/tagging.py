"""Tagging: entities, scored by spans, and parts of speech, scored by tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast, get_args

from elmo_tasks.api import Entity, Reading, TaggedSentence
from elmo_tasks.data import records
from elmo_tasks.data.conll import TaggingFormat, read_tag_file, read_tagged, with_prefixes
from elmo_tasks.data.tables import Column
from elmo_tasks.errors import DataError
from elmo_tasks.heads.head import HeadTask
from elmo_tasks.heads.tagging import TagPrediction, TagSequence
from elmo_tasks.messages.task_kinds import TASK_WORDS
from elmo_tasks.tasks.kind import Cost, HubData, LabelledRow, TaskKind, UploadColumns, chosen
from elmo_tasks.text.tag_schemes import Scheme, convert, detect_scheme
from elmo_tasks.text.tokens import Token

if TYPE_CHECKING:
    from elmo_tasks.data.tagging import TaggingData
    from elmo_tasks.tasks.task_scores import TaskScores

SPAN_TAG = re.compile(r"O|[BIESLU]-.+")
_CONLLU_TAGS = ("upos", "xpos", "deprel")


class Tagging(TaskKind):
    """See :class:`TaskKind`."""

    words = TASK_WORDS["tagging"]
    file_formats = get_args(TaggingFormat)
    columns = ("token_column", "tag_column")
    truncates = False  # every word gets a tag
    one_label = False
    sample = "ner_sample"
    sample_columns = (None, None)
    size_setting = "lstm_hidden"
    uploads: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys((".conll", ".txt", ".tsv", ".csv", ".iob", ".bio"), "columns"),
        **{".conllu": "conllu", ".jsonl": "jsonl", ".json": "jsonl", ".marked": "marked"},
    }
    hub: ClassVar[Mapping[str, HubData]] = {
        "conll2003": HubData("CoNLL-2003: names in news", "train", "validation", "test")
    }
    cost = Cost(read=0.004, epoch=0.006)
    line = ("tags", "spans")
    guess_rules: ClassVar[Mapping[str, str]] = {
        "word f1": "each word tagged as it was most often",
        "word accuracy": "each word tagged as it was most often",
        "majority": "always the most frequent tag",
    }

    @property
    def data(self) -> type[TaggingData]:
        """See :class:`TaskKind`."""
        from elmo_tasks.data.tagging import TaggingData

        return TaggingData

    def read(
        self, path: Path, file_format: str | None = None, reads: Column | None = None, says: Column | None = None
    ) -> Sequence[records.TaggedSentence]:
        """See :class:`TaskKind`."""
        return read_tagged(path, cast("TaggingFormat | None", file_format), reads, says)

    def read_upload(
        self, path: Path, file_format: str, text: str | None, label: str | None, header: bool | None
    ) -> tuple[UploadColumns, Sequence[records.TaggedSentence]]:
        """See :class:`TaskKind`; tags of spans come as BIO."""
        form = cast(TaggingFormat, file_format)
        if form == "conllu":
            label = chosen(label, _CONLLU_TAGS, _CONLLU_TAGS[0])
            found = read_tag_file(path, form, None, label)
            names: tuple[str, ...] = _CONLLU_TAGS
        else:
            found = read_tag_file(path, form)
            names = found.names
            wanted = chosen(text, names, found.token), chosen(label, names, found.tag)
            if names and wanted != (found.token, found.tag):
                by_name = form == "jsonl" or found.header
                places = wanted if by_name else (names.index(wanted[0]), names.index(wanted[1]))
                found = read_tag_file(path, form, *places)
        rows = with_prefixes(found.sentences) or found.sentences
        return UploadColumns(names, found.token, found.tag, None, found.said()), _as_bio(rows, path)

    def main_score(self, scheme: Scheme | None) -> str:
        """See :class:`TaskKind`."""
        return "accuracy" if scheme is None else "f1"

    def scores(self, task: HeadTask, alone: bool = False) -> TaskScores:
        """See :class:`TaskKind`."""
        from elmo_tasks.tasks.task_scores import TagScores

        return TagScores(task, alone)

    def guesses(
        self, train: Sequence[LabelledRow], held_out: Sequence[LabelledRow], scheme: Scheme | None
    ) -> dict[str, float]:
        """The CoNLL-2003 baseline by word; without spans, also the most frequent tag."""
        if not held_out:
            return {}
        by_word: dict[str, Counter[str]] = {}
        tags: Counter[str] = Counter()
        for tokens, row in train:
            for token, tag in zip(tokens, row, strict=True):
                by_word.setdefault(token, Counter())[tag] += 1
                tags[tag] += 1
        majority = tags.most_common(1)[0][0]
        gold = [tuple(row) for _, row in held_out]
        guessed = [
            tuple(by_word[token].most_common(1)[0][0] if token in by_word else majority for token in tokens)
            for tokens, _ in held_out
        ]
        if scheme is not None:
            from elmo_tasks.tasks.span_scores import SpanCounts, span_counts

            return {"word f1": sum(span_counts(guessed, gold, scheme).values(), SpanCounts()).f1}
        total = sum(map(len, gold)) or 1
        right = sum(a == b for x, y in zip(guessed, gold, strict=True) for a, b in zip(x, y, strict=True))
        return {"word accuracy": right / total, "majority": sum(tag == majority for row in gold for tag in row) / total}

    def result(self, text: str, tokens: Sequence[Token], prediction: TagPrediction) -> TaggedSentence:
        """See :class:`TaskKind`."""
        return TaggedSentence(
            sentence=text,
            tokens=tuple(token.text for token in tokens),
            offsets=tuple((token.start, token.end) for token in tokens),
            best=_reading(text, tokens, prediction),
            alternatives=tuple(_reading(text, tokens, other) for other in prediction.alternatives),
        )


def _reading(text: str, tokens: Sequence[Token], tagged: TagSequence) -> Reading:
    entities = []
    for span in tagged.spans:
        start, end = tokens[span.start].start, tokens[span.end - 1].end
        entities.append(Entity(span.start, span.end, span.type, span.confidence, start, end, text[start:end]))
    return Reading(tagged.tags, tuple(entities), tagged.probability)


def is_spans(sentences: Iterable[records.TaggedSentence]) -> bool:
    """Check whether over 90 % of the tags look like span tags (``B-PER``)."""
    tags = Counter(tag for sentence in sentences for tag in sentence.tags)
    like = sum(number for tag, number in tags.items() if SPAN_TAG.fullmatch(tag))
    return set(tags) != {"O"} and like > 0.9 * sum(tags.values())


def _as_bio(sentences: Sequence[records.TaggedSentence], path: Path) -> list[records.TaggedSentence]:
    """Convert span tags to BIO; other tags stay as they are."""
    if not is_spans(sentences):
        return list(sentences)
    try:
        scheme: Scheme = detect_scheme(sentence.tags for sentence in sentences)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    records.check_sentences(sentences, scheme, str(path))
    return [
        records.TaggedSentence(sentence.tokens, tuple(convert(sentence.tags, scheme, "BIO")), sentence.line)
        for sentence in sentences
    ]
