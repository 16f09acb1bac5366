"""Sentiment treebanks: ``(3 (2 It) (4 works))``, one tree a line, a label on every node."""

from __future__ import annotations

from pathlib import Path

from elmo_tasks.data.records import LabelledText
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown
from elmo_tasks.errors import DataError


def read_trees(path: Path, phrases: bool = False) -> list[LabelledText]:
    r"""Read a file of labelled trees.

    Args:
        path: the file, plain or ``.xz``.
        phrases: every node's phrase, in the order of the closing brackets, not only the whole sentence.

    Returns:
        tokens with single spaces between them, and the label. Tokens are as in the file, but for ``\/`` and ``\*``.

    Raises:
        DataError: the file cannot be read, or a line is not a tree; the text names the lines.
    """
    errors = RowErrors(path)
    found: list[LabelledText] = []
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            nodes = _nodes(line, number)
        except DataError as error:
            errors.add(number, f"{error}: {shown(line)}")
            continue
        found += nodes if phrases else nodes[-1:]
    errors.check(len(found), "tree")
    return found


def _nodes(line: str, number: int) -> list[LabelledText]:
    """The phrases of one tree with their labels, children before parents: the sentence comes last."""
    nodes: list[LabelledText] = []
    words: list[str] = []
    open_nodes: list[tuple[str, int]] = []  # label, and number of words before
    before = ""
    # Spaces only: a token may hold another kind of white space (2 1/2 with a no-break space).
    for piece in line.replace("(", " ( ").replace(")", " ) ").split(" "):
        if not piece:
            continue
        if nodes and not open_nodes:
            raise DataError("expected one tree on the line, found something after it")
        if piece == ")":
            if not open_nodes or before == "(":
                raise DataError("expected a tree such as (3 (2 It) (4 works)), found a ')' without its '(' and label")
            label, start = open_nodes.pop()
            if start == len(words):
                raise DataError(f"expected words in every node, found none in one labelled '{label}'")
            nodes.append(LabelledText(" ".join(words[start:]), label, number))
        elif before == "(":
            if piece == "(":
                raise DataError("expected a label after each '(', found '(('")
            open_nodes.append((piece, len(words)))
        elif piece != "(":
            if not open_nodes:
                raise DataError("expected a tree such as (3 (2 It) (4 works)), found a word outside of it")
            words.append(piece.replace("\\/", "/").replace("\\*", "*"))
        before = piece
    if open_nodes or before == "(":
        raise DataError(f"expected a tree, found {len(open_nodes) + (before == '(')} '(' too many")
    return nodes
