"""Word vectors from text of one's own: word2vec (Mikolov et al., 2013), written as a folder that StaticVectors loads."""

from __future__ import annotations

import lzma
import platform
import re
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
from tqdm import tqdm

from elmo_tasks.bilm.safetensors_files import write_safetensors
from elmo_tasks.bilm.weight_checksums import write_card
from elmo_tasks.bilm.whole_folders import FolderKind
from elmo_tasks.encoders.static_vectors import LOOKUP, WEIGHTS_NAME, WORDS_NAME, StaticVectors, normalized
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.vocabulary import open_text

VECTORS_FOLDER = FolderKind(
    "static vectors",
    re.compile(
        rf"{re.escape(WORDS_NAME)}|card\.json|{WEIGHTS_NAME}(-\d+-of-\d+)?\.safetensors|{WEIGHTS_NAME}\.safetensors\.index\.json"
    ),
)
ALGORITHMS = ("cbow", "skip-gram")


@dataclass(frozen=True)
class StaticSettings:
    """How to train."""

    size: int = 100  # of a vector
    words: int = 36_000  # at most as many words, the most frequent ones
    min_count: int = 5  # how often a word must come at least
    algorithm: str = "cbow"  # "cbow" or "skip-gram"
    window: int = 5  # words to each side, at most; it is drawn anew for every word
    negative: int = 10  # wrong words that are drawn for every right one
    sample: float = 1e-4  # words of a greater share of the text than this are often skipped
    learning_rate: float = 0.05  # at the beginning; it falls to nearly zero
    epochs: int = 10  # how often the text is read
    seed: int = 1  # of the first vectors and of all draws

    def __post_init__(self) -> None:
        for name in ("size", "words", "min_count", "window", "negative", "epochs"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} {getattr(self, name)}: expected at least 1")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed {self.seed}: expected a number from 0 to {2**32 - 1}")
        if self.algorithm not in ALGORITHMS:
            raise ConfigError(f"algorithm '{self.algorithm}': expected one of {', '.join(ALGORITHMS)}")


def train_vectors(
    files: Sequence[Path], settings: StaticSettings | None = None, workers: int = 1, name: str = "static"
) -> tuple[StaticVectors, dict[str, Any]]:
    """Train vectors on tokenized text, one sentence per line, plain or ``.xz``; progress goes to stderr.

    The same text, settings and seed give the same vectors with one worker. Several workers write into one table without
    waiting for each other, so that their vectors differ a little from run to run. They read one plain copy of the text in the
    system's temporary folder, which is removed afterwards.

    Returns:
        the vectors, and what a card says about how they came about.

    Raises:
        ConfigError: there is no worker.
        DataError: a file cannot be read, or no word comes often enough.
    """
    settings = settings or StaticSettings()
    if workers < 1:
        raise ConfigError(f"workers {workers}: expected at least 1")
    with tempfile.TemporaryDirectory(prefix="static-vectors-") as scratch:
        text = Path(scratch) / "text.txt"
        lines, counts = _copy_and_count(files, text)
        kept = {w: c for w, c in counts.most_common(settings.words) if c >= settings.min_count}
        if not kept:
            raise DataError(
                f"{', '.join(str(path) for path in files[:3])}: {counts.total()} tokens, and no word comes "
                f"{settings.min_count} times; expected more text, or a smaller --min-count"
            )
        started = time.monotonic()
        model = Word2Vec(
            vector_size=settings.size,
            sg=int(settings.algorithm == "skip-gram"),
            window=settings.window,
            negative=settings.negative,
            sample=settings.sample,
            alpha=settings.learning_rate,
            seed=settings.seed,
            workers=workers,
            min_count=1,  # chosen above
        )
        model.build_vocab_from_freq(kept)
        with _Epochs(settings.epochs) as bar:
            # From a Python iterator, two workers wait for the reader most of the time; from a file they do not.
            model.train(
                corpus_file=str(text),
                total_examples=lines,
                total_words=counts.total(),
                epochs=settings.epochs,
                callbacks=[bar],
            )
        seconds = round(time.monotonic() - started)
    rows = [model.wv.key_to_index[word] for word in kept]
    vectors = StaticVectors(list(kept), torch.from_numpy(model.wv.vectors[rows]), list(kept.values()), name)
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


def write_vectors(folder: Path, vectors: StaticVectors, card: Mapping[str, Any]) -> None:
    """Write vectors as float16 with their card; the folder appears only when it is whole, and replaces older vectors.

    Raises:
        ConfigError: something that is not static vectors is there.
    """
    with VECTORS_FOLDER.written(folder) as partial:
        write_safetensors(partial, WEIGHTS_NAME, {WEIGHTS_NAME: vectors.vectors}, torch.float16)
        with lzma.open(partial / WORDS_NAME, "wt", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{w}\t{c}\n" for w, c in zip(vectors.words, vectors.counts, strict=True))
        write_card(partial, card)


def _copy_and_count(files: Sequence[Path], copy: Path) -> tuple[int, Counter[str]]:
    """Write the text of all files, normalized, into one plain file for gensim's threads; its lines with words, and the words."""
    counts: Counter[str] = Counter()
    lines = 0
    with copy.open("w", encoding="utf-8", newline="\n") as out, tqdm(unit=" tokens", unit_scale=True) as bar:
        for path in files:
            bar.set_description(path.name)
            for line in open_text(path):
                words = normalized(line).split()
                if words:
                    counts.update(words)
                    out.write(" ".join(words) + "\n")
                    lines += 1
                    bar.update(len(words))
    return lines, counts


class _Epochs(CallbackAny2Vec):
    """A progress bar over epochs."""

    def __init__(self, epochs: int) -> None:
        self._bar = tqdm(total=epochs, unit="epoch")

    def __enter__(self) -> _Epochs:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def on_epoch_end(self, model: Word2Vec) -> None:
        """Called by gensim."""
        self._bar.update()
