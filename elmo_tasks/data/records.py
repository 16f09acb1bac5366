"""Labelled rows of a data set, and checks of their labels."""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import Scheme, split_tag

_MAX_SHOWN = 12
# Longer labels, which are probably texts, are cut in messages.
_LONGEST_NAME = 40
# In fewer rows, labels may all differ.
_MIN_TO_JUDGE = 20
YES_AND_NO = "YAML reads no, yes, off and on as false and true: put quotes around them"
#: Labels with more different numbers than this are values on a scale, not classes.
_MOST_FRACTIONS = 10
_MOST_GRADES = 40
#: Signs without a picture that programs leave around a value.
_INVISIBLE = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
_DECIMAL_COMMA = re.compile(r"-?\d+,(\d+)")
#: What programs write for an empty cell.
_NO_VALUES = {"nan", "null", "#n/a", "#na", "<na>"}


@dataclass(frozen=True)
class TaggedSentence:
    """Tokens, at least one, with one tag each, as written in the file."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    line: int = field(default=0, compare=False)  #: line of its beginning, from 1; 0 without a file
    #: number of spans of characters that were widened to whole tokens
    widened: int = field(default=0, compare=False)


@dataclass(frozen=True)
class LabelledText:
    """Text or space-separated tokens, with the label as written on ``line``."""

    text: str
    label: str
    line: int = field(default=0, compare=False)


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
        columns = [f"words from “{self.token}”, tags from “{self.tag}”"] if self.names else []
        return "; ".join([*columns, *self.remarks])


def content_of(record: TaggedSentence | LabelledText) -> str | tuple[str, ...]:
    """Return the input content of a row; equal contents must share a split."""
    return record.text if isinstance(record, LabelledText) else record.tokens


def check_sentences(sentences: Iterable[TaggedSentence], scheme: Scheme, where: str) -> None:
    """Check that every tag belongs to the scheme."""
    for sentence in sentences:
        try:
            for k, tag in enumerate(sentence.tags):
                split_tag(tag, scheme, k)
        except DataError as error:
            place = f", sentence of line {sentence.line}" if sentence.line else ""
            raise DataError(f"{where}{place}: {error}") from None


def counted(numbers: Mapping[str, int]) -> str:
    """Format labels with their numbers, the most frequent first."""
    pairs = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    more = f" and {len(pairs) - _MAX_SHOWN:,} more" if len(pairs) > _MAX_SHOWN else ""
    return (
        ", ".join(f"{name[:_LONGEST_NAME]} {number:,}" for name, number in pairs[:_MAX_SHOWN])
        + more
    )


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Return the distinct labels, sorted by number if all are numbers, else as text."""
    distinct = set(labels)
    numbers = all(map(is_number, distinct))
    return sorted(distinct, key=lambda label: (float(label) if numbers else 0.0, label))


def check_known(
    labels: Iterable[str], learned: Sequence[str], where: str, train: str, what: str = "label"
) -> None:
    """Check that the labels of a file are those of the training file, named ``train``."""
    if unknown := sorted(set(labels) - set(learned)):
        raise DataError(
            f"{where}: {in_quotes(unknown)}: no such {what} in the training data, {train}, which"
            f" has {in_quotes(learned)}"
        )


def check_labels(labels: Sequence[str], n_rows: int, where: str, what: str = "label") -> None:
    """Reject labels that cannot be learned: a single one, or more than half as many as rows."""
    if len(labels) < 2:
        raise DataError(
            f"{where}: expected two {what}s or more, found {in_quotes(labels) or 'none'}: "
            f"is {what}_column the right column?"
        )
    numbers = all(map(is_number, labels))
    if numbers and what == "label" and _is_scale(labels):
        raise DataError(
            f"{where}: {len(labels):,} different numbers as labels, from {labels[0]} to"
            f" {labels[-1]}: numbers on a scale are not classes. Name another label_column, or"
            " group them into a few classes with label_names"
        )
    if n_rows >= _MIN_TO_JUDGE and 2 * len(labels) > n_rows:
        scale = "; numbers on a scale are not classes" if numbers else ""
        unit = "rows" if what == "label" else "tokens"
        raise DataError(
            f"{where}: {len(labels):,} different {what}s in {n_rows:,} {unit}, such as"
            f" {in_quotes(labels[:3])}: nearly all differ, and nothing can be learned from"
            f" them{scale}. Is {what}_column the right column?"
        )


def _is_scale(labels: Sequence[str]) -> bool:
    """Check if numbers are values on a scale, such as 0 to 100 or 0.25, rather than classes."""
    values = [float(label) for label in labels]
    fractions = any(not value.is_integer() for value in values)
    return len(values) > (_MOST_FRACTIONS if fractions else _MOST_GRADES)


def plain_value(value: str) -> str:
    """Drop white space and invisible signs around a value; compose its accents."""
    plain = value.strip()
    while plain != (plain := plain.strip(_INVISIBLE).strip()):
        pass
    return unicodedata.normalize("NFC", plain)


def plain_labels(rows: Sequence[LabelledText], with_commas: bool) -> list[LabelledText]:
    """Write the same value the same way if all labels are numbers, or all are true and false.

    ``1.0`` becomes ``1``; with decimal commas, which a file may have if commas do not part its
    columns, so does ``1,0``. ``TRUE`` becomes ``True``, if both occur.
    """
    labels = {row.label for row in rows}
    matches = [_DECIMAL_COMMA.fullmatch(label) for label in labels]
    if with_commas and len({len(match[1]) if match else 0 for match in matches} - {0}) == 1:
        changed = {label: label.replace(",", ".") for label in labels}
        if all(map(is_number, changed.values())):
            rows = [replace(row, label=changed[row.label]) for row in rows]
    if all(is_number(row.label) for row in rows):
        return [replace(row, label=plain_number(row.label)) for row in rows]
    if {label.lower() for label in labels} <= {"true", "false"} and len(labels) > 2:
        return [replace(row, label=row.label.title()) for row in rows]
    return list(rows)


def plain_number(label: str) -> str:
    """Write a whole number without a point: ``1.0`` becomes ``1``."""
    whole, point, rest = label.partition(".")
    return whole if point and whole.strip("-") and not rest.strip("0") else label


def remarks_on_rows(rows: Sequence[LabelledText]) -> list[str]:
    """Describe what is improbable: labels of one meaning, no value, texts with several labels."""
    numbers = Counter(row.label for row in rows)
    remarks = []
    alike: dict[str, list[str]] = {}
    for label in numbers:
        alike.setdefault(
            " ".join(re.sub(r"[_\-\ufe0e\ufe0f]", " ", label.casefold()).split()), []
        ).append(label)
    for same in alike.values():
        if len(same) > 1:
            name = max(same, key=lambda label: numbers[label])
            names = ", ".join(
                f"{json.dumps(label, ensure_ascii=False)}: {json.dumps(name, ensure_ascii=False)}"
                for label in sorted(same)
            )
            remarks.append(
                f"LABELS THAT DIFFER ONLY IN SPELLING: {in_quotes(sorted(same))};"
                f" label_names makes them one ({{{names}, …}})"
            )
    if empty := sorted(label for label in numbers if label.lower() in _NO_VALUES):
        remarks.append(
            f"{in_quotes(empty)} SEEMS TO MEAN THAT THERE IS NO LABEL: with label_names, give it"
            " the name null to leave its rows out"
        )
    if n := sum(row.text.lower() in _NO_VALUES for row in rows):
        remarks.append(f"TEXTS THAT SEEM TO BE EMPTY, such as 'nan': {n:,}")
    return [*remarks, *_contradictions(rows)]


def _contradictions(rows: Iterable[LabelledText]) -> list[str]:
    """Describe texts that occur with several labels."""
    labels: dict[str, set[str]] = {}
    for row in rows:
        labels.setdefault(row.text, set()).add(row.label)
    several = [text for text, own in labels.items() if len(own) > 1]
    if not several:
        return []
    example = several[0]
    what = "ONE TEXT HAS" if len(several) == 1 else f"{len(several):,} TEXTS HAVE"
    return [
        f"{what} SEVERAL LABELS in different rows, such as {in_quotes([example])}"
        f" ({in_quotes(sorted(labels[example]))})"
    ]


def renamed(
    rows: Iterable[LabelledText], names: Mapping[str, str | None], where: str
) -> list[LabelledText]:
    """Rename labels, which may merge some; rows of ``None`` are left out."""
    rows = list(rows)
    if missing := sorted({row.label for row in rows} - set(names)):
        is_yaml = set(names) & {"True", "False"} and not {"True", "False"} & {
            row.label for row in rows
        }
        advice = YES_AND_NO if is_yaml else "Give each label a name, or null to leave its rows out"
        raise DataError(
            f"{where}: label_names says nothing about {in_quotes(missing)}; it has"
            f" {in_quotes(names)}. {advice}"
        )
    return [
        LabelledText(row.text, name, row.line)
        for row in rows
        if (name := names[row.label]) is not None
    ]


def given_names(given: str, own: Sequence[str]) -> dict[str, str | None]:
    """Parse ``0=negative,1=positive``, or JSON; a label without a name gets ``None``.

    Raises:
        DataError: a name is none of ``own``.
    """
    if given.lstrip().startswith("{"):
        try:
            parsed = {str(label): str(name or "") for label, name in json.loads(given).items()}
        except ValueError as error:
            raise DataError(
                f'--labels: expected JSON such as {{"0": "{own[0]}"}}, found {given[:60]} ({error})'
            ) from None
    else:
        pairs = [pair.partition("=") for pair in given.split(",")]
        parsed = {label.strip() if mark else "": name.strip() for label, mark, name in pairs}
    wrong = [
        f"{label}={name}"
        for label, name in parsed.items()
        if not label or (name and name not in own)
    ]
    if wrong:
        raise DataError(
            f"--labels: {in_quotes(wrong)}: expected LABEL=NAME, where NAME is one of"
            f" {in_quotes(own)}, or LABEL= to leave it out"
        )
    return {label: name or None for label, name in parsed.items()}


def mapped_labels(
    labels: Sequence[str],
    own: Sequence[str],
    given: str | None,
    stored: Mapping[str, str | None] | None,
    where: str,
) -> dict[str, str | None]:
    """Map the labels of a file, called ``where``, to a head's ``own``; refuse unknown ones.

    ``given`` is a user's map such as ``0=negative,1=positive``. Without it ``stored``, the map of
    the head's training file, is used where it fits: all labels are in it, and no two classes become
    one.
    """
    names: dict[str, str | None] = {name: name for name in own}
    if given is not None:
        names |= given_names(given, own)
    elif stored is not None:
        merged = {str(label): name for label, name in stored.items()} | names
        classes = {merged.get(label) for label in labels} - {None}
        if set(labels) <= set(merged) and (len(classes) > 1 or len(set(labels)) == 1):
            names = merged
    unknown = sorted(set(labels) - set(names))
    if unknown:
        mapped = {
            label: name for label, name in names.items() if label in labels and label not in own
        }
        left = [name for name in own if name not in mapped.values()] or own
        # Numbers have an order, which may be that of the head's labels; words have none.
        pairs = zip(
            unknown, left if all(map(is_number, unknown)) else ["NAME"] * len(unknown), strict=False
        )
        example = ",".join(f"{label}={name}" for label, name in (*mapped.items(), *pairs))
        raise DataError(
            f"{where}: {in_quotes(unknown)}: the head has no such label; it has {in_quotes(own)}."
            f" Say which is which, such as --labels {shlex.quote(example)}"
        )
    return names


def in_quotes(names: Iterable[str]) -> str:
    """Format names in quotes for a message, the first dozen of them."""
    names = list(names)
    quoted = [
        f"'{name if len(name) <= _LONGEST_NAME else f'{name[:_LONGEST_NAME]}…'}'"
        for name in names[:_MAX_SHOWN]
    ]
    more = f" and {len(names) - _MAX_SHOWN:,} more" if len(names) > _MAX_SHOWN else ""
    return ", ".join(quoted) + more


def is_number(label: str) -> bool:
    """Check if a label or a field is a number: ``3``, ``-1``, ``0.5``."""
    return label.isascii() and label.removeprefix("-").replace(".", "", 1).isdigit()
