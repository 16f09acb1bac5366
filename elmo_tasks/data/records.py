"""One labelled row of a data set, rows that are drawn evenly, and the set of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import Scheme, check_tags

_MOST_SHOWN = 12
# A text that stands where a label is expected is shown in its beginning.
_LONGEST_NAME = 40
# In a handful of rows all labels may differ and be right.
_FEWEST_TO_JUDGE = 20


@dataclass(frozen=True)
class TaggedSentence:
    """Tokens, at least one, with a tag each, as they stand in the file.

    It begins on ``line``, from 1, or 0 if it is from no file; ``widened`` spans of characters were widened to whole tokens.
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    line: int = field(default=0, compare=False)
    widened: int = field(default=0, compare=False)


@dataclass(frozen=True)
class LabelledText:
    """A text, or tokens with spaces between, and its label as they stand in the file; ``line`` as in :class:`TaggedSentence`."""

    text: str
    label: str
    line: int = field(default=0, compare=False)


def content_of(record: TaggedSentence | LabelledText) -> str | tuple[str, ...]:
    """What is read of a row: two rows of the same content must not be in two splits."""
    return record.text if isinstance(record, LabelledText) else record.tokens


def stratum_of(record: TaggedSentence | LabelledText) -> str:
    """What is drawn evenly: the label of a text; sentences are all alike."""
    return record.label if isinstance(record, LabelledText) else ""


def evenly_drawn(order: Sequence[int], strata: Sequence[str], share: float) -> list[int]:
    """A share of each stratum, one row at least: the first in the drawn order, so that a smaller share is a part of a larger."""
    left = {stratum: max(1, round(number * share)) for stratum, number in Counter(strata[k] for k in order).items()}
    taken = []
    for k in order:
        left[strata[k]] -= 1
        if left[strata[k]] >= 0:
            taken.append(k)
    return taken


def quotas(strata: Sequence[str], size: int) -> dict[str, int]:
    """How many of each stratum make a part of ``size`` rows with the strata in the same shares (largest remainders)."""
    counts = Counter(strata)
    exact = {stratum: number * size / len(strata) for stratum, number in counts.items()}
    found = {stratum: int(number) for stratum, number in exact.items()}
    by_remainder = sorted(exact, key=lambda stratum: (found[stratum] - exact[stratum], stratum))
    for stratum in by_remainder[: size - sum(found.values())]:
        found[stratum] += 1
    return found


def check_sentences(sentences: Iterable[TaggedSentence], scheme: Scheme, where: str) -> None:
    """Make sure that every tag is one of the scheme.

    Raises:
        DataError: one is not; the text names the file, ``where``, and the line.
    """
    for sentence in sentences:
        try:
            check_tags(sentence.tags, scheme)
        except DataError as error:
            place = f", sentence of line {sentence.line}" if sentence.line else ""
            raise DataError(f"{where}{place}: {error}") from None


class LabelSet:
    """Label <-> id, where the id is the position of a name; each comes once."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        self._ids = {name: k for k, name in enumerate(self.names)}
        if len(self._ids) != len(self.names):
            raise ValueError(f"LabelSet: a name comes twice: {self.names}")

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def id_of(self, name: str) -> int:
        """Id of a label; ``KeyError`` if there is no such label."""
        return self._ids[name]

    @classmethod
    def of(cls, labels: Iterable[str]) -> LabelSet:
        """The distinct labels, by number if all are numbers, else by alphabet: the same data give the same ids."""
        distinct = set(labels)
        if all(is_number(label) for label in distinct):
            return cls(sorted(distinct, key=lambda label: (float(label), label)))
        return cls(sorted(distinct))

    def check(self, labels: Iterable[str], where: str, train: str, what: str = "label") -> None:
        """Refuse ``labels`` of a file that ``train``, as the training file is called, cannot have taught.

        Raises:
            DataError: one of them is not in this set.
        """
        unknown = sorted(set(labels) - set(self.names))
        if unknown:
            raise DataError(
                f"{where}: {listed(unknown)}: no such {what} in the training data, {train}, "
                f"which has {listed(self.names)}"
            )


def check_labels(labels: LabelSet, n_rows: int, where: str, what: str = "label") -> None:
    """Refuse labels of ``n_rows`` rows (of tags: tokens) that nothing can be learned from: all the same, or nearly all different.

    Raises:
        DataError: there are fewer than two, or more than half as many as rows.
    """
    if len(labels) < 2:
        raise DataError(
            f"{where}: expected two {what}s or more, found {listed(labels.names) or 'none'}: "
            f"is {what}_column the right column?"
        )
    if n_rows >= _FEWEST_TO_JUDGE and 2 * len(labels) > n_rows:
        numbers = "; numbers on a scale are no classes" if all(map(is_number, labels.names)) else ""
        unit = "rows" if what == "label" else "tokens"
        raise DataError(
            f"{where}: {len(labels):,} different {what}s in {n_rows:,} {unit}, such as {listed(labels.names[:3])}: nearly all "
            f"differ, and nothing can be learned from them{numbers}. Is {what}_column the right column?"
        )


def renamed(rows: Iterable[LabelledText], names: Mapping[str, str | None], where: str) -> list[LabelledText]:
    """Give labels other names: two labels with one name become one; rows whose label gets ``None`` are left out.

    Raises:
        DataError: a label has no entry.
    """
    rows = list(rows)
    missing = sorted({row.label for row in rows} - set(names))
    if missing:
        raise DataError(
            f"{where}: label_names says nothing about {listed(missing)}; it has {listed(names)}. "
            "Give each label a name, or null to leave its rows out"
        )
    named = [(row, names[row.label]) for row in rows]
    return [LabelledText(row.text, name, row.line) for row, name in named if name is not None]


def mapped_labels(
    labels: Sequence[str], own: Sequence[str], given: str | None, stored: Mapping[str, str | None] | None, where: str
) -> dict[str, str | None]:
    """Map the labels of a file to the head's ``own``, or refuse them by name: a wrong label is never scored in silence.

    Args:
        labels: of the rows of the file.
        own: those that the head says.
        given: a person's map such as ``0=negative,1=positive``.
        stored: the map of the head's training file, used where it fits: all labels are in it, and no two classes become one.
        where: the file, for messages.

    Raises:
        DataError: a label is unknown.
    """
    names: dict[str, str | None] = {name: name for name in own}
    if given is not None:
        pairs = [pair.partition("=") for pair in given.split(",")]
        wrong = [f"{a}{mark}{b}" for a, mark, b in pairs if not a.strip() or b.strip() not in own]
        if wrong:
            raise DataError(f"--labels: {listed(wrong)}: expected LABEL=NAME, where NAME is one of {listed(own)}")
        names |= {a.strip(): b.strip() for a, _, b in pairs}
    elif stored is not None and set(labels) <= {str(label) for label in stored} | set(own):
        known = {str(label): name for label, name in stored.items()} | names
        said = {known[label] for label in labels} - {None}
        if len(said) > 1 or len(set(labels)) == 1:
            names = known
    unknown = sorted(set(labels) - set(names))
    if unknown:
        example = ",".join(f"{label}={name}" for label, name in zip(unknown, own, strict=False))
        raise DataError(
            f"{where}: {listed(unknown)}: the head has no such label; it has {listed(own)}. Say which is which, such as "
            f"--labels {example}"
        )
    return names


def listed(names: Iterable[str]) -> str:
    """Names in quotes for a message, the first dozen of them."""
    names = list(names)
    shown = ", ".join(
        f"'{name if len(name) <= _LONGEST_NAME else f'{name[:_LONGEST_NAME]}…'}'" for name in names[:_MOST_SHOWN]
    )
    return shown if len(names) <= _MOST_SHOWN else f"{shown} and {len(names) - _MOST_SHOWN:,} more"


def is_number(label: str) -> bool:
    """Whether a label or a field is a number as people write it: ``3``, ``-1``, ``0.5``."""
    return label.isascii() and label.removeprefix("-").replace(".", "", 1).isdigit()
