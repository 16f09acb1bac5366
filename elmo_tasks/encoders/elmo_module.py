"""A biLM under scalar mixes as one ``nn.Module``, like AllenNLP's ``Elmo``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.encoders.elmo import Elmo, steps_of, unfreeze
from elmo_tasks.encoders.sentences import TextOrTokens, checked_texts, checked_token_lists
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers import ScalarMix

if TYPE_CHECKING:  # it imports the biLM for its own protocol
    from elmo_tasks.encoders.encoder import Encoder


@dataclass(frozen=True)
class MixedLayers:
    """Output of an :class:`ElmoModule` for a batch."""

    # one [B, T, D] tensor for each mix, zero where the mask is False
    representations: tuple[Tensor, ...]
    mask: Tensor  # [B, T] bool, True for a token, and for a boundary where boundaries are kept


class ElmoModule(nn.Module):
    """Module from tokens of sentences to learned mixes of the biLM's layers.

    Args:
        elmo: encoder that gives the biLM. It does not change: to be trained or cut, its biLM is
            copied. Any other encoder stays frozen and whole, and only its layers are mixed.
        n_mixes: number of mixes of the same layers, each with its own weights (AllenNLP's
            ``num_output_representations``).
        dropout: share of the mixed numbers that is dropped in training.
        requires_grad: also train the biLM; give it a lower rate than the rest:
            ``module.bilm.parameters()``.
        layer_norm: see :class:`ScalarMix`; per token, where AllenNLP normalises over the batch.
        keep_boundaries: leave the steps of the beginning and the end of each sentence in.
        fixed_scalars: the weights of the layers before their softmax, which are then not learned,
            and no scale either (``scalar_mix_parameters``).
        n_layers: number of layers to keep, the context-free one included; those above are not
            computed.
        vocabulary: words whose layer 0 is computed once and kept in a table, without gradient;
            others still go through the character CNN (``vocab_to_cache``).
        stateful: begin each call with the states in which the last one ended, row by row, as for
            the published numbers. Without it, a sentence always gives the same numbers.

    Raises:
        ConfigError: an impossible number of layers or mixes, or a model in int8 that is to be
            trained or cut.
        InputError: the vocabulary is one string, or has items that are not words.
    """

    def __init__(
        self,
        elmo: Encoder,
        *,
        n_mixes: int = 1,
        dropout: float = 0.5,
        requires_grad: bool = False,
        layer_norm: bool = False,
        keep_boundaries: bool = False,
        fixed_scalars: Sequence[float] | None = None,
        n_layers: int | None = None,
        vocabulary: Sequence[str] | None = None,
        stateful: bool = False,
    ) -> None:
        super().__init__()
        if n_mixes < 1:
            raise ConfigError(f"n_mixes: expected at least one mix, got {n_mixes}")
        if not isinstance(elmo, Elmo):
            changed = {
                "requires_grad": requires_grad,
                "keep_boundaries": keep_boundaries,
                "n_layers": n_layers is not None,
                "vocabulary": vocabulary is not None,
                "stateful": stateful,
            }
            if wrong := [name for name, is_set in changed.items() if is_set]:
                raise ConfigError(
                    f"{', '.join(wrong)}: for a biLM; {elmo.name} is a {type(elmo).__name__}"
                )
        elif elmo.precision != "float32" and (requires_grad or n_layers is not None):
            raise ConfigError(
                f"{elmo.name}: a model in {elmo.precision} is neither trained nor cut; use float32"
            )
        words = () if vocabulary is None else checked_texts(vocabulary, "word")
        #: An encoder other than a biLM, in a tuple, so that PyTorch does not register its weights.
        self._other = () if isinstance(elmo, Elmo) else (elmo,)
        self.bilm = _bilm_of(elmo, n_layers, requires_grad) if isinstance(elmo, Elmo) else None
        self.requires_grad = requires_grad
        self.keep_boundaries = keep_boundaries
        self.stateful = stateful
        self.dropout = nn.Dropout(dropout)
        total, self.width = elmo.n_layers if n_layers is None else n_layers, elmo.width
        self.mixes = nn.ModuleList(_mix(total, layer_norm, fixed_scalars) for _ in range(n_mixes))
        self._rows = {word: k for k, word in enumerate(dict.fromkeys(words))}
        self.register_buffer(
            "table", self._token_vectors(list(self._rows)) if self._rows else None, persistent=False
        )
        self._states: Any = None  # as BiLMOutput.states

    table: Tensor | None  # [V, P]

    def reset_states(self) -> None:
        """Reset the states, so that the next call starts from the constant state."""
        self._states = None

    def forward(self, sentences: Iterable[TextOrTokens]) -> MixedLayers:
        """Encode and mix one batch of texts, which are tokenized, or lists of tokens.

        Raises:
            InputError: no sentence, or something that is neither text nor tokens.
        """
        sentences = checked_token_lists(sentences)
        if self._other:
            with torch.no_grad():
                layers_of = self._other[0].encode(sentences)
            mixed = tuple(self.dropout(mix(layers_of.values, layers_of.mask)) for mix in self.mixes)
            return MixedLayers(mixed, layers_of.mask)
        assert self.bilm is not None
        with torch.set_grad_enabled(self.requires_grad and torch.is_grad_enabled()):
            tokens, lengths = self._tokens(sentences)  # [B, T + 2, P], [B]
            start = None if self._states is None else _first_rows(self._states, len(sentences))
            output = self.bilm.read(tokens, lengths, start, self.stateful)
        if self.stateful:
            self._states = _followed_by_old(output.states, self._states or output.states)
        layers, mask = output.layers, output.mask  # [L, B, T + 2, D], [B, T + 2]
        if not self.keep_boundaries:
            # The step after the last word is the end of the sentence.
            mask = mask[:, 2:]
            layers = layers[:, :, 1:-1] * mask.unsqueeze(-1)
        return MixedLayers(tuple(self.dropout(mix(layers, mask)) for mix in self.mixes), mask)

    def _tokens(self, sentences: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Compute layer 0 of the steps, from the table where it has a word."""
        assert self.bilm is not None
        device = next(self.bilm.parameters()).device
        limit = self.bilm.options.char_cnn.max_characters_per_token
        characters, rows, lengths = steps_of(sentences, limit, device)
        if self.table is None:
            return self.bilm.token_encoder(characters)[rows], lengths
        # as in characters, behind two boundaries
        words = dict.fromkeys(word for words in sentences for word in words)
        in_table = {
            k: self._rows[word] for k, word in enumerate(words, start=2) if word in self._rows
        }
        new = [k for k in range(len(characters)) if k not in in_table]
        vectors = self.table.new_empty(len(characters), self.table.shape[1])
        vectors[new] = self.bilm.token_encoder(characters[new])
        vectors[list(in_table)] = self.table[list(in_table.values())]
        return vectors[rows], lengths

    @torch.no_grad()
    def _token_vectors(self, words: Sequence[str]) -> Tensor:
        """Compute ``[V, P]`` layer 0 of words, a few thousand at a time."""
        assert self.bilm is not None
        bilm = self.bilm
        device = next(self.bilm.parameters()).device
        limit = self.bilm.options.char_cnn.max_characters_per_token
        parts = [words[k : k + 4096] for k in range(0, len(words), 4096)]
        return torch.cat(
            [bilm.token_encoder(steps_of([part], limit, device)[0])[2:] for part in parts]
        )


def _first_rows(states: Any, n: int) -> Any:
    """Take ``n`` rows of (nested tuples of) states ``[1, B, …]``, padded with zeros."""
    if isinstance(states, Tensor):
        return nn.functional.pad(states, (0, 0, 0, max(n - states.shape[1], 0)))[:, :n]
    return tuple(_first_rows(part, n) for part in states)


def _followed_by_old(states: Any, old: Any) -> Any:
    """Append the old states of rows outside this batch to the new ones."""
    if isinstance(states, Tensor):
        return torch.cat([states.detach(), old[:, states.shape[1] :]], dim=1)
    return tuple(map(_followed_by_old, states, old))


def _mix(n_layers: int, layer_norm: bool, fixed_scalars: Sequence[float] | None) -> ScalarMix:
    if fixed_scalars is None:
        return ScalarMix(n_layers, layer_norm)
    if len(fixed_scalars) != n_layers:
        raise ConfigError(
            f"fixed_scalars: expected {n_layers} numbers, one for each layer, got"
            f" {list(fixed_scalars)}"
        )
    mix = ScalarMix(
        n_layers,
        layer_norm,
        torch.tensor(list(fixed_scalars), dtype=torch.float64).softmax(0).tolist(),
    )
    mix.gamma.requires_grad_(False)
    return mix


def _bilm_of(elmo: Elmo, n_layers: int | None, requires_grad: bool) -> BiLM:
    """Return the biLM of an encoder, cut and unfrozen as wanted, in copies."""
    bilm = _first_layers(elmo.bilm, n_layers) if n_layers is not None else elmo.bilm
    return unfreeze(deepcopy(bilm)) if requires_grad else bilm


def _first_layers(bilm: BiLM, n_layers: int) -> BiLM:
    """Copy a model with the lowest layers only."""
    lstm = bilm.options.lstm
    if not 1 <= n_layers <= lstm.n_layers + 1:
        raise ConfigError(
            f"n_layers: the biLM has 1 to {lstm.n_layers + 1} layers to keep, not {n_layers}"
        )
    shorter = BiLM(replace(bilm.options, lstm=replace(lstm, n_layers=n_layers - 1)))
    kept = shorter.state_dict().keys()
    shorter.load_state_dict(
        {name: value for name, value in bilm.state_dict().items() if name in kept}
    )
    first = next(bilm.parameters())
    return shorter.to(first.device, first.dtype).eval().requires_grad_(False)
