import csv
import io
from dataclasses import replace

import gradio as gr
import pytest

from elmo_tasks.api import SplitScore
from elmo_tasks.ui import train_page, train_tab
from elmo_tasks.wording import training_runs
from tests.ui.fake_training import LOOK, course, job
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE


def plain(text):
    return text.replace("\u00a0", " ")


@pytest.fixture
def sent(tmp_path, monkeypatch):
    """What the form asks once gradio has a file: it knows it by its path."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))

    def send(name, content):
        path = tmp_path / "gradio" / "abc" / "data.tsv"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return {"source": "upload", "kind": "classification", "file": {"name": name, "path": str(path)}}

    return send


def is_kept(update):
    return update == gr.skip()


def test_a_start_answers_with_the_running_job(service):
    value, data, runs, state = train_tab.respond(
        service, {"action": "start", "kind": "classification", "name": "mine", "revision": 3}
    )
    assert (value["revision"], value["note"], value["started"]) == (3, "", "mine")
    assert "400 texts" in data
    assert state == {"revision": 0, "digest": state["digest"], "shown": "mine", "live": True, "note": ""}
    assert "Stop and keep the best" in runs


def test_a_look_starts_nothing(service):
    value, _, runs, _ = train_tab.respond(service, {"action": "look", "kind": "classification"})
    assert is_kept(runs)
    assert service.training.runs == {}
    assert value["look"]["takes"] == "about 30 seconds"


def test_a_number_that_is_none_is_refused_at_its_field(service):
    value, _, runs, _ = train_tab.respond(service, {"action": "start", "epochs": "many"})
    assert (value["field"], value["note"]) == ("epochs", "Rounds: type a whole number from 1 to 200.")
    assert is_kept(runs)


def test_an_upload_is_kept_and_looked_at(service, sent):
    value, data, *_ = train_tab.respond(service, sent("a.tsv", b"good\tfine\nbad\tdull\n"))
    assert value["data"] == "upload-0"
    assert value["look"]["columns"] == ["column 1", "column 2"]
    assert "dull" in data
    again, *_ = train_tab.respond(service, {"source": "upload", "data": "upload-0", "text_column": "column 1"})
    assert again["look"]["text_column"] == "column 1"


@pytest.mark.parametrize("content", [b"\0\0", b"good\tfine\nbroken\n"])
def test_what_is_wrong_with_a_file_is_shown_as_it_is(service, sent, content):
    value, data, *_ = train_tab.respond(service, sent("<b>a</b>.tsv", content))
    assert value["field"] == "file"
    assert "line" in value["note"]
    assert "&lt;b&gt;a&lt;/b&gt;.tsv, line" in data


@pytest.mark.parametrize("path", ["gone.tsv", "../secret.tsv", "", None, 5, "\0"])
def test_only_what_was_sent_is_read(service, sent, tmp_path, path):
    sent("a.tsv", b"x")
    (tmp_path / "secret.tsv").write_text("good\tfine\n")
    named = path if path is None or isinstance(path, int) else str(tmp_path / "gradio" / path)
    value, *_ = train_tab.respond(service, {"source": "upload", "file": {"name": "a.tsv", "path": named}})
    assert value["note"] == "The file did not arrive whole. Choose it again."
    assert service.training.uploads == {}
    assert (tmp_path / "secret.tsv").exists()


def test_what_was_sent_is_read_once_and_forgotten(service, sent, tmp_path):
    question = sent("a.tsv", b"good\tfine\nbad\tdull\n")
    train_tab.respond(service, question)
    assert list((tmp_path / "gradio").iterdir()) == []


def test_news_come_only_when_there_are_some(service):
    service.training.start(train_tab.plan_from({"name": "mine"}))
    _, first = train_tab.respond_to_runs(service, {"revision": 1})
    service.training.runs["mine"] = 98
    page, second = train_tab.respond_to_runs(service, {"seen": first["digest"], "revision": 2})
    assert "gets 83" in page
    kept, third = train_tab.respond_to_runs(service, {"seen": second["digest"], "revision": 3})
    assert is_kept(kept)
    assert third == {**second, "revision": 3}


def test_a_run_is_stopped_and_shown_by_name(service):
    service.training.start(train_tab.plan_from({"name": "one"}))
    service.training.start(train_tab.plan_from({"name": "two"}))
    _, state = train_tab.respond_to_runs(service, {"action": "stop", "run": "one", "shown": "one"})
    assert service.training.stopped == ["one"]
    assert state["shown"] == "one"


def test_a_run_is_renamed_and_deleted_from_the_page(service):
    for name in ("one", "two"):
        service.training.start(train_tab.plan_from({"name": name}))
        service.training.runs[name] = 98
    page, state = train_tab.respond_to_runs(
        service, {"action": "rename", "run": "one", "title": "<b>Rain</b>", "shown": "one"}
    )
    assert "<b>Rain</b>" in parsed(page).text
    assert parsed(page).carried["rename-run"] == ["one"]
    assert (state["shown"], state["note"]) == ("one", "")
    _, state = train_tab.respond_to_runs(service, {"action": "rename", "run": "one", "title": "", "shown": "one"})
    assert state["note"] == "Type a name."
    page, state = train_tab.respond_to_runs(service, {"action": "delete", "run": "one"})
    assert list(service.training.runs) == ["two"]
    assert state["shown"] == "two"
    _, state = train_tab.respond_to_runs(service, {"action": "delete", "run": "one"})
    assert state["note"] == "There is no run “one”."


def test_a_run_that_goes_on_can_be_neither_renamed_nor_deleted(service):
    service.training.start(train_tab.plan_from({"name": "one"}))
    page, _ = train_tab.respond_to_runs(service, {})
    buttons = parsed(page).buttons
    assert "Stop and keep the best" in buttons
    assert not {"Delete", "Rename"} & set(buttons)


def test_more_examples_can_be_added_to_the_sample_and_to_runs_of_the_kind(service):
    service.training.start(train_tab.plan_from({"name": "one"}))
    value, *_ = train_tab.respond(service, {"kind": "classification"})
    assert [base["name"] for base in value["bases"]] == ["sample", "one"]
    value, *_ = train_tab.respond(service, {"kind": "tagging"})
    assert [base["name"] for base in value["bases"]] == ["sample"]
    plan = train_tab.plan_from({"base": "one", "balanced": True})
    assert (plan.base, plan.balanced) == ("one", True)
    assert not train_tab.plan_from({"balanced": "yes"}).balanced


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ((("good", 90), ("bad", 10)), "90 % of the texts are “good”: always saying that is right as often"),
        (
            (("good", 40), ("so", 30), ("bad", 10)),
            "“good” comes 4 times as often as “bad”, which the head may seldom say.",
        ),
        ((("good", 30), ("bad", 10)), ""),
    ],
)
def test_labels_out_of_balance_are_said(labels, said):
    page = plain(train_page.data_card(replace(LOOK, labels=labels), "classification"))
    assert (said in page) if said else ("often" not in page.partition("How often")[0])
    assert ("Rare labels weigh as much" in page) == bool(said)


def test_where_training_is_off_the_page_says_so(service):
    service.training.allowed = False
    page, state = train_tab.respond_to_runs(service, {"action": "stop", "run": "x"})
    assert "--allow-training" in page
    assert not state["live"]
    assert service.training.stopped == []


@pytest.mark.parametrize(
    ("value", "guess", "rows", "said"),
    [
        (0.83, 0.5, 100, "may be anything from 74 % to 89 %."),
        (0.55, 0.5, 100, "so this head may be no better than that"),
        (0.5, 0.5, 100, "this head does no better"),
        (0.8, 0.5, 10, "so this head may be no better"),
    ],
)
def test_no_more_is_claimed_than_the_test_rows_carry(value, guess, rows, said):
    scored = job(scores=(SplitScore("test", "accuracy", value, rows, guess),))
    assert said in plain(training_runs.comparison(scored))


def test_f1_is_told_beside_the_guess_by_word():
    found = job(kind="tagging", metric="F1", scores=(SplitScore("test", "F1", 0.71, 75, 0.45, "word"),))
    assert training_runs.headline(found) == "“First” finds the names in 75 test sentences with an F1 of 0.71."
    assert "each word the label it had most often in training scores 0.45" in training_runs.comparison(found)


@pytest.mark.parametrize(("share", "count"), [(0.0, 10), (1.0, 10), (0.5, 1), (0.8, 0)])
def test_an_interval_holds_the_share_and_stays_inside(share, count):
    low, high = training_runs.wilson(share, count)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


def test_the_best_round_is_the_first_of_equals():
    epochs = [replace(e, score=s) for e, s in zip(course(3), (None, 0.6, 0.7, 0.7), strict=True)]
    assert training_runs.best_epoch(epochs).epoch == 2


@pytest.mark.parametrize("status", ["queued", "running", "done", "stopped", "failed"])
@pytest.mark.parametrize("looks", [0, 1, 3, 9])
def test_a_run_in_any_state_has_a_page(status, looks):
    page, shown = train_page.page([job(looks=looks, status=status, message="why")])
    assert "nan" not in page.lower()
    assert shown["live"] == (status in ("queued", "running"))
    can_stop = {"Stop and keep the best", "Take it back"} & set(parsed(page).buttons)
    assert bool(can_stop) == (status in ("queued", "running"))


@pytest.mark.parametrize("loss", [0.0, 1e-9, float("nan"), float("inf"), 1e9])
def test_charts_take_any_loss(loss):
    found = job(losses=((0.5, loss), (1.0, 0.5)), course=tuple(replace(e, train_loss=loss) for e in course(3)))
    drawn = train_page.losses(found) + train_page.scores(found) + train_page.weights(found)
    assert "nan" not in drawn
    assert "inf" not in drawn


def test_nothing_from_a_person_or_a_log_is_markup():
    bad = job(name=HOSTILE, title=HOSTILE, data=HOSTILE, message=HOSTILE, status="failed", layers=(HOSTILE, "1", "2"))
    look = replace(LOOK, title=HOSTILE, labels=((HOSTILE, 9), ("b", 1)), examples=(((HOSTILE,), (HOSTILE,)),))
    tagged = replace(look, counted="names", examples=(((HOSTILE, "x"), ("B-" + HOSTILE, "O")),))
    jobs = ([bad, replace(bad, status="done")], [replace(bad, status="running", head=HOSTILE)])
    shown = parsed(
        "".join(train_page.page(found)[0] for found in jobs)
        + train_page.data_card(look, "classification")
        + train_page.data_card(tagged, "tagging")
        + train_page.no_data(HOSTILE)
    )
    assert not shown.seen & {"img", "script"}
    assert "onerror" not in shown.attributes


def test_the_spreadsheet_holds_all_rounds_and_no_formula():
    rows = list(csv.DictReader(io.StringIO(train_page.csv_text(job(layers=("=cmd()", "1", "2"))))))
    assert [row["what"] for row in rows] == ["round"] * 4 + ["test", "validation"]
    assert float(rows[4]["without a model"]) == 0.5
    assert not [name for name in rows[0] if name.startswith("=")]


def test_a_lopsided_data_set_is_pointed_out():
    lopsided = replace(LOOK, labels=(("ham", 90), ("spam", 10)))
    assert "90\u00a0% of the texts are “ham”" in train_page.data_card(lopsided, "classification")
    assert "a high score means little here" not in train_page.data_card(LOOK, "classification").replace("\n", " ")
