"""Damaged or odd files, the same in every run: 2,000 for the readers and 2,000 for pages and
commands; each is read or refused."""

import json
import lzma
import random
import re

import pandas as pd
import pytest
import torch

from elmo_tasks.api import TrainingPlan
from elmo_tasks.bilm.model_files import find_model, load_bilm
from elmo_tasks.cli.arguments import lines_of
from elmo_tasks.data import labelled_texts, language_batches, sense_uses, tables, tag_files
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
from elmo_tasks.heads.head_files import Source, build_head, find_head, write_head
from elmo_tasks.recipes.static_vectors import write_vectors
from elmo_tasks.senses.entries import format_entries, read_entries
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.use_sources import sentences_of
from elmo_tasks.service.training_data import load_dataset, store_upload
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny
from tests.corpus.sentences import sentences_in
from tests.heads.test_head_files import a_tagger

VALUES = (
    None,
    True,
    -1,
    0,
    0.5,
    1e400,
    10**30,
    "",
    "x",
    "\ud800",
    [],
    {},
    [[]],
    [None, 1],
    {"a": None},
)
PIECES = [
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b"\t",
    b"\r",
    b"\n\n",
    b"#",
    b"[" * 50_000,
    b"x" * 300_000,
    b"9" * 6_000,
]
FOR_OTHERS = [
    (b"\n", b""),
    (b"\t", b" "),
    (b",", b";"),
    (b"\n", b"\r"),
    (b'"', b"'"),
    (b" ", b"\xa0"),
]


def read_texts(path):
    table = tables.read_table(path)
    tables.texts_of(table, tables.find_columns(table, labelled=False))
    labelled_texts.read_labelled_table(path)


def sources(folder):
    """Return complete files of every kind, each with its reader."""
    films = pd.DataFrame(
        {"text": [f"a dull, empty\nfilm {k}" for k in range(30)], "label": ["good", "bad"] * 15}
    )
    csv, rows = films.to_csv(index=False), [{"tokens": ["Ines", "ran"], "tags": ["B-PER", "O"]}] * 9
    lines, entries = "0 Ines B-PER\n1 ran O\n\n" * 9, [*bundled_lexicon().values()][:9]
    pairs = [
        {
            "id": "a",
            "tag": "T",
            "sentence1": "A bank.",
            "start1": 2,
            "end1": 6,
            "sentence2": "bank",
            "start2": 0,
            "end2": 4,
        }
    ]
    xml = '<c><sentence><instance id="s.0" lemma="owl" pos="NOUN">owl</instance></sentence></c>'
    (folder / "key").write_text("s.0 owl%1:18:00::\n")
    read_tags, search = tag_files.read_tag_file, sentences_in
    held_out = lambda path: language_batches.held_out_sentences(folder / "a.txt", path, ["w_1"])  # noqa: E731
    texts = [
        ("a.csv", csv, read_texts),
        ("b.csv", csv, search),
        ("a.csv.xz", lzma.compress(csv.encode()), read_texts),
        ("a.tsv", films.to_csv(index=False, sep="\t"), read_texts),
        ("c.csv", films.to_csv(index=False, header=False, sep=";"), read_texts),
        ("a.json", films.to_json(orient="records"), read_texts),
        ("a.jsonl", films.to_json(orient="records", lines=True), read_texts),
        ("a.trees", "(3 (2 It) (4 works))\n(1 (2 It) (0 (1 does) (1 not)))\n", read_texts),
        ("a.txt", "A b. C d,\ne f.\n" * 9, search),
        ("a.conll", lines, read_tags),
        ("d.csv", lines.replace(" ", ","), read_tags),
        ("b.json", json.dumps(rows), read_tags),
        ("b.jsonl", "".join(json.dumps(row) + "\n" for row in rows), read_tags),
        ("a.marked", "[Ada Marsh](PER) left.\n" * 9, read_tags),
        (
            "a.conllu",
            "# a\n1\tIt\tit\tPRON\t_\t_\t0\tn\t_\t_\n\n" * 9,
            lambda path: read_tags(path, tag_column="upos"),
        ),
        (
            "b.txt",
            "the cat\nsat\n" * 9,
            lambda path: language_batches.TokenizedCorpus.build([path], folder / "cache"),
        ),
        ("index.tsv", "source\tfirst_line\tlast_line\nw\t1\t2\n", held_out),
        ("a.vec", "2 3\nthe 1 2 3\ncat 4 5 6\n", StaticVectors.load),
        (
            "a.bin",
            b"2 4\nthe " + b"\0\0\x80\x3f" * 4 + b"cat " + b"\0\0\x80\x3f" * 4,
            StaticVectors.load,
        ),
        (
            "wsd.tsv",
            "word\tlabel\tsense\tindex\ttext\n" + "seal\t0\tx\t1\tthe seal\n" * 5,
            sense_uses.read_coarse_wsd,
        ),
        ("a.xml", xml, lambda path: sense_uses.read_unified(path, folder / "key")),
        ("pairs.json", json.dumps(pairs), lambda path: sense_uses.read_mcl_wic(path, path)),
        ("lexicon.txt", format_entries(entries), read_entries),
        ("words.txt", "\n".join((*SPECIAL_WORDS, "a")), Vocabulary.load),
    ]
    for name, text, _ in texts:
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    films.to_parquet(folder / "a.parquet")
    pd.DataFrame(rows).to_parquet(folder / "b.parquet")
    films.to_excel(folder / "a.xlsx", index=False)
    write_model(folder / "model", tiny())
    write_head(
        folder / "head",
        a_tagger(),
        Source("toy", "abc"),
        Source("vectors", "def"),
        {"text_column": 1},
    )
    write_vectors(
        folder / "vectors",
        StaticVectors(["a", "b"], torch.ones(2, 3), [2, 1]),
        {"title": "Vectors"},
    )
    load_model, load_head = (
        lambda path: load_bilm(find_model(path.parent)),
        lambda path: build_head(find_head(path.parent)),
    )
    others = [
        ("a.parquet", read_texts),
        ("b.parquet", read_tags),
        ("a.xlsx", read_texts),
        ("model/*", load_model),
        ("head/*", load_head),
        ("vectors/*", lambda path: StaticVectors.load(path.parent)),
    ]
    written = [(path, read) for pattern, read in others for path in sorted(folder.glob(pattern))]
    return [*((folder / name, read) for name, _, read in texts), *written]


def damaged(content, rng):
    a, b = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    flipped = bytearray(content + b" ")
    for _ in range(rng.choice((1, 3, 30))):
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    again, odd = (
        content[:b] + content[a:b] * rng.choice((1, 2, 40)) + content[b:],
        odd_json(content, rng),
    )
    recoded = content.decode("latin-1").encode(
        rng.choice(("utf-16", "utf-16-le", "utf-8", "utf-32", "cp037")), "replace"
    )
    inserted, replaced = (
        content[:a] + rng.choice(PIECES) + content[a:],
        content.replace(*rng.choice(FOR_OTHERS)),
    )
    cut, lacking, noise = content[:a], content[:a] + content[b:], rng.randbytes(rng.randrange(200))
    return rng.choice(
        (cut, lacking, bytes(flipped), again, recoded, inserted, replaced, noise, odd, odd)
    )


def odd_json(content, rng):
    first, end, rest = (
        content.partition(b"\n") if content.count(b"\n") == 9 else (content, b"", b"")
    )
    try:
        inner = value = {"": json.loads(first)}
    except (ValueError, RecursionError):
        return content
    key = ""
    while isinstance(inner[key], (dict, list)) and inner[key] and rng.random() < 0.8:
        inner = inner[key]
        key = rng.choice(list(inner)) if isinstance(inner, dict) else rng.randrange(len(inner))
    inner[key] = rng.choice(VALUES)
    return json.dumps(value[""]).encode() + end + rest


def pages_and_commands(folder):
    """Return files that users open in the app or pass to a command, each with its reader."""

    def train(kind):
        def upload(path):
            key = store_upload(folder / "uploads", path.name, path.read_bytes())
            load_dataset(TrainingPlan(kind, "upload", key), folder / "uploads", folder / "none")

        return upload

    def sense_map(path):
        sentences_of(path.read_bytes().decode("utf-8", "replace"), path.name)

    lines, index = lambda path: list(lines_of(str(path))), sentences_in
    readers = [sense_map, train("classification"), train("tagging"), lines, index]
    return [
        (path, read)
        for path, _ in sources(folder)
        if path.parent == folder and path.suffix != ".xz"
        for read in readers
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("collect", [sources, pages_and_commands])
def test_every_file_is_read_or_refused_in_a_sentence(tmp_path, collect):
    files, wrong, refused = collect(tmp_path), [], 0
    contents = [path.read_bytes() for path, _ in files]
    for number in range(2_000):
        (path, read), content, rng = (
            files[number % len(files)],
            contents[number % len(files)],
            random.Random(number),
        )
        for _ in range(rng.choice((1, 1, 2))):
            path.write_bytes(
                damaged(path.read_bytes() if rng.random() < 0.95 else rng.choice(contents), rng)
            )
        try:
            read(path)
        except (ConfigError, DataError, InputError, WeightsError) as error:
            refused += 1
            if not re.fullmatch(r"[^\x00-\x1f]{20,999}(\n[^\x00-\x1f]{5,999}){0,6}", str(error)):
                wrong.append(f"{number} {path.name}: {str(error)[:500]!r}")
        except Exception as error:
            wrong.append(f"{number} {path.name}: {type(error).__name__}: {str(error)[:200]}")
        path.write_bytes(content)
    assert not wrong, "\n".join(wrong)
    assert 500 < refused < 1_950
