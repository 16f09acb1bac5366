"""Reader of files with one word and its tag per line, in columns that are found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path

from elmo_tasks.data.records import TaggedSentence, is_number, listed
from elmo_tasks.data.tables import Column, column_names, parse_table
from elmo_tasks.data.text_lines import RowErrors, shown, suffix_of
from elmo_tasks.errors import DataError

Line = tuple[int, list[str]]  #: number and fields
Given = tuple[Column | None, Column | None]  #: columns of the tokens and of the tags

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_TOKEN_NAMES = ("token", "tokens", "word", "words", "form", "text")
_NER_NAMES = ("ner_tag", "ner_tags", "ner", "iob", "bio")
_TAG_NAMES = (
    *_NER_NAMES,
    "tag",
    "tags",
    "label",
    "labels",
    "entity",
    "upos",
    "pos",
    "pos_tag",
    "xpos",
)
_GROUP_NAMES = re.compile(r"sent(ence)?[ _]?(#|id|no|number)?|(doc|document)[ _]?id", re.IGNORECASE)
_DOCUMENT_START = "-DOCSTART-"
# Files of CoNLL-2012, of whose columns these two hold the words and the names.
_CONLL_2012, _WORDS_OF_2012, _NAMES_OF_2012 = "#begin document", 3, 10
_SPAN_TAG = re.compile(r"[Oo]|[BIESLUMWbieslumw][-_].+")
_BRACKET_TAG = re.compile(r"\(?[\w.:-]*\*\)*|\([\w.:-]+\)")
_SPACES = re.compile(r"[ \t]+")  # a no-break space is part of a token
_LIST = re.compile(r"\s*[\[(].*[\])]\s*", re.DOTALL)
#: Formats of several columns or files that are refused, with the way out, by a line near the
#: beginning.
_OTHER_FORMATS = (
    (
        re.compile(r"#FORMAT=WebAnno"),
        "WebAnno TSV; export the document as CoNLL 2002 instead (in INCEpTION: Export, Format)",
    ),
    (
        re.compile(r"T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t"),
        (
            "brat standoff, whose text is in a file of its own; brat's tool anntoconll.py makes"
            ' columns of the two, or give JSON lines such as {"text": "Ada left.", "spans": [[0, 3,'
            ' "PER"]]}'
        ),
    ),
    (
        re.compile(r"\s*<(\?xml|!DOCTYPE|\w+[^>]*>)"),
        "XML or HTML; give columns of words and tags, or JSON lines",
    ),
)
_FEW = 8  # in fewer lines chance may look like a rule
_LONGEST_BLOCK = 5_000


@dataclass(frozen=True)
class TagFile:
    """Sentences of a file, the names of its columns, and remarks on its format."""

    sentences: list[TaggedSentence]
    names: tuple[str, ...] = ()
    token: str = ""
    tag: str = ""
    header: bool = False
    remarks: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the detected format."""
        columns = [f"words from '{self.token}', tags from '{self.tag}'"] if self.names else []
        return "; ".join([*columns, *self.remarks])


def sentences_of(
    blocks: list[list[Line]], width: int, token_at: int, tag_at: int, errors: RowErrors
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


def read_columns(path: Path, text: str, errors: RowErrors, given: Given) -> TagFile | None:
    """Read sentences; detect separator, header, comments, and the columns that are not given.

    ``None`` if the columns are those of CoNLL-U, as far as can be seen, and none is given.
    """
    _check_format(path, text)
    blocks, mark = _blocks(path, text)
    remarks = ["columns of a table"] if mark == "," else []
    # Only in front of the words of a sentence: # may be a word.
    possible = {
        number
        for block in blocks
        for number, _ in takewhile(lambda line: line[1][0][:1] == "#", block)
    }
    plain = [line for block in blocks for line in block if line[0] not in possible]
    if not plain:
        raise DataError(f"{path}: no sentence in this file")
    widths = [len(fields) for _, fields in plain]
    width = Counter([width for width in widths if width > 1] or widths).most_common(1)[0][0]
    if width < 2:
        number, fields = plain[0]
        raise DataError(
            f"{path}, line {number}: expected a token and a tag with a tab or space between them, "
            f"found 1 column: {shown(fields[0])}"
        )
    narrow = min(widths)
    if 2 <= narrow < max(widths) and _are_tagged(plain, narrow):
        blocks = [
            [(n, fields[:narrow] if len(fields) > narrow else fields) for n, fields in b]
            for b in blocks
        ]
        plain = [(n, fields[:narrow]) for n, fields in plain]
        width = narrow
        remarks.append(f"columns after the first {narrow} are left out: not every line has them")
    header = len(plain[0][1]) == width and _is_header(plain[0][1], given)
    if header:
        blocks = [[line for line in block if line is not plain[0]] for block in blocks]
        remarks.append("named by the first line")
    names = column_names(plain[0][1] if header else [""] * width, header)
    # A line that begins with # is a comment unless its last field is a tag like those of other
    # lines.
    tags = {fields[-1] for _, fields in plain[1 if header else 0 :] if len(fields) == width}
    comments = {
        number
        for block in blocks
        for number, fields in block
        if number in possible and (len(fields) != width or fields[-1] not in tags)
    }
    blocks = [
        kept for block in blocks if (kept := [line for line in block if line[0] not in comments])
    ]
    if comments:
        remarks.append("lines that begin with # are comments")
    rows = [line for block in blocks for line in block if len(line[1]) == width]
    if len(blocks) == 1:
        blocks = _regrouped(blocks[0], names, width)
    if len(blocks) == 1 and len(rows) > _LONGEST_BLOCK:
        raise DataError(
            f"{path}: expected an empty line after each sentence, found none in {len(rows):,} lines"
        )
    _check_lists(path, rows, names)
    kinds = _Kinds(
        [[fields for _, fields in block if len(fields) == width] for block in blocks], width
    )
    if mark == "," and 2 * sum(" " in fields[-1] or " " in fields[0] for _, fields in rows) > len(
        rows
    ):
        raise DataError(
            f"{path}: expected one word and its tag on each line, found texts of several words with"
            " a label"
        )
    if text.startswith(_CONLL_2012) and width > _NAMES_OF_2012:
        given = tuple(  # type: ignore[assignment]
            place if column is None else column
            for column, place in zip(given, (_WORDS_OF_2012, _NAMES_OF_2012), strict=True)
        )
    token, tag = _columns(kinds, names, header, given, f"{path}, line {plain[0][0]}", remarks)
    if width == len(CONLLU) and given == (None, None) and kinds.counts(0) and not kinds.spans(tag):
        return None
    sentences = sentences_of(blocks, width, token, tag, errors)
    return TagFile(
        sentences=sentences,
        names=names,
        token=names[token],
        tag=names[tag],
        header=header,
        remarks=tuple(remarks),
    )


def _blocks(path: Path, text: str) -> tuple[list[list[Line]], str]:
    """Split into sentences at empty lines and document marks, and lines into fields."""
    blocks: list[list[Line]] = [[]]
    lines = list(enumerate(text.split("\n"), start=1))
    content = [
        line
        for _, line in lines
        if line.strip() and not line.startswith("#") and _DOCUMENT_START not in line
    ]
    if 2 * sum("\t" in line for line in content) >= len(content):
        mark = "\t"
    elif (
        content
        and ("," in content[0] or ";" in content[0])
        and (suffix_of(path) == ".csv" or _is_header(re.split("[,;]", content[0])))
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
            [(n, fields[:-1] if len(fields) > 2 else fields) for n, fields in block]
            for block in blocks
        ]
    return [block for block in blocks if block], mark


def _is_header(fields: Sequence[str], given: Given = (None, None)) -> bool:
    """Check if fields name columns: those that are given, or the usual ones."""
    lower = {field.strip().lower() for field in fields}
    usual = not lower.isdisjoint(_TOKEN_NAMES) and not lower.isdisjoint(_TAG_NAMES)
    by_name = {column for column in given if isinstance(column, str)}
    return usual or bool(by_name and by_name <= set(fields))


def _regrouped(lines: list[Line], names: Sequence[str], width: int) -> list[list[Line]]:
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
            and len(rows) >= _FEW
            and all(any(map(str.isdigit, cell)) for cell in cells)
        ):
            starts = {rows[k][0] for k in runs}
        elif _restarts(cells):
            starts = {rows[k][0] for k, cell in enumerate(cells) if cell == cells[0]}
        else:
            continue
        blocks: list[list[Line]] = []
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


class _Kinds:
    """Kinds of the columns of a file, inferred from their values."""

    def __init__(self, blocks: Sequence[Sequence[Sequence[str]]], width: int) -> None:
        self.blocks, self.width = blocks, width
        self.columns = [
            [fields[at].strip() for block in blocks for fields in block] for at in range(width)
        ]
        self.n_rows = len(self.columns[0])

    def counts(self, at: int) -> bool:
        """Check if a column counts the words of each sentence from 0 or 1."""
        right = 0
        for block in self.blocks:
            cells = [fields[at].strip() for fields in block]
            start = int(cells[0]) if cells and cells[0] in ("0", "1") else 1
            right += sum(cell == str(start + k) for k, cell in enumerate(cells))
        return right >= 0.9 * self.n_rows and any(len(block) > 1 for block in self.blocks)

    def identifies(self, at: int) -> bool:
        """Check if a column holds ids or a single value, and so no words."""
        cells = self.columns[at]
        if self.n_rows < _FEW:
            return False
        with_digit = all(any(map(str.isdigit, cell)) for cell in cells)
        in_blocks = all(len({fields[at] for fields in block}) == 1 for block in self.blocks)
        longer = sum(len(block) > 1 for block in self.blocks) > 1
        return (
            len(set(cells)) == 1
            or (with_digit and len(set(cells)) == len(cells))
            or (in_blocks and longer)
        )

    def is_numeric(self, at: int) -> bool:
        """Check if a column holds numbers."""
        return self.n_rows > 1 and sum(map(is_number, self.columns[at])) >= 0.9 * self.n_rows

    def spans(self, at: int) -> bool:
        """Check if a column spells spans, and has some."""
        cells = set(self.columns[at])
        return bool(cells - {"O", "o"}) and all(_SPAN_TAG.fullmatch(cell) for cell in cells)

    def brackets(self, at: int) -> bool:
        """Check if a column spells spans by brackets, as CoNLL-2012: ``(PER*``, ``*``, ``*)``."""
        cells = set(self.columns[at])
        opened = any(cell.startswith("(") for cell in cells)
        return "*" in cells and opened and all(_BRACKET_TAG.fullmatch(cell) for cell in cells)

    def types(self, at: int) -> set[str]:
        """Return the span types of a column."""
        return {cell[2:] for cell in self.columns[at] if cell not in ("O", "o")}


def _columns(
    kinds: _Kinds, names: Sequence[str], header: bool, given: Given, where: str, remarks: list[str]
) -> tuple[int, int]:
    """Find the columns of the tokens and of the tags."""
    width = kinds.width
    lower = [name.lower() for name in names]
    token_at, tag_at = places_of(given, names, where)
    if header:
        free = [name for at, name in enumerate(lower) if at not in (token_at, tag_at)]
        if tag_at is None:
            tag_at = next((lower.index(name) for name in _TAG_NAMES if name in free), None)
        if token_at is None:
            token_at = next((lower.index(name) for name in _TOKEN_NAMES if name in free), None)
    if token_at is None:
        no_words = [
            at
            for at in range(width)
            if kinds.counts(at) or kinds.identifies(at) or kinds.is_numeric(at)
        ]
        words = [
            at for at in range(width) if at not in no_words and at != tag_at and not kinds.spans(at)
        ]
        token_at = words[0] if words else next(at for at in range(width) if at != tag_at)
        if tag_at is None and len(words) == width == 2 and kinds.n_rows >= 20:
            n_values = [len(set(column)) for column in kinds.columns]
            token_at = 1 if n_values[1] > 2 * n_values[0] else 0  # there are fewer tags than words
        if any(at < token_at for at in no_words):
            remarks.append("columns of numbers and ids are left out")
    return token_at, _tag_column(kinds, token_at, remarks) if tag_at is None else tag_at


def places_of(given: Given, names: Sequence[str], where: str) -> list[int | None]:
    """Find the columns that are given by place or name."""
    places: list[int | None] = []
    for column, parameter in zip(given, ("token_column", "tag_column"), strict=True):
        if column is None:
            places.append(None)
        elif column in names:
            places.append(names.index(str(column)))
        elif isinstance(column, int) and -len(names) <= column < len(names):
            places.append(column % len(names))
        else:
            raise DataError(
                f"{where}: {parameter}: expected the place of a column, counted from 0 (-1 is the"
                f" last), or one of the names {listed(shown(name)[1:-1] for name in names)}, found"
                f" '{column}'"
            )
    if places[0] is not None and places[0] == places[1]:
        raise DataError(
            f"{where}: token_column {given[0]} and tag_column {given[1]} are one and the same"
            " column"
        )
    return places


def _tag_column(kinds: _Kinds, token: int, remarks: list[str]) -> int:
    """Choose the last column, or that of spans; of nested names, the outer ones."""
    others = [at for at in range(kinds.width) if at != token]
    usable = [
        at
        for at in others
        if not kinds.counts(at)
        and not kinds.is_numeric(at)
        and (not kinds.identifies(at) or set(kinds.columns[at]) <= {"O", "o"})
    ] or others
    spans = [at for at in usable if kinds.spans(at)]
    last = usable[-1]
    if len(spans) > 1:
        first, second = spans[-2:]
        outer, inner = (
            [cell not in ("O", "o") for cell in kinds.columns[at]] for at in (first, second)
        )
        if (
            second == first + 1 == last
            and kinds.types(second) <= kinds.types(first)
            and sum(inner) < sum(outer)
        ):
            remarks.append(f"column {second + 1} has names inside names and is left out")
            return first
        if kinds.types(first) & kinds.types(second):
            remarks.append(
                f"COLUMNS {first + 1} AND {second + 1} BOTH HOLD TAGS of the same types, as files"
                f" with predictions do: column {first + 1} is read; tag_column chooses another"
            )
            return first
        remarks.append(
            f"columns {first + 1} and {second + 1} hold tags: column {second + 1} is read"
        )
    if not spans and (brackets := [at for at in usable if kinds.brackets(at)]):
        return brackets[-1]
    return spans[-1] if spans else last


def _check_format(path: Path, text: str) -> None:
    """Name formats that are no columns of words and tags.

    Raises:
        DataError: the first lines are those of another format.
    """
    lines = [line for line in text[:10_000].split("\n")[:20] if line.strip()]
    for pattern, what in _OTHER_FORMATS:
        if lines and pattern.match(lines[0]):
            raise DataError(f"{path}: expected a word and its tag on each line, found {what}")


def _check_lists(path: Path, rows: Sequence[Line], names: Sequence[str]) -> None:
    """Refuse cells that hold whole lists, as pandas writes them into CSV."""
    for at, name in enumerate(names):
        if rows and all(_LIST.fullmatch(fields[at]) and " " in fields[at] for _, fields in rows):
            raise DataError(
                f"{path}: expected one word per line, found lists as text in the column '{name}',"
                f" such as {shown(rows[0][1][at])}: save the table as JSON lines or Parquet, which"
                " keep lists"
            )


def _are_tagged(rows: Sequence[Line], width: int) -> bool:
    """Check if the column before a width holds tags of spans on all lines."""
    last = {fields[width - 1].strip() for _, fields in rows if len(fields) >= width}
    return bool(last - {"O", "o"}) and all(_SPAN_TAG.fullmatch(tag) for tag in last)
