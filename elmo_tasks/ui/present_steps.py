"""The ten steps of the Present tab: what stands on each, and what its speaker may say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STORIES
from elmo_tasks.ui.present_parts import waiting
from elmo_tasks.ui.present_picture import picture

#: What the last step says of each tab that it links to.
TABS = {
    "compare": ("Compare", "Your own word in your own sentences, with every number behind the answer."),
    "try": ("Try the models", "Feeling and names in any text, with and without context."),
    "weights": ("Layer weights", "How much trained models draw on each layer."),
    "map": ("Sense map", "All uses of a word as a map, from our examples or from your own text."),
    "nearest": ("Nearest uses", "The uses of any word that come closest to yours."),
    "train": ("Train", "Train a model on your own examples."),
}
#: The last one is right.
GUESSES = ("2", "5", "10", "more than 30")


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        title: its heading.
        body: its markup. ``data-reveal`` is shown by the first press of “Next”, which hides ``data-before``; ``data-part`` is
            filled with an answer.
        notes: for the speaker.
        kind: a class for the look of the step as a whole.
    """

    title: str
    body: str
    notes: str
    kind: str = ""


def _part(name: str, what: str = "Asking the model…") -> str:
    return f'<div data-part="{name}" class="part">{waiting(what)}</div>'


def _chips(name: str, titles: Sequence[str], label: str) -> str:
    buttons = "".join(
        f'<button type="button" class="chip" data-ask="{name}" data-choice="{k}" aria-pressed="{str(k == 0).lower()}">'
        f"{escape(title)}</button>"
        for k, title in enumerate(titles)
    )
    return f'<div class="chips" role="group" aria-label="{escape(label)}">{buttons}</div>'


def _guesses() -> str:
    return "".join(
        f'<button type="button" class="choice" data-guess="{escape(g)}" aria-pressed="false">{escape(g)}</button>'
        for g in GUESSES
    )


def steps(tabs: Sequence[str] = tuple(TABS)) -> tuple[Step, ...]:
    """The steps in order.

    Args:
        tabs: ids of the tabs that the last step links to.
    """
    links = "".join(
        f'<li><a href="?tab={tab}"><b>{escape(title)}</b><span>{escape(text)}</span></a></li>'
        for tab, (title, text) in ((tab, TABS.get(tab, (tab.capitalize(), ""))) for tab in tabs if tab != "present")
    )
    return (
        Step(
            "One word, many meanings",
            '<p class="lead">How a computer can tell that the <mark>bank</mark> that lends money is not the '
            "<mark>bank</mark> of a river.</p>"
            '<p class="soft keys">Go on with <kbd>→</kbd> or <kbd>Page Down</kbd>, back with <kbd>←</kbd> or '
            "<kbd>Page Up</kbd>. A presenter’s remote works too.</p>",
            "Everything that follows is computed live by a small model on this machine. Nothing is recorded and nothing is sent "
            "anywhere. Ask who has ever been misunderstood because one word has two meanings.",
            "opening",
        ),
        Step(
            "From counting words to reading them",
            picture(),
            "Go through the four stages with the word “bank”. The point to make: up to the second stage a word is one thing; "
            "from the third on, a word is what its sentence makes of it. ELMo stands between: it is old by now, but small enough "
            "to look inside.",
            "wide",
        ),
        Step(
            "One word, one vector",
            '<p class="lead">A static vector places each word once. These are the words that lie nearest. '
            "Which meanings do you find, and which are missing?</p>"
            f"{_part('neighbours', 'Looking up the neighbours…')}"
            '<p class="answer-line" data-reveal hidden>A static vector is learned from all uses of a word at once. The '
            "frequent meaning decides where it lies; the others are mixed in, or lost.</p>",
            "Let people read the lists aloud and call out meanings that they miss. The lists come from vectors trained for this "
            "project, so they are neither perfect nor chosen word by word. Then press Next for the explanation.",
        ),
        Step(
            "How many meanings has “run”?",
            '<p class="lead">Raise your hands, or click.</p>'
            f'<div class="choices" role="group" aria-label="Your guess">{_guesses()}</div>'
            '<div data-reveal hidden><p class="answer-line"><b>More than 30.</b> <span data-guessed></span></p>'
            '<div class="halves"><p>A desk dictionary lists dozens, the largest ones several hundred. Nobody can give the exact '
            "number: it depends on where one meaning is said to end and the next to begin.</p>"
            f"{_part('senses', 'Counting…')}</div></div>",
            "Take the vote for each number before you reveal. Good examples to call out: run a race, run a shop, run a "
            "program, a run in a stocking, a run on the bank, a nose that runs, run for office, run out of milk.",
        ),
        Step(
            "Which sentences belong together?",
            f"{_chips('story', [s.word for s in STORIES], 'Word')}{_part('story', 'Reading the sentences…')}",
            "Let the audience sort the sentences into A and B first, by hand or with the buttons. Next shows how the model "
            "sorts them, by ELMo’s layer 1, the words that ELMo would write in its place and the words around it. ELMo itself "
            "learned from plain text which words come next and which stand nearby; how to read its numbers was learned from "
            "example sentences of other words. These words were chosen because they are read clearly; many words are harder.",
        ),
        Step(
            "Watch the meaning form",
            f"{_chips('forming', [f.title for f in FORMINGS], 'Sentence')}{_part('forming', 'Reading word by word…')}",
            "Press Next or Play. The dot is the word; the two poles are the averages of known uses of each sense. Compare “case "
            "of flu” with “case in court”: both begin with “The first case”. One half of the vector looks back and is fixed once "
            "the word has come. Only the half that looks ahead still moves. End with the sentence that hardly moves, and say so.",
        ),
        Step(
            "From spelling to context, layer by layer",
            '<p class="lead">The same word, the same sentences. Move the slider up from the letters.</p>'
            f"{_part('layers', 'Reading the sentences…')}",
            "At “Spelling only” every pair scores 1.00: the letters are the same. Move up with the arrow keys while the slider "
            "has the focus, or with Next. Strong colour marks the uses that the model finds alike. "
            "Which layer is best is a matter of the model and the task, not a law.",
        ),
        Step(
            "What ELMo cannot do",
            '<ul class="limits" role="list"><li><h3>Two halves that never meet</h3><p>One half reads from the left, the other '
            "from the right. Neither sees both sides at once; they are only put side by side.</p></li>"
            "<li><h3>Near words count most</h3><p>What was said far away fades: each half hands on one small memory from word "
            "to word.</p></li><li><h3>This one is small</h3><p>The model that comes with this program read little text, by "
            "today’s measure. Often the honest answer is “cannot tell”.</p></li></ul>"
            f"{_chips('failure', [f.word for f in FAILURES], 'A word that fails')}{_part('failure', 'Reading the sentences…')}",
            "Let people sort the sentences in their heads, then reveal. The first word is one that the bundled model gets wrong "
            "while it is sure of itself; the second one it does not dare to sort. Ask what could have misled it: look at how the "
            "sentences are built rather than what they mean.",
        ),
        Step(
            "Your word",
            '<form class="own" novalidate><div class="own-word"><label for="present-own-word">Word</label>'
            '<input id="present-own-word" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" '
            'aria-describedby="present-own-note"></div>'
            '<div class="own-sentences"><label for="present-own-sentences">Sentences that use it, one a line (2 to 12)</label>'
            '<textarea id="present-own-sentences" rows="4" spellcheck="false" aria-describedby="present-own-note"></textarea>'
            '</div><button type="submit" class="primary">Compare</button></form>'
            '<p class="soft">For many words with several meanings (bank, crane, mouse, spring, note …) sentences are ready: type '
            "the word alone.</p>"
            '<div class="note error" id="present-own-note" role="alert" hidden></div>'
            '<div data-part="own" class="part" aria-live="polite"></div>',
            "Take a word from the audience: the box at the bottom of every step leads here. For two hundred words with several "
            "meanings (bank, crane, mouse, spring, note, …) sentences are ready; for others type two or more. Sentences that "
            "differ in topic work best. If the model cannot tell, that is an answer too.",
        ),
        Step(
            "Now you",
            f'<p class="lead">Everything you saw is live. Look further:</p><ul class="doors" role="list">{links}</ul>',
            "The links open the tabs of this page. A comparison can be shared with “Copy link” in Compare.",
        ),
    )


def markup(found: Sequence[Step]) -> str:
    """The stage with all steps, of which the page's script shows one, its bar of buttons, and the notes."""
    total = len(found)
    sections = "".join(
        f'<section class="step {step.kind}" data-step="{k}" aria-labelledby="present-title-{k}"{" hidden" if k > 1 else ""}>'
        f'<h2 id="present-title-{k}">{escape(step.title)}</h2>{step.body}</section>'
        for k, step in enumerate(found, 1)
    )
    options = "".join(f'<option value="{k}">{k}. {escape(step.title)}</option>' for k, step in enumerate(found, 1))
    notes = "".join(
        f'<p data-notes="{k}"{" hidden" if k > 1 else ""}>{escape(step.notes)}</p>' for k, step in enumerate(found, 1)
    )
    return (
        f'<div class="present"><div class="stage card" role="region" aria-label="Presentation">'
        f'<div class="shown">{sections}</div>'
        '<div class="bar"><button type="button" class="plain" data-go="back">← Back</button>'
        f'<label class="which"><span>Step</span> <select aria-label="Go to step">{options}</select> <span>of {total}</span></label>'
        '<button type="button" class="primary" data-go="next">Next →</button>'
        '<form class="ask" role="search" aria-label="Your word"><input type="text" aria-label="Your word" placeholder="Your word…" '
        'autocomplete="off" autocapitalize="off" spellcheck="false"><button type="submit" class="plain">Show</button></form>'
        '<button type="button" class="plain" data-return hidden></button>'
        '<button type="button" class="plain" data-full>Full screen</button></div>'
        '<p class="unseen" role="status"></p></div>'
        f'<details class="card notes"><summary>Speaker notes</summary><div>{notes}</div></details></div>'
    )
