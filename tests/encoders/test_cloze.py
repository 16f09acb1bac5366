"""A cloze head, against its formula written out place by place, and its files."""

import json
import math

import numpy as np
import pytest
import torch

from elmo_tasks.encoders.cloze import Cloze, ClozeOptions, gaps_at, load_cloze, write_cloze
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import WeightsError
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny

STATIC = StaticVectors(
    ["the", "old", "river", "bank", "ferry", "cold"],
    torch.randn(6, 8, generator=torch.Generator().manual_seed(1)),
    [9000, 500, 40, 30, 20, 10],
)
K, P = 2, 3
OPTIONS = ClozeOptions(K, P, n_words=5, hidden=7, n_heads=2)
PLACES = [
    (("the", "old", "ferry", "bank", "zzz"), 1, 3),  # one gap of two tokens
    (("cold", "river"), 1, 2),
    (("bank",), 0, 1),  # nothing stands around it
]


@pytest.fixture
def cloze():
    torch.manual_seed(0)
    made = Cloze(OPTIONS, STATIC).eval()
    torch.nn.init.normal_(made.place.weight)  # not so small that their effect is lost in rounding
    return made


def states(n=3):
    generator = torch.Generator().manual_seed(2)
    return torch.randn(2, K, n, P, generator=generator)


def written_out(cloze, tokens, start, end, before, after):
    """The scores of one place, with NumPy, in float64."""
    w = {name: value.numpy().astype(np.float64) for name, value in cloze.state_dict().items()}
    vectors = STATIC.vectors_of(tokens).numpy().astype(np.float64)
    around = [(k - start, vectors[k], STATIC.share_of(tokens[k])) for k in range(start)]
    around += [
        (k - end + 1, vectors[k], STATIC.share_of(tokens[k])) for k in range(end, len(tokens))
    ]
    around = [
        (offset, v / (np.linalg.norm(v) or 1), 1e-4 / (1e-4 + share) if v.any() else 0.0)
        for offset, v, share in around
    ]
    left = sum((r * v for offset, v, r in around if offset < 0), np.zeros(8))
    right = sum((r * v for offset, v, r in around if offset > 0), np.zeros(8))
    states = np.concatenate([before.reshape(-1), after.reshape(-1)]).astype(np.float64)
    states = (states - states.mean()) / np.sqrt(states.var() + 1e-5) * w["norm.weight"] + w[
        "norm.bias"
    ]
    query = w["query.weight"] @ states + w["query.bias"]
    pairs = [
        w["key_value.weight"] @ v + w["key_value.bias"] + w["place.weight"][o + 24]
        for o, v, _ in around
    ]
    pairs.append(w["key_value.bias"] + w["place.weight"][24])  # the gap itself
    found = []
    for head in (slice(0, 4), slice(4, 8)):
        share = np.exp([query[head] @ pair[:8][head] / math.sqrt(4) for pair in pairs])
        found.append(
            sum(s * pair[8:][head] for s, pair in zip(share / share.sum(), pairs, strict=True))
        )
    x = np.concatenate([states, *found, left, right, left + right])
    for layer in (0, 3):
        x = w[f"hidden.{layer}.weight"] @ x + w[f"hidden.{layer}.bias"]
        x = np.array([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])
    x = w["hidden.5.weight"] @ x + w["hidden.5.bias"]
    return w["words"] @ x + w["bias"]


def test_its_scores_are_those_of_the_formula(cloze):
    before, after = states()
    found = cloze(gaps_at(STATIC, PLACES, before, after))
    assert found.shape == (3, 5)
    for k, (tokens, start, end) in enumerate(PLACES):
        expected = written_out(cloze, tokens, start, end, before[:, k].numpy(), after[:, k].numpy())
        np.testing.assert_allclose(found[k].detach(), expected, atol=1e-4)


def test_the_word_in_the_gap_is_not_read_and_a_place_does_not_depend_on_others(cloze):
    before, after = states()
    together = cloze(gaps_at(STATIC, PLACES, before, after))
    alone = cloze(gaps_at(STATIC, [(("cold", "ferry"), 1, 2)], before[:, 1:2], after[:, 1:2]))
    torch.testing.assert_close(alone[0], together[1])


def test_words_very_far_away_are_read(cloze):
    gaps = gaps_at(STATIC, [(["cold", *["zzz"] * 40, "river"], 41, 42)], *states(1))
    assert gaps.offsets.min() == -41
    assert torch.isfinite(cloze(gaps)).all()


@pytest.fixture
def model(tmp_path):
    torch.manual_seed(0)
    write_model(tmp_path / "m", tiny())
    return Elmo.load(tmp_path / "m")


def a_head(model, **more):
    options = ClozeOptions(
        model.n_layers - 1, model.width // 2, **{"n_words": 5, "hidden": 7, "n_heads": 2, **more}
    )
    return Cloze(options, STATIC).eval()


def test_it_comes_back_from_its_files(model):
    head = a_head(model)
    assert load_cloze(model, STATIC) is None
    write_cloze(model.folder, head, model, STATIC, {"training": {"steps": 3}})
    found = load_cloze(model, STATIC)
    assert found is not None
    assert not found.training
    for name, value in head.state_dict().items():
        torch.testing.assert_close(found.state_dict()[name], value, atol=2e-3, rtol=2e-3)
    settings = json.loads((model.folder / "cloze.json").read_text())
    assert settings["training"] == {"steps": 3}
    assert settings["static"]["name"] == STATIC.name


def test_beside_other_static_vectors_it_is_not_used(model):
    write_cloze(model.folder, a_head(model), model, STATIC)
    assert load_cloze(model, StaticVectors(STATIC.words, STATIC.vectors + 1, STATIC.counts)) is None
    assert load_cloze(STATIC, STATIC) is None  # an encoder without a folder


def test_beside_another_model_it_is_refused(model, tmp_path):
    changed = tiny()
    with torch.no_grad():
        next(changed.parameters()).add_(1)
    write_model(tmp_path / "other", changed)
    write_cloze(tmp_path / "other", a_head(model), model, STATIC)
    with pytest.raises(WeightsError, match="reads the states of another model"):
        load_cloze(Elmo.load(tmp_path / "other"), STATIC)


def test_a_new_model_in_the_folder_does_without_the_head_of_the_old_one(model):
    write_cloze(model.folder, a_head(model), model, STATIC)
    write_model(model.folder, tiny())
    assert load_cloze(Elmo.load(model.folder), STATIC) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s | {"options": {"size": 3}}, "not the settings of a cloze head"),
        (lambda s: {}, "not the settings of a cloze head"),
        (lambda s: s | {"options": s["options"] | {"hidden": 9}}, "does not fit"),
    ],
)
def test_broken_settings_are_named(model, change, message):
    write_cloze(model.folder, a_head(model), model, STATIC)
    path = model.folder / "cloze.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(WeightsError, match=message):
        load_cloze(model, STATIC)
