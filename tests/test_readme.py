"""Every command in the README runs, or is at least one that the program understands; every link in it leads somewhere."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = "\n".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.strip()]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder as a reader would have it: the repository's files, and a text of one's own."""
    folder = tmp_path_factory.mktemp("reader")
    names = "app.py elmo_tasks lightning_configs checkpoints benchmarks Makefile requirements.txt requirements-dev.txt"
    for name in names.split():
        (folder / name).symlink_to(REPOSITORY / name)
    text = "The kettle sang and nobody heard it .\nRain fell on the roof of the old station .\n" * 350
    (folder / "my_text.txt").write_text(text)
    (folder / "sentences.txt").write_text(text.splitlines()[0] + "\n")
    tagged = ["Ada\tB-PER\nfound\tO\nLima\tB-LOC\n", "The\tO\nkettle\tO\nsang\tO\n"]
    (folder / "my_tags.conll").write_text("\n".join(tagged * 20))
    return folder


def run(folder, *arguments, timeout=240, typed=None):
    environment = os.environ | {"ELMO_TASKS_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, input=typed
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


HEAD_RUN = ["--trainer.accelerator=cpu"]
# 300 steps and more, so that a resume file is written, in seconds.
SMALL = ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false", "--data.init_args.batch_size=1"]


@pytest.mark.slow
@pytest.mark.parametrize("command", list(dict.fromkeys(commands())))
def test_a_command_runs(command, workplace):
    words = shlex.split(command, comments=True)
    typed = None
    if "|" in words:  # echo TEXT | python ...
        assert words[0] == "echo"
        typed, words = words[1] + "\n", words[words.index("|") + 1 :]
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets
        run(workplace, "make", "--dry-run", *words[1:])
    elif words[:2] == ["python", "app.py"]:
        known = run(workplace, sys.executable, "app.py", "--help")
        assert all(word in known for word in words[2:] if word.startswith("--"))
    elif words[0] == "tensorboard":
        run(workplace, str(Path(sys.executable).with_name("tensorboard")), "--help")
    elif words[2].startswith("benchmarks."):
        run(workplace, sys.executable, "-m", words[2], "--help")
    elif words[3] == "download" or "small" in words:  # from the network, or of what came from there
        run(workplace, sys.executable, *words[1:4], "--help")
    elif words[3] in ("fit", "test") and "ner_sample" in command:
        epochs = [] if words[3] == "test" else [f"--trainer.max_epochs={2 if '--ckpt_path' in words else 1}"]
        run(workplace, sys.executable, *words[1:], *HEAD_RUN, *epochs)
    elif words[3] == "fit":
        resumes = "--ckpt_path" in words
        assert not resumes or (workplace / words[-1]).exists()  # the command before wrote it
        run(workplace, sys.executable, *words[1:], *SMALL)
        assert (workplace / "runs" / "bilm_own_text" / "model" / "options.json").exists()
    else:
        assert words[:3] == ["python", "-m", "elmo_tasks"], f"a command this test does not know: {command}"
        if "--index" in words:  # the whole held-out text takes minutes; a text of the same form stands in for it
            words[words.index("--text") + 1 :] = ["my_text.txt", "--index", "index.tsv"]
            (workplace / "index.tsv").write_text("source\tfirst_line\tlast_line\nwiki_enwiki2018\t1\t20\n")
        elif words[3] == "evaluate" and words[-1] == "../shared/data":
            # With the data sets it takes minutes; without them it says what is missing.
            (workplace / "no_data").mkdir(exist_ok=True)
            words[-1] = "no_data"
        elif words[3] == "evaluate" and "my_text.txt" in words:  # the full softmax over 700 lines takes its time
            words[words.index("my_text.txt")] = "sentences.txt"
        if "--head" in words and "--data" in words and "../shared" in command:
            data = REPOSITORY / words[-1]
            if not data.exists():
                pytest.skip(f"{words[-1]} is not here")
            words[-1] = str(data)
        run(workplace, sys.executable, *words[1:], typed=typed)


@pytest.mark.slow
@pytest.mark.parametrize("code", [c for c in blocks("python") if "gradio_client" not in c])
def test_python_code_runs(code, workplace):
    assert run(workplace, sys.executable, "-c", code)


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (REPOSITORY / target).exists(), target
    anchors = {
        re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", README, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors


def test_the_front_matter_is_that_of_a_hosted_space():
    front = yaml.safe_load(README.split("---")[1])
    assert front["sdk"] == "gradio"
    assert (REPOSITORY / front["app_file"]).exists()
    wanted = re.search(r"^gradio>=([\d.]+)", (REPOSITORY / "requirements.txt").read_text(), re.MULTILINE)
    assert front["sdk_version"].startswith(wanted[1])
    assert len(front["short_description"]) <= 60


def test_nothing_tracked_is_too_large_for_a_hosted_space():
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout
    sizes = {
        name: (REPOSITORY / name).stat().st_size
        for name in tracked.split("\0")
        if name and (REPOSITORY / name).exists()
    }
    assert all(size < 10_000_000 for size in sizes.values())
    assert sum(sizes.values()) < 60_000_000
