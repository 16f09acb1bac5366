"""Every view with a transformer and with static vectors: an answer, or a sentence on what is
missing."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from elmo_tasks.api import MapRequest, NearestRequest
from elmo_tasks.errors import InputError
from elmo_tasks.messages.views import map_title, view_title
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service import nearest_uses
from elmo_tasks.service.session import Session
from elmo_tasks.ui import compare_details, compare_tab, layers_tab, map_tab
from elmo_tasks.ui.compare_answer import layer_sentence
from tests.encoders.tiny_transformers import tiny_bert

pytestmark = pytest.mark.ci

N_EXAMPLES = sum(len(sense.sentences) for sense in bundled_lexicon()["bank"].senses)
SENTENCES = [
    "The bank refused our loan.",
    "We sat on the bank of the river.",
    "My bank raised its fees.",
]


@pytest.fixture(scope="module", autouse=True)
def some_examples() -> Iterator[None]:
    """The uses that are searched are a part of the dictionary, which is enough where nothing is
    measured."""
    some = nearest_uses._one_of_each_meaning()[:480]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_uses, "_one_of_each_meaning", lambda: some)
        yield


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return Session(str(tiny_bert(tmp_path_factory.mktemp("models") / "bert")))


@pytest.fixture(scope="module")
def static():
    return Session("static-mini")


def test_a_transformer_is_compared_at_all_its_layers(bert):
    found = bert.compare("bank", SENTENCES)
    assert found.model == "bert"
    assert [layer.name for layer in found.layers] == ["0", "1", "2", "mean"]
    assert [layer.sees for layer in found.layers] == [
        "the word's pieces and their places",
        "",
        "",
        "",
    ]
    printed = layer_sentence(found, found.layers[0])
    assert printed.startswith(
        "This view reads no other word: it sees the word's pieces and their places."
    )
    assert view_title("0", found.layers[0].sees) == "Layer 0: the word alone"
    encoder = bert.loaded.model().encoder
    one, other = (
        encoder.encode([judged.use.tokens]).values[1, 0, judged.use.token_start]
        for judged in found.uses[:2]
    )
    assert found.layers[1].cosine[0][1] == pytest.approx(
        float(one @ other / one.norm() / other.norm()), abs=1e-4
    )


def test_words_are_hidden_from_a_transformer_and_it_has_no_halves(bert):
    found = bert.explain("bank", SENTENCES, layer="2")
    assert len(found.words) == sum(len(found.comparison.uses[k].use.tokens) - 1 for k in found.pair)
    assert any(word.change for word in found.words)
    assert (found.sides, found.side) == ((), "unclear")
    assert "reads both sides of a word at once" in found.message.details


def test_a_transformer_draws_maps_and_finds_uses(bert):
    for view in ("1", "mean", "words"):
        assert len(bert.sense_map(MapRequest("bank", view=view)).uses) == N_EXAMPLES
    assert len(bert.nearest(NearestRequest("bank", SENTENCES[0])).uses) == 15
    assert bert.incremental_reading("bank", SENTENCES[1], ["money", "river"]).steps


@pytest.mark.parametrize(
    ("name", "offered", "lowest"),
    [
        ("bert", ["meanings", "0", "1", "2", "mean", "words"], "Layer 0: the word alone"),
        ("static", ["0", "words"], "One vector per word"),
    ],
)
def test_a_map_offers_the_views_of_its_model(request, name, offered, lowest):
    page, found = map_tab.respond(request.getfixturevalue(name), {"word": "bank", "view": "0"})
    assert [view.name for view in found.views] == offered
    assert map_title("0", found.shown_view.sees) == lowest
    assert "ELMo’s layer" not in page


QUERY = urlencode([("word", "bank"), *(("s", sentence) for sentence in SENTENCES)])
MAP = {"map": {"word": "bank"}}


def every_answer(session: Session) -> dict[str, str]:
    """Return the answer of each part of the page, as text."""
    landed = map_tab.respond_to_sentence(session, {"sentence": "A heron stood on the bank.", **MAP})
    answers = {
        "compare": compare_tab.respond_to_link(session, QUERY)[1],
        "saved comparison": compare_tab.file_of(session, {"query": QUERY})[1],
        "why": compare_details.respond(session, "why", {"query": QUERY})["markup"],
        "substitutes": compare_details.respond(session, "substitutes", {"query": QUERY})["markup"],
        "landing": landed["landed"]["markup"] if landed["landed"] else landed["note"],
        "layers": layers_tab.probes_page(session.probes()),
        "saved map": map_tab.file_of(
            session.sense_map(map_tab.request_from(MAP["map"])), session.models()
        )[1],
    }
    return {
        part: " ".join(re.sub("<[^>]+>", " ", str(printed)).split())
        for part, printed in answers.items()
    }


def test_every_part_of_the_page_answers_with_a_transformer(bert):
    printed = every_answer(bert)
    assert "“bank” in 3 sentences" in printed["compare"]
    assert "“bank” in 3 sentences" in printed["saved comparison"]
    assert "Point at a word, or tap it, to see what happens without it." in printed["why"]
    assert "“bert” gives vectors but does not predict words" in printed["substitutes"]
    assert "Its nearest uses on the map" in printed["landing"]
    assert "What each layer knows" in printed["layers"]
    assert f"“bank” in {N_EXAMPLES} sentences" in printed["saved map"]


def test_every_part_of_the_page_answers_with_static_vectors(static):
    printed = every_answer(static)
    assert (
        "does not read the sentence: a word has the same vector in all of them"
        in printed["compare"]
    )
    assert (
        "“static-mini” does not read the sentence: no word around a word changes" in printed["why"]
    )
    assert "“static-mini” gives vectors but does not predict words" in printed["substitutes"]
    assert all(printed.values())
    with pytest.raises(
        InputError, match="“static-mini” predicts no meanings: .*it reads no sentences"
    ):
        static.incremental_reading("bank", SENTENCES[1], ["money", "river"])


def test_static_vectors_are_the_same_in_every_sentence(static):
    found = static.compare("bank", SENTENCES)
    assert [layer.name for layer in found.layers] == ["0"]
    assert all(value == pytest.approx(1.0) for row in found.layers[0].cosine for value in row)
    printed = (
        "This view reads no other word: it sees one vector for each word. Every use scores 1.00."
    )
    assert layer_sentence(found, found.layers[0]) == printed
    assert found.groups == ()
    shore = static.compare("bank", [SENTENCES[0], "We sat on the [shore] of the river."])
    assert 0 < shore.layers[0].cosine[0][1] < 1
    assert "only the spellings make a difference" in str(shore.message)


def test_static_vectors_draw_maps_by_the_words_around_and_find_uses(static):
    assert len(static.sense_map(MapRequest("bank", view="words")).uses) == N_EXAMPLES
    assert len(static.sense_map(MapRequest("bank")).uses) == N_EXAMPLES
    assert static.nearest(NearestRequest("bank", SENTENCES[0])).uses[0].cosine == pytest.approx(
        1.0, abs=1e-3
    )
