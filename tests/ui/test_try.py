import csv
import io
import json
from dataclasses import replace
from urllib.parse import unquote

import gradio as gr
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from elmo_tasks.api import Entity, HeadInfo, Limits, Reading, Score, TaggedSentence, TrainingPlan, WordOcclusion
from elmo_tasks.ui import entities, heads, sentiment, try_tab
from elmo_tasks.ui.downloads import csv_file, data_link
from elmo_tasks.ui.layout import build_app
from elmo_tasks.ui.theme import launch_options
from elmo_tasks.ui.try_examples import TRY_EXAMPLES
from elmo_tasks.wording import classified, readings
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

NOT_BAD = "The food was not bad."
JORDAN = ("Jordan scored twice.", "The bus crossed into Jordan.")


def ask(service, **data):
    return try_tab.respond(service, {"text": "", "revision": 1, **data})


def feeling(service, *texts):
    offer = heads.offers(service.heads.offered(), "classification")[0]
    return offer, service.heads.classify(texts, offer.head.name), service.heads.classify(texts, offer.baseline.name)


def names(service, *sentences, head=0):
    offer = heads.offers(service.heads.offered(), "tagging")[head]
    without = service.heads.tag(sentences, offer.baseline.name, 4) if offer.baseline else ()
    return offer, service.heads.tag(sentences, offer.head.name, 4), without


# Which heads


def test_baselines_are_not_offered_by_themselves(service):
    assert [
        (o.head.name, o.baseline and o.baseline.name) for o in heads.offers(service.heads.offered(), "tagging")
    ] == [
        ("fake-ner", "fake-ner-static"),
        ("fake-medical", None),
        ("fake-pos", None),
    ]


def test_a_baseline_that_is_not_here_is_none():
    lonely = HeadInfo("a", "A", "tagging", ("PER",), "m", None, "gone")
    assert heads.offers([lonely], "tagging") == (heads.Offer(lonely, None),)


def test_a_head_that_is_gone_gives_way_to_the_default(service):
    offered = heads.offers(service.heads.offered(), "tagging")
    assert heads.find(offered, "gone") is offered[0]
    assert heads.find(offered, "fake-pos") is offered[2]
    assert heads.find((), "x") is None


def test_score_in_one_line():
    head = HeadInfo("a", "A", "tagging", (), "m", Score("F1", 0.8749, "CoNLL-2003 test"))
    assert heads.score_line(head) == "F1 0.87 on CoNLL-2003 test"
    assert heads.score_line(replace(head, score=None)) == "not measured yet"
    assert (
        heads.option(heads.Offer(replace(head, own=True)), "A")["score"] == "F1 0.87 on CoNLL-2003 test, trained here"
    )
    baseline = replace(head, score=Score("F1", 0.7, "CoNLL-2003 test"))
    assert heads.about_line(heads.Offer(head, baseline), baseline=True).endswith(
        "without context: F1 0.70 on CoNLL-2003 test"
    )
    assert "without" not in heads.about_line(heads.Offer(head, baseline), baseline=False)


def test_two_heads_of_one_title_are_told_apart():
    assert heads.distinct([("a", "Names"), ("a-2", "Names"), ("b", "Tags")]) == ["Names: a", "Names: a-2", "Tags"]


# Feeling


def test_the_label_comes_first_in_plain_words(service):
    offer, results, _ = feeling(service, NOT_BAD)
    assert classified.headline(results) == "Positive, 86\u00a0% sure"
    assert sentiment.card(offer, results).index("Positive, 86") < sentiment.card(offer, results).index("fake)")


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("It is good.", "It is great."), "Both texts are positive"),
        (("It is bad.",) * 3, "All 3 texts are negative"),
        (("It is good.", "It is great.", "It is bad."), "Of 3 texts, 2 positive and 1 negative"),
    ],
)
def test_several_texts_are_counted(service, texts, said):
    assert classified.headline(service.heads.classify(texts)) == said


def test_a_text_of_neither_class_is_said_to_be_of_neither(service):
    offer, results, without = feeling(service, NOT_BAD)
    unsure = [replace(results[0], is_sure=False)]
    assert classified.headline(unsure) == "Neither clearly negative nor positive"
    assert classified.difference(unsure, without).startswith("Without context, the model says negative")
    assert classified.difference(unsure, [replace(without[0], is_sure=False)]) == ""
    assert classified.headline([*unsure, *results]) == "Of 2 texts, 1 neither and 1 positive"
    assert classified.headline([*unsure, *unsure]) == "Both texts are neither clearly negative nor positive"
    assert "Neither clearly negative nor positive" in sentiment.card(offer, unsure, without)
    many = replace(unsure[0], probabilities={"a": 0.4, "b": 0.3, "c": 0.3})
    assert classified.headline([many]) == "Not clearly any of them"
    assert unsure[0].to_dict()["is_sure"] is False


def test_the_bars_of_a_text_of_neither_class_are_quiet(service):
    offer, results, without = feeling(service, NOT_BAD)
    loud, quiet = 'class="chosen"', "below what counts as sure."
    sure = sentiment.card(offer, results, without)
    assert (sure.count(loud), sure.count(quiet)) == (2, 0)
    card = sentiment.card(offer, [replace(results[0], is_sure=False)], without)
    # The side without context is sure.
    assert [card.count(text) for text in (loud, quiet, 'class="bars unsaid"')] == [1, 1, 1]
    assert "Positive 86\u00a0%: below what counts as sure." in card


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((NOT_BAD,), "Without context, the model says negative, 80 % sure."),
        (("It is good.", NOT_BAD), "Without context, the model says that text 2 is negative."),
        ((NOT_BAD, NOT_BAD), "Without context, the model says that texts 1 and 2 are negative."),
        (
            ("Good.", "Bad.", NOT_BAD),
            "Without context, the model says that text 3 is negative; it says the same of the rest.",
        ),
        (("It is good.",), ""),
    ],
)
def test_what_context_buys_in_one_sentence(service, texts, said):
    _, results, without = feeling(service, *texts)
    assert classified.difference(results, without).replace("\u00a0", " ") == said


@pytest.mark.parametrize(
    ("push", "kind"), [(0.0, ""), (0.019, ""), (0.03, "for1"), (-0.03, "against1"), (0.5, "for4"), (-0.25, "against3")]
)
def test_steps_of_the_tint(push, kind):
    assert sentiment.step(push) == kind


def test_the_tip_says_what_would_be(service):
    (result,) = service.heads.classify([NOT_BAD])
    tips = [classified.tip(result, word).replace("\u00a0", " ") for word in result.occlusion]
    assert tips[0] == "Without “The”: still positive 86 %."
    assert tips[3] == "Without “not”: positive 20 % instead of 86 %."
    impossible = WordOcclusion("x", 0, 1, -0.9)
    assert "100\u00a0%" in classified.tip(result, impossible)


def test_words_keep_the_text_as_typed(service):
    text = "  Not…  bad,\tnot — good 🙂 " + "x" * 300
    (result,) = service.heads.classify([text])
    assert "".join(piece for piece, _ in sentiment.words(result)) == text
    broken = replace(
        result, occlusion=(*result.occlusion[:2], WordOcclusion("x", 0, 3, 0.5), WordOcclusion("y", 9, 9, 0.1))
    )
    assert "".join(piece for piece, _ in sentiment.words(broken)) == text
    page = sentiment.card(feeling(service, text)[0], [result])
    assert page.count('class="word ') - 2 == len(result.occlusion)  # two are in the legend
    assert page.count('tabindex="0" data-tip') == 1


def test_without_pushes_there_is_no_legend(service):
    offer, results, without = feeling(service, NOT_BAD)
    bare = [replace(result, occlusion=()) for result in results]
    card = sentiment.card(offer, bare, [replace(result, occlusion=()) for result in without])
    assert "speaks for" not in card
    assert "Point at a word" not in card


def test_a_wrong_answer_can_be_put_right_where_training_is_on(service):
    page = ask(service, text="A <b>good</b> day.", task="feeling")[1]
    carried = parsed(page).carried
    assert [carried[name][0] for name in ("kind", "text", "base")] == ["classification", "A <b>good</b> day.", "sample"]
    assert "Negative" in parsed(page).text
    service.training.allowed = False
    assert "Keep as an example" not in ask(service, text="A good day.", task="feeling")[1]


def test_what_is_put_right_is_added_to_the_rows_of_an_own_head(service):
    offer, results, without = feeling(service, "A good day.")
    service.training.start(TrainingPlan("classification", name="mine"))
    service.training.runs["mine"] = 98
    assert try_tab._base(service, offer) == "sample"  # it came with the program, and the sample has its labels
    other = replace(offer.head, labels=("dull", "lively"))
    assert try_tab._base(service, replace(offer, head=other)) == ""
    assert try_tab._base(service, replace(offer, head=replace(offer.head, own=True))) == "mine"
    assert 'data-base="mine"' in sentiment.card(offer, results, without, "mine")


def test_texts_whose_words_are_not_weighed_are_named(service):
    offer, results, without = feeling(service, "A good day.", "A bad day.", "Yes", "A dull one.")
    assert classified.unweighed(results) == ""
    bare = [results[0], *(replace(result, occlusion=()) for result in results[1:])]
    assert "weigh each of them in texts 2 and 4; ask about fewer or shorter" in sentiment.card(offer, bare, without)
    assert "in this text;" in classified.unweighed(bare[1:2])


def test_without_a_baseline_there_is_one_side(service):
    offer, results, _ = feeling(service, NOT_BAD)
    card = sentiment.card(replace(offer, baseline=None), results)
    assert "context" not in card.replace("Show the numbers", "").lower()
    assert card.count('class="side"') == 1


# Names


def test_names_are_counted(service):
    assert readings.headline(service.heads.tag(JORDAN)) == "Found 1 person and 1 place"
    assert readings.headline(service.heads.tag(["Nothing here."])) == "No names found"
    assert readings.headline(service.heads.tag(["The dog barked."], "fake-pos")) == "4 words, each with its tag"


def test_the_difference_names_what_is_different(service):
    _, results, without = names(service, *JORDAN)
    said = readings.difference(results, without)
    assert said == "Without context, the model reads “Jordan” as a place instead of a person (sentence 1)."
    _, results, without = names(service, "It rained in Oslo.")
    assert readings.difference(results, without) == ""


def entity(start, end, kind="LOC"):
    return Entity(start, end, kind, 0.9, 4 * start, 4 * end - 1)


@pytest.mark.parametrize(
    ("best", "other", "said"),
    [
        ([entity(0, 1)], [], ["no name at “aaa”"]),
        ([], [entity(0, 1, "GPE")], ["GPE at “aaa”"]),
        ([entity(0, 1)], [entity(0, 1, "PER")], ["“aaa” as a person instead of a place"]),
        (
            [entity(0, 3)],
            [entity(0, 1), entity(2, 3, "PER")],
            ["“aaa” as a place and “ccc” as a person instead of “aaa bbb ccc” as a place"],
        ),
        (
            [entity(0, 1), entity(2, 3)],
            [entity(0, 3)],
            ["“aaa bbb ccc” as a place instead of “aaa” as a place", "no “ccc” of its own"],
        ),
        ([entity(0, 1)], [entity(0, 1)], []),
    ],
)
def test_how_two_readings_differ(best, other, said):
    result = TaggedSentence("aaa bbb ccc", ("aaa", "bbb", "ccc"), ((0, 3), (4, 7), (8, 11)), Reading((), (), 1.0))
    one, two = (Reading(("O",) * 3, tuple(spans), 0.5) for spans in (best, other))
    assert readings.differences(result, one, two) == said


def test_many_differences_are_cut_short():
    assert readings.shortened(list("abcdefg")) == "a, b, c, d and 3 more"


def test_parts_of_speech_have_a_tag_under_each_word(service):
    offer, results, _ = names(service, "The dog barked.", head=2)
    card = entities.card(offer, results)
    assert not readings.has_spans(results)
    assert card.count("<bdi>") == 4
    assert "noun" in card
    assert "VERB for “dog” instead of NOUN" in card
    assert '"tags.csv"' in card


def test_a_name_has_its_type_in_letters_and_how_sure_the_model_is(service):
    offer, results, without = names(service, *JORDAN)
    card = entities.card(offer, results, without)
    text = parsed(card).text.replace("\u00a0", " ")
    assert "Jordan PER 88 % scored twice." in text
    assert "The reading shown above" in text
    assert "person" in text
    assert "“Jordan” as an organisation instead of a place" in text


def test_the_table_tells_what_only_the_baseline_finds(service):
    result, *_ = service.heads.tag(["It rained in Oslo."])
    nothing = replace(result, best=Reading(("O",) * 5, (), 0.9))
    offer = names(service, "x")[0]
    assert any("not found" in row for row in parsed(entities.card(offer, [nothing], [result])).rows)
    assert "All names in a table" not in entities.card(offer, [nothing])


def test_colours_are_the_same_everywhere():
    assert entities.colour_of("PER", ()) == entities.colour_of("PER", ("LOC", "PER")) == 0
    assert entities.colour_of("Gene", ("Gene", "Cell")) != entities.colour_of("Cell", ("Gene", "Cell"))
    assert 0 <= entities.colour_of("new", ()) < 6


# Everything typed is only text


def test_nothing_typed_is_markup(service):
    head = HeadInfo(HOSTILE, HOSTILE, "tagging", (HOSTILE,), "m", Score(HOSTILE, 0.5, HOSTILE))
    offer = heads.Offer(head, head)
    tokens = (HOSTILE,)
    span = Entity(0, 1, HOSTILE, 0.5, 0, len(HOSTILE))
    best, other = Reading((f"B-{HOSTILE}",), (span,), 0.5), Reading(("O",), (), 0.1)
    tagged = TaggedSentence(HOSTILE, tokens, ((0, len(HOSTILE)),), best, (other,))
    plain = replace(tagged, best=Reading((HOSTILE,), (), 0.5), runners_up=())
    (classified,) = service.heads.classify([HOSTILE])
    odd = replace(classified, label=HOSTILE, probabilities={HOSTILE: 1.0})
    for markup in (
        entities.card(offer, [tagged] * 2, [plain] * 2),
        entities.card(offer, [plain], [plain]),
        sentiment.card(offer, [odd] * 2, [classified] * 2),
        ask(service, text=HOSTILE)[1],
    ):
        tags = parsed(markup)
        assert not tags.seen & {"img", "script"}
        assert not tags.attributes & {"onerror", "onload"}
        assert "onerror=alert(1)" in tags.text


# Files


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(service, start):
    offer, results, without = feeling(service, f"{start}cmd() good")
    rows = list(csv.DictReader(io.StringIO(sentiment.csv_text(offer, results, without))))
    assert {row["text"] for row in rows} == {f"'{start}cmd() good"}
    assert csv_file([start], [[f"{start}a", -0.5]]).splitlines()[-1].endswith("-0.500000")
    offer, tagged, _ = names(service, f"{start}Oslo")
    rows = list(csv.DictReader(io.StringIO(entities.csv_text(offer, tagged))))
    assert {row["sentence"] for row in rows} == {f"'{start}Oslo"}


def test_the_spreadsheets_hold_both_heads(service):
    offer, results, without = feeling(service, NOT_BAD, "It is good.")
    rows = list(csv.DictReader(io.StringIO(sentiment.csv_text(offer, results, without))))
    assert {row["head"] for row in rows} == {"fake-sentiment", "fake-sentiment-static"}
    assert len(rows) == 2 * (6 + 4)
    assert float(next(row for row in rows if row["word"] == "not")["push"]) == pytest.approx(0.656, abs=0.01)
    bare = [replace(result, occlusion=()) for result in results]
    assert len(sentiment.csv_text(offer, bare).splitlines()) == 3
    offer, tagged, plain = names(service, *JORDAN, "Nothing.")
    rows = list(csv.DictReader(io.StringIO(entities.csv_text(offer, tagged, plain))))
    assert rows[0] == {
        "sentence number": "1",
        "head": "fake-ner",
        "reading": "1",
        "reading probability": "0.840000",
        "text": "Jordan",
        "type": "PER",
        "confidence": "0.880000",
        "start character": "0",
        "end character": "6",
        "sentence": JORDAN[0],
    }
    assert any(row["sentence"] == "Nothing." and row["text"] == "" for row in rows)


def test_the_json_is_what_the_endpoint_gives(service):
    offer, results, without = names(service, *JORDAN)
    data = heads.json_data(offer, results, without)
    assert data["results"] == [result.to_dict() for result in results]
    assert data["without_context"]["head"] == "fake-ner-static"
    assert "without_context" not in heads.json_data(heads.Offer(offer.head), service.heads.classify(["x"]))
    link = data_link({"text": '<b> & "ü"'})
    assert json.loads(unquote(link.removeprefix("data:application/json;charset=utf-8,"))) == {"text": '<b> & "ü"'}


# The form


def test_form_reads_lines_and_survives_what_no_form_sends():
    form = try_tab.form_from({"text": " a \n\n b\r\nc", "task": "names", "tagging": ["x", "", "x"]})
    assert form == try_tab.TryForm(("a", "b", "c"), ("names",), {"classification": (), "tagging": ("x",)})
    assert try_tab.form_from({"tagging": "x"}).heads["tagging"] == ()
    assert try_tab.form_from({}).texts == ()
    assert try_tab.form_from({"text": None, "task": ["x"]}).tasks == ("feeling", "names")


def test_several_heads_stand_side_by_side_and_the_page_says_where_they_agree(service):
    texts, chosen = ["Ada met Oslo.", "Nothing here."], ["fake-ner", "fake-medical"]
    _, page = ask(service, text="\n".join(texts), task="names", tagging=chosen)
    assert page.count("names-answer") >= 2
    tags = [[found.tags for found in service.heads.tag(texts, head)] for head in chosen]
    alike = sum(one == other for one, other in zip(*tags, strict=True))
    assert f"The 2 models say the same of {alike} of 2 sentences." in page
    _, one = ask(service, text="Nothing here.", task="names", tagging=["fake-ner", "fake-ner"])
    assert "Side by side" not in one
    value, _ = ask(service, text="Nothing here.", tagging=list("abcd"))
    assert value["note"] == "At most 3 models stand side by side."


def test_nothing_typed_is_a_friendly_start(service):
    value, markup = ask(service, text=" \n ")
    assert "Type a sentence" in markup
    assert value["note"] == ""
    assert [head["name"] for head in value["heads"]["tagging"]] == ["fake-ner", "fake-medical", "fake-pos"]


def test_an_input_error_is_said_and_the_rest_stays(service):
    value, markup = ask(service, text="good\n" + "x" * 2001, revision=7)
    assert value["note"] == "Text 2 is longer than 2000 characters."
    assert value["revision"] == 7
    assert markup == gr.skip()
    value, markup = ask(service, text="a\n" * 21)
    assert "Type a sentence" in markup  # nothing was there to stay
    assert "at most 20 texts" in value["note"]


def test_tasks_are_answered_alone_or_together(service):
    both, feel, name = (ask(service, text=NOT_BAD, task=task)[1] for task in ("both", "feeling", "names"))
    assert all(part in both for part in ("feeling-answer", "names-answer"))
    assert "names-answer" not in feel
    assert "feeling-answer" not in name


def test_without_heads_the_tab_says_how_to_train_one(service):
    service.heads.on_offer = ()
    _, markup = ask(service, text="good")
    assert "make train-ner" in markup
    assert "make train-sentiment" in markup
    assert build_app(service)


def test_with_one_kind_of_head_the_other_is_explained(service):
    service.heads.on_offer = tuple(head for head in service.heads.offered() if head.kind == "tagging")
    markup = ask(service, text="Oslo is good.")[1]
    assert "make train-sentiment" in markup
    assert "Found 1 place" in markup


@pytest.mark.parametrize("example", TRY_EXAMPLES, ids=lambda e: e.title)
def test_examples_are_answered(service, example):
    assert example.task in ("both", *try_tab.TASKS)
    assert all(len(line) < Limits().max_characters for line in example.lines)
    value, markup = ask(service, text="\n".join(example.lines), task=example.task)
    assert value["note"] == ""
    assert any(heading for heading in parsed(markup).headings)


# Endpoints


@pytest.fixture(scope="module")
def client():
    app = build_app(FakeService())
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options())
    yield Client(url, verbose=False, analytics_enabled=False)
    app.close()


def test_sentiment_endpoint(client):
    expected = [result.to_dict() for result in FakeService().heads.classify([NOT_BAD, "Bad."])]
    assert client.predict([NOT_BAD, "Bad."], api_name="/sentiment") == json.loads(json.dumps(expected))
    other = client.predict(texts=[NOT_BAD], head="fake-sentiment-static", api_name="/sentiment")
    assert other[0]["label"] == "negative"


def test_ner_endpoint(client):
    expected = [result.to_dict() for result in FakeService().heads.tag(JORDAN)]
    assert client.predict(list(JORDAN), api_name="/ner") == json.loads(json.dumps(expected))
    (more, _) = client.predict(sentences=list(JORDAN), head=None, n_readings=3, api_name="/ner")
    assert len(more["runners_up"]) == 2


@pytest.mark.parametrize(
    ("endpoint", "arguments", "message"),
    [
        ("/sentiment", (["x"], "gone"), "There is no head “gone”"),
        ("/sentiment", ([],), "at least one text"),
        ("/sentiment", ("a string",), "a list of strings"),
        ("/ner", ([1],), "a list of strings"),
        ("/ner", (["x"], None, 0), "from 1 to 10"),
        ("/ner", (["x"], None, 1_000_000), "from 1 to 10"),
        ("/ner", (["x"] * 21,), "at most 20 texts"),
    ],
)
def test_endpoints_say_what_is_wrong(client, endpoint, arguments, message):
    with pytest.raises(AppError, match=message):
        client.predict(*arguments, api_name=endpoint)
