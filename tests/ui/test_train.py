import csv
import io
from dataclasses import replace
from functools import partial

import gradio as gr
import pytest

from elmo_tasks.api import SplitScore
from elmo_tasks.messages import training
from elmo_tasks.tasks import TASKS
from elmo_tasks.ui import charts, train_form, train_tab
from elmo_tasks.ui.rendering import render
from tests.ui.fake_training import PREVIEW, course, job
from tests.ui.reader import parsed
from tests.ui.try_answers import plain


@pytest.fixture
def form(service):
    with gr.Blocks():
        return train_form.TrainForm(service)


@pytest.fixture
def runs(service):
    with gr.Blocks():
        return train_tab._Runs(service)


def start(service, name):
    return service.training.start(train_form.plan_from(service.tasks(), name=name))


def checked(form, **data):
    """Return the shown form and data card for values of the form."""
    with gr.Blocks():
        card = gr.HTML()
    values = [data.get(field) for field in train_form.FIELDS]
    shown = form.check(card, *values)
    return shown, shown[card]


def test_the_form_is_read_and_empty_fields_have_their_defaults(service):
    plan_from = partial(train_form.plan_from, service.tasks())
    plan = plan_from(
        kind="tagging", source="upload", data="x", hub="sst2", epochs=None, balanced=True
    )
    assert (plan.data, plan.epochs, plan.hidden, plan.balanced, plan.header) == (
        "x",
        30,
        100,
        False,
        None,
    )
    plan = plan_from(
        source="hub", data="x", hub="sst2", with_examples=True, epochs="many", balanced=True
    )
    assert (plan.data, plan.with_examples, plan.epochs, plan.balanced) == (
        "sst2",
        False,
        "many",
        True,
    )
    assert plan_from(source="sample", with_examples=True).with_examples
    assert plan_from(kind="poetry").kind == "classification"


def test_the_data_are_shown_and_nothing_is_started(service, form):
    shown, card = checked(form, kind="classification", source="sample", epochs=30)
    assert "400 texts" in card
    assert "Takes about 30 seconds" in shown[form.takes]
    assert service.training.runs == {}


def test_an_upload_is_stored_and_its_columns_can_be_chosen(service, form, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    (tmp_path / "a.tsv").write_bytes(b"good\tfine\nbad\tdull\n")
    assert "Choose a file" in checked(form, source="upload", data="")[1]
    assert form.upload(str(tmp_path / "a.tsv"))[form.data] == "upload-0"
    assert not (tmp_path / "a.tsv").exists()  # read once and forgotten
    shown, card = checked(form, source="upload", data="upload-0")
    assert "dull" in card
    assert shown[form.columns]["visible"] is True
    shown, _ = checked(form, source="upload", data="upload-0", text_column="column 1")
    assert shown[form.text_column]["value"] == "column 1"


def test_only_uploaded_files_are_read(service, form, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    (tmp_path / "secret.tsv").write_text("good\tfine\n")
    for path in ("gone.tsv", "../secret.tsv"):
        shown = form.upload(str(tmp_path / "gradio" / path))
        assert "The file did not arrive whole. Choose it again." in shown[form.note]["value"]
    assert service.training.uploads == {}
    assert (tmp_path / "secret.tsv").exists()


def test_problems_of_a_file_are_shown_literally(service, form):
    service.training.uploads["k"] = ("<b>a</b>.tsv", b"good\tfine\nbroken\n")
    _, card = checked(form, source="upload", data="k")
    assert "&lt;b&gt;a&lt;/b&gt;.tsv, line 2" in card
    assert "choose it again" in card


def test_typed_examples_are_counted_and_speak_of_no_file(service, form):
    _, card = checked(form, source="examples")
    assert "Type examples to see them here." in card
    assert "file" not in parsed(card).text.lower()
    service.training.store_examples("classification", "praise: Good.\ncomplaint: Bad.\n")
    shown, card = checked(form, source="examples", kind="classification")
    assert "2 examples so far." in shown[form.count]["value"]
    assert "Good." in card
    service.training.typed["classification"] += "no label\n"
    _, card = checked(form, source="examples", kind="classification")
    assert "line 3" in card
    assert "Change the file" not in card
    assert training.count_line("[Oslo](LOC).\n\n") == "1 example so far."


def test_another_kind_brings_its_own_defaults_and_examples(service, form):
    service.training.typed["tagging"] = "[Oslo](LOC)."
    shown = form.fill("tagging")
    assert (shown[form.hidden], shown[form.data]) == (100, "")
    assert shown[form.examples]["value"] == "[Oslo](LOC)."
    assert shown[form.hub]["value"] == "conll2003"


def test_updates_come_only_after_changes(service, runs):
    start(service, "mine")
    first = runs.show()
    assert first[runs.timer].active
    buttons = (runs.stop, runs.delete, runs.open, runs.resume)
    assert [first[button]["visible"] for button in buttons] == [True, False, False, False]
    service.training.runs["mine"] = 98
    second = runs.show("mine", first[runs.digest])
    assert "gets 83" in second[runs.page]
    assert not second[runs.timer].active
    assert runs.show("mine", second[runs.digest]) == {runs.digest: gr.skip()}


def test_a_run_is_stopped_resumed_and_deleted_by_name(service, runs):
    for name in ("one", "two"):
        start(service, name)
    assert runs.act("stop", "one")[runs.shown]["value"] == "one"
    assert service.training.stopped == ["one"]
    runs.act("resume", "one")
    assert service.training.resumed == ["one"]
    assert runs.act("delete", "one")[runs.shown]["value"] == "two"
    assert list(service.training.runs) == ["two"]
    assert "There is no run “one”." in runs.act("delete", "one")[runs.note]["value"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            (("good", 90), ("bad", 10)),
            "90 % of the texts are “good”: always saying that is right as often",
        ),
        (
            (("good", 40), ("so", 30), ("bad", 10)),
            "“good” comes 4 times as often as “bad”, which the head may seldom predict.",
        ),
        ((("good", 30), ("bad", 10)), ""),
    ],
)
def test_unbalanced_labels_are_reported(labels, message):
    page = plain(train_form.data_card(replace(PREVIEW, labels=labels), "texts"))
    assert (message in page) if message else ("often" not in page.partition("How often")[0])
    assert ("Rare labels weigh as much" in page) == bool(message)


def test_sentences_with_names_are_shown_as_one_writes_them():
    row = (("Ada", "Marsh", ",", "of", "Cork", "."), ("B-PER", "I-PER", "O", "O", "B-LOC", "O"))
    preview = replace(PREVIEW, counted="names", examples=(row,))
    card = parsed(train_form.data_card(preview, "sentences")).text
    assert "Ada Marsh person, of Cork place." in " ".join(card.split())


def test_the_list_of_runs_is_a_card_and_no_bare_panel(runs):
    assert "card" in " ".join(runs.shown.elem_classes).split()


def test_layer_0_alone_is_not_said_to_be_without_context():
    # The head that reads it still sees the words in their order.
    words = [title for title, _ in train_form._LAYERS] + [render("train_how.html")]
    assert not [text for text in words if "no context" in text]


def test_a_page_without_training_reports_it(service):
    page = render("train_off.html", tasks=service.tasks())
    assert "--allow-training" in page
    assert "make train-ner" in page


def test_with_few_test_rows_the_score_is_small_print():
    few = job(scores=(SplitScore("test", "accuracy", 1.0, 4, 0.5),))
    assert (
        training.headline(few)
        == "“First” is trained. 4 test texts are too few to say how good it is."
    )
    assert plain(training.details(few)).startswith("Score on them: 100 %.")
    enough = job(scores=(SplitScore("test", "accuracy", 1.0, 30, 0.5),))
    assert plain(training.headline(enough)) == "“First” gets 100 % of the 30 test texts right."


@pytest.mark.parametrize(
    ("value", "guess", "rows", "message"),
    [
        (0.83, 0.5, 100, "may be anything from 74 % to 89 %."),
        (0.55, 0.5, 100, "so this head may be no better than that"),
        (0.5, 0.5, 100, "this head does no better"),
        (0.8, 0.5, 10, "so this head may be no better"),
    ],
)
def test_claims_need_enough_test_rows(value, guess, rows, message):
    scored = job(scores=(SplitScore("test", "accuracy", value, rows, guess),))
    assert message in plain(training.comparison(scored))


def test_f1_is_shown_beside_that_of_guessing_by_word():
    found = job(
        task=TASKS["tagging"].words,
        metric="F1",
        scores=(SplitScore("test", "F1", 0.71, 75, 0.45, "word"),),
    )
    assert (
        training.headline(found)
        == "“First” finds the entities in 75 test sentences with an F1 of 0.71."
    )
    assert "each word the label it had most often in training scores 0.45" in training.comparison(
        found
    )


@pytest.mark.parametrize(("share", "count"), [(0.0, 10), (1.0, 10), (0.5, 1), (0.8, 0)])
def test_an_interval_holds_the_share_and_stays_inside(share, count):
    low, high = training.wilson(share, count)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


def test_the_best_round_of_equals_is_that_with_the_lowest_loss():
    rows = zip(course(3), (None, 0.6, 0.7, 0.7), (None, 0.4, 0.5, 0.3), strict=True)
    epochs = [replace(e, score=score, validation_loss=loss) for e, score, loss in rows]
    assert training.best_epoch(epochs).epoch == 3
    assert training.best_epoch([replace(e, validation_loss=None) for e in epochs]).epoch == 2


@pytest.mark.parametrize("status", ["running", "done", "stopped", "failed"])
@pytest.mark.parametrize("looks", [0, 1, 3, 9])
def test_a_run_in_any_state_has_a_page(status, looks):
    found = job(looks=looks, status=status, message="why")
    assert "nan" not in train_tab.page([found], found).lower()


@pytest.mark.parametrize("loss", [0.0, 1e-9, float("nan"), float("inf"), 1e9])
def test_charts_take_any_loss(loss):
    found = job(
        losses=((0.5, loss), (1.0, 0.5)),
        course=tuple(replace(e, train_loss=loss) for e in course(3)),
    )
    drawn = charts.losses(found) + charts.scores(found) + charts.weights(found)
    assert "nan" not in drawn
    assert "inf" not in drawn


def test_the_spreadsheet_holds_all_rounds_and_no_formula():
    rows = list(csv.DictReader(io.StringIO(train_tab.csv_text(job(layers=("=cmd()", "1", "2"))))))
    assert [row["what"] for row in rows] == ["round"] * 4 + ["test", "validation"]
    assert float(rows[4]["without a model"]) == 0.5
    assert not [name for name in rows[0] if name.startswith("=")]
