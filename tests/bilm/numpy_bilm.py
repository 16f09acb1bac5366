"""The published ELMo biLM in plain NumPy and float64, step by step: slow, and easy to check by eye.

It shares no code with the package. Arrays have the names and the orientation of the published HDF5
files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]
Options = dict[str, Any]

# Ids as in the published files, where the table of character vectors has 261 rows.
BEGIN_OF_SENTENCE, END_OF_SENTENCE, BEGIN_OF_WORD, END_OF_WORD, PADDING = 256, 257, 258, 259, 260
N_CHARACTERS = 261

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0.0),
    "tanh": np.tanh,
}

#: Per direction and layer: the projected output [projection] and the cell [dim] after the last
#: step.
State = list[list[tuple[Array, Array]]]


def sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def clip(x: Array, limit: float | None) -> Array:
    return x if limit is None else np.clip(x, -limit, limit)


def character_ids(token: str, max_characters: int) -> list[int]:
    """[max_characters] ids of the letters of a token, in 0..260."""
    return _between_word_marks(list(token.encode("utf-8")), max_characters)


def _between_word_marks(ids: list[int], max_characters: int) -> list[int]:
    ids = [BEGIN_OF_WORD, *ids[: max_characters - 2], END_OF_WORD]
    return ids + [PADDING] * (max_characters - len(ids))


class NumpyBilm:
    """The model.

    Args:
        arrays: ``char_embed``, ``CNN/W_cnn_0``, ... as in the file.
        options: the content of options.json.
    """

    def __init__(self, arrays: Arrays, options: Options) -> None:
        self.arrays: dict[str, Array] = {
            name: np.asarray(a, dtype=np.float64) for name, a in arrays.items()
        }
        self.options = options
        # 262 counts a row for "no character" that is put in front when loading; ids here start
        # behind it, at 0.
        assert options["char_cnn"]["n_characters"] in (N_CHARACTERS, N_CHARACTERS + 1)
        assert self.arrays["char_embed"].shape == (
            N_CHARACTERS,
            options["char_cnn"]["embedding"]["dim"],
        )

    def zero_state(self) -> State:
        lstm = self.options["lstm"]
        return [
            [
                (np.zeros(lstm["projection_dim"]), np.zeros(lstm["dim"]))
                for _ in range(lstm["n_layers"])
            ]
            for _direction in range(2)
        ]

    def token_vectors(self, tokens: Sequence[str]) -> Array:
        """Layer 0, one direction wide, the sentence boundaries first and last: [T + 2,
        projection]."""
        max_characters = self.options["char_cnn"]["max_characters_per_token"]
        begin = _between_word_marks([BEGIN_OF_SENTENCE], max_characters)
        end = _between_word_marks([END_OF_SENTENCE], max_characters)
        return self._token_vectors(
            [begin, *(character_ids(token, max_characters) for token in tokens), end]
        )

    def layers(self, tokens: Sequence[str], state: State | None = None) -> tuple[Array, State]:
        """All layers of one sentence.

        Args:
            tokens: the sentence, without boundaries.
            state: where both directions start; zeros when not given.

        Returns:
            [L, T, 2 * projection], forward then backward, boundaries removed, layer 0 being the
            token vectors twice;
            and the state behind the last step of each direction.
        """
        inputs = self.token_vectors(tokens)
        directions, new_state = [], []
        for direction, ordered in enumerate((inputs, inputs[::-1])):
            start = (state or self.zero_state())[direction]
            outputs, last = self._direction(direction, ordered, start)  # [L, T + 2, projection]
            directions.append(outputs if direction == 0 else outputs[:, ::-1])
            new_state.append(last)
        return np.concatenate(directions, axis=-1)[:, 1:-1], new_state

    def _token_vectors(self, ids: list[list[int]]) -> Array:
        char_cnn = self.options["char_cnn"]
        activation = ACTIVATIONS[char_cnn["activation"]]
        # [T, C, letter]
        letters = self.arrays["char_embed"][np.array(ids, dtype=int).reshape(len(ids), -1)]
        pooled = []
        for i, (width, _n_filters) in enumerate(char_cnn["filters"]):
            kernel = self.arrays[f"CNN/W_cnn_{i}"][0]  # [width, letter, filters]
            places = range(letters.shape[1] - width + 1)
            found = [np.einsum("twl,wlf->tf", letters[:, p : p + width], kernel) for p in places]
            pooled.append(activation(np.max(found, axis=0) + self.arrays[f"CNN/b_cnn_{i}"]))
        x = np.concatenate(pooled, axis=1)  # [T, filters]
        for i in range(char_cnn["n_highway"]):
            weights = {name: self.arrays[f"CNN_high_{i}/{name}"] for name in _HIGHWAY}
            carry = sigmoid(x @ weights["W_carry"] + weights["b_carry"])
            transform = np.maximum(x @ weights["W_transform"] + weights["b_transform"], 0.0)
            x = carry * transform + (1.0 - carry) * x
        return x @ self.arrays["CNN_proj/W_proj"] + self.arrays["CNN_proj/b_proj"]

    def _direction(
        self, direction: int, inputs: Array, start: list[tuple[Array, Array]]
    ) -> tuple[Array, list[tuple[Array, Array]]]:
        lstm = self.options["lstm"]
        layers, last = [inputs], []
        for layer in range(lstm["n_layers"]):
            weights = {
                name: self.arrays[f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/{name}"]
                for name in _CELL
            }
            hidden, cell = start[layer]
            outputs = np.empty_like(layers[-1])
            for t, x in enumerate(layers[-1]):
                gates = np.concatenate([x, hidden]) @ weights["W_0"] + weights["B"]
                into, candidate, forget, out = np.split(gates, 4)
                cell = sigmoid(forget + 1.0) * cell + sigmoid(into) * np.tanh(candidate)
                cell = clip(cell, lstm["cell_clip"])
                hidden = clip((sigmoid(out) * np.tanh(cell)) @ weights["W_P_0"], lstm["proj_clip"])
                outputs[t] = hidden
            if layer > 0 and lstm["use_skip_connections"]:
                # what the layer gives, not what it carries from step to step
                outputs = outputs + layers[-1]
            layers.append(outputs)
            last.append((hidden, cell))
        return np.stack(layers), last


_HIGHWAY = ("W_carry", "b_carry", "W_transform", "b_transform")
_CELL = ("W_0", "B", "W_P_0")


def shapes(options: Options) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a published file with these options."""
    char_cnn, lstm = options["char_cnn"], options["lstm"]
    letter, dim, projection = char_cnn["embedding"]["dim"], lstm["dim"], lstm["projection_dim"]
    n_filters = sum(n for _width, n in char_cnn["filters"])
    found: dict[str, tuple[int, ...]] = {"char_embed": (N_CHARACTERS, letter)}
    for i, (width, n) in enumerate(char_cnn["filters"]):
        found[f"CNN/W_cnn_{i}"] = (1, width, letter, n)
        found[f"CNN/b_cnn_{i}"] = (n,)
    for i in range(char_cnn["n_highway"]):
        for name in _HIGHWAY:
            found[f"CNN_high_{i}/{name}"] = (
                (n_filters, n_filters) if name.startswith("W") else (n_filters,)
            )
    found["CNN_proj/W_proj"] = (n_filters, projection)
    found["CNN_proj/b_proj"] = (projection,)
    for direction in range(2):
        for layer in range(lstm["n_layers"]):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            found[f"{cell}/W_0"] = (2 * projection, 4 * dim)
            found[f"{cell}/B"] = (4 * dim,)
            found[f"{cell}/W_P_0"] = (dim, projection)
    return found


def fill(options: Options) -> dict[str, NDArray[np.float32]]:
    """A model without a random generator, so that every machine and version has the same one.

    The numbers are sin of a quadratic of their index: as good as independent (a plain sin of the
    index would make every matrix of rank 2), in -1..1, and scaled per array so that the gates work
    in their bent part, cells and projections often pass 3 (the published clipping) and nothing
    blows up.
    """
    arrays = {}
    for number, (name, shape) in enumerate(shapes(options).items()):
        index = np.arange(np.prod(shape), dtype=np.float64)
        values = np.sin(0.7 * number + 0.618 * index + 1.2345 * index * index).reshape(shape)
        arrays[name] = _scaled(name, values).astype(np.float32)
    return arrays


def _scaled(name: str, values: Array) -> Array:
    """Values in -1..1 to the size that a weight or bias of this name needs."""
    kind = name.split("/")[-1]
    # sums of this many terms keep the size 1
    spread = np.sqrt(2.0 / (values.shape[-2] if values.ndim > 1 else 1))
    if kind.startswith("W_cnn"):
        return values * np.sqrt(2.0 / (values.shape[1] * values.shape[2]))
    if kind == "W_0":
        return 0.5 * values * spread
    if kind == "W_P_0":
        return 3.0 * values * spread
    if kind == "B":
        dim = values.size // 4
        values[dim : 2 * dim] *= 1.5  # a candidate that leans to one side and
        values[2 * dim : 3 * dim] += 1.5  # a cell that forgets little: it grows beyond the clipping
        return values
    if kind == "char_embed":
        return values
    if kind.startswith("b_"):
        return 0.5 * values
    return values * spread
