"""The table of systems in docs/systems.md: every command is one that the program understands, and
those of a few seconds run."""

import argparse
import re
import shlex

import pytest

from elmo_tasks.__main__ import COMMANDS, main
from elmo_tasks.bundled import CONFIGS
from elmo_tasks.ui.layout import TABS
from tests.test_readme import PAGES, REPOSITORY

ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \|$",
    PAGES["docs/systems.md"].split("## What you can try\n")[1].split("\n## ")[0],
    re.MULTILINE,
)[1:]
SYSTEMS = "Word2Vec AllenNLP TF-Hub layers BERT sentence-transformers probing neighbours mix"
SENTENCES = [
    "--sentence",
    "The bank refused our loan.",
    "--sentence",
    "We sat on the bank of the river.",
]


def commands(row):
    """Return code spans that begin with a command; an ellipsis stands for sentences."""
    for text in re.findall(r"`([^`]+)`", row):
        words = shlex.split(text.removeprefix("elmo-tasks "))
        if words[0] in (*COMMANDS, "fit"):
            yield [word for part in words for word in (SENTENCES if part == "…" else [part])]


ALL = [(system, words) for system, row in ROWS for words in commands(row)]


def test_the_table_has_every_system():
    assert len(ROWS) == len(SYSTEMS.split())
    for word in SYSTEMS.split():
        assert any(word in system for system, _ in ROWS), word
    for system, row in ROWS:
        assert list(commands(row)) or ".md#" in row, system


@pytest.mark.parametrize("words", [words for _, words in ALL], ids=[system for system, _ in ALL])
def test_a_command_is_one_that_the_program_understands(words):
    name, *rest = words
    if name == "fit":
        assert (CONFIGS / f"{rest[rest.index('--config') + 1]}.yaml").is_file()
    elif "FILE" in rest:
        assert rest == [
            "--static",
            "FILE",
        ]  # the rest of the line is the row's of nearest neighbours
    else:
        parser = argparse.ArgumentParser()
        COMMANDS[name].add_arguments(parser)
        parser.parse_args(rest)


def test_tabs_that_it_names_are_there():
    layout = (REPOSITORY / "elmo_tasks" / "ui" / "layout.py").read_text(encoding="utf-8")
    named = set(re.findall(r"\*\*([^*]+)\*\*", " ".join(row for _, row in ROWS)))
    assert named
    assert all(f'gr.Tab("{name}' in layout for name in named), named
    assert len(TABS) >= len(named)


QUICK = ("Word2Vec", "single layers", "sentence-transformers")


@pytest.mark.ci  # they load the bundled models
@pytest.mark.parametrize("system", QUICK)
def test_a_command_runs(system, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sentences.txt").write_text("The bank refused our loan .\n")
    (tmp_path / "FOLDER.txt").write_text("2 2\nbank 1 0\nriver 0 1\n")
    words = next(words for name, words in ALL if system in name)
    assert main(["FOLDER.txt" if word == "FOLDER" else word for word in words]) == 0
    written = [path for path in tmp_path.iterdir() if path.name == "out.hdf5"]
    printed = capsys.readouterr().out
    assert written or "bank" in printed
    assert "1.00  1.00" in printed or system != "Word2Vec"
