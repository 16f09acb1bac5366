"""Tiny data of our own for all tests of an encoder, laid out as the public data sets are."""

import json
import lzma
import random
from pathlib import Path

CHUNKS = ["B-NP", "I-NP", "B-PP", "B-NP", "I-NP", "I-NP", "O"]
TOPICS = {"water": ["boat", "river", "wave", "shore"], "money": ["loan", "coin", "debt", "price"]}


def sentence(random, topic):
    first, word, other = (
        random.choice(words) for words in (["The", "A"], TOPICS[topic], TOPICS[topic])
    )
    return [first, word, "by", "the", "bank", other, "."]


def write_suite(folder: Path) -> None:
    """Write a file for every test of `evaluate`: uses of one word in sentences about water and
    about money."""
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
        write(
            f"wsd/wic/{split}.gold.txt",
            "".join("T\n" if a == b else "F\n" for (a, _), (b, _) in pairs),
        )
    for split in ("training", "dev"):
        rows, gold = [], []
        for k, ((t, a), (u, b)) in enumerate(pairs):
            places = {
                f"{edge}{n}": str(" ".join(s).index("bank") + more)
                for n, s in ((1, a), (2, b))
                for edge, more in (("start", 0), ("end", 4))
            }
            rows.append(
                {"id": str(k), "sentence1": " ".join(a), "sentence2": " ".join(b), **places}
            )
            gold.append({"id": str(k), "tag": "T" if t == u else "F"})
        write(f"wsd/mcl_wic/{split}.en-en.data", json.dumps(rows))
        write(f"wsd/mcl_wic/{split}.en-en.gold", json.dumps(gold))
    table = "".join(f"bank\t0\t{topic}\t4\t{' '.join(s)}\n" for topic, s in uses)
    for split in ("train", "test"):
        write(f"wsd/coarsewsd20/{split}.tsv.xz", "word\tlabel\tsense\ttarget_index\ttext\n" + table)
    keys = {"water": "bank%1:17:01::", "money": "bank%1:14:00::"}
    semcor = [
        {"tokens": s, "senses": [{"i": 4, "n": 1, "lemma": "bank", "keys": [keys[t]]}]}
        for t, s in uses
    ]
    write("wsd/semcor3/semcor.jsonl.xz", "".join(json.dumps(row) + "\n" for row in semcor))
    parts = {
        4: lambda k: f'<instance id="set{k % 2}.t{k}" lemma="bank" pos="NOUN">bank</instance>',
        1: lambda k: f'<instance id="set{k % 2}.u{k}" lemma="gnu" pos="NOUN">x</instance>',
    }
    xml = "".join(
        "<sentence>"
        + "".join(parts.get(i, lambda _, w=w: f"<wf>{w}</wf>")(k) for i, w in enumerate(s))
        + "</sentence>"
        for k, (_, s) in enumerate(uses)
    )
    write("wsd/unified_eval/ALL.data.xml", f"<corpus>{xml}</corpus>")
    answers = [
        f"set{k % 2}.t{k} {keys[t]}\nset{k % 2}.u{k} gnu%1:05:00::\n"
        for k, (t, _) in enumerate(uses)
    ]
    write("wsd/unified_eval/ALL.gold.key.txt", "".join(answers))
    for word in ("hard", "interest", "line", "serve"):
        rows = [{"tokens": s, "target": 4, "senses": [t]} for t, s in uses]
        write(f"wsd/senseval/{word}.jsonl.xz", "".join(json.dumps(row) + "\n" for row in rows))
    tags = ["DET", "NOUN", "ADP", "DET", "NOUN", "NOUN", "PUNCT"]
    for split in ("train", "dev"):
        rows = [
            "".join(
                f"{k}\t{w}\t_\t{t}\t" + "_\t" * 5 + "_\n"
                for k, (w, t) in enumerate(zip(s, tags, strict=True), 1)
            )
            for _, s in uses
        ]
        write(f"tagging/ud_ewt/en_ewt-ud-{split}.conllu.xz", "\n".join(rows) + "\n")
    for name in ("eng.train", "eng.testa"):
        rows = [
            "".join(f"{w} X X {t}\n" for w, t in zip(s, ["O", "I-A", *"OOOOO"], strict=True))
            for _, s in uses
        ]
        write(f"ner/conll2003/{name}", "\n".join(rows) + "\n")
    for split in ("train", "test"):
        rows = ["".join(f"{w} X {t}\n" for w, t in zip(s, CHUNKS, strict=True)) for _, s in uses]
        write(f"tagging/conll2000/{split}.txt", "\n".join(rows) + "\n")
    texts = [
        " ".join(f"<strong>{w}</strong>" if k in (1, 4) else w for k, w in enumerate(s))
        for _, s in uses
    ]
    words = [(s[1], "bank") for _, s in uses]
    rows = [
        "\t".join([*one, a, b, str(k % 7), str((k + 3) % 7), *one, *other])
        for k, (a, b, one, other) in enumerate(
            zip(texts, texts[1:], words, words[1:], strict=False)
        )
    ]
    header = (
        "word1 word2 context1 context2 sim1 sim2 word1_context1 word2_context1 word1_context2"
        " word2_context2"
    )
    write("wsd/cosimlex/cosimlex_en.csv", "\n".join(["\t".join(header.split()), *rows]) + "\n")
    for split in ("train", "dev"):
        write(
            f"sentiment/sst2/{split}.tsv",
            "".join(f"{' '.join(s)}\t{int(t == 'water')}\n" for t, s in uses),
        )
