"""Recipe: train a biLM's top layer to separate meanings and keep its perplexity.

Two losses on alternating halves of each step:

- *meaning*: binary cross-entropy on the cosine of two uses of one word of the dictionary, same
  meaning or not, at the top layer;
- *language model*: the sampled softmax loss of both directions on running text, one sentence at a
  time from the constant state.

Only the top LSTM of each direction and, slowly, the softmax learn; the character CNN and the layers
below stay as they are. Held-out words, test sentences and development sentences of the dictionary
are never read: they are for tests and calibration. Run it again with the same folder and it
resumes::

    python -m elmo_tasks.recipes.meaning_layers --out runs/meaning_layers --minutes 120 \\
        --text 'corpus/wiki_*' …
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Mapping, Sequence
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
from elmo_tasks.recipes.meaning_layers_data import (
    TOKENS_PER_STEP,
    RunningText,
    WordWithUses,
    training_uses,
)
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.text.uses import Use
from elmo_tasks.training.export_bilm import write_model
from elmo_tasks.weights.folders import CARD_NAME

_WORDS_A_STEP = 16  # of the dictionary in each step
_MAX_USES_A_WORD = 12  # of each word in a step, at most
_TOP_LAYER = 2  # of a biLM with two LSTM layers, as the card names it
_N_DRAWS = 2_048
_STATE_NAME = "state.pt"


@dataclass(frozen=True)
class Rates:
    """Settings of a run."""

    learning_rate: float = 1e-3
    softmax_rate: float = 1e-4
    meaning_weight: float = 10.0
    #: of the squared distance to the old top layer, on the dictionary's sentences
    anchor_weight: float = 0.01
    meaning_dropout: float = 0.3  # of the top LSTM's input, dictionary
    text_dropout: float = 0.1  # of the top LSTM's input and output, running text


class TopLayers(nn.Module):
    """The top LSTM of each direction, over layers below that do not learn."""

    def __init__(self, bilm: BiLM) -> None:
        super().__init__()
        self.forward_top = bilm.forward_lm.layers[-1]
        self.backward_top = bilm.backward_lm.layers[-1]
        self._skip = bilm.forward_lm.use_skip_connections
        for top in (self.forward_top, self.backward_top):
            top.requires_grad_(True)
            top.get_parameter("bias_hh_l0").requires_grad_(False)

    def forward(self, below: Sequence[Tensor], dropout: float) -> list[Tensor]:
        """Compute the top layer ``[B, T, P]`` of each direction, in its reading order."""
        tops = []
        for lstm, inputs in zip((self.forward_top, self.backward_top), below, strict=True):
            outputs, _ = lstm(F.dropout(inputs, dropout, self.training))
            tops.append(outputs + inputs if self._skip else outputs)
        return tops


@torch.no_grad()
def below_top(bilm: BiLM, tokens: Tensor, reverse: Tensor) -> list[Tensor]:
    """Compute the layer below the top, ``[B, T, P]`` for each direction."""

    def read(lm: DirectionalLM, inputs: Tensor) -> Tensor:
        for k, layer in enumerate(lm.layers[:-1]):
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if k > 0 and lm.use_skip_connections else outputs
        return inputs

    return [read(bilm.forward_lm, tokens), read(bilm.backward_lm, reordered(tokens, reverse))]


@dataclass(frozen=True)
class UseStates:
    """States of a use in the layers that do not learn, computed once before training."""

    #: ``[T, P]`` the layer below the top one, each direction in its reading order
    below: tuple[Tensor, Tensor]
    step: int  #: position of the word, reading forward
    step_back: int  #: position of the word, reading back
    old: Tensor  #: ``[2 P]`` the word at the top layer before training


class MeaningLosses:
    """Both losses of one model."""

    def __init__(
        self,
        elmo: Elmo,
        *,
        softmax: LMSoftmax,
        text: RunningText,
        words: Sequence[WordWithUses],
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
        """Compute the mean sampled loss of both directions."""
        lengths = torch.tensor([len(sentence) + 2 for sentence in sentences])
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
        """Compute the loss of pairs of uses, and the squared distance to the old top layer."""
        rows, labels = [], []
        for number in rng.sample(range(len(self.words)), min(_WORDS_A_STEP, len(self.words))):
            word = self.words[number]
            chosen = rng.sample(range(len(word.uses)), min(_MAX_USES_A_WORD, len(word.uses)))
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
        """Return new and old top-layer vectors ``[n, 2 P]`` of the uses in these rows."""
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
        """Compute the lower layers and the present top-layer vector of each use."""
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


def card_of(elmo: Elmo, losses: MeaningLosses, steps: int, seconds: float) -> dict[str, Any]:
    """Return the card of the trained model, with the objective of each part of its training."""
    folder = elmo.folder
    card: dict[str, Any] = {}
    if folder is not None and (folder / CARD_NAME).exists():
        card = dict(read_json(folder / CARD_NAME))
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
        "positions": steps * TOKENS_PER_STEP,
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


class Run:
    """Training of one model until the minutes are used up; its state is kept in a folder."""

    def __init__(self, losses: MeaningLosses, folder: Path) -> None:
        self.losses = losses
        self.folder = folder
        self.step = 0
        self._seconds_before = 0.0  # in earlier, resumed parts
        self._began = time.monotonic()
        self._tops = [weight for weight in losses.top.parameters() if weight.requires_grad]
        rates = losses.rates
        self._optimizer = torch.optim.Adam(
            [
                {"params": self._tops, "lr": rates.learning_rate},
                {"params": list(losses.softmax.parameters()), "lr": rates.softmax_rate},
                {"params": [losses.scale], "lr": 0.01},
            ]
        )
        self._base_rates = [group["lr"] for group in self._optimizer.param_groups]
        if (folder / _STATE_NAME).exists():
            self._resume(torch.load(folder / _STATE_NAME, weights_only=True))

    @property
    def seconds(self) -> float:
        """Seconds of training so far, resumed parts included."""
        return self._seconds_before + time.monotonic() - self._began

    def train(self, minutes: float, seed: int) -> None:
        """Train until the minutes are used up; save every two minutes."""
        rng = random.Random(seed + self.step)
        batches = self.losses.text.batches(seed + self.step)
        sums = torch.zeros(3)
        saved = time.monotonic()
        while (done := self.seconds / (60 * minutes)) < 1:
            sums += self._train_step(next(batches), rng, done)
            if self.step % 50 == 0:
                text, meaning, distance = (sums / 50).tolist()
                print(
                    f"{done:.1%} step {self.step} text {text:.3f} meaning {meaning:.3f} distance"
                    f" {distance:.3f}",
                    flush=True,
                )
                sums.zero_()
            if time.monotonic() - saved > 120:
                self.save()
                saved = time.monotonic()
        self.save()

    def save(self) -> None:
        """Write the file from which another call resumes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state = {
            "top": self.losses.top.state_dict(),
            "softmax": self.losses.softmax.state_dict(),
            "scale": self.losses.scale.data,
            "optimizer": self._optimizer.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
        }
        with atomic_file(self.folder / _STATE_NAME) as partial:
            torch.save(state, partial)

    def _resume(self, state: Mapping[str, Any]) -> None:
        self.losses.top.load_state_dict(state["top"])
        self.losses.softmax.load_state_dict(state["softmax"])
        self.losses.scale.data.copy_(state["scale"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]
        self._seconds_before = state["seconds"]

    def _train_step(
        self, sentences: Sequence[Sequence[int]], rng: random.Random, done: float
    ) -> Tensor:
        """Train on one batch of each kind; return the losses of text, meaning and distance."""
        # Warm-up over 2 %, then a cosine down to a twentieth.
        cosine = 0.05 + 0.95 * 0.5 * (1 + float(torch.cos(torch.tensor(done * torch.pi))))
        share = min(1.0, done / 0.02) * cosine
        for group, rate in zip(self._optimizer.param_groups, self._base_rates, strict=True):
            group["lr"] = rate * max(share, 0.02)
        self._optimizer.zero_grad()
        text_loss = self.losses.text_loss(sentences)
        text_loss.backward()
        meaning, distance = self.losses.meaning_loss(rng)
        rates = self.losses.rates
        (rates.meaning_weight * meaning + rates.anchor_weight * distance).backward()
        nn.utils.clip_grad_norm_(self._tops, 1.0)
        self._optimizer.step()
        self.step += 1
        return torch.tensor([loss.item() for loss in (text_loss, meaning, distance)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Train until the minutes are used up; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--text",
        nargs="+",
        required=True,
        help="files of running text, one tokenized sentence per line, or patterns",
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
    torch.manual_seed(args.seed)
    elmo = Elmo.load(args.model)
    output = elmo.predictions()
    if output is None:
        raise ConfigError(
            f"{elmo.name}: expected a biLM with its softmax, which the language-model loss needs"
        )
    softmax, vocabulary = output
    text = RunningText(
        paths=matching_files(args.text),
        vocabulary=vocabulary,
        per_file=args.per_file,
        seed=args.seed,
    )
    losses = MeaningLosses(
        elmo=elmo,
        softmax=softmax,
        text=text,
        words=training_uses(bundled_lexicon()),
        rates=Rates(**{name: getattr(args, name) for name in vars(Rates())}),
    )
    print(
        f"{len(text.sentences):,} sentences, {len(text.words):,} words; {len(losses.words)} words"
        " of the dictionary",
        flush=True,
    )
    run = Run(losses, args.out)
    run.train(args.minutes, args.seed)
    card = card_of(elmo, losses, run.step, run.seconds)
    write_model(args.out / "model", elmo.bilm, losses.softmax, vocabulary, card)
    print(f"done: {run.step} steps; the model is in {args.out / 'model'}", flush=True)


if __name__ == "__main__":
    main()
