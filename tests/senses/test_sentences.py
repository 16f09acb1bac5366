"""Whole sentences: the mean of their words, and scores of paraphrases and other sentences."""

import pytest
import torch

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.sentences import score_vectors, sentence_vectors, sentences_of_test, triples
from elmo_tasks.senses.similarity import everyday_sentences
from elmo_tasks.text.tokens import tokenize

STATIC = StaticVectors(["a", "b"], torch.tensor([[1.0, 0.0], [0.0, 1.0]]))


def test_a_sentence_is_the_mean_of_its_words():
    found = sentence_vectors(STATIC, ["a b", "a", "a a b b"])
    torch.testing.assert_close(found, torch.tensor([[[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]]))


def test_the_triples_are_whole_sentences_of_ours():
    assert len(triples()) == 24
    for triple in triples():
        assert len({triple.sentence, triple.reworded, triple.turned}) == 3
        one, other, turned = (
            {t.text.lower() for t in tokenize(s)}
            for s in (triple.sentence, triple.reworded, triple.turned)
        )
        assert len(one & turned) > len(one & other)  # the turned one has more of its words


def test_paraphrase_tests_are_counted():
    n, others = len(triples()), len(everyday_sentences())
    assert len(sentences_of_test()) == 3 * n + others
    vectors = torch.zeros(3 * n + others, 3)
    vectors[0 : 3 * n : 3, 0] = 1.0  # the sentences
    vectors[1 : 3 * n : 3, 0] = 1.0  # the same in other words: identical
    vectors[2 : 3 * n : 3, 1] = 1.0  # turned: at right angles
    vectors[3 * n :, 2] = 1.0  # the unconnected ones are all alike, and unlike these
    found = score_vectors(vectors)
    assert (found.reworded, found.related, found.triples) == (n, n, n)
    assert found.unconnected == pytest.approx(1.0)
    vectors[1] = torch.tensor([0.0, 0.0, 1.0])
    found = score_vectors(vectors)
    assert (found.reworded, found.related) == (n - 1, n - 1)
