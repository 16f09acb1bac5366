"""The markup and the files of what the model would have written. All that is not ours goes through :func:`html.escape`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from elmo_tasks.api import Guess, Substitutes, WrittenHere
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.format import headline, ordinal
from elmo_tasks.ui.uses import badge, group_of

TITLE = "What would the model have written here?"
LEAD = "Take the word out, and let the model fill the place from either side and from both."
KINDS = (("both", "Both sides"), ("before", "Told by the words before"), ("after", "Told by the words after"))
HOW = """
<details class="more"><summary>How this works</summary>
<div class="explain">
<p>The model learned by guessing words. One half of it reads from the left and guesses the next word; the other half
reads from the right and guesses the word before. Neither sees the word that stands in the place, and neither sees the
other side. These lists are their guesses, with the probability that the model gives them.</p>
<p><b>Both sides</b> multiplies the two probabilities and divides by how common the word is, so that its commonness
does not count twice; all words together make 100&nbsp;% again. How common a word is, is told by its place in the
model’s word list, which is sorted by it. The model was not trained to join its halves: this is arithmetic.</p>
<p>The model has a fixed list of words. Marks for unknown words and punctuation are left out of the lists, and keep
their share of the probability. Words with a dot ● are the word itself or another form of it.</p>
<p>A small model guesses grammar and the words next to the place better than the topic. That a word does not come up
does not say that it is wrong there.</p>
<p>From a program: <code>gradio_client.Client(address).predict("bank", ["…", "…"], api_name="/substitutes")</code></p>
</div></details>
"""


def chance(probability: float) -> str:
    """A probability in percent, with one decimal where it is small; the space does not break."""
    share = 100 * probability
    if 0 < share < 0.1:
        return "<\u00a00.1\u00a0%"
    return f"{share:.0f}\u00a0%" if share >= 9.95 else f"{share:.1f}\u00a0%"


def own_place(found: WrittenHere, token: str, vocabulary: int) -> str:
    """Which guess the word itself is."""
    if found.rank is None or found.probability is None:
        return f"“{token}” is not in the model’s list of {vocabulary:,} words."
    place = f"{_ordinal(found.rank)} guess"
    return f"“{token}” itself: {place}, {chance(found.probability)}, told by both sides."


def _ordinal(number: int) -> str:
    if number <= 3:
        return ordinal(number)
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def body(substitutes: Substitutes) -> str:
    """The whole answer, below the fold's title."""
    first, rest = headline(substitutes.answer)
    return (
        f'<div role="status"><h2>{escape(first)}</h2><p class="reasons">{escape(rest)}</p></div>{lists(substitutes)}'
        f"{actions('substitutes', csv_text(substitutes), substitutes.to_dict())}{HOW}"
    )


def lists(substitutes: Substitutes) -> str:
    """Each sentence with a gap, and the guesses from both sides and from each."""
    groups = group_of(substitutes.comparison)
    rows = []
    for found in substitutes.uses:
        item = substitutes.comparison.items[found.use]
        gap = '<span class="gap" role="img" aria-label="gap"></span>'
        text = f"{escape(item.sentence[: item.start])}{gap}{escape(item.sentence[item.end :])}"
        sides = {"both": found.both, "before": found.before, "after": found.after}
        columns = "".join(
            f'<div class="side {kind}"><p class="side-title">{title}</p>{_guesses(sides[kind], title)}</div>'
            for kind, title in KINDS
        )
        rows.append(
            f'<li class="text"><div class="gapped">{badge(found.use, groups[found.use])}<p dir="auto">{text}</p>'
            f'</div><div class="guesses">{columns}</div>'
            f'<p class="hint">{escape(own_place(found, item.token, substitutes.vocabulary))}</p></li>'
        )
    return f'<ol class="texts" role="list" data-picture="">{"".join(rows)}</ol>'


def _guesses(guesses: Sequence[Guess], title: str) -> str:
    # Bars of one list are as long as its likeliest word allows: the numbers say how likely that is.
    top = max((guess.probability for guess in guesses), default=1.0) or 1.0
    dot = ' <em class="own" title="the word itself or a form of it">●</em>'
    rows = "".join(
        f"<li{' class=chosen' if guess.is_form else ''}><span>{escape(guess.word)}{dot if guess.is_form else ''}</span>"
        f'<i aria-hidden="true"><b style="width:{100 * guess.probability / top:.1f}%"></b></i>'
        f"<span>{escape(chance(guess.probability))}</span></li>"
        for guess in guesses
    )
    return f'<ol class="bars" role="list" aria-label="{title}">{rows}</ol>'


def csv_text(substitutes: Substitutes) -> str:
    """One row for each guess."""
    header = ["use", "told by", "guess", "word", "probability", "form of the word", "sentence"]
    rows: list[list[str | float]] = []
    for found in substitutes.uses:
        sentence = substitutes.comparison.items[found.use].sentence
        for kind, guesses in (("both sides", found.both), ("before", found.before), ("after", found.after)):
            for number, guess in enumerate(guesses, 1):
                form = "yes" if guess.is_form else "no"
                rows.append([str(found.use + 1), kind, str(number), guess.word, guess.probability, form, sentence])
    return csv_file(header, rows)
