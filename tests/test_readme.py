"""Every command in the README and docs/ runs, or is at least one that the program understands;
every link leads somewhere."""

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.senses import lexicon
from elmo_tasks.ui.layout import build_app
from tests.ui.fake_service import FakeService

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
#: In the order of reading: later documents use files of the README.
PAGES = {
    str(path.relative_to(REPOSITORY)): path.read_text(encoding="utf-8")
    for path in [
        REPOSITORY / "README.md",
        *sorted((REPOSITORY / "docs").glob("*.md")),
        *REPOSITORY.glob("C*.md"),
    ]
}


def blocks(language: str, pages: Iterable[str] = PAGES.values()) -> list[str]:
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [block for page in pages for block in pattern.findall(page)]


def commands(pages: Iterable[str] = PAGES.values()) -> list[str]:
    lines = "\n".join(blocks("sh", pages)).replace("\\\n", " ").splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.strip()]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """Return a folder like that of a reader: the files of the repository and a text."""
    folder = tmp_path_factory.mktemp("reader")
    names = (
        "app.py elmo_tasks lightning_configs checkpoints benchmarks tests Makefile pyproject.toml"
    )
    for name in [*names.split(), "requirements.txt", "requirements-dev.txt", "constraints.txt"]:
        (folder / name).symlink_to(REPOSITORY / name)
    text = (
        "The kettle sang and nobody heard it .\nRain fell on the roof of the old station .\n" * 350
    )
    (folder / "my_text.txt").write_text(text)
    (folder / "sentences.txt").write_text(text.splitlines()[0] + "\n")
    (folder / "glove.txt").write_text("bank 1 0\nriver 0.6 0.8\nloan 0.8 0.6\n")
    tagged = ["Ada\tB-PER\nfound\tO\nLima\tB-LOC\n", "The\tO\nkettle\tO\nsang\tO\n"]
    (folder / "my_tags.conll").write_text("\n".join(tagged * 20))
    # docs/results.md makes it with sed and awk.
    (folder / "lower.marked").write_text("we met [ada](PER) in [lima](LOC)\n")
    return folder


@pytest.fixture
def reader(workplace, monkeypatch):
    """Return the folder and the environment of the commands; tests of one command run in one
    process."""
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(workplace / "cache"))
    return workplace


def run(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def called(function, capsys):
    """Return the output of a successful command."""
    try:
        status = function()
    except SystemExit as ended:  # --help
        status = ended.code
    printed = capsys.readouterr()
    assert status in (0, None), printed.err[-3000:]
    return printed.out


HEAD_RUN = ["--trainer.accelerator=cpu"]
# 300 steps and more, so that a resume file is written, in seconds.
SMALL = [
    "--trainer.accelerator=cpu",
    "--trainer.enable_progress_bar=false",
    "--data.init_args.batch_size=1",
]


#: The README's, and the first of the next page: the CI runs these, and the rest is nightly.
FIRST = 8


def by_their_turn(all_commands: list[str]) -> list:
    """Each command once; those after the first few are nightly."""
    found = list(dict.fromkeys(all_commands))
    return [
        pytest.param(c, marks=pytest.mark.ci if k < FIRST else pytest.mark.nightly)
        for k, c in enumerate(found)
    ]


@pytest.mark.parametrize("command", by_their_turn(commands()))
def test_a_command_runs(command, reader, monkeypatch, capsys):
    words = shlex.split(command, comments=True)
    typed = None
    if "|" in words:  # echo TEXT | python ...
        assert words[0] == "echo"
        typed, words = words[1] + "\n", words[words.index("|") + 1 :]
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets
        run(reader, "make", "--dry-run", *words[1:])
    elif words == [".", ".venv/bin/activate"]:
        assert "VENV ?= .venv" in (REPOSITORY / "Makefile").read_text()
    elif words[0] == "tensorboard":
        run(reader, str(Path(sys.executable).with_name("tensorboard")), "--help")
    elif words[:2] == ["python", "-m"]:
        if words[2] == "pytest":
            run(reader, sys.executable, "-m", "pytest", "--help")
            return
        assert words[2].split(".")[0] == "benchmarks", (
            f"a command this test does not know: {command}"
        )
        monkeypatch.setattr(sys, "argv", [words[2], "--help"])
        called(lambda: runpy.run_module(words[2], run_name="__main__"), capsys)
    else:
        assert words[0] == "elmo-tasks", f"a command this test does not know: {command}"
        if typed is not None:
            monkeypatch.setattr(
                sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode()), encoding="utf-8")
            )
        run_ours(
            words[1:],
            command,
            reader,
            monkeypatch,
            lambda *given: called(lambda: main(list(given)), capsys),
        )


def run_ours(words, command, workplace, monkeypatch, run):
    """Run a documented command in this process; its installation is tested in test_packaging.py."""
    name = words[0]
    if name == "app":
        known = run("app", "--help")
        assert all(word in known for word in words if word.startswith("--"))
    elif "small" in words:  # from the network, or of what came from there
        run(name, *words[1:2] * (name == "model"), "--help")
    elif (
        name == "sweep" and "--encoders" in words
    ):  # trains for minutes; tests/cli/test_sweep.py does it on tiny data
        known = run(name, "--help")
        assert all(word in known for word in words if word.startswith("--"))
    elif name in ("fit", "test") and ("_sample" in command or "--run" in words):
        epochs = [] if name == "test" else [f"--trainer.max_epochs={2 if '--run' in words else 1}"]
        run(*words, *HEAD_RUN, *epochs)
    elif "pos_transformer" in words:
        pytest.importorskip("transformers", reason="the package transformers is not installed")
        from tests.encoders.tiny_transformers import tiny_bert
        from tests.test_configs import conllu

        tiny_bert(workplace / words[-1])
        (workplace / "pos.conllu").write_text(conllu())
        files = [
            f"--data.init_args.{split}=pos.conllu" for split in ("train", "validation", "test")
        ]
        run(*words, *HEAD_RUN, *files, "--trainer.max_epochs=1")
    elif name == "sweep":
        run(*words, "--seeds", "1", "--fractions", "0.1", "--set", "trainer.max_epochs=1")
    elif name == "fit":
        resumes = "--ckpt_path" in words
        assert not resumes or (workplace / words[-1]).exists()  # the command before wrote it
        config = Path(words[words.index("--config") + 1]).stem
        fewer = (
            ["--data.init_args.n_batches=20"] if config in ("char_encoder", "cloze_mini") else []
        )
        run(*words, *SMALL, *fewer)
        written = "cloze.json" if config == "cloze_mini" else "options.json"
        assert (workplace / "runs" / config / "model" / written).exists()
    else:
        if name == "evaluate" and "--index" in words:
            # The whole held-out text takes minutes; a text of the same form stands in for it.
            words[words.index("--text") + 1 :] = ["my_text.txt", "--index", "index.tsv"]
            (workplace / "index.tsv").write_text(
                "source\tfirst_line\tlast_line\nwiki_enwiki2018\t1\t20\n"
            )
        elif name == "evaluate" and "../shared/data" in words:
            # With the data sets it takes minutes; without them it names them.
            (workplace / "no_data").mkdir(exist_ok=True)
            words[words.index("../shared/data")] = "no_data"
        elif (
            name == "evaluate" and "my_text.txt" in words
        ):  # the full softmax over 700 lines takes its time
            words[words.index("my_text.txt")] = "sentences.txt"
        elif (
            "--senses" in words
        ):  # the whole dictionary takes minutes; every twentieth word stands in for it
            full = lexicon.bundled_lexicon()
            few = lexicon.Lexicon(full.ambiguous[::20], full.one_meaning)
            monkeypatch.setattr(lexicon, "bundled_lexicon", lambda: few)
        if "--head" in words and "--data" in words and "../shared" in command:
            data = REPOSITORY / words[-1]
            if not data.exists():
                pytest.skip(f"{words[-1]} is not here")
            words[-1] = str(data)
        run(*words)


@pytest.mark.ci
@pytest.mark.parametrize("code", [c for c in blocks("python") if "gradio_client" not in c])
def test_python_code_runs(code, reader, capsys):
    assert called(lambda: exec(compile(code, "a page", "exec"), {"__name__": "__main__"}), capsys)


@pytest.mark.parametrize("code", [c for c in blocks("python") if "gradio_client" in c])
def test_endpoints_are_there(code):
    endpoints = set(re.findall(r'api_name="(/\w+)"', code))
    assert endpoints
    assert endpoints <= set(build_app(FakeService()).get_api_info()["named_endpoints"])


def anchors(page: str) -> set[str]:
    return {
        re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-")
        for h in re.findall(r"^#+ (.*)$", page, re.M)
    }


def without_code(page: str) -> str:
    """Return a page without its code spans, which contain no links."""
    return re.sub(r"`[^`\n]+`(?!\])", "", page)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    for target, _, anchor in (
        link.partition("#") for link in re.findall(r"\]\(([^)]+)\)", without_code(PAGES[name]))
    ):
        if target.startswith("http"):
            continue
        place = (REPOSITORY / name).parent / target if target else REPOSITORY / name
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place.read_text(encoding="utf-8")), f"{target}#{anchor}"


def test_each_page_and_each_picture_is_reached():
    every = "".join(PAGES.values())
    for path in [*(REPOSITORY / "docs").glob("*.md"), *(REPOSITORY / "docs").glob("*.png")]:
        assert re.search(rf"\]\((docs/)?{re.escape(path.name)}[)#]", every), path.name


def test_the_readme_is_one_page_and_activates_the_environment_before_it_is_used():
    assert len(README.splitlines()) <= 130
    lines = commands([README])
    first = next(
        k for k, line in enumerate(lines) if "elmo-tasks" in line or line.startswith("python")
    )
    assert ". .venv/bin/activate" in lines[:first]


def test_no_footnote_marks_in_the_documents():
    assert not [name for name, page in PAGES.items() if "†" in page or "‡" in page]


def test_the_front_matter_is_that_of_a_hosted_space():
    front = yaml.safe_load(README.split("---")[1])
    assert front["sdk"] == "gradio"
    assert (REPOSITORY / front["app_file"]).exists()
    wanted = re.search(
        r"^gradio>=([\d.]+)", (REPOSITORY / "requirements.txt").read_text(), re.MULTILINE
    )
    assert front["sdk_version"].startswith(wanted[1])
    assert len(front["short_description"]) <= 60


def tracked() -> list[Path]:
    """The files that are in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return [
        path for name in listed.stdout.split("\0") if name and (path := REPOSITORY / name).is_file()
    ]


def test_nothing_tracked_is_too_large_for_a_hosted_space():
    sizes = [path.stat().st_size for path in tracked()]
    assert all(size < 10_000_000 for size in sizes)
    assert sum(sizes) < 90_000_000


def test_no_conflict_markers_are_left():
    marks = tuple(f"{sign * 7} " for sign in "<>")
    texts = [
        path
        for path in tracked()
        if path.suffix in (".py", ".js", ".css", ".html", ".md", ".yaml", ".toml", ".txt")
    ]
    assert not [
        path
        for path in texts
        if any(line.startswith(marks) for line in path.read_text("utf-8").splitlines())
    ]
