"""Recipe: word2vec vectors (Mikolov et al., 2013), joined with a transformer's.

The command ``model vectors`` trains ``static-mini``, and this file as a program makes
``static-joint`` of it; their cards have the commands. From top to bottom: training, writing a
folder that :class:`StaticVectors` loads, joining, the program.
"""

from __future__ import annotations

import argparse
import lzma
import platform
import re
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gensim
import numpy as np
import torch
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.word2vec import Word2Vec
from torch.nn.functional import normalize
from tqdm import tqdm

from elmo_tasks import encoders
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import (
    LOOKUP,
    WEIGHTS_NAME,
    WORDS_NAME,
    StaticVectors,
    normalized,
)
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import read_json
from elmo_tasks.text.vocabulary import open_text
from elmo_tasks.weights.folders import CARD_NAME, FolderKind, write_card
from elmo_tasks.weights.safetensors_files import write_safetensors

VECTORS_FOLDER = FolderKind(
    "static vectors",
    re.compile(r"words\.txt\.xz|card\.json|vectors[-\w]*\.safetensors(\.index\.json)?"),
)
ALGORITHMS = ("cbow", "skip-gram")
_BATCH = 512
#: Weight of the teacher's vectors beside the others, both at length 1.
TEACHER_WEIGHT = 1.2


@dataclass(frozen=True)
class StaticSettings:
    """Training settings."""

    size: int = 100  # of a vector
    words: int = 36_000  # at most; the most frequent ones
    min_count: int = 5  # minimum count of a word
    algorithm: str = "cbow"  # "cbow" or "skip-gram"
    window: int = 5  # words to each side, at most; drawn again for every word
    negative: int = 10  # wrong words drawn for every right one
    sample: float = 1e-4  # words with a greater share of the text are often skipped
    learning_rate: float = 0.05  # at the beginning; it falls to nearly zero
    epochs: int = 10  # passes over the text
    seed: int = 1  # of the first vectors and of all draws

    def __post_init__(self) -> None:
        for name in ("size", "words", "min_count", "window", "negative", "epochs"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} {getattr(self, name)}: expected at least 1")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed {self.seed}: expected a number from 0 to {2**32 - 1}")
        if self.algorithm not in ALGORITHMS:
            raise ConfigError(
                f"algorithm '{self.algorithm}': expected one of {', '.join(ALGORITHMS)}"
            )


def train_vectors(
    files: Sequence[Path],
    settings: StaticSettings | None = None,
    workers: int = 1,
    name: str = "static",
) -> tuple[StaticVectors, dict[str, Any]]:
    """Train vectors on tokenized text, one sentence per line, plain or ``.xz``.

    With one worker, the same text, settings and seed give the same vectors; with several, they
    differ a little from run to run. The second result is for the card.
    """
    settings = settings or StaticSettings()
    if workers < 1:
        raise ConfigError(f"workers {workers}: expected at least 1")
    with tempfile.TemporaryDirectory(prefix="static-vectors-") as scratch:
        text = Path(scratch) / "text.txt"
        n_lines, counts = _copy_and_count(files, text)
        kept = _kept_words(files, counts, settings)
        started = time.monotonic()
        model = _untrained(settings, workers, kept)
        # From a Python iterator, two workers wait for the reader most of the time; from a file they
        # do not.
        totals = {"total_examples": n_lines, "total_words": counts.total()}
        with tqdm(total=settings.epochs, unit="epoch") as bar:
            model.train(
                corpus_file=str(text), epochs=settings.epochs, callbacks=[_Epochs(bar)], **totals
            )
        seconds = round(time.monotonic() - started)
    rows = [model.wv.key_to_index[word] for word in kept]
    vectors = StaticVectors(
        words=list(kept),
        vectors=torch.from_numpy(model.wv.vectors[rows]),
        counts=list(kept.values()),
        name=name,
    )
    return vectors, {
        "kind": "static vectors",
        "lookup": LOOKUP,
        "settings": asdict(settings),
        "training": {
            "files": [path.name for path in files],
            "tokens": counts.total(),
            "tokens_in_vocabulary": sum(kept.values()),
            "distinct_words": len(counts),
            "words": len(kept),
            "seconds": seconds,
            "workers": workers,
        },
        "versions": {
            "python": platform.python_version(),
            "gensim": gensim.__version__,
            "numpy": np.__version__,
            "torch": torch.__version__,
        },
    }


def _kept_words(
    files: Sequence[Path], counts: Counter[str], settings: StaticSettings
) -> dict[str, int]:
    """Return the words to train, the most frequent first, with their counts."""
    kept = {
        word: count
        for word, count in counts.most_common(settings.words)
        if count >= settings.min_count
    }
    if not kept:
        raise DataError(
            f"{', '.join(str(path) for path in files[:3])}: {counts.total()} tokens, and no word"
            f" occurs {settings.min_count} times; expected more text, or a smaller --min-count"
        )
    return kept


def _untrained(settings: StaticSettings, workers: int, counts: Mapping[str, int]) -> Word2Vec:
    """Build a model for words with their counts, all of which it keeps."""
    model = Word2Vec(
        vector_size=settings.size,
        sg=int(settings.algorithm == "skip-gram"),
        window=settings.window,
        negative=settings.negative,
        sample=settings.sample,
        alpha=settings.learning_rate,
        seed=settings.seed,
        workers=workers,
        min_count=1,
    )
    model.build_vocab_from_freq(dict(counts))
    return model


def write_vectors(folder: Path, vectors: StaticVectors, card: Mapping[str, Any]) -> None:
    """Write vectors as float16 with their card, replacing older ones."""
    with VECTORS_FOLDER.written(folder) as partial:
        write_safetensors(partial, WEIGHTS_NAME, {WEIGHTS_NAME: vectors.vectors}, torch.float16)
        with lzma.open(partial / WORDS_NAME, "wt", encoding="utf-8", newline="\n") as out:
            out.writelines(
                f"{word}\t{count}\n"
                for word, count in zip(vectors.words, vectors.counts, strict=True)
            )
        write_card(partial, card)


def _copy_and_count(files: Sequence[Path], copy: Path) -> tuple[int, Counter[str]]:
    """Copy the normalized text into one plain file for gensim; count lines and words."""
    counts: Counter[str] = Counter()
    n_lines = 0
    with (
        copy.open("w", encoding="utf-8", newline="\n") as out,
        tqdm(unit=" tokens", unit_scale=True) as bar,
    ):
        for path in files:
            bar.set_description(path.name)
            for line in open_text(path):
                if words := normalized(line).split():
                    counts.update(words)
                    out.write(" ".join(words) + "\n")
                    n_lines += 1
                    bar.update(len(words))
    return n_lines, counts


class _Epochs(CallbackAny2Vec):
    """A progress bar over epochs, which gensim calls."""

    def __init__(self, bar: tqdm) -> None:
        self.bar = bar

    def on_epoch_end(self, model: Word2Vec) -> None:
        self.bar.update()


def join_vectors(
    static: StaticVectors, teacher: Encoder, size: int = 128, weight: float = TEACHER_WEIGHT
) -> StaticVectors:
    """Join static vectors with a teacher's vectors of single words, by PCA.

    Both, for the teacher its layer 0, are first centred over running text and scaled to length 1.
    Frequent words weigh more in the components, by the root of their counts.
    """
    if not 0 < size <= static.width + teacher.width:
        raise ConfigError(
            f"size {size}: expected 1 to {static.width + teacher.width}, the widths of both"
            " together"
        )
    shares = (
        torch.tensor([static.share_of(word) for word in static.words])
        .clamp(min=1e-12)
        .sqrt()
        .unsqueeze(1)
    )
    shares = shares / shares.sum()  # [words, 1]
    alone = []
    for start in tqdm(range(0, len(static), _BATCH), unit_scale=_BATCH, unit=" words"):
        sentences = [[word] for word in static.words[start : start + _BATCH]]
        alone.append(teacher.encode(sentences).values[0, :, 0].float().cpu())
    parts = [normalize(part.float(), dim=1) for part in (static.vectors.cpu(), torch.cat(alone))]
    static_part, teacher_part = (
        normalize(part - (shares * part).sum(dim=0), dim=1) for part in parts
    )
    both = torch.cat([static_part, weight * teacher_part], dim=1).double()
    # The components of centred vectors are the eigenvectors of their second moments.
    _, components = torch.linalg.eigh((both * shares).t() @ both)
    kept = both @ components.flip(1)[:, :size]
    return StaticVectors(
        words=static.words,
        vectors=normalize(kept, dim=1).float(),
        counts=static.counts,
        name=static.name,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Join static vectors with those of a teacher, and write them with their card."""
    parser = argparse.ArgumentParser(
        description="Join static word vectors with those of a transformer."
    )
    parser.add_argument("static", help="static vectors: a name in checkpoints/ or a folder")
    parser.add_argument(
        "--teacher",
        required=True,
        help="encoder whose context-free layer is read: a name or a folder",
    )
    parser.add_argument(
        "--about-teacher", default="", help="description and licence of the teacher, for the card"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument("--size", type=int, default=128, help="numbers per vector (default: 128)")
    parser.add_argument(
        "--title", default="Static word vectors, joined", help="one line for the card"
    )
    args = parser.parse_args(arguments)
    VECTORS_FOLDER.check(args.out)
    static, teacher = StaticVectors.load(args.static), encoders.load(args.teacher, "cpu")
    if static.folder is None:
        raise ConfigError(
            f"{args.static}: expected a folder of vectors with their card, found one file"
        )
    card = read_json(static.folder / CARD_NAME)
    joined = join_vectors(static, teacher, args.size)
    name, teacher_name = args.out.resolve().name, Path(args.teacher).name
    command = [
        "python",
        "-m",
        "elmo_tasks.recipes.static_vectors",
        Path(args.static).name,
        "--teacher",
        teacher_name,
    ]
    command += [
        "--out",
        name if args.out.is_absolute() else str(args.out),
        "--size",
        str(args.size),
    ]
    about = {
        "name": name,
        "title": args.title,
        "commands": [card["command"], shlex.join(command)],
        "sources": card.get("sources", []),
        "teacher": {"name": teacher_name, "about": args.about_teacher, "weight": TEACHER_WEIGHT},
        "kind": card.get("kind", "static"),
    }
    write_vectors(args.out, joined, about)
    print(f"{args.out}: {len(joined)} words of {joined.width} numbers")


if __name__ == "__main__":
    main()
