"""Runs are started, watched, stopped, resumed and found again; training can be disabled."""

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
import yaml
from jsonargparse import ArgumentParser

from elmo_tasks.api import TrainingJob, TrainingPlan
from elmo_tasks.data.row_files import HUB_DATA_SETS
from elmo_tasks.errors import InputError
from elmo_tasks.service.run_folder import LOG, _reason, read_job
from elmo_tasks.service.training_jobs import TrainingJobs
from elmo_tasks.service.training_settings import config_for
from elmo_tasks.tasks import TASKS
from elmo_tasks.training.export_head import ExportHead

PLAN = TrainingPlan("classification", epochs=3)
FIT = str(Path(__file__).with_name("pretend_fit.py"))


def jobs_in(folder: Path, how: str = "", allowed: bool = True) -> TrainingJobs:
    return TrainingJobs(
        folder, "elmo-mini", lambda: 3, allowed=allowed, command=[sys.executable, FIT, how]
    )


def wait_for(
    jobs: TrainingJobs, name: str, *statuses: str, phase: str | None = None
) -> TrainingJob:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job = next(job for job in jobs.jobs() if job.name == name)
        if job.status in statuses and (phase is None or job.phase == phase):
            return job
        time.sleep(0.1)
    raise AssertionError(f"{job} never became {statuses}")


def started(
    folder: Path, how: str = "", status: str = "done", phase: str | None = None
) -> tuple[TrainingJobs, str]:
    """A run that was started, and came to this status."""
    jobs = jobs_in(folder, how)
    name = jobs.start(PLAN).name
    wait_for(jobs, name, status, phase=phase)
    return jobs, name


def test_a_run_ends_with_its_scores_and_its_head(tmp_path):
    jobs, name = started(tmp_path)
    (job,) = jobs.jobs()
    assert [epoch.epoch for epoch in job.course] == [0, 1, 2, 3]
    assert job.losses[0] == (0.5, 1.0)
    assert (job.scores[0].value, job.scores[0].guess, job.scores[0].rows) == (0.8, 0.5, 50)
    assert (job.head, job.best_epoch, job.step, job.steps) == (name, 3, 30, 30)
    data = yaml.safe_load((tmp_path / name / "config.yaml").read_text())["data"]["init_args"]
    assert (tmp_path / name / data["train"]).is_file()
    assert (tmp_path / name / data["test"]).is_file()
    assert not list(tmp_path.glob(".job-*"))


@pytest.mark.parametrize(("how", "phase"), [("slow", "training"), ("early", "layers")])
def test_a_stopped_run_keeps_its_best_head(tmp_path, how, phase):
    jobs, name = started(tmp_path, how, "running", phase)
    job = jobs.stop(name)
    assert job.stopping or job.status == "stopped"  # a run may end before the answer
    job = wait_for(jobs, name, "stopped")
    kept = (name, "Stopped in round 1; the best state so far (round 1) was kept.")
    assert (job.head, str(job.message)) == (
        kept if how == "slow" else (None, "Stopped before there was anything to keep.")
    )


def test_a_finished_run_can_be_deleted(tmp_path):
    jobs, name = started(tmp_path)
    jobs.delete(name)
    assert jobs.jobs() == ()
    assert not (tmp_path / name).exists()
    for wrong in (name, "../x", ""):
        with pytest.raises(InputError, match="There is no run"):
            jobs.delete(wrong)


def test_a_running_run_blocks_others_and_its_deletion(tmp_path):
    jobs, name = started(tmp_path, "slow", "running", "training")
    with pytest.raises(InputError, match="is still training. Stop it first"):
        jobs.delete(name)
    for other in (jobs, jobs_in(tmp_path)):
        with pytest.raises(
            InputError, match="“Sentiment or topic: sample” is still training. Stop it, or wait"
        ):
            other.start(PLAN)
    assert [job.name for job in jobs.jobs()] == [name]
    jobs.stop(name)
    wait_for(jobs, name, "stopped")
    assert wait_for(jobs, jobs_in(tmp_path).start(PLAN).name, "done").name == f"{name}-2"


def test_a_stopped_run_is_resumed_from_its_last_round(tmp_path):
    jobs, name = started(tmp_path, "slow", "running", "training")
    jobs_in(tmp_path, "slow").stop(name)  # as after a restart of the app
    assert wait_for(jobs, name, "stopped").can_resume
    (tmp_path / name / "last.ckpt").write_text("state of the training")
    other = jobs_in(tmp_path)
    assert other.resume(name).status == "running"
    job = wait_for(other, name, "done")
    assert (tmp_path / name / "arguments.json").read_text() == '["--ckpt_path", "last.ckpt"]'
    assert [epoch.epoch for epoch in job.course] == [0, 1, 2, 3]
    assert [at for at, _ in job.losses] == [0.5, 1.5, 2.5]
    with pytest.raises(InputError, match="has no rounds left to train"):
        other.resume(name)


def test_examples_of_try_are_trained_on(tmp_path):
    jobs = jobs_in(tmp_path)
    assert [
        jobs.keep_example("classification", line)
        for line in ("bad: A dull\n day.", "bad: A dull day.")
    ] == [1, 1]
    job = jobs.start(TrainingPlan("classification", with_examples=True, balanced=True, epochs=3))
    assert job.data == "the sample that comes with the program and your examples"
    lines = (tmp_path / job.name / "train.jsonl").read_text().splitlines()
    assert json.loads(lines[-1]) == {"text": "A dull day.", "label": "bad"}
    config = yaml.safe_load((tmp_path / job.name / "config.yaml").read_text())
    assert config["model"]["init_args"]["class_weights"] == "balanced"
    wait_for(jobs, job.name, "done")
    with pytest.raises(InputError, match="Your examples: 1 texts; training needs 20 or more"):
        jobs.start(TrainingPlan("classification", "examples"))
    rows = "".join(f"good: Day {k} was fine.\nbad: Day {k}: rain.\n" for k in range(20))
    jobs.store_examples("classification", rows)
    job = jobs.start(TrainingPlan("classification", "examples", epochs=3))
    assert (job.title, job.data) == (
        "Sentiment or topic: examples",
        "your examples (40 rows, typed here)",
    )
    wait_for(jobs, job.name, "done")


def test_a_second_stop_does_not_wait(tmp_path):
    jobs, name = started(tmp_path, "stubborn", "running", "training")
    time.sleep(0.5)
    assert jobs.stop(name).status == "running"
    jobs.stop(name)
    assert wait_for(jobs, name, "stopped").head is None


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("crash", "^train.tsv, line 3: expected 2 columns, found 1$"),
        ("bug", r"ZeroDivisionError: one by nothing \(the whole log is in .*log.txt\)$"),
    ],
)
def test_the_reason_of_a_failure_names_no_folder_of_this_machine(tmp_path, how, message):
    (job,) = started(tmp_path, how, "failed")[0].jobs()
    assert re.search(message, str(job.message))
    assert str(tmp_path) not in str(job.message)
    assert job.head is None


def test_a_process_killed_from_outside_is_a_failure(tmp_path):
    jobs, name = started(tmp_path, "slow", "running", "training")
    os.kill(json.loads((tmp_path / name / "job.json").read_text())["pid"], 9)
    assert "ended from outside" in wait_for(jobs, name, "failed").message.headline


def test_nothing_is_started_or_kept_where_training_is_off(tmp_path):
    jobs = jobs_in(tmp_path / "runs", allowed=False)
    for ask in (
        lambda: jobs.start(PLAN),
        lambda: jobs.stop("x"),
        lambda: jobs.delete("x"),
        lambda: jobs.preview(PLAN),
        lambda: jobs.store_upload("a.tsv", b"x"),
        lambda: jobs.keep_example("classification", "good: Fine."),
        lambda: jobs.examples("classification"),
    ):
        with pytest.raises(InputError, match="off here.*--allow-training"):
            ask()
    assert jobs.jobs() == ()
    assert not jobs.offer().allowed
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "name", ["../../etc", "a/b\\c", "<b>x</b>", "elmo-mini", "uploads", "examples", "…", "CON: yes"]
)
def test_no_name_leaves_the_folder_of_runs(tmp_path, name):
    jobs = jobs_in(tmp_path / "runs")
    job = jobs.start(TrainingPlan("classification", name=name, epochs=3))
    wait_for(jobs, job.name, "done")
    assert job.title == name
    assert (tmp_path / "runs" / job.name).is_dir()
    assert set(job.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert job.name not in ("uploads", "layers", "examples")
    assert [p.name for p in tmp_path.iterdir()] == ["runs"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"status": 3}',
        json.dumps({"title": 1, "kind": 2, "status": 3, "created": "x", "epochs": []}),
    ],
)
def test_a_run_with_a_broken_description_is_skipped(tmp_path, content):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "job.json").write_text(content)
    jobs, name = started(tmp_path)
    assert name in [job.name for job in jobs.jobs()]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "Rounds: type a whole number from 1 to 200"),
        ({"epochs": 2.5}, "Rounds: type a whole number"),
        ({"epochs": "many"}, "Rounds: type a whole number"),
        ({"epochs": True}, "Rounds: type a whole number"),
        ({"hidden": 4}, "Hidden size: type a whole number from 8 to 512"),
        ({"learning_rate": float("nan")}, "Learning rate: type a number"),
        ({"layers": "7"}, "layers: choose learned, 0, mean"),
        ({"kind": "poetry"}, "kind: choose"),
        ({"source": "hub", "data": "../secret"}, "There is no public data set “../secret”"),
        (
            {"source": "hub", "data": "conll2003"},
            "There is no public data set “conll2003” here",
        ),
        ({"source": "upload", "data": "../../etc/passwd"}, "The file was removed"),
        ({"name": "x" * 61}, "The name has 61 characters; the most is 60"),
        ({"kind": "tagging", "balanced": True}, "tags of words cannot"),
    ],
)
def test_an_impossible_plan_is_refused(tmp_path, change, message):
    plan = TrainingPlan(**{"kind": "classification", "epochs": 3, **change})
    with pytest.raises(InputError, match=message):
        jobs_in(tmp_path).start(plan)
    assert not list(tmp_path.glob("*/job.json"))


def test_an_incomplete_progress_line_is_skipped(tmp_path):
    _, name = started(tmp_path)
    with (tmp_path / name / "progress.jsonl").open("a") as file:
        file.write('{"epoch": 4, "sco')
    assert len(read_job(tmp_path / name).course) == 4


@pytest.mark.parametrize(
    "ask",
    [lambda jobs: jobs.start(PLAN), lambda jobs: jobs.store_upload("a.csv", b"text,label\nA.,b\n")],
)
def test_a_read_only_folder_is_reported(tmp_path, ask):
    (tmp_path / "file").write_text("no folder can be below it")
    with pytest.raises(InputError, match=r"folder for runs cannot be written .*--runs_dir"):
        ask(jobs_in(tmp_path / "file" / "runs"))


def test_no_test_share_without_enough_rows(tmp_path):
    jobs = jobs_in(tmp_path)
    few = "text,label\n" + "Rain again.,bad\nA fine day.,good\n" * 20
    many = "text,label\n" + "".join(
        f"Day {k} was fine.,good\nDay {k} was wet.,bad\n" for k in range(20)
    )
    for content, test in ((few, None), (many, "test.jsonl")):
        key = jobs.store_upload("a.csv", content.encode())
        job = jobs.start(TrainingPlan("classification", "upload", key, epochs=3))
        config = yaml.safe_load((tmp_path / job.name / "config.yaml").read_text())
        assert config["data"]["init_args"]["test"] == test
        wait_for(jobs, job.name, "done")


def test_a_reason_reveals_no_folder_of_this_machine(tmp_path):
    log = (
        f"fit: {tmp_path}/train.csv, line 3: bad; see /opt/somewhere/deep/text.py and"
        " https://example.org/a/b, 1/2"
    )
    (tmp_path / LOG).write_text(log)
    assert (
        _reason(tmp_path) == "train.csv, line 3: bad; see text.py and https://example.org/a/b, 1/2"
    )


ABOUT = {"title": "yes: [no]", "data": "x", "licence": "y"}


def config(tmp_path: Path, spans: bool = True, **plan):
    return config_for(
        TrainingPlan(**{"kind": "classification", **plan}),
        "elmo-mini",
        3,
        layer_store=tmp_path,
        about=ABOUT,
        spans=spans,
    )


@pytest.mark.parametrize(
    ("layers", "weights"), [("learned", None), ("0", [1, 0, 0]), ("mean", [1 / 3] * 3)]
)
@pytest.mark.parametrize(
    ("kind", "size"), [("classification", "hidden"), ("tagging", "lstm_hidden")]
)
def test_the_plan_is_in_the_settings_and_every_file_below_the_run(
    tmp_path, kind, size, layers, weights
):
    found = config(
        tmp_path, kind=kind, source="upload", layers=layers, epochs=7, hidden=33, learning_rate=0.01
    )
    model = found["model"]["init_args"]
    head = model["head"]["init_args"]
    assert (found["trainer"]["max_epochs"], model["learning_rate"], head[size]) == (7, 0.01, 33)
    assert head.get("fixed_weights") == weights
    assert not re.search("runs/|elmo_tasks/data", yaml.safe_dump(found))


@pytest.mark.parametrize(
    ("kind", "spans", "score"),
    [
        ("tagging", True, "f1"),
        ("tagging", False, "accuracy"),
        ("classification", True, "macro_f1"),
    ],
)
def test_the_best_epoch_is_that_of_the_watched_score(tmp_path, kind, spans, score):
    written = config(tmp_path, spans, kind=kind)
    checkpoint = next(
        c for c in written["trainer"]["callbacks"] if c["class_path"].endswith("RunCheckpoint")
    )
    assert checkpoint["init_args"]["monitor"] == f"val_{score}"


def test_tags_without_spans_have_no_scheme(tmp_path):
    assert (
        config(tmp_path, kind="tagging", source="upload", spans=False)["data"]["init_args"][
            "scheme"
        ]
        is None
    )


def test_every_known_public_data_set_is_offered(tmp_path):
    offered = {name: kind for kind in TASKS.values() for name in kind.hub}
    assert set(offered) == set(HUB_DATA_SETS)
    for name, kind in offered.items():
        assert (HUB_DATA_SETS[name][1] == "tokens") == (kind.name == "tagging")
        data = config(tmp_path, kind=kind.name, source="hub", data=name)["data"]["init_args"]
        assert data["hub"] == name
        assert data["limit_train"] == 5_000
        assert (data.get("validation") is None) == bool(data["validation_share"])


def test_a_name_that_looks_like_yaml_stays_a_name(tmp_path):
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config(tmp_path)))
    export = yaml.safe_load((tmp_path / "c.yaml").read_text())["trainer"]["callbacks"][-1]
    parser = ArgumentParser(parser_mode="yaml", exit_on_error=False)
    parser.add_class_arguments(ExportHead, "export")
    assert parser.parse_object({"export": export["init_args"]}).export.about["title"] == "yes: [no]"
