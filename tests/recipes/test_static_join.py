"""Static vectors joined with the vectors of single words of another encoder."""

import json

import pytest
import torch
from torch.nn.functional import normalize

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers import Layers
from elmo_tasks.recipes.static_vectors import join_vectors, main, write_vectors

WORDS = [f"w{k}" for k in range(700)]  # more than one batch


class Teacher:
    """An encoder with a different vector for each word."""

    width, name = 6, "teacher"

    def __init__(self):
        torch.manual_seed(2)
        self.known = torch.randn(len(WORDS), 6)

    def encode(self, sentences):
        values = torch.stack([self.known[WORDS.index(s[0])] for s in sentences])[None, :, None]
        return Layers(
            values, torch.ones(len(sentences), 1, dtype=torch.bool), tuple(map(tuple, sentences))
        )


@pytest.fixture
def static():
    torch.manual_seed(1)
    return StaticVectors(WORDS, torch.randn(len(WORDS), 4), [5] * len(WORDS), name="few")


def test_all_components_keep_every_cosine_of_the_two_side_by_side(static):
    teacher = Teacher()
    found = join_vectors(static, teacher, size=10, weight=0.5)
    parts = [
        normalize(v - v.mean(0), dim=1)
        for v in (normalize(x, dim=1) for x in (static.vectors, teacher.known))
    ]
    both = normalize(torch.cat([parts[0], 0.5 * parts[1]], dim=1), dim=1)
    torch.testing.assert_close(
        found.vectors @ found.vectors.t(), both @ both.t(), atol=1e-4, rtol=0
    )
    assert (found.words, found.counts) == (static.words, static.counts)


def test_fewer_components_keep_most_of_the_variance(static):
    full = join_vectors(static, Teacher(), size=10).vectors
    few = join_vectors(static, Teacher(), size=8).vectors
    assert few.shape == (len(WORDS), 8)
    assert (
        torch.corrcoef(torch.stack([(full @ full.t()).flatten(), (few @ few.t()).flatten()]))[0, 1]
        > 0.9
    )
    with pytest.raises(ConfigError, match="size 11: expected 1 to 10"):
        join_vectors(static, Teacher(), size=11)


def test_the_command_writes_vectors_with_a_card(tmp_path, static, capsys):
    few = StaticVectors(["dog", "cat", "sea"], torch.randn(3, 4), [3, 2, 1])
    write_vectors(tmp_path / "few", few, {"command": "made"})
    main(
        [
            str(tmp_path / "few"),
            "--teacher",
            "elmo-mini",
            "--out",
            str(tmp_path / "both"),
            "--size",
            "2",
        ]
    )
    assert "3 words of 2 numbers" in capsys.readouterr().out
    card = json.loads((tmp_path / "both" / "card.json").read_text())
    assert card["teacher"]["name"] == "elmo-mini"
    assert card["commands"][0] == "made"
    assert StaticVectors.load(tmp_path / "both").vectors_of(["dog"]).norm() == pytest.approx(
        1, abs=1e-3
    )
