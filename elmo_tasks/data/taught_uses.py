"""What a teacher, an encoder that reads well, gives for the words of some sentences: computed once, kept on disk."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.data.batches import TensorBatch
from elmo_tasks.data.tokenized_corpus import TokenizedCorpus
from elmo_tasks.encoders import Encoder, load
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import held, whole_file
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID

# Sentences of so many words are taken: shorter ones tell little, longer ones cost much.
_SHORTEST, _LONGEST = 5, 24
# The commonest words are not asked for their meaning (of a small vocabulary one in so many), nor are rare ones, of which a teacher
# knows little.
_COMMONEST, _ONE_IN, _FEWEST = 150, 100, 40
# Sentences that are looked through for every one that is taken.
_POOL = 5
# A word is drawn by its count to this power: rare words oftener than in running text.
_POWER = 0.35
# Words of a batch, and uses of each: all pairs of uses of a word are compared.
N_WORDS, N_USES = 12, 6
_BLOCK = 1024  # sentences that the teacher reads between two writes
_PER_CALL = 64


@dataclass(frozen=True)
class TaughtBatch(TensorBatch):
    """Uses of a few words, each in a sentence of its own.

    Attributes:
        characters: ``[U, C]`` character ids of the distinct words.
        corpus_ids: ``[U]`` what they are: places in :attr:`TokenizedCorpus.words`.
        words: ``[B, T]`` rows of ``characters``: ``<S> w1 .. wn </S>``, right-padded; uses of one word stand together.
        lengths: ``[B]`` words of each sentence, boundaries included.
        places: ``[B]`` where in its row the word stands that the sentence was drawn for.
        vectors: ``[B, T, D]`` float32 what the teacher gives, zero at boundaries and padding.
    """

    characters: torch.Tensor
    corpus_ids: torch.Tensor
    words: torch.Tensor
    lengths: torch.Tensor
    places: torch.Tensor
    vectors: torch.Tensor


class TaughtUses:
    """Sentences of a corpus, and the teacher's vector of each of their words.

    Args:
        folder: made by :meth:`build`.
        corpus: the text that it was made of.

    Attributes:
        ids: ``[N]`` the words of the sentences, one after another.
        starts: ``[S + 1]`` where each sentence begins.
        vectors: ``[N, D]`` float16, memory-mapped; around zero.
    """

    def __init__(self, folder: Path, corpus: TokenizedCorpus) -> None:
        self.corpus = corpus
        self.ids: NDArray[np.int32] = np.load(folder / "ids.npy")
        self.starts: NDArray[np.int64] = np.load(folder / "starts.npy")
        self.mean: NDArray[np.float32] = np.load(folder / "mean.npy")
        self.vectors: NDArray[np.float16] = np.memmap(folder / "vectors.bin", np.float16, "r").reshape(
            len(self.ids), len(self.mean)
        )
        self._sentence = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        self._order, self._first, self._counts = _asked_for(self.ids, corpus)
        if len(self._first) < N_WORDS:
            raise DataError(
                f"data.teacher: {len(self._first)} words come {N_USES} times in the sentences that it reads; expected {N_WORDS} or "
                "more: give more text, or raise data.taught_sentences"
            )
        self._share = self._counts**_POWER / (self._counts**_POWER).sum()

    @property
    def width(self) -> int:
        """Size ``D`` of the teacher's vectors."""
        return len(self.mean)

    def batch(self, step: int, rank: int = 0) -> TaughtBatch:
        """:data:`N_WORDS` words, :data:`N_USES` uses of each; the same for the same step, so that a resumed run goes on
        as it would have.
        """
        rng = np.random.default_rng((step, rank))
        drawn = rng.choice(len(self._first), N_WORDS, replace=False, p=self._share)
        at = np.concatenate(
            [self._order[self._first[w] + rng.choice(self._counts[w], N_USES, replace=False)] for w in drawn]
        )
        sentences = self._sentence[at]
        begin, lengths = self.starts[sentences], np.diff(self.starts)[sentences]
        rows = np.full((len(at), int(lengths.max()) + 2), END_ID, np.int64)  # [B, T], the ends of a sentence included
        rows[:, 0] = BEGIN_ID
        vectors = np.zeros((*rows.shape, self.width), np.float32)
        for k, (start, n) in enumerate(zip(begin, lengths, strict=True)):
            rows[k, 1 : n + 1] = self.ids[start : start + n]
            vectors[k, 1 : n + 1] = self.vectors[start : start + n]
            vectors[k, 1 : n + 1] -= self.mean  # what all of its vectors share tells no word from another
        # The character CNN reads each distinct word once.
        distinct, places = np.unique(rows, return_inverse=True)
        return TaughtBatch(
            torch.from_numpy(self.corpus.characters[distinct].astype(np.int64)),
            torch.from_numpy(distinct),
            torch.from_numpy(places.reshape(rows.shape)),
            torch.from_numpy(lengths + 2),
            torch.from_numpy(at - begin + 1),
            torch.from_numpy(vectors),
        )

    @classmethod
    def build(
        cls, corpus: TokenizedCorpus, teacher: str, layers: list[int], n_sentences: int, cache: Path, seed: int = 1
    ) -> TaughtUses:
        """Let the teacher read sentences of the corpus, or take what an earlier call has of it; killed, it goes on where it was.

        The teacher is named as every ``--model`` is; the mean of its layers is taken. If the corpus has too few sentences, it reads
        fewer.

        Raises:
            ConfigError: the teacher has no such layer.
            DataError: the corpus has no sentence of a fitting length.
        """
        encoder = load(teacher, "cuda" if torch.cuda.is_available() else "cpu")
        if not layers or min(layers) < 0 or max(layers) >= encoder.n_layers:
            raise ConfigError(
                f"data.teacher_layers {layers}: expected numbers from 0 to {encoder.n_layers - 1}, the layers of {teacher}"
            )
        made_of = [encoder.checksum, layers, n_sentences, seed, len(corpus.forward), corpus.words[:100]]
        folder = cache / f"taught-{hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:16]}"
        if not (folder / "mean.npy").exists():
            folder.mkdir(parents=True, exist_ok=True)
            with held(folder.with_suffix(".lock"), f"{folder}, what {teacher} gives,"):
                _read_all(encoder, layers, corpus, n_sentences, folder, seed)
        return cls(folder, corpus)


def _content(corpus: TokenizedCorpus) -> NDArray[np.bool_]:
    """``[n_words]`` which words of a corpus are asked for: those in small letters, neither the commonest nor rare."""
    shape = np.array([len(word) > 2 and word.isalpha() and word.islower() for word in corpus.words])
    return shape & (np.arange(len(shape)) >= min(_COMMONEST, len(shape) // _ONE_IN)) & (corpus.counts >= _FEWEST)


def _asked_for(ids: NDArray[np.int32], corpus: TokenizedCorpus) -> tuple[NDArray[np.int64], ...]:
    """The places of ``ids`` in the order of the words; of each content word that comes often enough its first one there, and how
    many there are.
    """
    order = np.argsort(ids, kind="stable")
    words, first, counts = np.unique(ids[order], return_index=True, return_counts=True)
    asked = (counts >= N_USES) & _content(corpus)[words]
    return order, first[asked], counts[asked]


def choose_sentences(
    corpus: TokenizedCorpus, n_sentences: int, seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """At most ``n_sentences`` sentences in which content words come often enough to be compared with themselves.

    Returns:
        their words one after another ``[N]``, and where each sentence begins ``[S + 1]``.
    """
    rng = np.random.default_rng(seed)
    begins, lengths = corpus.sentences()
    fitting = np.flatnonzero((lengths >= _SHORTEST) & (lengths <= _LONGEST))
    if not len(fitting):
        raise DataError(f"data.files: no sentence of {_SHORTEST} to {_LONGEST} words for the teacher to read")
    pool = np.sort(rng.choice(fitting, min(len(fitting), _POOL * n_sentences), replace=False))
    sizes = lengths[pool]
    inside = np.repeat(begins[pool] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
    ids, sentence = np.asarray(corpus.forward[inside]), np.repeat(np.arange(len(pool)), sizes)
    order, first, counts = _asked_for(ids, corpus)
    taken = np.zeros(len(pool), bool)
    if len(first):
        share = counts**_POWER / (counts**_POWER).sum()
        while (missing := min(n_sentences, len(pool) // 2) - int(taken.sum())) > 0:
            for w in rng.choice(len(first), -(-missing // N_USES), p=share):
                taken[sentence[order[first[w] + rng.choice(counts[w], N_USES, replace=False)]]] = True
    rest = np.flatnonzero(~taken)
    # Where the text is small, what is missing is taken as it comes.
    taken[rng.permutation(rest)[: max(0, min(n_sentences, len(pool)) - int(taken.sum()))]] = True
    keep = taken[sentence]
    return ids[keep].astype(np.int32), np.concatenate([[0], np.cumsum(sizes[taken])]).astype(np.int64)


def _read_all(
    encoder: Encoder, layers: list[int], corpus: TokenizedCorpus, n_sentences: int, folder: Path, seed: int
) -> None:
    if not (folder / "starts.npy").exists():
        ids, starts = choose_sentences(corpus, n_sentences, seed)
        np.save(folder / "ids.npy", ids)
        _save(folder / "starts.npy", starts)  # says that the choice is whole
    ids, starts = np.load(folder / "ids.npy"), np.load(folder / "starts.npy")
    row = 2 * encoder.width
    path = folder / "vectors.bin"
    path.touch()
    bounds = [*range(0, len(starts) - 1, _BLOCK), len(starts) - 1]
    done = next(k for k in reversed(range(len(bounds))) if int(starts[bounds[k]]) * row <= path.stat().st_size)
    began, first = time.monotonic(), bounds[done]
    with path.open("r+b") as out:
        out.truncate(int(starts[bounds[done]]) * row)
        out.seek(0, 2)
        for low, high in zip(bounds[done:], bounds[done + 1 :], strict=False):
            out.write(_read_block(encoder, layers, corpus, ids, starts, low, high).tobytes())
            out.flush()
            if low // _BLOCK % 8 == 0:
                left = (time.monotonic() - began) / (high - first) * (len(starts) - 1 - high)
                print(
                    f"The teacher has read {high:,} of {len(starts) - 1:,} sentences, {left / 60:.0f} min left.",
                    flush=True,
                )
    vectors = np.memmap(path, np.float16, "r").reshape(len(ids), encoder.width)
    mean = np.mean(
        [v.astype(np.float32).mean(0) for v in np.array_split(vectors[:: max(1, len(ids) // 200_000)], 8)], 0
    )
    _save(folder / "mean.npy", mean.astype(np.float32))  # says that the folder is whole


def _save(path: Path, values: NDArray[Any]) -> None:
    with whole_file(path) as partial, partial.open("wb") as out:
        np.save(out, values)


def _read_block(
    encoder: Encoder,
    layers: list[int],
    corpus: TokenizedCorpus,
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    low: int,
    high: int,
) -> NDArray[np.float16]:
    """``[n, D]`` vectors of the words of sentences ``low`` to ``high``."""
    out = np.zeros((int(starts[high] - starts[low]), encoder.width), np.float16)
    by_length = low + np.argsort(np.diff(starts)[low:high], kind="stable")
    for group in np.array_split(by_length, -(-len(by_length) // _PER_CALL)):
        read = encoder.encode([[corpus.words[w] for w in ids[starts[s] : starts[s + 1]]] for s in group])
        mean = read.values[layers].mean(0).to(torch.float16).cpu().numpy()  # [B, T, D]
        for vectors, s in zip(mean, group, strict=True):
            n = int(starts[s + 1] - starts[s])
            out[starts[s] - starts[low] : starts[s + 1] - starts[low]] = vectors[:n]
    return out
