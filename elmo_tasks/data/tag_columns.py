"""Reader of files with one word and its tag per line: columns of any kind, and CoNLL-U."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path

from elmo_tasks.data.column_guess import column_names
from elmo_tasks.data.other_formats import check_tag_format
from elmo_tasks.data.records import TagFile, TaggedSentence, in_quotes
from elmo_tasks.data.tables import parse_table
from elmo_tasks.data.tag_column_choice import (
    MIN_LINES,
    ColumnKinds,
    TagColumns,
    choose_columns,
    names_tag_columns,
    places_of,
)
from elmo_tasks.data.tag_spelling import MIN_OUTSIDE, SPAN_TAG, are_span_tags
from elmo_tasks.data.text_lines import RowErrors, shown, suffix_of
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE

NumberedFields = tuple[int, list[str]]  #: number and fields

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_GROUP_NAMES = re.compile(r"sent(ence)?[ _]?(#|id|no|number)?|(doc|document)[ _]?id", re.IGNORECASE)
_DOCUMENT_START = "-DOCSTART-"
_CONLL_2012 = "#begin document"  # the first words of such a file
_WORDS_OF_2012 = 3
_NAMES_OF_2012 = 10
_SPACES = re.compile(r"[ \t]+")  # a no-break space is part of a token
_LIST = re.compile(r"\s*[\[(].*[\])]\s*", re.DOTALL)
_LONGEST_BLOCK = 5_000
_ENDS = {".", "!", "?", "。", "！", "？", "।", "؟"}
_MOST_INNER_ENDS = 4  #: ends of sentences inside a file that seems to be one sentence
_FEWEST_TO_JUDGE = 4


def _sentences_of(
    blocks: list[list[NumberedFields]], width: int, token_at: int, tag_at: int, errors: RowErrors
) -> list[TaggedSentence]:
    """Return the words and tags of each block; collect malformed lines in ``errors``."""
    sentences = []
    for block in blocks:
        tokens, tags = [], []
        for number, fields in block:
            line = shown(" ".join(fields))
            if len(fields) != width:
                errors.add(
                    number, f"expected {width} columns as above, found {len(fields)}: {line}"
                )
                continue
            token, tag = fields[token_at].strip(), fields[tag_at].strip()
            if token and tag:
                tokens.append(token)
                tags.append(tag)
            else:
                empty = "tag" if token else "token"
                errors.add(number, f"expected a token and a tag, found an empty {empty}: {line}")
        if tokens:
            sentences.append(TaggedSentence(tuple(tokens), tuple(tags), block[0][0]))
    return sentences


def read_columns(path: Path, text: str, errors: RowErrors, given: TagColumns) -> TagFile:
    """Read sentences; detect separator, header, comments, and the columns that are not given.

    Columns that seem to be those of CoNLL-U are read as such.
    """
    check_tag_format(text, str(path))
    table = _found_rows(path, text, given)
    blocks, names, remarks = table.blocks, table.names, table.remarks
    width = len(names)
    if len(blocks) == 1:
        blocks = _regrouped(blocks[0], names, width)
    blocks, n_empty = _with_outside(blocks, width)
    if n_empty:
        remarks = (*remarks, f"empty tags are read as '{OUTSIDE}'")
    _check_lines(path, blocks, names)
    kinds = ColumnKinds(
        [[fields for _, fields in block if len(fields) == width] for block in blocks], width
    )
    where = f"{path}, line {table.first_line}"
    columns = choose_columns(kinds, names, table.header, _given_or_2012(given, text, width), where)
    _check_words(path, blocks, columns.token, width)
    is_conllu = width == len(CONLLU) and kinds.counts(0) and not kinds.spans(columns.tag)
    if is_conllu and given == TagColumns():
        return read_conllu(path, text, errors, given)
    return TagFile(
        sentences=_sentences_of(blocks, width, columns.token, columns.tag, errors),
        names=names,
        token=names[columns.token],
        tag=names[columns.tag],
        header=table.header,
        remarks=(*remarks, *columns.remarks),
    )


@dataclass(frozen=True)
class _TagRows:
    """Lines of words and tags, without comments and the line of names."""

    blocks: list[list[NumberedFields]]  #: divided at empty lines
    names: tuple[str, ...]  #: of the columns
    header: bool  #: the first line holds the names
    first_line: int  #: that is no comment
    remarks: tuple[str, ...]


def _found_rows(path: Path, text: str, given: TagColumns) -> _TagRows:
    """Split a text into fields; leave out comments, the line of names and incomplete columns."""
    blocks, mark = _blocks(path, text)
    remarks = ["columns of a table"] if mark == "," else []
    # Only in front of the words of a sentence: # may be a word.
    possible_comments = {
        number
        for block in blocks
        for number, _ in takewhile(lambda line: line[1][0][:1] == "#", block)
    }
    plain = [line for block in blocks for line in block if line[0] not in possible_comments]
    width = _usual_width(path, plain)
    narrow = min(len(fields) for _, fields in plain)
    if narrow < max(len(fields) for _, fields in plain) and _are_tagged(plain, narrow):
        blocks = [[(number, fields[:narrow]) for number, fields in block] for block in blocks]
        plain = [(number, fields[:narrow]) for number, fields in plain]
        width = narrow
        remarks.append(f"columns after the first {narrow} are left out: not every line has them")
    first_line, first = plain[0]
    header = len(first) == width and (
        names_tag_columns(first, given) or _is_unlike_tags(plain, width)
    )
    if header:
        remarks.append("named by the first line")
    # A line that begins with # is a comment unless its last field is a tag like those of other
    # lines.
    tags = {fields[-1] for _, fields in plain[1 if header else 0 :] if len(fields) == width}
    comments = {
        number
        for block in blocks
        for number, fields in block
        if number in possible_comments and (len(fields) != width or fields[-1] not in tags)
    }
    if comments:
        remarks.append("lines that begin with # are comments")
    left_out = comments | {first_line} if header else comments
    blocks = [[line for line in block if line[0] not in left_out] for block in blocks]
    return _TagRows(
        blocks=[block for block in blocks if block],
        names=column_names(first if header else [""] * width, header),
        header=header,
        first_line=first_line,
        remarks=tuple(remarks),
    )


def _usual_width(path: Path, lines: Sequence[NumberedFields]) -> int:
    """Return the number of columns that most lines have.

    Raises:
        DataError: there is no line, or one column.
    """
    if not lines:
        raise DataError(f"{path}: no sentence in this file")
    widths = [len(fields) for _, fields in lines]
    width = Counter([width for width in widths if width > 1] or widths).most_common(1)[0][0]
    if width < 2:
        number, fields = lines[0]
        raise DataError(
            f"{path}, line {number}: expected a token and a tag with a tab or space between them, "
            f"found 1 column: {shown(fields[0])}"
        )
    return width


def _are_tagged(lines: Sequence[NumberedFields], width: int) -> bool:
    """Check if column ``width`` holds span tags on every line."""
    return width >= 2 and are_span_tags(fields[width - 1].strip() for _, fields in lines)


def _is_unlike_tags(lines: Sequence[NumberedFields], width: int) -> bool:
    """Check if the first line names columns: its field is no tag, and all others below it are."""
    rows = [fields for _, fields in lines[1:] if len(fields) == width]
    first = lines[0][1]
    for at in range(width):
        below = {fields[at].strip() for fields in rows} - {""}
        if are_span_tags(below) and not SPAN_TAG.fullmatch(first[at].strip()):
            other = below - {OUTSIDE}
            return len(rows) >= MIN_LINES and first[at].strip() not in below and bool(other)
    return False


def _with_outside(
    blocks: list[list[NumberedFields]], width: int
) -> tuple[list[list[NumberedFields]], int]:
    """Write ``O`` for the empty tags of the last column, if no word in it has that tag."""
    at = width - 1
    cells = [line[1][at].strip() for block in blocks for line in block if len(line[1]) == width]
    n_empty = cells.count("")
    filled = set(cells) - {""}
    if n_empty < MIN_OUTSIDE * len(cells) or OUTSIDE in filled or not are_span_tags(filled):
        return blocks, 0
    return [
        [
            (number, [*fields[:at], fields[at].strip() or OUTSIDE])
            if len(fields) == width
            else (number, fields)
            for number, fields in block
        ]
        for block in blocks
    ], n_empty


def _given_or_2012(given: TagColumns, text: str, width: int) -> TagColumns:
    """Return the given columns; in a file of CoNLL-2012, its own for those that are not given."""
    if not text.startswith(_CONLL_2012) or width <= _NAMES_OF_2012:
        return given
    return TagColumns(
        token=_WORDS_OF_2012 if given.token is None else given.token,
        tag=_NAMES_OF_2012 if given.tag is None else given.tag,
    )


def _blocks(path: Path, text: str) -> tuple[list[list[NumberedFields]], str]:
    """Split into sentences at empty lines and document marks, and lines into fields."""
    blocks: list[list[NumberedFields]] = [[]]
    lines = list(enumerate(text.split("\n"), start=1))
    content = [
        line
        for _, line in lines
        if line.strip() and not line.startswith("#") and _DOCUMENT_START not in line
    ]
    if 2 * sum("\t" in line for line in content) >= len(content):
        mark = "\t"
    elif content and (
        _has_one_mark(content)
        or (
            ("," in content[0] or ";" in content[0])
            and (suffix_of(path) == ".csv" or names_tag_columns(re.split("[,;]", content[0])))
        )
    ):
        for number, fields in parse_table(text, path, "csv").rows:
            if blocks[-1] and number > blocks[-1][-1][0] + 1:
                blocks.append([])
            blocks[-1].append((number, list(fields)))
        return [block for block in blocks if block], ","
    else:
        mark = " "
    for number, line in lines:
        fields = line.split("\t") if mark == "\t" else _SPACES.split(line.strip(" \t"))
        if not line.strip() or fields[0].strip() == _DOCUMENT_START:
            blocks.append([])
        else:
            blocks[-1].append((number, fields))
    if mark == "\t" and all(
        not fields[-1] for block in blocks for _, fields in block if len(fields) > 2
    ):
        blocks = [
            [(number, fields[:-1] if len(fields) > 2 else fields) for number, fields in block]
            for block in blocks
        ]
    return [block for block in blocks if block], mark


def _has_one_mark(lines: Sequence[str]) -> bool:
    """Check if all lines lack blanks and have the same mark, once or several times."""
    if any(" " in line.strip() for line in lines):
        return False
    return any(len({line.count(mark) for line in lines} - {0}) == 1 for mark in ",;|") and all(
        re.search("[,;|]", line) for line in lines
    )


def _regrouped(
    lines: list[NumberedFields], names: Sequence[str], width: int
) -> list[list[NumberedFields]]:
    """Find sentences without empty lines, by sentence number or a restarting count."""
    rows = [line for line in lines if len(line[1]) == width]
    for at in range(width):
        cells = [fields[at].strip() for _, fields in rows]
        filled = [cell for cell in cells if cell]
        runs = [k for k, cell in enumerate(cells) if k == 0 or cell != cells[k - 1]]
        named = _GROUP_NAMES.fullmatch(names[at].strip()) is not None
        if (
            cells
            and cells[0]
            and "" in cells
            and (named or len(filled) < 0.5 * len(cells))
            and at == 0
        ):
            starts = {rows[k][0] for k, cell in enumerate(cells) if cell}
        elif named or (
            1 < len(runs) < 0.6 * len(cells)
            and len({cells[k] for k in runs}) == len(runs)
            and len(rows) >= MIN_LINES
            and all(any(map(str.isdigit, cell)) for cell in cells)
        ):
            starts = {rows[k][0] for k in runs}
        elif _restarts(cells):
            starts = {rows[k][0] for k, cell in enumerate(cells) if cell == cells[0]}
        else:
            continue
        blocks: list[list[NumberedFields]] = []
        for line in lines:
            if line[0] in starts or not blocks:
                blocks.append([])
            blocks[-1].append(line)
        return blocks
    return [lines]


def _restarts(cells: Sequence[str]) -> bool:
    """Check if a column counts from 0 or 1, several times."""
    if not cells or cells[0] not in ("0", "1") or cells.count(cells[0]) == 1 or set(cells) == {"0"}:
        return False
    numbers = [int(cell) if cell.isdecimal() and len(cell) < 10 else -1 for cell in cells]
    right = sum(cell in (numbers[0], before + 1) for before, cell in pairwise(numbers))
    return right >= 0.9 * (len(cells) - 1)


def _check_lines(
    path: Path, blocks: Sequence[Sequence[NumberedFields]], names: Sequence[str]
) -> None:
    """Refuse running text, and cells that hold lists."""
    lines = [line for block in blocks for line in block]
    rows = [line for line in lines if len(line[1]) == len(names)]
    if len(lines) >= _FEWEST_TO_JUDGE and 2 * len(rows) < len(lines):
        raise DataError(
            f"{path}: expected one word and its tag on each line, found lines of running text, such"
            f" as {shown(' '.join(lines[0][1]))}"
        )
    for at, name in enumerate(names):
        if rows and all(_LIST.fullmatch(fields[at]) and " " in fields[at] for _, fields in rows):
            raise DataError(
                f"{path}: expected one word per line, found lists as text in the column '{name}',"
                f" such as {shown(rows[0][1][at])}: save the table as JSON lines or Parquet, which"
                " keep lists"
            )


def _check_words(
    path: Path, blocks: Sequence[Sequence[NumberedFields]], token: int, width: int
) -> None:
    """Refuse files without ends of sentences, and texts with a label."""
    words = [
        fields[token].strip() for block in blocks for _, fields in block if len(fields) == width
    ]
    n_inner = sum(word in _ENDS for word in words[:-1])
    if len(blocks) == 1 and (len(words) > _LONGEST_BLOCK or n_inner >= _MOST_INNER_ENDS):
        raise DataError(
            f"{path}: expected an empty line after each sentence, found none in {len(words):,}"
            " lines"
        )
    if 2 * sum(" " in word for word in words) > len(words):
        raise DataError(
            f"{path}: expected one word and its tag on each line, found texts of several words with"
            " a label"
        )


def read_conllu(path: Path, text: str, errors: RowErrors, given: TagColumns) -> TagFile:
    """Read CoNLL-U; the column of the tags, or a key of the column ``misc``, must be given."""
    blocks = _conllu_blocks(text, errors)
    keys = _misc_keys(blocks)
    if given.tag is None:
        others = f", or the key {in_quotes(keys)} of the column misc" if keys else ""
        raise DataError(
            f"{path}: set tag_column to the column of the tags: upos, xpos, or another of"
            f" {in_quotes(CONLLU)}{others}"
        )
    token, tag = (name.lower() if isinstance(name, str) else name for name in given)
    key = None
    if given.tag in keys:
        key = str(given.tag)
    elif tag == "misc" and len(keys) == 1:
        key = keys[0]
    if key is not None:
        blocks = [
            [
                (number, [*fields[:-1], _misc(fields[-1]).get(key, OUTSIDE)])
                for number, fields in block
            ]
            for block in blocks
        ]
        tag = "misc"
    chosen = TagColumns("form" if token is None else token, tag)
    token_at, tag_at = places_of(chosen, CONLLU, str(path))
    assert token_at is not None
    assert tag_at is not None
    return TagFile(
        sentences=_sentences_of(blocks, len(CONLLU), token_at, tag_at, errors),
        names=CONLLU,
        token=CONLLU[token_at],
        tag=CONLLU[tag_at] if key is None else f"misc, {key}",
    )


def _conllu_blocks(text: str, errors: RowErrors) -> list[list[NumberedFields]]:
    """Split CoNLL-U into sentences of words; collect malformed lines in ``errors``."""
    blocks: list[list[NumberedFields]] = [[]]
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split("\t")
        if not line.strip():
            blocks.append([])
        elif line.startswith("#"):
            continue
        elif len(fields) != len(CONLLU):
            expected = f"expected the {len(CONLLU)} tab-separated columns of CoNLL-U"
            errors.add(number, f"{expected}, found {len(fields)}: {shown(line)}")
        # 3-4 is the written form of two words (don't); 5.1 is an omitted word.
        elif "-" not in fields[0] and "." not in fields[0]:
            if not fields[0].isdigit():
                errors.add(number, f"expected a word number, a word and a tag, found {shown(line)}")
            blocks[-1].append((number, fields))
    return blocks


def _misc(cell: str) -> dict[str, str]:
    """Return the keys and values of the last column of CoNLL-U: ``NER=B-PER|SpaceAfter=No``."""
    return dict(pair.split("=", 1) for pair in cell.split("|") if "=" in pair)


def _misc_keys(blocks: Sequence[Sequence[NumberedFields]]) -> list[str]:
    """Return the keys of the column ``misc`` whose values all are tags of spans."""
    values: dict[str, set[str]] = {}
    for block in blocks:
        for _, fields in block:
            for key, value in _misc(fields[-1]).items():
                values.setdefault(key, set()).add(value)
    return [key for key, found in values.items() if are_span_tags(found)]
