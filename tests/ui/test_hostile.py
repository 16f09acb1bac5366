"""Nothing that a person typed, a model found or a log holds is read as markup, on any page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elmo_tasks.api import (
    Entity,
    HeadInfo,
    MapRequest,
    Message,
    MixWeights,
    NearestRequest,
    Score,
    TaggedText,
    TagReading,
)
from elmo_tasks.errors import InputError
from elmo_tasks.ui import (
    cards,
    compare_answer,
    compare_details,
    layers_tab,
    map_tab,
    nearest_tab,
    present_tab,
    rendering,
    train_form,
    train_tab,
    try_tab,
)
from elmo_tasks.ui.compare_form import Form
from tests.ui.fake_heads import POS
from tests.ui.fake_service import FakeService
from tests.ui.fake_training import PREVIEW, job
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

TWO = [HOSTILE, "The bank."]
FORM = Form(HOSTILE, (HOSTILE,))
SERVICE = FakeService()


def compared():
    found = SERVICE.compare("bank", TWO)
    return replace(found, message=Message(HOSTILE, HOSTILE), model=HOSTILE, word=HOSTILE)


def by_several():
    found = SERVICE.side_by_side("bank", TWO, ("fake-small", "fake-large"))
    return replace(found, message=Message(HOSTILE), senses=(HOSTILE, HOSTILE))


def mapped():
    found = SERVICE.sense_map(MapRequest("bank", f"A bank {HOSTILE}\nMy bank {HOSTILE}"))
    groups = tuple(replace(group, name=HOSTILE, letter=HOSTILE) for group in found.groups)
    return replace(
        found, word=HOSTILE, message=Message(HOSTILE, "Yes."), groups=groups, model=HOSTILE
    )


def landed():
    found = SERVICE.project_use(f"The bank {HOSTILE}", MapRequest("bank"))
    return replace(
        found, message=Message(HOSTILE), meanings=(replace(found.meanings[0], name=HOSTILE),)
    )


def near(model=None):
    found = SERVICE.nearest(NearestRequest("bank", f"bank {HOSTILE}", model=model))
    return replace(found, message=Message(HOSTILE, HOSTILE), source=HOSTILE, sense=HOSTILE)


def explained():
    found = SERVICE.explain("bank", TWO)
    return replace(found, message=Message(HOSTILE, HOSTILE), layer=HOSTILE)


def forming():
    turning = present_tab.FORMINGS[0]
    one, other = (
        SERVICE.incremental_reading(turning.word, sentence, turning.senses)
        for sentence in turning.sentences
    )
    hostile = replace(one.senses[0], key=HOSTILE, gloss=HOSTILE)
    return present_tab.forming((replace(one, senses=(hostile, one.senses[1])), other))


def own():
    typed = {"ask": "own", "word": "bank", "sentences": f"A bank. {HOSTILE}\nThe bank {HOSTILE}"}
    return present_tab.respond(SERVICE, typed)["parts"]["own"]


def neighbours():
    return present_tab.part(
        "neighbours", [replace(SERVICE.static_neighbours("bank"), word=HOSTILE)]
    )


def refused():
    raise InputError(HOSTILE)


def entity_cards():
    head = HeadInfo(HOSTILE, HOSTILE, "tagging", (HOSTILE,), "m", Score(HOSTILE, 0.5, HOSTILE))
    span = Entity(0, 1, HOSTILE, 0.5, 0, len(HOSTILE))
    best, other = TagReading((f"B-{HOSTILE}",), (span,), 0.5), TagReading(("O",), (), 0.1)
    tagged = TaggedText(HOSTILE, (HOSTILE,), ((0, len(HOSTILE)),), best, (other,))
    words = replace(tagged, best=TagReading((HOSTILE,), (), 0.5), alternatives=())
    option = cards.HeadOption(head, head)
    return cards.entity_card(option, [tagged] * 2, [words] * 2) + cards.entity_card(
        option, [words], [words]
    )


def sentiment_cards():
    head = HeadInfo(
        HOSTILE, HOSTILE, "classification", (HOSTILE,), "m", Score(HOSTILE, 0.5, HOSTILE)
    )
    (classified,) = SERVICE.classify([HOSTILE])
    odd = replace(classified, label=HOSTILE, probabilities={HOSTILE: 1.0})
    return cards.sentiment_card(cards.HeadOption(head, head), [odd] * 2, [classified] * 2)


def weights():
    found = replace(
        SERVICE.layer_weights()[0], title=HOSTILE, head=HOSTILE, layers=(HOSTILE, "1", "2")
    )
    return layers_tab.weights_page(
        [replace(found, epochs=[MixWeights((0.2, 0.5, 0.3), 1.0, n) for n in (0, 1)])] * 2, {}
    )


def probes():
    result = replace(POS, title=HOSTILE, note=HOSTILE, without_name=HOSTILE)
    return layers_tab.probes_page([replace(SERVICE.probes()[0], model=HOSTILE, results=(result,))])


def runs():
    bad = job(
        name=HOSTILE,
        title=HOSTILE,
        data=HOSTILE,
        message=Message(HOSTILE),
        status="failed",
        layers=(HOSTILE, "1", "2"),
    )
    listed = ([bad, replace(bad, status="done")], [replace(bad, status="running", head=HOSTILE)])
    return "".join(train_tab.page(found, found[-1]) for found in listed)


def training_data():
    texts = replace(
        PREVIEW,
        title=HOSTILE,
        labels=((HOSTILE, 9), ("b", 1)),
        examples=(((HOSTILE,), (HOSTILE,)),),
    )
    tagged = replace(texts, counted="names", examples=(((HOSTILE, "x"), ("B-" + HOSTILE, "O")),))
    shown = train_form.data_card(texts, "texts") + train_form.data_card(tagged, "sentences")
    return shown + rendering.render("train_data_none.html", message=HOSTILE, is_file=True)


PAGES = {
    "try": lambda: try_tab.page(SERVICE, HOSTILE, "all", {}),
    "entities": entity_cards,
    "sentiment": sentiment_cards,
    "weights": weights,
    "probes": probes,
    "runs": runs,
    "training data": training_data,
    "comparison": lambda: compare_answer.page(compared(), FORM, SERVICE.models()),
    "refused": lambda: rendering.nothing("compare", HOSTILE),
    "several models": lambda: compare_answer.page(by_several(), FORM, SERVICE.models()),
    "whole sentences": lambda: compare_answer.page([SERVICE.sentence_similarity(TWO)], FORM),
    "why": lambda: compare_details.why_body(explained()),
    "expected words": lambda: rendering.render(
        "expected_words.html",
        found=replace(SERVICE.substitutes("bank", TWO), word=HOSTILE),
        groups=[None, None],
        chance=compare_details.chance,
    ),
    "map": lambda: map_tab.page(mapped(), (), MapRequest(HOSTILE, HOSTILE)),
    "landed": lambda: rendering.fill("landing.html", "landed", landed()),
    "nearest": lambda: nearest_tab.page([near()]),
    "nearest by several": lambda: nearest_tab.page([near(), near("fake-large")], (), HOSTILE),
    "forming": forming,
    "own word": own,
    "neighbours": neighbours,
    "problem": lambda: present_tab._rendered(refused),
    "saved comparison": lambda: compare_answer.saved(compared(), FORM),
    "saved map": lambda: map_tab.file_of(mapped(), ())[1],
}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_markup(name):
    markup = PAGES[name]()
    tags = parsed(markup)
    assert "img" not in tags.seen
    assert "onerror" not in tags.attributes
    assert (
        markup.count("<script") == markup.count("</script") == name.startswith("saved")
    )  # the page's own
    assert HOSTILE in tags.text
