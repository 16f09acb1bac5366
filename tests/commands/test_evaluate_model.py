"""``evaluate --model``: all tests on tiny data of our own, missing data, and what is refused."""

import json
import lzma
import random
import re

import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.evaluation import probing
from elmo_tasks.evaluation.suite import TASKS
from elmo_tasks.serving import calibrations
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny

TOPICS = {"water": ["boat", "river", "wave", "shore"], "money": ["loan", "coin", "debt", "price"]}


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("models") / "toy"
    write_model(folder, tiny())
    (folder / "card.json").write_text(
        json.dumps({"metrics": {"forward_perplexity": 10.0, "backward_perplexity": 20.0}})
    )
    return folder


def sentence(random, topic):
    return [
        random.choice(["The", "A"]),
        random.choice(TOPICS[topic]),
        "by",
        "the",
        "bank",
        random.choice(TOPICS[topic]),
        ".",
    ]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    draw = random.Random(0)
    uses = [(topic, sentence(draw, topic)) for topic in ["water", "money"] * 12]

    def write(name, text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(text.encode()) if name.endswith(".xz") else text.encode())

    pairs = list(zip(uses, uses[1:] + uses[3:4], strict=True))
    for split in ("train", "dev"):
        rows = [f"bank\tN\t4-4\t{' '.join(a)}\t{' '.join(b)}\n" for (_, a), (_, b) in pairs]
        write(f"wsd/wic/{split}.data.txt", "".join(rows))
        write(f"wsd/wic/{split}.gold.txt", "".join("T\n" if a == b else "F\n" for (a, _), (b, _) in pairs))
    for split in ("training", "dev"):
        rows, gold = [], []
        for k, ((t, a), (u, b)) in enumerate(pairs):
            places = {
                f"{edge}{n}": str(" ".join(s).index("bank") + more)
                for n, s in ((1, a), (2, b))
                for edge, more in (("start", 0), ("end", 4))
            }
            rows.append({"id": str(k), "sentence1": " ".join(a), "sentence2": " ".join(b), **places})
            gold.append({"id": str(k), "tag": "T" if t == u else "F"})
        write(f"wsd/mcl_wic/{split}.en-en.data", json.dumps(rows))
        write(f"wsd/mcl_wic/{split}.en-en.gold", json.dumps(gold))
    table = "".join(f"bank\t0\t{topic}\t4\t{' '.join(s)}\n" for topic, s in uses)
    for split in ("train", "test"):
        write(f"wsd/coarsewsd20/{split}.tsv.xz", "word\tlabel\tsense\ttarget_index\ttext\n" + table)
    keys = {"water": "bank%1:17:01::", "money": "bank%1:14:00::"}
    semcor = [{"tokens": s, "senses": [{"i": 4, "n": 1, "lemma": "bank", "keys": [keys[t]]}]} for t, s in uses]
    write("wsd/semcor3/semcor.jsonl.xz", "".join(json.dumps(row) + "\n" for row in semcor))
    parts = {
        4: lambda k: f'<instance id="set{k % 2}.t{k}" lemma="bank" pos="NOUN">bank</instance>',
        1: lambda k: f'<instance id="set{k % 2}.u{k}" lemma="gnu" pos="NOUN">x</instance>',
    }
    xml = "".join(
        "<sentence>" + "".join(parts.get(i, lambda _, w=w: f"<wf>{w}</wf>")(k) for i, w in enumerate(s)) + "</sentence>"
        for k, (_, s) in enumerate(uses)
    )
    write("wsd/unified_eval/ALL.data.xml", f"<corpus>{xml}</corpus>")
    answers = [f"set{k % 2}.t{k} {keys[t]}\nset{k % 2}.u{k} gnu%1:05:00::\n" for k, (t, _) in enumerate(uses)]
    write("wsd/unified_eval/ALL.gold.key.txt", "".join(answers))
    for word in ("hard", "interest", "line", "serve"):
        rows = [{"tokens": s, "target": 4, "senses": [t]} for t, s in uses]
        write(f"wsd/senseval/{word}.jsonl.xz", "".join(json.dumps(row) + "\n" for row in rows))
    tags = ["DET", "NOUN", "ADP", "DET", "NOUN", "NOUN", "PUNCT"]
    for split in ("train", "dev"):
        rows = [
            "".join(f"{k}\t{w}\t_\t{t}\t" + "_\t" * 5 + "_\n" for k, (w, t) in enumerate(zip(s, tags, strict=True), 1))
            for _, s in uses
        ]
        write(f"tagging/ud_ewt/en_ewt-ud-{split}.conllu.xz", "\n".join(rows) + "\n")
    for name in ("eng.train", "eng.testa"):
        rows = ["".join(f"{w} X X {t}\n" for w, t in zip(s, ["O", "I-A", *"OOOOO"], strict=True)) for _, s in uses]
        write(f"ner/conll2003/{name}", "\n".join(rows) + "\n")
    for split in ("train", "dev"):
        write(f"sentiment/sst2/{split}.tsv", "".join(f"{' '.join(s)}\t{int(t == 'water')}\n" for t, s in uses))
    return folder


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(probing, "CLASS_STEPS", 20)
    monkeypatch.setattr(probing, "SPAN_STEPS", 20)


def never(*_):
    raise AssertionError("measured all the same")


def run(capsys, *arguments):
    status = main(["evaluate", *(str(a) for a in arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_all_tests_are_measured_in_every_view(toy, data, tmp_path, capsys):
    status, out, _ = run(capsys, "--model", toy, "--data", data, "--out", tmp_path / "found.json")
    assert status == 0
    found = json.loads((tmp_path / "found.json").read_text())
    rows = {row["title"]: row for row in found["rows"]}
    assert {row["task"] for row in found["rows"]} == {*TASKS, "perplexity"}
    assert list(found["missing"]) == []
    assert found["views"] == ["0", "1", "2", "mean", "before/after", "words", "both", "verdict"]
    for row in found["rows"]:
        layers_only = row["task"] in ("pos", "ner", "sentiment")
        expected = ["2"] if row["task"] == "perplexity" else found["views"][:4] if layers_only else found["views"]
        assert list(row["scores"]) == expected, row["title"]
        assert row["title"] in out
    assert found["read_from"]
    assert re.search(r"what the verdict reads: (layer \d|mean|words around it)[^,]*, as Compare weighs them", out)
    assert rows["Perplexity (held-out text, from the model's card)"]["scores"] == {"2": 15.0}
    # A use of the test is itself among the training uses, and layer 0 sees the one word "bank" only.
    single = rows["CoarseWSD-20, nearest single use, accuracy"]["scores"]
    assert single["2"] == 1.0
    assert single["0"] == 0.5
    # The words tell the topic, whatever the context.
    assert rows["Sentiment, SST-2 dev, accuracy"]["scores"]["0"] > 0.85
    # The half of the words that SemCor has not stays unanswered: precision and recall differ.
    assert rows["WSD ALL, F1"]["without"] == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert {"WSD set0, F1", "WSD set1, F1"} <= set(rows)
    assert rows["Cosine of two uses of one word"]["scores"]["0"] > rows["Cosine of two uses of one word"]["scores"]["2"]


def test_what_is_not_there_is_said_and_the_rest_is_measured(toy, data, tmp_path, capsys):
    (tmp_path / "wsd").mkdir()
    (tmp_path / "wsd" / "wic").symlink_to(data / "wsd" / "wic")
    status, out, _ = run(capsys, "--model", toy, "--data", tmp_path)
    assert status == 0
    assert "| WiC dev, accuracy | " in out
    assert "| coarsewsd | not measured: wsd/coarsewsd20/train.tsv.xz is not here |" in out


def test_words_that_semcor_has_not_get_the_first_sense_where_wordnet_is_here(toy, data, tmp_path, capsys):
    (tmp_path / "wsd" / "wordnet").mkdir(parents=True)
    for name in ("semcor3", "unified_eval"):
        (tmp_path / "wsd" / name).symlink_to(data / "wsd" / name)
    (tmp_path / "wsd/wordnet/index.sense").write_text("gnu%1:05:00:: 1 1 0\nbank%1:14:00:: 2 1 9\n")
    status, out, _ = run(capsys, "--model", toy, "--data", tmp_path, "--only", "wsd", "--json")
    assert status == 0
    row = next(row for row in json.loads(out)["rows"] if row["title"] == "WSD ALL, F1")
    assert (row["without"], row["without_name"]) == (0.75, "first sense")  # all of gnu, half of bank
    assert "get WordNet's first sense" in row["note"]


def test_only_what_is_asked_for_is_measured(toy, data, capsys):
    status, out, _ = run(capsys, "--model", toy, "--data", data, "--only", "wic", "--json")
    assert status == 0
    found = json.loads(out)
    assert [row["task"] for row in found["rows"]] == ["wic"]
    assert found["missing"] == {}


def test_static_vectors_have_one_layer_and_no_perplexity(data, capsys):
    status, out, _ = run(capsys, "--model", "static-mini", "--data", data, "--only", "coarsewsd", "pos", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["views"] == ["0", "words", "both"]
    assert found["rows"][0]["scores"]["words"] == 1.0  # the topics are what the words around tell


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "wic"), "wic cannot be measured: .*train.data.txt: no such file; --data says where"),
        (("--only", "chess"), "no test is called chess; expected wic, mclwic"),
        (("--out", "no/such/file.json"), "expected a file in a folder that is there"),
        (("--data", "nowhere"), "--data nowhere: expected the folder of the data sets"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_measured(
    toy, tmp_path, capsys, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELMO_SHARED_DATA", str(tmp_path))
    monkeypatch.setattr(calibrations, "load_calibration", never)
    status, out, err = run(capsys, "--model", toy, *arguments)
    assert (status, out) == (2, "")
    assert re.search(message, err)


def test_a_calibration_is_loaded_only_where_uses_are_asked_about(toy, data, capsys, monkeypatch):
    monkeypatch.setattr(calibrations, "load_calibration", never)
    status, out, _ = run(capsys, "--model", toy, "--data", data, "--only", "pos", "--json")
    assert status == 0
    assert "verdict" not in json.loads(out)["views"]


def test_nothing_at_hand_is_no_error(toy, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ELMO_SHARED_DATA", str(tmp_path / "none"))
    status, out, _ = run(capsys, "--model", toy)
    assert status == 0
    assert out.count("not measured") == len(TASKS)
