"""Runs start, are watched, stopped, queued and found again; nobody trains where it is off."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from elmo_tasks.api import TrainingJob, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.jobs.job_folder import JobFolder, started_at
from elmo_tasks.jobs.job_queue import JobQueue
from elmo_tasks.jobs.training_config import LOG
from elmo_tasks.jobs.training_jobs import TrainingJobs

PLAN = TrainingPlan("classification", epochs=3)
FIT = str(Path(__file__).with_name("pretend_fit.py"))


def jobs_in(folder: Path, how: str = "", allowed: bool = True) -> TrainingJobs:
    return TrainingJobs(folder, "elmo-mini", lambda: 3, allowed, [sys.executable, FIT, how])


def wait_for(jobs: TrainingJobs, name: str, *statuses: str, phase: str | None = None) -> TrainingJob:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job = next(job for job in jobs.jobs() if job.name == name)
        if job.status in statuses and (phase is None or job.phase == phase):
            return job
        time.sleep(0.1)
    raise AssertionError(f"{job} never became {statuses}")


def test_a_run_ends_with_its_scores_and_its_head(tmp_path):
    jobs = jobs_in(tmp_path)
    name = jobs.start(PLAN).name
    job = wait_for(jobs, name, "done")
    assert [epoch.epoch for epoch in job.course] == [0, 1, 2, 3]
    assert job.losses[0] == (0.5, 1.0)
    assert (job.scores[0].value, job.scores[0].guess, job.scores[0].rows) == (0.8, 0.5, 50)
    assert (job.head, job.best_epoch, job.step, job.steps) == (name, 3, 30, 30)


def test_a_run_is_in_one_folder_with_its_data_and_its_config(tmp_path):
    jobs = jobs_in(tmp_path)
    folder = tmp_path / jobs.start(PLAN).name
    config = yaml.safe_load((folder / "config.yaml").read_text())
    assert (folder / config["data"]["init_args"]["train"]).is_file()
    assert (folder / config["data"]["init_args"]["test"]).is_file()
    assert not list(tmp_path.glob(".job-*"))


@pytest.mark.parametrize(("how", "phase"), [("slow", "training"), ("early", "layers")])
def test_a_stop_keeps_what_there_is(tmp_path, how, phase):
    jobs = jobs_in(tmp_path, how)
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "running", phase=phase)
    assert jobs.stop(name).stopping
    job = wait_for(jobs, name, "stopped")
    if how == "slow":
        assert job.head == name
        assert job.message == "Stopped in round 1; the best state so far (round 1) was kept."
    else:
        assert job.head is None
        assert job.message == "Stopped before there was anything to keep."


def test_a_run_that_is_over_can_be_renamed_and_deleted(tmp_path):
    jobs = jobs_in(tmp_path)
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "done")
    assert jobs.rename(name, "  Rain \n or shine ").title == "Rain or shine"
    assert jobs.jobs()[0].title == "Rain or shine"
    assert JobFolder(tmp_path / name).card()["title"] == "Rain or shine"
    with pytest.raises(InputError, match="Type a name"):
        jobs.rename(name, " ")
    with pytest.raises(InputError, match="The name has 61 characters; the most is 60"):
        jobs.rename(name, "x" * 61)
    jobs.delete(name)
    assert jobs.jobs() == ()
    assert not [path for path in tmp_path.iterdir() if path.name in (name,) or path.name.startswith(".gone")]
    for wrong in (name, "../x", ""):
        with pytest.raises(InputError, match="There is no run"):
            jobs.delete(wrong)
    with pytest.raises(InputError, match="Training and uploads are off here"):
        jobs_in(tmp_path, allowed=False).delete(name)


def test_a_run_that_is_not_over_is_neither_renamed_nor_deleted(tmp_path):
    jobs = jobs_in(tmp_path, "slow")
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "running", phase="training")
    for ask in (lambda: jobs.delete(name), lambda: jobs.rename(name, "other")):
        with pytest.raises(InputError, match="is not over. Stop it first"):
            ask()
    jobs.stop(name)
    wait_for(jobs, name, "stopped")


def test_a_second_stop_does_not_wait(tmp_path):
    jobs = jobs_in(tmp_path, "stubborn")
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "running", phase="training")
    time.sleep(0.5)
    assert jobs.stop(name).status == "running"
    jobs.stop(name)
    assert wait_for(jobs, name, "stopped").head is None


def test_a_failure_is_told_without_the_places_of_this_machine(tmp_path):
    jobs = jobs_in(tmp_path, "crash")
    job = wait_for(jobs, jobs.start(PLAN).name, "failed")
    assert job.message == "train.tsv, line 3: expected 2 columns, found 1"
    assert job.head is None


def test_a_fault_of_the_program_names_its_last_line(tmp_path):
    jobs = jobs_in(tmp_path, "bug")
    job = wait_for(jobs, jobs.start(PLAN).name, "failed")
    assert "ZeroDivisionError: one by nothing" in job.message
    assert "log.txt" in job.message
    assert str(tmp_path) not in job.message


def test_a_process_killed_from_outside_is_a_failure(tmp_path):
    jobs = jobs_in(tmp_path, "slow")
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "running", phase="training")
    os.kill(JobFolder(tmp_path / name).state()["pid"], 9)
    assert "ended from outside" in wait_for(jobs, name, "failed").message


def test_a_run_is_found_again_and_stopped_by_another_app(tmp_path):
    name = jobs_in(tmp_path, "slow").start(PLAN).name
    other = jobs_in(tmp_path, "slow")
    wait_for(other, name, "running", phase="training")
    other.stop(name)
    assert wait_for(other, name, "stopped").head == name


def test_another_process_with_the_same_number_is_not_mistaken_for_the_run(tmp_path):
    jobs = jobs_in(tmp_path)
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "done")
    folder = JobFolder(tmp_path / name)
    recycled = folder.update(status="running", pid=os.getpid(), pid_started="long ago")
    assert not folder.is_running(recycled)
    assert folder.is_running(folder.update(pid_started=started_at(os.getpid())))
    folder.update(pid_started="long ago")
    assert wait_for(jobs_in(tmp_path), name, "done").head == name


def test_a_second_run_waits_for_the_first(tmp_path):
    jobs = jobs_in(tmp_path, "slow")
    first, second = jobs.start(PLAN).name, jobs.start(PLAN)
    assert second.status == "queued"
    assert first != second.name
    wait_for(jobs, first, "running", phase="training")
    jobs.stop(first)
    wait_for(jobs, first, "stopped")
    wait_for(jobs, second.name, "running", phase="training")
    jobs.stop(second.name)
    wait_for(jobs, second.name, "stopped")


def test_what_waits_can_be_taken_back(tmp_path):
    jobs = jobs_in(tmp_path, "slow")
    first, second = jobs.start(PLAN).name, jobs.start(PLAN).name
    assert jobs.stop(second).status == "stopped"
    wait_for(jobs, first, "running", phase="training")
    jobs.stop(first)
    wait_for(jobs, first, "stopped")
    assert wait_for(jobs, second, "stopped").head is None


def test_nothing_is_started_or_kept_where_training_is_off(tmp_path):
    jobs = jobs_in(tmp_path / "runs", allowed=False)
    for ask in (
        lambda: jobs.start(PLAN),
        lambda: jobs.stop("x"),
        lambda: jobs.look(PLAN),
        lambda: jobs.keep_upload("a.tsv", b"x"),
    ):
        with pytest.raises(InputError, match="off here.*--allow-training"):
            ask()
    assert jobs.jobs() == ()
    assert not jobs.offer().allowed
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["../../etc", "a/b\\c", "<b>x</b>", "elmo-mini", "uploads", "…", "CON: yes"])
def test_no_name_leaves_the_folder_of_runs(tmp_path, name):
    jobs = jobs_in(tmp_path / "runs")
    job = jobs.start(TrainingPlan("classification", name=name, epochs=3))
    wait_for(jobs, job.name, "done")
    assert job.title == name
    assert (tmp_path / "runs" / job.name).is_dir()
    assert set(job.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert job.name not in ("uploads", "layers")
    assert [p.name for p in tmp_path.iterdir()] == ["runs"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"status": 3}', json.dumps({"title": 1, "kind": 2, "status": 3, "created": "x", "epochs": []})],
)
def test_a_folder_that_was_meddled_with_takes_no_other_away(tmp_path, content):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "job.json").write_text(content)
    jobs = jobs_in(tmp_path)
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "done")
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
        ({"source": "hub", "data": "conll2003"}, "There is no public data set “conll2003” for this"),
        ({"source": "upload", "data": "../../etc/passwd"}, "The file is not here any more"),
        ({"name": "x" * 61}, "The name has 61 characters; the most is 60"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(tmp_path, change, message):
    plan = TrainingPlan(**{"kind": "classification", "epochs": 3, **change})
    with pytest.raises(InputError, match=message):
        jobs_in(tmp_path).start(plan)
    assert not list(tmp_path.glob("*/job.json"))


def test_the_queue_has_an_end(tmp_path):
    jobs = jobs_in(tmp_path, "slow")
    first = jobs.start(PLAN).name
    for _ in range(5):
        jobs.start(PLAN)
    with pytest.raises(InputError, match="5 runs are waiting already"):
        jobs.start(PLAN)
    for job in jobs.jobs():
        if job.status == "queued":
            jobs.stop(job.name)
    wait_for(jobs, first, "running", phase="training")
    jobs.stop(first)
    wait_for(jobs, first, "stopped")


def test_a_line_of_progress_that_is_being_written_is_left_out(tmp_path):
    jobs = jobs_in(tmp_path)
    name = jobs.start(PLAN).name
    wait_for(jobs, name, "done")
    with (tmp_path / name / "progress.jsonl").open("a") as file:
        file.write('{"epoch": 4, "sco')
    assert len(JobFolder(tmp_path / name).job().course) == 4


@pytest.mark.parametrize(
    "ask", [lambda jobs: jobs.start(PLAN), lambda jobs: jobs.keep_upload("a.csv", b"text,label\nA.,b\n")]
)
def test_a_folder_that_cannot_be_written_is_said(tmp_path, ask):
    (tmp_path / "file").write_text("no folder can be below it")
    with pytest.raises(InputError, match=r"folder for runs cannot be written .*--runs_dir"):
        ask(jobs_in(tmp_path / "file" / "runs"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_queue_goes_on_after_a_fault_that_nobody_foresaw(tmp_path, monkeypatch):
    jobs = jobs_in(tmp_path)
    name = jobs.start(TrainingPlan("classification", epochs=3)).name
    queue = jobs._queue

    def full() -> bool:
        raise OSError("no space left on the disk")

    with monkeypatch.context() as patch:
        patch.setattr(queue, "advance", full)
        queue.keep_going()
        assert queue._thread is not None
        queue._thread.join(30)
    assert wait_for(jobs, name, "done").head == name


def test_where_nothing_can_be_kept_apart_nothing_is_tested_on(tmp_path):
    jobs = jobs_in(tmp_path)
    few = "text,label\n" + "Rain again.,bad\nA fine day.,good\n" * 20
    many = "text,label\n" + "".join(f"Day {k} was fine.,good\nDay {k} was wet.,bad\n" for k in range(20))
    for content, test in ((few, None), (many, "test.jsonl")):
        key = jobs.keep_upload("a.csv", content.encode())
        job = jobs.start(TrainingPlan("classification", "upload", key, epochs=3))
        config = yaml.safe_load((tmp_path / job.name / "config.yaml").read_text())
        assert config["data"]["init_args"]["test"] == test
        wait_for(jobs, job.name, "done")


def test_a_reason_tells_no_folder_of_this_machine(tmp_path):
    folder = JobFolder(tmp_path / "run")
    (tmp_path / "run").mkdir()
    log = (
        f"fit: {tmp_path}/run/train.csv, line 3: bad; see /opt/somewhere/deep/text.py and https://example.org/a/b, 1/2"
    )
    (tmp_path / "run" / LOG).write_text(log)
    assert folder.reason() == "train.csv, line 3: bad; see text.py and https://example.org/a/b, 1/2"


def test_what_a_killed_run_left_half_written_is_removed(tmp_path):
    folder = JobFolder(tmp_path / "run")
    folder.path.mkdir()
    folder.write({"title": "t", "kind": "tagging", "status": "running", "created": 1.0, "epochs": 1})
    code = "import os, sys; from pathlib import Path; from elmo_tasks.files import unfinished_folder\n"
    code += "with unfinished_folder(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(folder.path / "head")], check=False)
    assert len(list(folder.path.glob(".head.*"))) == 1
    JobQueue(tmp_path, ["true"]).advance()
    assert not list(folder.path.glob(".head.*"))
    assert folder.state()["status"] == "failed"


def test_examples_are_added_to_those_of_a_run(tmp_path):
    jobs = jobs_in(tmp_path)
    rows = [{"text": f"day {k} of rain", "label": "good" if k % 2 else "bad"} for k in range(40)]
    key = jobs.keep_upload("days.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    first = jobs.start(TrainingPlan("classification", "upload", key, name="first", epochs=3))
    assert wait_for(jobs, first.name, "done").base == "first"
    more = jobs.keep_upload("more.jsonl", b'{"text": "a dull day", "label": "bad"}\n')
    second = jobs.start(TrainingPlan("classification", "upload", more, base="first", balanced=True, epochs=3))
    lines = (tmp_path / second.name / "train.jsonl").read_text().splitlines()
    assert json.loads(lines[-1]) == {"text": "a dull day", "label": "bad"}
    assert len(lines) == len((tmp_path / "first" / "train.jsonl").read_text().splitlines()) + 1
    assert second.data == "more.jsonl (41 rows, your file and the rows before)"
    config = yaml.safe_load((tmp_path / second.name / "config.yaml").read_text())
    assert config["model"]["init_args"]["class_weights"] == "balanced"
    for base, said in (("gone", "There is no run “gone”"), ("../x", "There is no run")):
        with pytest.raises(InputError, match=said):
            jobs.look(TrainingPlan("classification", "upload", more, base=base))


def test_what_others_can_be_added_to(tmp_path):
    jobs = jobs_in(tmp_path)
    assert wait_for(jobs, jobs.start(PLAN).name, "done").base == "sample"
    state = JobFolder(tmp_path / jobs.jobs()[0].name)
    assert state.job(state.state() | {"source": "hub"}).base == ""
    state.update(source="upload")
    key = jobs.keep_upload("more.jsonl", b'{"text": "a dull day", "label": "bad"}\n')
    with pytest.raises(InputError, match="keeps no rows that others could be added to"):
        jobs.look(TrainingPlan("classification", "upload", key, base=jobs.jobs()[0].name))


def test_only_labels_of_texts_weigh_alike(tmp_path):
    with pytest.raises(InputError, match="tags of words cannot"):
        jobs_in(tmp_path).start(TrainingPlan("tagging", balanced=True))
