"""Why, and the expected words: answered on a toy model with its output layer."""

import json
from pathlib import Path

import pytest
import torch

from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.errors import InputError
from elmo_tasks.senses.disambiguation import senses_of
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service import why
from elmo_tasks.service.session import Session
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny

SENTENCES = [
    "The bank gave us a loan.",
    "We sat on the bank of the river.",
    "Bank holidays are fine for the bank.",
]
#: Pairs of sentences with clearly different meanings of a word, and the decisive words.
PAIRS = Path(__file__).with_name("clear_pairs.jsonl")
WORDS = (
    *SPECIAL_WORDS,
    "the",
    ",",
    "bank",
    "banks",
    "river",
    "loan",
    "sat",
    "of",
    "a",
    "us",
    "gave",
    "shore",
)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    bilm, folder = tiny(), tmp_path_factory.mktemp("models") / "toy"
    torch.manual_seed(2)
    output = LMSoftmax(len(WORDS), bilm.options.lstm.projection_dim)
    with torch.no_grad():
        output.weight *= 5
    write_model(folder, bilm, softmax=output, vocabulary=Vocabulary(WORDS))
    return Session(str(folder))


@pytest.mark.ci
def test_the_most_different_pair_is_explained(toy):
    comparison = toy.compare("bank", SENTENCES)
    layer = comparison.layers[1]
    found = toy.explain("bank", SENTENCES, layer="1")
    a, b = found.pair
    assert layer.cosine[a][b] == min(min(row) for row in layer.cosine)
    assert found.cosine == pytest.approx(layer.cosine[a][b], abs=1e-5)


def test_every_other_word_of_the_two_sentences_is_hidden(toy):
    found = toy.explain("bank", SENTENCES, pair=(1, 0))
    assert found.pair == (0, 1)
    assert [word.use.token for word in found.words if word.number == 0] == [
        "The",
        "gave",
        "us",
        "a",
        "loan",
        ".",
    ]
    assert "bank" not in [word.use.token for word in found.words]
    assert all(
        SENTENCES[word.number][word.use.char_start : word.use.char_end] == word.use.token
        for word in found.words
    )
    assert found.skipped == 0
    answer = json.loads(json.dumps(found.to_dict()))
    assert {
        "word",
        "model",
        "pair",
        "sentences",
        "layer",
        "cosine",
        "random_pair_cosine",
        "asked",
    } <= answer.keys()
    assert isinstance(answer["words"][0]["changes"], list)


def test_a_change_is_that_of_comparing_the_sentence_without_the_word(toy):
    found = toy.explain("bank", SENTENCES[:2], layer="1")
    word = next(word for word in found.words if word.use.token == "river")
    for change, sentence in zip(
        word.changes,
        [
            "We sat on the bank of the .",
            "We sat on the bank of the something.",
            "We sat on the bank of the the.",
        ],
        strict=True,
    ):
        cosine = toy.compare("bank", [SENTENCES[0], sentence]).layers[1].cosine[0][1]
        assert change == pytest.approx(cosine - found.cosine, abs=1e-5)
    assert word.change == pytest.approx(sum(word.changes) / 3, abs=1e-5)


def test_words_after_the_word_do_not_move_the_half_that_reads_before_it(toy):
    one = toy.explain("bank", SENTENCES[:2]).sides
    other = toy.explain("bank", [SENTENCES[0], "We sat on the bank all day."]).sides
    assert [s.before for s in one] == [s.before for s in other]
    assert [s.after for s in one] != [s.after for s in other]
    assert [s.layer for s in one] == ["1", "2"]


def test_long_sentences_are_capped_and_the_skipped_words_counted(toy, monkeypatch):
    monkeypatch.setattr(why, "_MAX_TOKENS", 200)
    found = toy.explain("bank", ["The bank " + "and so on " * 10, SENTENCES[0]])
    assert found.skipped > 0
    assert len(found.words) + found.skipped == (2 + 30 - 1) + 6
    alone = toy.explain("bank", ["bank", "Bank"])
    assert (alone.words, alone.message.headline) == (
        (),
        "There is no other word in the two sentences.",
    )


@pytest.mark.parametrize("pair", [(0, 0), (0, 3), (-1, 1), (0,)])
def test_a_pair_is_two_different_uses(toy, pair):
    with pytest.raises(InputError, match="Choose two different uses, counted from 0 to 2"):
        toy.explain("bank", SENTENCES, pair=pair)


ROADS = [
    "We were stuck in a traffic jam on the motorway.",
    "She spread strawberry jam on her toast.",
    "An accident caused a long jam on the road to the city.",
]


def test_the_verdict_is_explained_by_default(session):
    """For two uses it equals the answer of the page; hiding a word gives the evidence without the
    word."""
    two = ROADS[:2]
    comparison = session.compare("jam", two)
    found = session.explain("jam", two)
    assert found.layer == "verdict"
    assert found.cosine == pytest.approx(comparison.same_meaning[0][1], abs=1e-4)
    assert found.apart == (found.cosine < 0.5)
    assert sum(word.share for word in found.words if word.share > 0) == pytest.approx(1, abs=1e-4)
    traffic = next(word for word in found.words if word.use.token == "traffic")
    mine, theirs = (use.meant.best for use in comparison.uses)
    senses, listed = session.loaded.model().sense_model, senses_of(bundled_lexicon().find("jam"))

    def odds(sentence):
        use = find_mention("jam", sentence)
        evidence, weights = senses.evidence([use], senses.embed([use]), listed), senses.calibration
        (scores,) = evidence.scores(weights.slope, weights.match, weights.part)  # not bounded
        return scores[mine] - scores[theirs]

    assert found.apart
    for way, change in zip(found.ways, traffic.changes, strict=True):
        without = two[0].replace("traffic ", f"{way} " if way else "")
        assert change == pytest.approx(odds(two[0]) - odds(without), abs=1e-3)


def test_a_word_of_one_meaning_is_known_without_the_sentences(session):
    found = session.explain(
        "scissors", ["The scissors are blunt.", "She cut the paper with scissors."]
    )
    assert found.layer == "words"
    assert found.message.headline.startswith(
        "“scissors” is on the list of words with one everyday meaning"
    )
    assert "not on the words around it. These are alike mostly because of" in found.message.headline
    found = session.explain(
        "back to square one", ["We are back to square one.", "It sent them back to square one."]
    )
    assert found.message.headline.startswith(
        "“back to square one” has one meaning in the dictionary"
    )


def test_a_meaning_without_examples_is_explained_like_another_meaning(session):
    pair = ["Who spilled the beans about it?", "The beans grow in our garden."]
    assert session.compare("beans", pair).meanings[0].gloss == "its everyday meaning"
    words = session.explain("beans", pair).words
    assert "grow" in [word.use.token for word in words if word.share]


def test_no_part_of_a_phrase_is_hidden(session):
    pair = ["I ate a hot dog at the game.", "Two hot dogs with mustard, please."]
    found = session.explain("hot dog", pair)
    assert not {"hot", "dog", "dogs"} & {word.use.token for word in found.words}
    assert found.skipped == 0


@pytest.mark.ci
def test_the_decisive_word_comes_first_in_36_of_40_clear_pairs(session):
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    first = [session.explain(pair["word"], pair["sentences"]).decisive for pair in pairs]
    agreed = [
        word is not None and word.use.token in pair["telling"]
        for word, pair in zip(first, pairs, strict=True)
    ]
    assert len(pairs) == 40
    missed = [
        (pair["word"], word and word.use.token)
        for pair, word, is_named in zip(pairs, first, agreed, strict=True)
        if not is_named
    ]
    assert sum(agreed) >= 36, missed


def test_the_words_around_can_be_explained_where_the_verdict_uses_them(session):
    comparison = session.compare("jam", ROADS)
    assert session.explain("jam", ROADS, layer="2").layer == "2"
    found = session.explain("jam", ROADS, layer="words")
    a, b = found.pair
    assert session.explain("jam", ROADS).pair == (a, b)
    assert found.layer == "words"
    assert comparison.same_meaning[a][b] == min(min(row) for row in comparison.same_meaning)
    assert abs(found.random_pair_cosine) < 0.1
    around = {word.use.token: word for word in found.words}
    assert found.apart
    assert around["toast"].change > abs(around["on"].change)
    assert "“toast”" in found.message.headline


@pytest.mark.parametrize("layer", ["0", "7", "<b>"])
def test_the_context_free_layer_is_refused(toy, layer):
    with pytest.raises(InputError, match="choose one of verdict, 1, 2, mean"):
        toy.explain("bank", SENTENCES, layer=layer)


def test_the_eight_likeliest_words_are_expected_in_each_sentence(toy):
    found = toy.substitutes("bank", SENTENCES)
    assert len(found.candidates) == len(found.uses) == 3
    for candidates in found.candidates:
        assert len(candidates) == 8
        assert not {candidate.word for candidate in candidates} & {*SPECIAL_WORDS, ","}
        chances = [candidate.probability for candidate in candidates]
        assert chances == sorted(chances, reverse=True)
        assert 0 < sum(chances) <= 1
    assert {"sentence", "token", "index", "candidates"} <= json.loads(json.dumps(found.to_dict()))[
        "uses"
    ][0].keys()


def test_the_word_in_the_gap_is_not_read(toy):
    one = toy.substitutes("bank", ["We sat on the [bank] of it."] * 2).candidates
    other = toy.substitutes("gulls", ["We sat on the [gulls] of it."] * 2).candidates
    assert one == other
    assert one != toy.substitutes("bank", ["We gave the [bank] a loan."] * 2).candidates


def test_the_bundled_model_expects_a_drink_in_a_cup(session):
    found = session.substitutes(
        "tea", ["He drank a cup of tea.", "She ordered a cup of tea with milk."]
    )
    assert all("coffee" in [candidate.word for candidate in row] for row in found.candidates)


def test_a_model_without_an_output_layer_is_refused(tmp_path):
    write_model(tmp_path / "plain", tiny())
    with pytest.raises(InputError, match="“plain” gives vectors but does not predict words"):
        Session(str(tmp_path / "plain")).substitutes("bank", SENTENCES)
