"""Count how often each meaning of a word is meant in running text, by the model itself.

    python -m elmo_tasks.service.meaning_frequencies --text '../shared/data/corpus/wiki_simplewiki*'
    … --words 400000

The counts (sums of probabilities) go to ``senses/frequencies.txt``, and are the prior of meanings
in a text. They are trained numbers: no sentence of the text is kept.
"""

from __future__ import annotations

import argparse
import glob
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from elmo_tasks.data.text_lines import numbered_lines
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.files import atomic_write
from elmo_tasks.senses.frequencies import FREQUENCIES
from elmo_tasks.service.loaded_models import LoadedModel, LoadedModels
from elmo_tasks.service.text_senses import senses_of_texts

_LINES_AT_ONCE = 512
_MAX_LINE_WORDS = 60  # words of a line
_MIN_COUNT = 0.05
#: Every fifth line is read, because neighbouring lines are from the same document.
_LINE_STEP = 5
MeaningCounts = dict[str, dict[str, float]]


def main() -> None:
    """Read the arguments, count, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--text", nargs="+", required=True, help="files of sentences, one per line; patterns"
    )
    parser.add_argument(
        "--words", type=int, default=400_000, help="words to read, the same share from each pattern"
    )
    parser.add_argument("--model", help="name or folder of the model")
    parser.add_argument("--out", type=Path, default=FREQUENCIES)
    args = parser.parse_args()
    loaded = LoadedModels(args.model).model()
    counts: MeaningCounts = defaultdict(lambda: defaultdict(float))
    for pattern in args.text:
        n = count(pattern, args.words // len(args.text), loaded, counts)
        print(f"{pattern}: {n:,} words", flush=True)
    write(args.out, counts)


def count(pattern: str, n_words: int, loaded: LoadedModel, counts: MeaningCounts) -> int:
    """Count the meanings in the files of a pattern; return how many words were read."""
    lines = _lines(pattern)
    n = 0
    while n < n_words and (batch := list(islice(lines, _LINES_AT_ONCE))):
        for answer in senses_of_texts(batch, loaded):
            if isinstance(answer, InputError):
                continue
            n += answer.n_tokens
            for word in answer.words:
                for meaning, probability in zip(
                    word.meanings, word.meant.probabilities, strict=True
                ):
                    if meaning.part_of_speech != "expression":
                        counts[meaning.word][meaning.key] += probability
    return n


def write(path: Path, counts: MeaningCounts) -> None:
    """Write one line for each word, with its meanings and their counts."""
    lines = [
        "# Uses of each meaning in running text, counted by service/meaning_frequencies.py: word,"
        " meaning and number."
    ]
    for word in sorted(counts):
        cells = [f"{key} {round(n, 1)}" for key, n in counts[word].items() if n >= _MIN_COUNT]
        if cells:
            lines.append("\t".join([word, *cells]))
    atomic_write(path, "\n".join(lines) + "\n")


def _lines(pattern: str) -> Iterator[str]:
    """Yield tokenized lines of moderate length."""
    paths = sorted(glob.glob(pattern))
    if not paths:
        raise DataError(
            f"'{pattern}' matches no file; expected text, one sentence per line, plain or .xz"
        )
    for path in paths:
        for number, line in numbered_lines(Path(path)):
            if not number % _LINE_STEP and 4 <= len(line.split()) <= _MAX_LINE_WORDS:
                yield line.strip()


if __name__ == "__main__":
    main()
