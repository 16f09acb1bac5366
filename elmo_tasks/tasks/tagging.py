"""Tagging: entities, scored by spans, and parts of speech, scored by tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

from elmo_tasks.api import Entity, TaggedText, TagReading, TaskWords
from elmo_tasks.data.records import TaggedSentence, check_sentences
from elmo_tasks.data.tag_files import TaggingFormat, read_tag_file, read_tagged
from elmo_tasks.data.tag_spelling import with_prefixes
from elmo_tasks.errors import DataError
from elmo_tasks.heads.tagging import TagSequence
from elmo_tasks.tasks.task import HubData, LabelledRow, Task, UploadColumns
from elmo_tasks.text.tag_schemes import Scheme, convert, detect_scheme
from elmo_tasks.text.tokens import Token

SPAN_TAG = re.compile(r"O|[BIESLU]-.+")
_CONLLU_TAGS = ("upos", "xpos", "deprel")


def _read_upload(
    path: Path, file_format: str, text: str | None, label: str | None, header: bool | None
) -> tuple[UploadColumns, Sequence[TaggedSentence]]:
    """Span tags come as BIO."""
    form = cast(TaggingFormat, file_format)
    if form == "conllu":
        file = read_tag_file(path, form, None, label if label in _CONLLU_TAGS else _CONLLU_TAGS[0])
        names: tuple[str, ...] = _CONLLU_TAGS
    else:
        file = read_tag_file(path, form)
        names = file.names
        columns = text if text in names else file.token, label if label in names else file.tag
        if names and columns != (file.token, file.tag):
            by_name = form == "jsonl" or file.header
            file = read_tag_file(path, form, *(columns if by_name else map(names.index, columns)))
    rows = with_prefixes(file.sentences) or file.sentences
    return UploadColumns(
        names=names, text=file.token, label=file.tag, header=None, description=file.describe()
    ), _as_bio(rows, path)


def _baseline_scores(
    train: Sequence[LabelledRow], held_out: Sequence[LabelledRow], scheme: Scheme | None
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
    best = {word: counts.most_common(1)[0][0] for word, counts in by_word.items()}
    gold = [tuple(row) for _, row in held_out]
    predicted = [tuple(best.get(token, majority) for token in tokens) for tokens, _ in held_out]
    if scheme is not None:
        from elmo_tasks.tasks.task_scores import micro, span_counts

        return {"word f1": micro(span_counts(predicted, gold, scheme).values()).f1}
    total = sum(map(len, gold)) or 1
    right = sum(
        a == b for rows in zip(predicted, gold, strict=True) for a, b in zip(*rows, strict=True)
    )
    return {
        "word accuracy": right / total,
        "majority": sum(tag == majority for row in gold for tag in row) / total,
    }


def _result(text: str, tokens: Sequence[Token], prediction: TagSequence) -> TaggedText:
    return TaggedText(
        sentence=text,
        tokens=tuple(token.text for token in tokens),
        offsets=tuple((token.start, token.end) for token in tokens),
        best=_reading(text, tokens, prediction),
        alternatives=tuple(
            _reading(text, tokens, sequence) for sequence in prediction.alternatives
        ),
    )


def _reading(text: str, tokens: Sequence[Token], tagged: TagSequence) -> TagReading:
    entities = []
    for span in tagged.spans:
        start = tokens[span.start].start
        end = tokens[span.end - 1].end
        entities.append(
            Entity(
                start=span.start,
                end=span.end,
                type=span.type,
                confidence=span.confidence,
                start_char=start,
                end_char=end,
                text=text[start:end],
            )
        )
    return TagReading(tagged.tags, tuple(entities), tagged.probability)


def is_spans(sentences: Iterable[TaggedSentence]) -> bool:
    """Check whether over 90 % of the tags look like span tags (``B-PER``)."""
    tags = Counter(tag for sentence in sentences for tag in sentence.tags)
    like = sum(number for tag, number in tags.items() if SPAN_TAG.fullmatch(tag))
    return set(tags) != {"O"} and like > 0.9 * sum(tags.values())


def _as_bio(sentences: Sequence[TaggedSentence], path: Path) -> list[TaggedSentence]:
    """Convert span tags to BIO; other tags stay as they are."""
    if not is_spans(sentences):
        return list(sentences)
    try:
        scheme: Scheme = detect_scheme(sentence.tags for sentence in sentences)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    check_sentences(sentences, scheme, str(path))
    return [
        replace(sentence, tags=tuple(convert(sentence.tags, scheme, "BIO")))
        for sentence in sentences
    ]


_UPLOADS = {
    **dict.fromkeys((".conll", ".txt", ".tsv", ".csv", ".iob", ".bio"), "columns"),
    ".conllu": "conllu",
    **dict.fromkeys((".jsonl", ".json"), "jsonl"),
    ".marked": "marked",
}

TAGGING = Task(
    words=TaskWords(
        kind="tagging",
        title="Entities",
        choice="Entities in a text",
        output="a tag for each word",
        training_rows="tagged words",
        unit="sentences",
        counts="words",
        model="Model for entities",
        about="People, places, products: which words of a sentence name what.",
        files=(
            "CoNLL: a word and its tag (B-PER, I-PER, O) on each line, an empty line after each"
            " sentence; or JSON lines with tokens and tags; or a .marked file of lines such as"
            " [Ada Marsh](PER) flew to [Oslo](LOC)."
        ),
        typing=(
            "Square brackets around an entity, its type behind them: [Mara Lind]\u2060(PER)"
            " moved to [Lisbon]\u2060(LOC). Twenty sentences or more, a few hundred for a"
            " useful result. They stay on the machine that runs this app."
        ),
        endings=tuple(_UPLOADS),
        purpose="for entities",
        train="make train-ner",
        hidden=100,
    ),
    data_class="elmo_tasks.data.tagging.TaggingData",
    scores_class="elmo_tasks.tasks.task_scores.TagScores",
    file_formats=get_args(TaggingFormat),
    columns=("token_column", "tag_column"),
    sample="ner_sample",
    sample_columns=(None, None),
    size_setting="lstm_hidden",
    uploads=_UPLOADS,
    hub={
        "conll2003": HubData(
            title="CoNLL-2003: names in news", train="train", validation="validation", test="test"
        )
    },
    read_seconds=0.004,
    epoch_seconds=0.006,
    output_fields=("tags", "spans"),
    baselines={
        "word f1": "each word tagged as it was most often",
        "word accuracy": "each word tagged as it was most often",
        "majority": "always the most frequent tag",
    },
    read=read_tagged,
    read_upload=_read_upload,
    baseline_scores=_baseline_scores,
    result=_result,
)
