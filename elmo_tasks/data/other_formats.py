"""Formats of text that the readers do not read, refused by their names."""

from __future__ import annotations

import re

from elmo_tasks.errors import DataError

#: Not a word such as ``<user>`` before its tag.
_MARKUP = re.compile(r"\s*<(\?xml|!DOCTYPE|!--|/?\w+[^<>]*>(?!(\s+[^\s<>]+)+$))")
_AS_TABLE = "give a table (CSV or TSV) or JSON lines"
_AS_TAGS = "give columns of words and tags, or JSON lines"
#: Of tables of texts: a pattern of the beginning of the file, and the name of the format.
_OTHER_TABLES = (
    (re.compile(r"\s*<(\?xml|!DOCTYPE|html\b|head\b)", re.IGNORECASE), "XML or HTML"),
    (re.compile(r"\s*(%[^\n]*\n\s*)*@relation\b", re.IGNORECASE), "Weka's ARFF"),
    (re.compile(r"\s*(INSERT INTO|CREATE TABLE) [`\"\w.]+ ?(VALUES )?\("), "SQL"),
    (re.compile(r"(---\n)?- ?\w+: [^\n]*\n +\w+:"), "YAML"),
    (re.compile(r"(\w+ *= *)?\[\s*[({]\s*'|\w+ *= *\[\s*[\[({]"), "code of Python"),
)
#: Of tagged words: a pattern of the first line, the name of the format, and the remedy.
_OTHER_TAGS = (
    (
        re.compile(r"#FORMAT=WebAnno|\d+-\d+\t\d+-\d+\t"),
        "WebAnno TSV",
        "export the document as CoNLL 2002 instead (in INCEpTION: Export, Format)",
    ),
    (
        re.compile(r"(T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t|[REAMN]\d+\t\S+[: ]|#\d+\tAnnotatorNotes )"),
        "brat standoff, whose text is in a file of its own",
        "brat's tool anntoconll.py makes columns of the two, or give JSON lines such as"
        ' {"text": "Ada left.", "spans": [[0, 3, "PER"]]}',
    ),
    (
        re.compile(r"(\w+ *= *)?\[\s*$|(\w+ *= *)?\[\s*\((['\"])"),
        "code of Python",
        "write the list as JSON, with json.dump(TRAIN_DATA, file)",
    ),
    (_MARKUP, "XML or HTML", _AS_TAGS),
)


def check_markup(text: str, where: str) -> None:
    """Refuse formats other than a table, such as HTML, ARFF or SQL.

    Raises:
        DataError: the beginning of the text is in another format.
    """
    for pattern, name in _OTHER_TABLES:
        if pattern.match(text[:2_000]):
            raise DataError(
                f"{where}: expected a table or lines of text, found {name}; {_AS_TABLE}"
            )


def check_tag_format(text: str, where: str) -> None:
    """Refuse formats other than columns of words and tags.

    Raises:
        DataError: the first lines are in another format.
    """
    lines = [line for line in text[:10_000].split("\n")[:20] if line.strip()]
    for pattern, name, advice in _OTHER_TAGS:
        if lines and pattern.match(lines[0]):
            raise DataError(
                f"{where}: expected a word and its tag on each line, found {name}; {advice}"
            )
