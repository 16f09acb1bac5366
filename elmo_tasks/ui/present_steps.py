"""The eleven steps of the Present tab: what each is called, and what its speaker may say; what stands on it is in its template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.ui.page import render
from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STORIES

#: What the last step says of each tab that it links to.
TABS = {
    "compare": ("Compare", "Your own word in your own sentences, with every number behind the answer."),
    "try": ("Try the models", "Feeling and names in any text, with and without context."),
    "weights": ("Layer weights", "How much trained models draw on each layer."),
    "probes": ("What each layer knows", "What tests found in each layer, beside the paper’s numbers."),
    "map": ("Sense map", "All uses of a word as a map, from our examples or from your own text."),
    "nearest": ("Nearest uses", "The uses of any word that come closest to yours."),
    "texts": ("Two texts", "A word in one text against another: how far its use moved."),
    "train": ("Train", "Train a model on your own examples."),
}


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        name: of its template.
        title: its heading.
        notes: for the speaker.
        kind: a class for the look of the step as a whole.
    """

    name: str
    title: str
    notes: str
    kind: str = ""


STEPS = (
    Step(
        "opening",
        "One word, many meanings",
        "Everything that follows is computed live by a small model on this machine. Nothing is recorded and "
        "nothing is sent anywhere. Ask who has ever been misunderstood because one word has two meanings.",
        "opening",
    ),
    Step(
        "stages",
        "From counting words to reading them",
        "Go through the four stages with the word “bank”. The point to make: up to the second stage a word is one"
        " thing; from the third on, a word is what its sentence makes of it. ELMo stands between: it is old by "
        "now, but small enough to look inside.",
        "wide",
    ),
    Step(
        "static",
        "One word, one vector",
        "Let people read the lists aloud and call out meanings that they miss. The lists come from vectors "
        "trained for this project, so they are neither perfect nor chosen word by word. Then press Next for the "
        "explanation.",
    ),
    Step(
        "guess",
        "How many meanings has “run”?",
        "Take the vote for each number before you reveal. Good examples to call out: run a race, run a shop, run "
        "a program, a run in a stocking, a run on the bank, a nose that runs, run for office, run out of milk.",
    ),
    Step(
        "story",
        "Which sentences belong together?",
        "Let the audience sort the sentences into A and B first, by hand or with the buttons. Next shows how the "
        "model sorts them, by ELMo’s layer 1, the words that ELMo would write in its place and the words around "
        "it. ELMo itself learned from plain text which words come next and which stand nearby; how to read its "
        "numbers was learned from example sentences of other words. These words were chosen because they are read"
        " clearly; many words are harder.",
    ),
    Step(
        "forming",
        "Watch the meaning form",
        "Press Next or Play. The dot is the word; the two poles are the averages of known uses of each sense. "
        "Compare “case of flu” with “case in court”: both begin with “The first case”. One half of the vector "
        "looks back and is fixed once the word has come. Only the half that looks ahead still moves. End with the"
        " sentence that hardly moves, and say so.",
    ),
    Step(
        "layers",
        "From spelling to context, layer by layer",
        "At “Spelling only” every pair scores 1.00: the letters are the same. Move up with the arrow keys while "
        "the slider has the focus, or with Next. Strong colour marks the uses that the model finds alike. Which "
        "layer is best is a matter of the model and the task, not a law.",
    ),
    Step(
        "limits",
        "What ELMo cannot do",
        "Let people sort the sentences in their heads, then reveal. The first word is one that the bundled model "
        "gets wrong while it is sure of itself; the second one it does not dare to sort. Ask what could have "
        "misled it: look at how the sentences are built rather than what they mean.",
    ),
    Step(
        "landing",
        "Where does your sentence land?",
        "Take sentences with the word from the audience, or press the ready ones. Nothing on the map moves: only the new "
        "sentence is read, and put where its numbers say. Let people point to where it will land before you let it fly. "
        "The bars say how near each group is; “between” means that the model does not know, or that the sentence uses the "
        "word in a meaning that is not on this map.",
        "wide",
    ),
    Step(
        "own",
        "Your word",
        "Take a word from the audience: the box at the bottom of every step leads here. For two hundred words "
        "with several meanings (bank, crane, mouse, spring, note, …) sentences are ready; for others type two or "
        "more. Sentences that differ in topic work best. If the model cannot tell, that is an answer too.",
    ),
    Step(
        "doors",
        "Now you",
        "The links open the tabs of this page. A comparison can be shared with “Copy link” in Compare.",
    ),
)


def markup(tabs: Sequence[str] = tuple(TABS)) -> str:
    """The stage with all steps.

    Args:
        tabs: ids of the tabs that the last step links to.
    """
    doors = [(tab, *TABS.get(tab, (tab.capitalize(), ""))) for tab in tabs if tab != "present"]
    return render("present/stage.html", steps=STEPS, STORIES=STORIES, FORMINGS=FORMINGS, FAILURES=FAILURES, doors=doors)
