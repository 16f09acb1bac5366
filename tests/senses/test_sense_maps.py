"""Calibration of the sense map, its places, and the words of groups."""

import json

import numpy as np
import pytest
from elmo_tasks.senses.characteristic_words import characteristic_words
from elmo_tasks.senses.landing import on_paper
from elmo_tasks.senses.sense_map_calibration import KnownUses, SenseMapCalibration, calibrate_sense_map
from elmo_tasks.senses.views_of_uses import surroundings, view_names, view_of


def known_words(n_words=8, seed=0):
    """In one view senses are blobs, in the other there is noise only."""
    random = np.random.default_rng(seed)
    words = {}
    for w in range(n_words):
        senses = ("a",) * 8 + ("b",) * 8
        clear = np.concatenate([np.eye(10)[g] + 0.1 * random.standard_normal((8, 10)) for g in (0, 1)])
        words[f"word{w}"] = KnownUses({"clear": clear, "noise": random.standard_normal((16, 10))}, senses)
    return words


@pytest.fixture(scope="module")
def calibration():
    return calibrate_sense_map(known_words(), ("noise", "clear"), "abc")


@pytest.mark.nightly
def test_the_view_that_knows_the_senses_is_the_best(calibration):
    assert calibration.best == "clear"
    assert calibration.view("clear").agreement == 1.0
    assert abs(calibration.view("noise").agreement) < 0.15


def test_groups_are_named_where_they_are_right(calibration):
    found = calibration.view("clear")
    assert found.named > 0.9
    assert found.right > 0.9
    assert found.named_of_one_sense < 0.2
    assert calibration.view("noise").named < 0.1


def test_a_calibration_survives_json(calibration):
    assert SenseMapCalibration.from_dict(json.loads(json.dumps(calibration.to_dict()))) == calibration


def test_places_keep_distances_of_a_plane():
    points = np.random.default_rng(0).standard_normal((9, 2))
    drawn = on_paper(np.concatenate([points, np.zeros((9, 5))], axis=1))
    places = drawn.places
    assert drawn.shown == pytest.approx(1.0)
    scale = np.linalg.norm(places[0] - places[1]) / np.linalg.norm(points[0] - points[1])
    assert np.linalg.norm(places[3] - places[7]) == pytest.approx(scale * np.linalg.norm(points[3] - points[7]))
    assert np.abs(places).max() == pytest.approx(1.0)


def test_places_hardly_move_when_a_use_is_added():
    random = np.random.default_rng(1)
    points = np.concatenate([np.eye(20)[g] + 0.1 * random.standard_normal((10, 20)) for g in (0, 1, 2)])
    more = np.concatenate([points, points[-1:] + 0.05])
    assert np.abs(on_paper(points).places - on_paper(more).places[:-1]).max() < 0.25


def test_one_point_has_a_place():
    assert on_paper(np.ones((3, 4))).places.tolist() == [[0.0, 0.0]] * 3


def test_groups_are_called_by_what_they_are_about():
    topics = {"dog": 0, "puppy": 0, "wolf": 0, "oak": 1, "beech": 1, "pine": 1, "seen": 2}

    def vectors_of(words):
        return np.eye(3)[[topics[w] for w in words]]

    groups = [[["Dog", "seen"], ["puppy"], ["wolf", "the"]], [["oak", "seen"], ["beech"], ["pine"]]]
    named = characteristic_words(groups, vectors_of, lambda word: 1e-5, lambda word: word == "the")
    assert set(named[0]) == {"dog", "puppy", "wolf"}
    assert set(named[1]) == {"oak", "beech", "pine"}


def test_groups_without_words_have_no_name():
    assert characteristic_words([[["1", "."]], [[]]], lambda w: np.zeros((len(w), 2)), lambda w: 0.0, bool) == ((), ())


def test_surroundings_leave_the_word_out_and_count_rare_words_more():
    vectors = np.eye(3)
    around = surroundings(vectors, np.array([0.0, 0.05, 0.0]), index=2)
    assert around[2] == 0.0
    assert around[0] > 10 * around[1] > 0
    assert not surroundings(vectors, np.zeros(3), 0)[0]
    assert not surroundings(np.zeros((2, 3)), np.zeros(2), 0).any()


def test_surroundings_count_related_words_more_and_the_word_itself_nowhere():
    river = np.array([1.0, 0.2, 0.0])
    vectors = np.stack([river, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], river])
    around = surroundings(vectors, np.zeros(4), index=0)
    assert around[0] > 5 * around[2] > 0  # e^(2 * .98) times as much
    assert around[1] == 0.0  # "river" stands there again, and says nothing of itself
    unknown = surroundings(np.stack([np.zeros(3), *vectors[1:3]]), np.zeros(3), index=0)
    assert unknown[0] == pytest.approx(unknown[2])


def test_both_is_the_mean_of_two_cosines():
    random = np.random.default_rng(0)
    layers, around = random.standard_normal((3, 2, 5)), random.standard_normal((2, 4))
    names = ("0", "1", "2", "mean")
    assert view_names(names) == (*names, "words", "both")

    def cosine(view):
        one, other = view_of(view, layers, names, around)
        return float(one @ other)

    first = layers[1]
    read = first[0] @ first[1] / np.linalg.norm(first[0]) / np.linalg.norm(first[1])
    assert cosine("both") == pytest.approx((read + cosine("words")) / 2, abs=1e-5)
    assert cosine("mean") == pytest.approx(cosine_of(layers.mean(axis=0)), abs=1e-5)


def cosine_of(pair):
    return pair[0] @ pair[1] / np.linalg.norm(pair[0]) / np.linalg.norm(pair[1])
