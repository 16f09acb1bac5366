"""How words became numbers, in four small drawings made for this page; their colours follow the mode."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Stage:
    """One stage of the story.

    Attributes:
        when: roughly when it came.
        title: what it is called.
        text: what it does with the word “bank”.
        alt: the drawing in words.
        drawing: SVG in a box of 240 by 170.
    """

    when: str
    title: str
    text: str
    alt: str
    drawing: str


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(text)}</text>'


def _dot(x: int, y: int, kind: str, label: str = "", right: bool = True) -> str:
    name = _text(x + 13 if right else x - 13, y + 6, label, "" if right else "end") if label else ""
    return f'<circle cx="{x}" cy="{y}" r="8" class="{kind}"/>{name}'


def _counts() -> str:
    rows = (("bank", 9), ("loan", 5), ("river", 4), ("reed", 1))
    return "".join(
        _text(72, 38 + 36 * k, word, "end")
        + f'<rect x="86" y="{22 + 36 * k}" width="{12 * n}" height="22" rx="4" class="{"one" if k == 0 else "rest"}"/>'
        + _text(96 + 12 * n, 38 + 36 * k, str(n))
        for k, (word, n) in enumerate(rows)
    )


def _static() -> str:
    return (
        '<path class="axis" d="M20 8V152H232"/>'
        + _dot(62, 40, "rest", "loan")
        + _dot(126, 28, "rest", "money")
        + _dot(150, 132, "rest", "river")
        + _dot(64, 120, "rest", "reed")
        + _dot(104, 76, "one", "bank")
        + _text(104, 104, "one place only", "small")
    )


def _elmo() -> str:
    words = ("the", "bank", "of", "the", "river")
    x = (26, 74, 118, 154, 206)
    boxes = "".join(_text(x[k], 92, word, "middle strong" if k == 1 else "middle") for k, word in enumerate(words))
    return (
        f'{boxes}<path class="way a" d="M10 58H60"/><path class="head a" d="M60 51l12 7-12 7z"/>'
        '<path class="way b" d="M230 124H88"/><path class="head b" d="M88 117l-12 7 12 7z"/>'
        + _text(10, 42, "reads forward", "small a")
        + _text(230, 154, "reads backward", "small b end")
        + '<rect x="50" y="74" width="48" height="27" rx="6" class="frame"/>'
    )


def _transformer() -> str:
    x = (26, 74, 118, 154, 206)
    words = ("the", "bank", "of", "the", "river")
    arcs = "".join(
        f'<path class="{"arc strong" if 1 in (a, b) else "arc"}" '
        f'd="M{x[a]} 116Q{(x[a] + x[b]) // 2} {116 - (x[b] - x[a]) * 0.95:.0f} {x[b]} 116"/>'
        for a in range(5)
        for b in range(a + 1, 5)
    )
    boxes = "".join(_text(x[k], 142, word, "middle strong" if k == 1 else "middle") for k, word in enumerate(words))
    return arcs + boxes


STAGES = (
    Stage(
        "since the 1950s",
        "Counting words",
        "A text is a list of how often each word comes. Order and meaning are gone.",
        "A bar for each of four words, as long as the word is frequent in a text: bank 9, loan 5, river 4, reed 1.",
        _counts(),
    ),
    Stage(
        "2013",
        "Static vectors",
        "Every word gets one place among all words, whatever the sentence: one for every “bank”.",
        "Words as dots in a plane: loan and money above, river and reed below, and a single dot for bank between them.",
        _static(),
    ),
    Stage(
        "2018",
        "ELMo",
        "Two readers, one from each side, give the word a new vector in every sentence.",
        "The words “the bank of the river”: one arrow reads from the left up to bank, another from the right back to bank.",
        _elmo(),
    ),
    Stage(
        "since 2018",
        "Transformers",
        "Every word looks at every other word, in all layers. Chat programs are built this way.",
        "The words “the bank of the river”, with an arc between every two of them; those to bank are drawn stronger.",
        _transformer(),
    ),
)


def picture() -> str:
    """The four stages from left to right."""
    rows = "".join(
        f'<li><p class="when">{escape(s.when)}</p><h3>{escape(s.title)}</h3>'
        f'<svg viewBox="0 0 240 170" role="img" aria-label="{escape(s.alt)}">{s.drawing}</svg><p>{escape(s.text)}</p></li>'
        for s in STAGES
    )
    return f'<ol class="stages" role="list">{rows}</ol>'
