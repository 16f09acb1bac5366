"""Whole groupings are weighed, and what is said of them is as sure as it was fitted to be."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from elmo_tasks.senses.grouping import LEAST_LEANING, Decision, GroupingModel, OfSize, Voice, pair_features
from elmo_tasks.senses.grouping_fit import fit_grouping, measure_grouping, threshold
from elmo_tasks.senses.known_sets import KnownSet
from elmo_tasks.senses.partitions import in_order, number_of
from elmo_tasks.senses.senses import contrast


def model(named_at=0.8, leaning_at=0.6, claim_at=0.7, prior=0.0, shift=-2.0):
    """Reads one view, by its cosine alone."""
    sizes = {
        n: OfSize(1.0, shift, tuple([prior] + [0.0] * (n - 1)), named_at, leaning_at, claim_at) for n in (2, 3, 4, 8)
    }
    return GroupingModel((4.0, *[0.0] * 6), sizes)


def cosines(labels, within=0.9, between=0.1):
    column = np.array(labels)
    found = np.where(column[:, None] == column[None, :], within, between)
    np.fill_diagonal(found, 1.0)
    return [found]


def decide(labels, **options):
    return model(**options).decide(cosines(labels), np.ones(len(labels)), np.zeros(len(labels)))


def test_two_uses_are_the_logistic_of_their_log_odds():
    labels, chances = model().posterior([np.array([[1.0, 0.9], [0.9, 1.0]])], np.ones(2), np.zeros(2))
    assert labels.tolist() == [[0, 0], [0, 1]]
    assert chances[0] == pytest.approx(1 / (1 + np.exp(-(4 * 0.9 - 2))))


def test_a_grouping_weighs_all_its_pairs_by_hand():
    c = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.4], [0.2, 0.4, 1.0]])
    labels, chances = model(prior=0.7).posterior([c], np.ones(3), np.zeros(3))
    odds = {(0, 1): 4 * 0.9 - 2, (0, 2): 4 * 0.2 - 2, (1, 2): 4 * 0.4 - 2}
    weights = []
    for row in labels.tolist():
        score = sum(o * (0.5 if row[a] == row[b] else -0.5) for (a, b), o in odds.items())
        n_groups = max(row) + 1
        # A prior is of a number of groups: the ways to make as many share it.
        score += (0.7 if n_groups == 1 else 0.0) - np.log({1: 1, 2: 3, 3: 1}[n_groups])
        weights.append(np.exp(score))
    np.testing.assert_allclose(chances, np.array(weights) / sum(weights))


@pytest.mark.parametrize("labels", [[0, 0], [0, 1], [0, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1, 1], [0] * 6 + [1] * 5])
def test_clear_blocks_are_found_and_probabilities_agree_with_them(labels):
    found = decide(labels, shift=-2.0)
    assert found.groups == tuple(tuple(k for k, v in enumerate(labels) if v == g) for g in dict.fromkeys(labels))
    column = in_order(np.array(labels))
    assert ((found.same > 0.5) == (column[:, None] == column[None, :])).all()
    np.testing.assert_allclose(found.same, found.same.T)


def test_the_order_of_the_uses_does_not_matter():
    r = np.random.default_rng(0)
    c = r.uniform(0, 1, (5, 5))
    c = (c + c.T) / 2
    order = r.permutation(5)
    told, density = r.uniform(0, 5, 5), r.normal(size=5)
    one = model().decide([c], told, density)
    other = model().decide([c[np.ix_(order, order)]], told[order], density[order])
    assert {frozenset(g) for g in one.groups} == {frozenset(int(order[k]) for k in g) for g in other.groups}
    assert one.probability == pytest.approx(other.probability)


def test_three_voices_and_the_pair_that_is_sure_alone():
    named = decide([0, 0, 1])
    assert named.voice is Voice.LEANING
    assert decide([0, 0, 1], named_at=0.5).voice is Voice.NAMED
    claim = decide([0, 0, 1], leaning_at=0.99, named_at=0.99, claim_at=0.6)
    assert claim.voice is Voice.LEANING
    assert claim.claim is not None
    assert claim.claim[2] is (claim.claim[:2] == (0, 1))
    assert decide([0, 0, 1], leaning_at=0.99, named_at=0.99, claim_at=0.99).voice is Voice.SILENT
    assert (
        decide([0, 1], leaning_at=0.99, named_at=0.99, claim_at=0.5).claim is None
    )  # of two, the pair is all there is


def test_what_is_known_of_a_pair():
    c = np.array([[1.0, 0.9, 0.2, 0.1], [0.9, 1.0, 0.4, 0.3], [0.2, 0.4, 1.0, 0.6], [0.1, 0.3, 0.6, 1.0]])
    told = np.array([0.0, 3.0, 7.0, 1.0])
    density = np.array([0.5, 1.0, -2.0, 0.0])
    found = pair_features([c], told, density)
    assert found.shape == (6, 7)
    least, most = np.log1p(3.0) - 1, np.log1p(7.0) - 1
    assert found[3] == pytest.approx(
        [0.4, 0.4 * least, contrast(c)[1, 2], contrast(c)[1, 2] * least, least, most, -0.5]
    )


def known_sets(strength, seed, n_sets=300):
    """Two senses or one; in the view, uses of one sense are nearer by so much, where the sentences tell something."""
    r = np.random.default_rng(seed)
    found = []
    for k in range(n_sets):
        n = int(r.choice([2, 3, 4]))
        labels = in_order(np.zeros(n, int) if k % 2 else r.permutation([0, 1, *r.integers(0, 2, n - 2)]))
        noise = r.normal(0, 0.2, (n, n))
        c = strength * (labels[:, None] == labels[None, :]) + (noise + noise.T) / 2
        found.append(KnownSet((c,), labels, np.full(n, 3.0), np.zeros(n), "gallery"))
    return found


def test_a_fit_says_as_often_right_as_it_says():
    fitted = fit_grouping(known_sets(0.6, 1), [0])
    results = measure_grouping(fitted, known_sets(0.6, 2), [0])
    assert [r.size for r in results] == [2, 3, 4, 0]  # last all sizes together
    *by_size, of_all = results
    assert (of_all.several, of_all.one) == (sum(r.several for r in by_size), sum(r.one for r in by_size))
    assert of_all.error < 0.05
    for r in results:
        assert r.named > 0.5
        assert r.right > 0.8
        assert r.split < 0.15
        assert r.error < 0.12


def test_where_nothing_is_known_no_set_is_split():
    results = measure_grouping(fit_grouping(known_sets(0.0, 1), [0]), known_sets(0.0, 2), [0])
    assert max(r.split for r in results) < 0.1
    assert max(r.error for r in results) < 0.2


def test_nothing_less_probable_than_three_to_two_is_leaned_to():
    for strength in (0.1, 0.3, 0.6):
        for size in fit_grouping(known_sets(strength, 1), [0]).sizes.values():
            assert min(size.leaning_at, size.claim_at) >= LEAST_LEANING


def test_a_threshold_is_no_luck_of_a_few():
    assert threshold([(0.9, True)] * 5, 0.8) > 1
    assert threshold([(0.9, True)] * 20 + [(0.7, True)] * 4 + [(0.6, False)] * 30, 0.88) == 0.7
    assert threshold([(0.9, False)] * 30, 0.5) > 1


def test_many_pairs_at_once_are_as_one_by_one():
    r = np.random.default_rng(3)
    sizes = {2: OfSize(1.2, -0.3, (0.2, -0.2))}
    fitted = GroupingModel(tuple(r.normal(size=11)), sizes)
    cosines, told, density = r.uniform(-1, 1, (2, 7)), r.uniform(0, 6, (7, 2)), r.normal(size=(7, 2))
    for k, chance in enumerate(fitted.of_two(list(cosines), told, density)):
        pair = [np.array([[1.0, c[k]], [c[k], 1.0]]) for c in cosines]
        assert fitted.posterior(pair, told[k], density[k])[1][0] == pytest.approx(chance)


def test_words_of_one_meaning_are_known_by_their_density():
    r = np.random.default_rng(4)

    def sets(n_sets=200):
        for k in range(n_sets):
            labels = np.array([0, k % 2])
            noise = np.clip(r.normal(0, 0.3), -1, 1)
            yield KnownSet(
                (np.array([[1.0, noise], [noise, 1.0]]),),
                labels,
                np.full(2, 3.0),
                np.full(2, 1.0 - 2 * (k % 2)),
                "gallery",
            )

    fitted = fit_grouping(list(sets()), [0])
    assert fitted.weights[-1] > 0
    dense, sparse = (fitted.decide(cosines([0, 1]), np.full(2, 3.0), np.full(2, d)).same[0, 1] for d in (1.0, -1.0))
    assert dense > 0.8 > 0.2 > sparse


def test_it_survives_json_and_larger_sets_take_the_last_numbers():
    fitted = model()
    assert GroupingModel.from_dict(json.loads(json.dumps(asdict(fitted)))) == fitted
    assert fitted.of_size(12) == fitted.sizes[8]
    assert fitted.of_size(5) == fitted.sizes[4]


@pytest.mark.parametrize(("one", "voice"), [(0.45, Voice.SILENT), (0.35, Voice.LEANING), (0.1, Voice.NAMED)])
def test_that_there_are_several_meanings_needs_three_to_two(one, voice):
    assert Decision(Voice.SILENT, ((0, 1), (2,)), 0.3, np.eye(3), one).several is voice


@pytest.mark.parametrize("prior", [16.9, 17.2])
def test_how_uses_group_if_they_have_several_meanings(prior):
    """Two blocks of uses under a prior that makes one meaning about as likely: the blocks are told under a condition."""
    wary = model(named_at=1.01, leaning_at=1.01, claim_at=1.01, prior=prior)
    sharp = replace(wary, sizes={n: replace(size, sharpness=3.0, shift=-6.0) for n, size in wary.sizes.items()})
    args = cosines([0, 1, 0, 1]), np.ones(4), np.zeros(4)
    decision = sharp.decide(*args)
    _, chances = sharp.posterior(*args)
    assert decision.if_several is not None
    groups, chance = decision.if_several
    assert groups == ((0, 2), (1, 3))
    assert decision.one_meaning == pytest.approx(float(chances[number_of((0, 0, 0, 0))]))
    assert chance == pytest.approx(float(chances[number_of((0, 1, 0, 1))]) / (1 - decision.one_meaning))


def test_under_a_condition_nothing_is_said_of_two_uses_of_sorted_ones_or_where_it_is_unsure():
    assert decide([0, 1], named_at=1.01, leaning_at=1.01).if_several is None
    sorted_ones = decide([0, 0, 1], leaning_at=0.5)
    assert sorted_ones.is_grouped
    assert sorted_ones.if_several is None
    alike = decide([0, 0, 0, 0], named_at=1.01, leaning_at=1.01)
    assert alike.if_several is None
