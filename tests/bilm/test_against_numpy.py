"""Our torch biLM against a plain NumPy one in float64 that was written from the description of the published layout alone."""

import h5py
import numpy as np
import pytest

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import read_hdf5
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.encoders.elmo import Elmo
from tests.reference.numpy_bilm import NumpyBilm, fill

SENTENCES = [
    ["The", "ferry", "is", "late", "again", "."],
    ["Naïve", "cafés", "sell", "crème", "brûlée", "🍮", "for", "9", "€"],
    ["x" * 70, "-"],
    ["No"],
]


@pytest.mark.parametrize("clip", [None, 3])
@pytest.mark.parametrize("cells", [48, 16, 9])  # more than the projection has outputs, as many, fewer
@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize(
    ("highways", "n_characters", "activation"), [(1, 261, "relu"), (2, 262, "relu"), (2, 262, "tanh")]
)
def test_all_layers_agree(tmp_path, clip, skip, cells, highways, n_characters, activation):
    options = {
        "lstm": {
            "use_skip_connections": skip,
            "projection_dim": 16,
            "cell_clip": clip,
            "proj_clip": clip,
            "dim": cells,
            "n_layers": 2,
        },
        "char_cnn": {
            "activation": activation,
            "filters": [[1, 8], [2, 8], [3, 16], [7, 24]],
            "n_highway": highways,
            "embedding": {"dim": 6},
            "n_characters": n_characters,
            "max_characters_per_token": 50,
        },
    }
    arrays = fill(options)
    with h5py.File(tmp_path / "w.hdf5", "w") as file:
        for name, array in arrays.items():
            file[name] = array
    ours_options = BiLMOptions.from_dict(options)
    bilm = BiLM(ours_options)
    bilm.load_state_dict(read_hdf5(tmp_path / "w.hdf5", ours_options))
    ours = Elmo(bilm).encode(SENTENCES)
    reference = NumpyBilm(arrays, options)
    for k, sentence in enumerate(SENTENCES):
        theirs, _ = reference.layers(sentence)
        assert np.abs(theirs).max() > 0.5  # not a comparison of zeros
        np.testing.assert_allclose(ours.sentence(k).numpy(), theirs, atol=1e-5, rtol=0)
