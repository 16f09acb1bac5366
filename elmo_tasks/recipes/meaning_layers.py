"""Recipe: train a biLM's top layer to separate meanings and keep its perplexity.

Two losses on alternating halves of each step:

- *meaning*: binary cross-entropy on the cosine of two uses of one word of the dictionary, same
  meaning or not, at the top layer;
- *language model*: the sampled softmax loss of both directions on running text, one sentence at a
  time from the constant state.

Only the top LSTM of each direction and, slowly, the softmax learn; the character CNN and the layers
below stay as they are. Held-out words, test sentences and development sentences of the dictionary
are never read: the first two measure, the last calibrate. Run it again with the same folder and it
resumes::

    python -m elmo_tasks.recipes.meaning_layers --out runs/meaning_layers --minutes 120 \\
        --text 'corpus/wiki_*' …
"""

from __future__ import annotations

import argparse
import lzma
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from elmo_tasks.bilm.bilm import BiLM, DirectionalLM, reordered, reversed_positions
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.language_model import matching_files
from elmo_tasks.encoders.elmo import Elmo, steps_of
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_file, read_json
from elmo_tasks.senses.lexicon import Lexicon, bundled_lexicon
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use
from elmo_tasks.text.vocabulary import Vocabulary
from elmo_tasks.training.export_bilm import write_model
from elmo_tasks.weights.folders import CARD_NAME

_TOKENS = 2_500  # of running text a step
_WORDS = 16  # of the dictionary a step
_USES = 12  # of each word a step, at most
_TOP_LAYER = 2  # of a biLM with two LSTM layers, as the card names it
_N_DRAWS = 2_048
_MAX_LENGTH = 60  # longer sentences of the text are left out


@dataclass(frozen=True)
class Rates:
    """Settings of a run."""

    learning_rate: float = 1e-3
    softmax_rate: float = 1e-4
    meaning_weight: float = 10.0
    anchor_weight: float = (
        0.01  # squared distance to the old top layer, on the dictionary's sentences
    )
    meaning_dropout: float = 0.3  # of the top LSTM's input, dictionary
    text_dropout: float = 0.1  # of the top LSTM's input and output, running text


class TopLayers(nn.Module):
    """The top LSTM of each direction, over layers below that do not learn."""

    def __init__(self, bilm: BiLM) -> None:
        super().__init__()
        self.forward_top, self.backward_top = (
            bilm.forward_lm.layers[-1],
            bilm.backward_lm.layers[-1],
        )
        self._skip = bilm.forward_lm.use_skip_connections
        for top in (self.forward_top, self.backward_top):
            top.requires_grad_(True)
            top.get_parameter("bias_hh_l0").requires_grad_(False)

    def forward(self, below: Sequence[Tensor], dropout: float) -> list[Tensor]:
        """Top layer ``[B, T, P]`` of each direction, in its reading order."""
        outputs = []
        for top, x in zip((self.forward_top, self.backward_top), below, strict=True):
            y, _ = top(F.dropout(x, dropout, self.training))
            outputs.append(y + x if self._skip else y)
        return outputs


@torch.no_grad()
def below_top(bilm: BiLM, tokens: Tensor, reverse: Tensor) -> list[Tensor]:
    """Outputs of the layer below the top, ``[B, T, P]`` for each direction."""

    def read(lm: DirectionalLM, x: Tensor) -> Tensor:
        for k, layer in enumerate(lm.layers[:-1]):
            y, _ = layer(x)
            x = y + x if k > 0 and lm.use_skip_connections else y
        return x

    return [read(bilm.forward_lm, tokens), read(bilm.backward_lm, reordered(tokens, reverse))]


class Text:
    """Running text as an endless, shuffled stream of batches of sentences."""

    def __init__(
        self, paths: Sequence[Path], vocabulary: Vocabulary, per_file: int, seed: int
    ) -> None:
        rng = random.Random(seed)
        self.words: list[str] = []
        self._row: dict[str, int] = {}
        self.sentences: list[list[int]] = []
        for path in paths:
            opener = lzma.open if path.suffix == ".xz" else open
            with opener(path, "rt", encoding="utf-8") as lines:
                kept = [tokens for line in lines if 3 <= len(tokens := line.split()) <= _MAX_LENGTH]
            for tokens in rng.sample(kept, min(per_file, len(kept))):
                self.sentences.append([self._row_of(token) for token in tokens])
        ids = [vocabulary.id_of(word) for word in self.words]
        self.vocabulary_ids = torch.tensor(ids)

    def _row_of(self, word: str) -> int:
        if word not in self._row:
            self._row[word] = len(self.words)
            self.words.append(word)
        return self._row[word]

    def batches(self, seed: int) -> Iterator[list[list[int]]]:
        """Sentences of like length together, about :data:`_TOKENS` tokens a batch."""
        rng = random.Random(seed)
        while True:
            pool = sorted(rng.sample(self.sentences, min(6_400, len(self.sentences))), key=len)
            batches: list[list[list[int]]] = [[]]
            for sentence in pool:
                if (len(batches[-1]) + 1) * (len(sentence) + 2) > _TOKENS:
                    batches.append([])
                batches[-1].append(sentence)
            rng.shuffle(batches)
            yield from batches


@dataclass(frozen=True)
class UseStates:
    """States of a use in the layers that do not learn, computed once before training."""

    #: ``[T, P]`` the layer below the top one, each direction in its reading order
    below: tuple[Tensor, Tensor]
    step: int  #: position of the word, reading forward
    step_back: int  #: position of the word, reading back
    old: Tensor  #: ``[2 P]`` the word at the top layer before training


@dataclass(frozen=True)
class LabelledUses:
    """The uses of one word, and the number of the meaning of each."""

    uses: tuple[Use, ...]
    senses: tuple[int, ...]


def training_uses(lexicon: Lexicon, seed: int = 1) -> list[LabelledUses]:
    """Collect the training examples of ambiguous words that are not held out.

    Each is read twice: alone, and before or after another example of its meaning, since the
    sentences of most texts are longer than those of the dictionary.
    """
    rng = random.Random(seed)
    labelled = []
    for entry in lexicon.ambiguous:
        if not entry.is_held_out:
            examples = [
                (sentence, k)
                for k, sense in enumerate(entry.senses)
                for sentence in sense.training_examples
            ]
            uses: list[Use] = [find_mention(entry.word, sentence) for sentence, _ in examples]
            senses = [k for _, k in examples]
            for use, sense in list(zip(uses, senses, strict=True)):
                others = [
                    u
                    for u, k in zip(uses, senses[: len(examples)], strict=False)
                    if k == sense and u is not use
                ]
                if others:
                    uses.append(_joined(use, rng.choice(others), before=rng.random() < 0.5))
                    senses.append(sense)
            labelled.append(LabelledUses(tuple(uses), tuple(senses)))
    return labelled


def _joined(use: Use, other: Use, before: bool) -> Use:
    """Return the use in a text of two sentences, its own and another one."""
    if before:
        shift = len(other.tokens)
        return Use.of_tokens(
            other.tokens + use.tokens, use.token_start + shift, use.token_end + shift
        )
    return Use.of_tokens(use.tokens + other.tokens, use.token_start, use.token_end)


class MeaningLosses:
    """Both losses of one model."""

    def __init__(
        self,
        elmo: Elmo,
        softmax: LMSoftmax,
        text: Text,
        words: Sequence[LabelledUses],
        rates: Rates,
    ) -> None:
        self.elmo = elmo
        self.text = text
        self.words = list(words)
        self.rates = rates
        self.softmax = softmax.requires_grad_(True)
        self.top = TopLayers(elmo.bilm).train()
        self.scale = nn.Parameter(torch.tensor([8.0, -4.0]))  # slope and offset of the cosine
        self._limit = limit = elmo.bilm.options.char_cnn.max_characters_per_token
        with torch.no_grad():
            rows = []
            for start in range(0, len(text.words), 4_000):
                table, words_, _ = steps_of([text.words[start : start + 4_000]], limit)
                rows.append(elmo.bilm.token_encoder(table)[words_[0, 1:-1]])
            self._token_vectors = torch.cat(rows)
            self._boundaries = elmo.bilm.token_encoder(steps_of([["."]], limit)[0][:2])
        self._states = self._read([use for word in self.words for use in word.uses])
        self._first_row = [0, *accumulate(len(word.uses) for word in self.words)]

    def text_loss(self, sentences: Sequence[Sequence[int]]) -> Tensor:
        """Mean sampled loss of both directions."""
        lengths = torch.tensor([len(s) + 2 for s in sentences])
        longest = int(lengths.max())
        n = len(self.text.words)
        ids = torch.full((len(sentences), longest), n + 1)
        for row, sentence in zip(ids, sentences, strict=True):
            row[: len(sentence) + 2] = torch.tensor([n, *sentence, n + 1])
        table = torch.cat([self._token_vectors, self._boundaries])
        # <S> is 1, </S> is 0
        targets = torch.cat([self.text.vocabulary_ids, torch.tensor([1, 0])])[ids]
        reverse = reversed_positions(lengths, longest)
        below = below_top(self.elmo.bilm, table[ids], reverse)
        ahead, back = self.top(below, self.rates.text_dropout)
        mask = torch.arange(longest) < lengths.unsqueeze(1)
        is_pair = mask[:, 1:]
        backwards = targets.gather(1, reverse)
        hidden = torch.cat([ahead[:, :-1][is_pair], back[:, :-1][is_pair]])
        next_words = torch.cat([targets[:, 1:][is_pair], backwards[:, 1:][is_pair]])
        hidden = F.dropout(hidden, self.rates.text_dropout, self.top.training)
        return self.softmax.sampled_loss(hidden, next_words, _N_DRAWS)

    def meaning_loss(self, rng: random.Random) -> tuple[Tensor, Tensor]:
        """Loss of pairs of uses of a word, and squared distance to the old top layer."""
        rows, labels = [], []
        for number in rng.sample(range(len(self.words)), min(_WORDS, len(self.words))):
            word = self.words[number]
            chosen = rng.sample(range(len(word.uses)), min(_USES, len(word.uses)))
            rows += [self._first_row[number] + k for k in chosen]
            labels += [(number, word.senses[k]) for k in chosen]
        new, old = self._tops(rows)
        vectors = F.normalize(new, dim=-1)
        word_of, sense_of = (torch.tensor(column) for column in zip(*labels, strict=True))
        first, second = torch.triu_indices(len(rows), len(rows), 1)
        within = word_of[first] == word_of[second]
        first, second = first[within], second[within]
        same = (sense_of[first] == sense_of[second]).float()
        cosine = (vectors[first] * vectors[second]).sum(-1)
        share = same.mean().clamp(0.05, 0.95)
        weight = torch.where(same > 0, 0.5 / share, 0.5 / (1 - share))
        slope, offset = self.scale
        loss = F.binary_cross_entropy_with_logits(slope * cosine + offset, same, weight)
        return loss, (new - old).square().sum(-1).mean()

    def _tops(self, rows: Sequence[int]) -> tuple[Tensor, Tensor]:
        """New and old top-layer vectors ``[n, 2 P]`` of the uses in these rows."""
        uses = [self._states[row] for row in rows]
        below = [
            pad_sequence([use.below[k] for use in uses], batch_first=True).float() for k in (0, 1)
        ]
        ahead, back = self.top(below, self.rates.meaning_dropout)
        place = torch.arange(len(uses))
        new = torch.cat(
            [
                ahead[place, [use.step for use in uses]],
                back[place, [use.step_back for use in uses]],
            ],
            dim=-1,
        )
        return new, torch.stack([use.old for use in uses])

    @torch.no_grad()
    def _read(self, uses: Sequence[Use]) -> list[UseStates]:
        """Lower-layer states and current top-layer vectors of each use."""
        states = []
        for start in range(0, len(uses), 64):
            part = uses[start : start + 64]
            table, rows, lengths = steps_of([use.tokens for use in part], self._limit)
            reverse = reversed_positions(lengths, rows.shape[1])
            below = below_top(self.elmo.bilm, self.elmo.bilm.token_encoder(table)[rows], reverse)
            tops = self.top.eval()(below, 0.0)
            for k, use in enumerate(part):
                at, n = use.token_start + 1, int(lengths[k])
                back = n - 1 - at
                old = torch.cat([tops[0][k, at], tops[1][k, back]])
                states.append(
                    UseStates(
                        below=(below[0][k, :n].half(), below[1][k, :n].half()),
                        step=at,
                        step_back=back,
                        old=old,
                    )
                )
        self.top.train()
        return states


def save(folder: Path, state: dict[str, Any]) -> None:
    """Write the resume file atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_file(folder / "state.pt") as partial:
        torch.save(state, partial)


def card_of(elmo: Elmo, losses: MeaningLosses, steps: int, seconds: float) -> dict[str, Any]:
    """The card of the trained model, with the objective of each part of its training."""
    folder = elmo.folder
    card = (
        dict(read_json(folder / CARD_NAME))
        if folder is not None and (folder / CARD_NAME).exists()
        else {}
    )
    learned = (
        f"which uses of {len(losses.words):,} words of the dictionary share a meaning, at the top"
        " layer alone, together with the next word of the text"
        " (elmo_tasks/recipes/meaning_layers.py)"
    )
    for measured in ("metrics", "sha256", "while_training"):
        card.pop(measured, None)
    training = dict(card.get("training") or {})
    part: dict[str, Any] = {
        "learned_from": [learned],
        "steps": steps,
        "positions": steps * _TOKENS,
        "seconds": round(seconds),
    }
    training["parts"] = [*training.get("parts", []), part]
    training |= {
        count: training.get(count, 0) + part[count] for count in ("steps", "positions", "seconds")
    }
    objectives = dict.fromkeys([*card.get("learned_from", []), learned])
    return {
        **card,
        "learned_from": list(objectives),
        "dictionary_layers": [_TOP_LAYER],
        "training": training,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Train until the minutes are used up; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--text",
        nargs="+",
        required=True,
        help="files of running text, one tokenized sentence a line, or patterns",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("runs/meaning_layers"), help="folder of the run"
    )
    parser.add_argument("--model", help="the biLM to train; the bundled one by default")
    parser.add_argument(
        "--minutes", type=float, default=120, help="of training in all, resumed parts included"
    )
    parser.add_argument(
        "--per_file", type=int, default=30_000, help="sentences taken from each file"
    )
    parser.add_argument("--seed", type=int, default=1)
    for name, value in vars(Rates()).items():
        parser.add_argument(f"--{name}", type=float, default=value)
    args = parser.parse_args(arguments)
    rates = Rates(**{name: getattr(args, name) for name in vars(Rates())})
    torch.manual_seed(args.seed)

    elmo = Elmo.load(args.model)
    output = elmo.predictions()
    if output is None:
        raise ConfigError(
            f"{elmo.name}: expected a biLM with its softmax, which the language-model loss needs"
        )
    text = Text(
        paths=matching_files(args.text),
        vocabulary=output[1],
        per_file=args.per_file,
        seed=args.seed,
    )
    losses = MeaningLosses(
        elmo=elmo, softmax=output[0], text=text, words=training_uses(bundled_lexicon()), rates=rates
    )
    print(
        f"{len(text.sentences):,} sentences, {len(text.words):,} words; {len(losses.words)} words"
        " of the dictionary",
        flush=True,
    )
    tops = [p for p in losses.top.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(
        [
            {"params": tops, "lr": rates.learning_rate},
            {"params": list(losses.softmax.parameters()), "lr": rates.softmax_rate},
            {"params": [losses.scale], "lr": 0.01},
        ]
    )
    base = [group["lr"] for group in optimizer.param_groups]
    step, seconds = 0, 0.0
    if (args.out / "state.pt").exists():
        state = torch.load(args.out / "state.pt", weights_only=True)
        losses.top.load_state_dict(state["top"])
        losses.softmax.load_state_dict(state["softmax"])
        losses.scale.data.copy_(state["scale"])
        optimizer.load_state_dict(state["optimizer"])
        step, seconds = state["step"], state["seconds"]
    rng = random.Random(args.seed + step)
    batches = text.batches(args.seed + step)
    sums = torch.zeros(3)
    began = time.monotonic()
    saved = time.monotonic()

    def snapshot() -> dict[str, Any]:
        return {
            "top": losses.top.state_dict(),
            "softmax": losses.softmax.state_dict(),
            "scale": losses.scale.data,
            "optimizer": optimizer.state_dict(),
            "step": step,
            "seconds": seconds + time.monotonic() - began,
        }

    while (done := (seconds + time.monotonic() - began) / (60 * args.minutes)) < 1:
        # Warm-up over 2 %, then a cosine down to a twentieth.
        share = min(1.0, done / 0.02) * (
            0.05 + 0.95 * 0.5 * (1 + float(torch.cos(torch.tensor(done * torch.pi))))
        )
        for group, rate in zip(optimizer.param_groups, base, strict=True):
            group["lr"] = rate * max(share, 0.02)
        optimizer.zero_grad()
        text_loss = losses.text_loss(next(batches))
        text_loss.backward()
        meaning, distance = losses.meaning_loss(rng)
        (rates.meaning_weight * meaning + rates.anchor_weight * distance).backward()
        nn.utils.clip_grad_norm_(tops, 1.0)
        optimizer.step()
        step += 1
        sums += torch.tensor([loss.item() for loss in (text_loss, meaning, distance)])
        if step % 50 == 0:
            a, b, c = (sums / 50).tolist()
            print(
                f"{done:.1%} step {step} text {a:.3f} meaning {b:.3f} distance {c:.3f}", flush=True
            )
            sums.zero_()
        if time.monotonic() - saved > 120:
            save(args.out, snapshot())
            saved = time.monotonic()
    save(args.out, snapshot())
    write_model(
        args.out / "model",
        elmo.bilm,
        losses.softmax,
        output[1],
        card_of(elmo, losses, step, snapshot()["seconds"]),
    )
    print(f"done: {step} steps; the model is in {args.out / 'model'}", flush=True)


if __name__ == "__main__":
    main()
