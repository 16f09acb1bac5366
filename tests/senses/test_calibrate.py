"""A calibration of a small encoder on a small dictionary whose meanings depend on context words."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import DataError
from elmo_tasks.senses import fit_views
from elmo_tasks.senses.calibrate import calibrate
from elmo_tasks.senses.calibration_files import models_checksum
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.entries import Entry, Sense
from elmo_tasks.senses.lexicon import Lexicon
from elmo_tasks.text.mentions import find_mention
from tests.bilm.tiny import tiny

TOPICS = [[f"{topic}{chr(97 + k)}" for k in range(8)] for topic in ("water", "money", "sport")]


def dictionary(n: int, senses_each: int = 3) -> Lexicon:
    r = np.random.default_rng(0)
    entries = []
    for w in range(n):
        word = f"word{chr(97 + w // 26)}{chr(97 + w % 26)}"
        senses = [
            Sense(
                str(k),
                "noun",
                "x",
                tuple(f"{' '.join(r.choice(TOPICS[k], 3))} [{word}]" for _ in range(7)),
            )
            for k in range(senses_each)
        ]
        entries.append(Entry(word, tuple(senses)))
    return Lexicon(entries)


@pytest.fixture(scope="module")
def static():
    r = np.random.default_rng(1)
    vectors = np.concatenate([np.eye(8)[k] + 0.2 * r.normal(size=(8, 8)) for k in range(3)]).astype(
        np.float32
    )
    return StaticVectors(
        [w for topic in TOPICS for w in topic], torch.from_numpy(vectors), [5] * 24
    )


def test_words_around_a_word_predict_its_meaning(static, monkeypatch):
    monkeypatch.setattr(fit_views, "_EPOCHS", 1)
    elmo, lexicon, shares = Elmo(tiny()), dictionary(60), []
    calibration, centroids = calibrate(elmo, static, None, lexicon, progress=shares.append)
    assert calibration.checksum == models_checksum(elmo, static, None)
    assert calibration.layers == (1, 2)
    assert max(calibration.weights, key=calibration.weights.get) == "words"
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(centroids) == 180
    model = SenseModel(elmo, static, None, calibration=calibration, centroids=centroids)
    right = []
    for entry in lexicon.ambiguous[::5]:
        labelled = [
            (k, find_mention(entry.word, s))
            for k, sense in enumerate(entry.senses)
            for s in sense.test_sentences
        ]
        uses = [use for _, use in labelled]
        found = model.classify(uses, model.embed(uses), senses_of([entry]))
        right += [answer.best == k for (k, _), answer in zip(labelled, found, strict=True)]
    assert np.mean(right) > 0.9
    kept = model.centroids(senses_of([lexicon.ambiguous[0]]))
    computed = SenseModel(elmo, static, None, calibration=calibration).centroids(
        senses_of([lexicon.ambiguous[0]])
    )
    np.testing.assert_allclose(kept, computed, atol=1e-4)


def test_too_small_a_dictionary_is_refused(static):
    with pytest.raises(DataError, match="at least 40 words of several meanings to fit on, found"):
        calibrate(Elmo(tiny()), static, None, dictionary(20))
    with pytest.raises(DataError, match="words of three meanings or more to fit on, found none"):
        calibrate(Elmo(tiny()), static, None, dictionary(60, senses_each=2))


def test_centroids_moved_apart_separate_new_uses_better():
    generator = torch.Generator().manual_seed(0)

    def uses(n):
        """Two meanings, which differ in the first number only; the others are noise."""
        senses = torch.arange(n) % 2
        vectors = torch.randn(n, 8, generator=generator)
        vectors[:, 0] = 0.4 * vectors[:, 0] + torch.where(senses == 0, 0.6, -0.6)
        return F.normalize(vectors, dim=-1), senses

    examples, new = uses(24), uses(400)
    plain, moved = (
        float(((new[0] @ means(*examples, 2).T).argmax(dim=1) == new[1]).float().mean())
        for means in (fit_views.sense_means, fit_views.contrasted_means)
    )
    assert moved > plain + 0.05
    centroids = fit_views.contrasted_means(*examples, 2)
    assert centroids.norm(dim=-1).tolist() == pytest.approx([1, 1], abs=1e-5)
    of_one = fit_views.contrasted_means(examples[0], torch.zeros(24, dtype=torch.long), 1)
    torch.testing.assert_close(of_one[0], F.normalize(examples[0].mean(dim=0), dim=0))
