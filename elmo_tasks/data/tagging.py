"""Data module for tagged sentences: entities, parts of speech."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from elmo_tasks.data.records import (
    TaggedSentence,
    check_known,
    check_labels,
    check_sentences,
    in_quotes,
    sorted_labels,
)
from elmo_tasks.data.split_data import InputRow, Split, SplitData, shared
from elmo_tasks.data.tables import Column
from elmo_tasks.data.tag_files import TaggingFormat, read_tag_file, read_tagged_hub
from elmo_tasks.data.tag_spelling import counted_tags, remarks_on, renamed_types, with_prefixes
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.tag_schemes import OUTSIDE, Scheme, convert, detect_scheme, labels_of, types_of
from elmo_tasks.text.tokens import plain_token


class TaggingData(SplitData[TaggedSentence, tuple[int, ...]]):
    """Tagged sentences. No file is read before :meth:`setup`.

    Args:
        train: training file, or split of ``hub``; see
            :func:`elmo_tasks.data.tag_files.read_tag_file`.
        file_format: ``columns``, ``conllu``, ``jsonl`` or ``parquet``; by default found from the
            files.
        token_column: place or name of the column of the tokens; by default it is detected and
            reported.
        tag_column: place or name of the column of the tags; likewise.
        scheme: how the model spells spans, ``BIO`` or ``BIOES``; ``None`` for tags without
            spans (parts of speech).
        source_scheme: how the files spell spans, ``IOB1``, ``BIO`` or ``BIOES``; by default it is
            detected from them.
        plain_tokens: read ``-LRB-``, ``` `` ``` and ``''`` as the characters they stand for.
        encoding: of text files; by default it is found.
        tag_names: names of tags that are numbers in the files, from 0 on.
        type_names: entity type in the files -> its name; spans whose type has the name ``null`` are
            not entities.
        lower_case: this share of the training sentences is read a second time, in lower case, as
            people write in chats.
        splits: see :class:`SplitData`; ``max_tokens`` cuts training sentences alone, as those that
            scores are computed on are never cut.
    """

    kind = "tagging"

    def __init__(
        self,
        train: str,
        *,
        file_format: TaggingFormat | None = None,
        token_column: Column | None = None,
        tag_column: Column | None = None,
        scheme: Scheme | None = "BIO",
        source_scheme: Scheme | None = None,
        plain_tokens: bool = True,
        encoding: str | None = None,
        tag_names: list[str] | None = None,
        type_names: dict[str, str | None] | None = None,
        lower_case: float = 0.0,
        **splits: Any,
    ) -> None:
        super().__init__(train, **splits)
        if scheme not in ("BIO", "BIOES", None):
            raise ConfigError(f"data.scheme: expected BIO, BIOES or null, found '{scheme}'")
        if scheme is None and source_scheme is not None:
            raise ConfigError(
                f"data.source_scheme is {source_scheme}, but data.scheme is null, which means: no"
                " spans"
            )
        self.file_format = file_format
        self.token_column = token_column
        self.tag_column = tag_column
        self.scheme = scheme
        self.source_scheme = source_scheme
        self.plain_tokens = plain_tokens
        self.encoding = encoding
        self.tag_names = tag_names
        self.type_names = type_names
        if not 0 <= lower_case <= 1:
            raise ConfigError(f"data.lower_case: expected a share from 0 to 1, found {lower_case}")
        self.lower_case = lower_case
        # Each of several training files may have its own scheme: all are converted to BIO as
        # they are read.
        self._as_bio = bool(self.more) and scheme is not None and source_scheme is None
        if self._as_bio:
            self.source_scheme = "BIO"
        self._scheme_is_given = source_scheme is not None or self._as_bio

    def read(self, split: Split, source: str) -> list[TaggedSentence]:
        """See :class:`SplitData`."""
        columns = self.token_column, self.tag_column
        if self.hub is not None:
            return read_tagged_hub(self.hub, source, *columns)
        file = read_tag_file(source, self.file_format, *columns, self.encoding, self.tag_names)
        rows, note = file.sentences, file.describe()
        prefixed = (
            None
            if self.scheme is None or (self._scheme_is_given and not self._as_bio)
            else with_prefixes(rows)
        )
        if prefixed is not None:
            rows, note = (
                prefixed,
                f"{note}; the tags have no B- and I-: neighbours of one type are one name",
            )
        if self.type_names is not None:
            rows = renamed_types(rows, self.type_names)
        self.notes.append(f"{source}: {note}. {counted_tags(rows)}.")
        if widened := sum(row.widened for row in rows):
            self.notes.append(
                f"{source}: {widened:,} spans that began or ended inside a word were widened to the"
                " word."
            )
        rows = self._in_bio(source, rows) if self._as_bio else rows
        return rows + _lowered(rows, self.lower_case) if split == "train" else rows

    def _in_bio(self, source: str, rows: list[TaggedSentence]) -> list[TaggedSentence]:
        try:
            scheme = detect_scheme(row.tags for row in rows)
        except DataError as error:
            raise DataError(
                f"{source}: {error}. Set source_scheme if all files are in one scheme"
            ) from None
        check_sentences(rows, scheme, source)
        return [replace(row, tags=tuple(convert(row.tags, scheme, "BIO"))) for row in rows]

    def learn_labels(self, records: Sequence[TaggedSentence]) -> Sequence[str]:
        """Return the scheme's tags for all types; without a scheme, the tags that occur."""
        if self.scheme is None:
            labels = sorted_labels(tag for sentence in records for tag in sentence.tags)
            check_labels(
                labels, sum(len(row.tags) for row in records), self.name_of("train"), "tag"
            )
            return labels
        if all(set(sentence.tags) == {OUTSIDE} for sentence in records):
            raise DataError(
                f"{self.name_of('train')}: every tag is {OUTSIDE}: there is no entity to learn from"
            )
        if self.source_scheme is None:
            self.source_scheme = self._detect_scheme("train", records)
            self.notes.append(f"{self.name_of('train')}: tags in the scheme {self.source_scheme}.")
        check_sentences(records, self.source_scheme, self.name_of("train"))
        types = types_of({tag for sentence in records for tag in sentence.tags}, self.source_scheme)
        return labels_of(types, self.scheme)

    def make_rows(
        self, split: Split, records: Sequence[TaggedSentence]
    ) -> list[InputRow[tuple[int, ...]]]:
        """See :class:`SplitData`."""
        where, train = self.name_of(split), self.name_of("train")
        tags = {tag for sentence in records for tag in sentence.tags}
        if self.scheme is None:
            if unseen := sorted(tags - set(self.labels)):
                self.notes.append(
                    f"{where}: the training data lack the tag {in_quotes(unseen)}; such words count"
                    " as wrong."
                )
            if not tags & set(self.labels):
                check_known(tags, self.labels, where, train, "tag")
        elif split != "train":
            if not self._scheme_is_given and tags != {OUTSIDE}:
                scheme = self._detect_scheme(split, records)
                # of the training split, if that was read
                self.source_scheme = self.source_scheme or scheme
                if scheme != self.source_scheme:
                    raise DataError(
                        f"{where}: the tags look like {scheme}, those of {train} like"
                        f" {self.source_scheme}: bring them into one scheme, or set source_scheme"
                        " if they are in one"
                    )
            self.source_scheme = self.source_scheme or self.scheme
            check_sentences(records, self.source_scheme, where)
            self._check_types(split, types_of(tags, self.source_scheme))
        limit = self.max_tokens if split == "train" else None
        self.truncated[split] = sum(
            limit is not None and len(sentence.tokens) > limit for sentence in records
        )
        return [self._row(sentence, limit) for sentence in records]

    def _check_types(self, split: Split, types: Sequence[str]) -> None:
        """Note types unseen in training, which count as missed; reject a file with no others."""
        assert self.scheme is not None
        known = types_of(self.labels, self.scheme)
        unseen = [type_ for type_ in types if type_ not in known]
        if unseen and len(unseen) == len(types):
            check_known(types, known, self.name_of(split), self.name_of("train"), "entity type")
        if unseen:
            self.notes.append(
                f"{self.name_of(split)}: the training data lack the type {in_quotes(unseen)}, whose"
                " entities count as missed. With type_names, rename a type, or give it the name"
                " null to leave it out."
            )

    def _row(self, sentence: TaggedSentence, limit: int | None) -> InputRow[tuple[int, ...]]:
        tokens, tags = sentence.tokens[:limit], list(sentence.tags)
        if self.scheme is not None:
            assert self.source_scheme is not None
            # Cut as BIO: a span that is cut in two is still well formed then.
            tags = convert(convert(tags, self.source_scheme, "BIO")[:limit], "BIO", self.scheme)
        words = map(plain_token, tokens) if self.plain_tokens else tokens
        names = tuple(tags[:limit])
        # A tag that the head does not have is O for the loss, and counts as missed in the scores.
        ids = tuple(self.ids.get(tag, self.ids.get(OUTSIDE, 0)) for tag in names)
        return InputRow(
            shared(words), ids, None if all(tag in self.ids for tag in names) else names
        )

    def _detect_scheme(self, split: Split, records: Sequence[TaggedSentence]) -> Scheme:
        try:
            return detect_scheme(sentence.tags for sentence in records)
        except DataError as error:
            advice = "; ".join(remark for remark in remarks_on(records) if "CASE" in remark) or (
                "Set source_scheme to IOB1, BIO or BIOES, or scheme to null if the tags do not"
                " spell spans"
            )
            raise DataError(f"{self.name_of(split)}: {error}. {advice}") from None


def _lowered(rows: Sequence[TaggedSentence], share: float) -> list[TaggedSentence]:
    """Return a share of the sentences, at even distances, in lower case."""
    chosen = (row for k, row in enumerate(rows) if int((k + 1) * share) > int(k * share))
    return [replace(row, tokens=tuple(token.lower() for token in row.tokens)) for row in chosen]
