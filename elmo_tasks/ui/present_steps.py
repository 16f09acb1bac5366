"""The twelve steps of the Present tab: what each is called, and what its speaker may say; what stands on it is in its template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.ui.chosen import CONTENT, words
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
    """One step."""

    name: str  # of its template
    title: str
    notes: str  # for the speaker; those of :mod:`elmo_tasks.ui.present_notes` come with an answer
    kind: str = ""  # a class for the look of the step as a whole


#: Until the answer of a step is there.
LATER = "What you may say here comes with the answer on the screen."

STEPS = (
    Step(
        "opening",
        "One word, many meanings",
        "Every answer that follows is computed live by a small model on the machine that serves this page, with no other service. "
        "Ask who has ever been misunderstood because one word has two meanings.",
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
    Step("static", "One word, one vector", LATER),
    Step("guess", "How many meanings has “run”?", LATER),
    Step("story", "Which sentences belong together?", LATER),
    Step("forming", "Watch the meaning turn", LATER),
    Step("layers", "From spelling to context, layer by layer", LATER),
    Step("limits", "What ELMo cannot do", LATER),
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
        "quiz",
        "The room against the model",
        "Ten pairs of short sentences of ours. The first are those that the model is surest of; the pairs were not picked by "
        "whether it is right. Let people vote by a show of hands and press what most say, or open the "
        "vote for phones: they scan the square, and each has one vote a pair. The counts are shown once the pair is revealed.",
    ),
    Step(
        "own",
        "Your word",
        "Take a word from the audience: the box at the bottom of every step leads here. For the words that are ready "
        "it shows the two meanings and the sentences that the bundled model keeps apart best of all in our gallery, so expect a "
        "right answer there, and not always the meanings that people think of first; those on the buttons it sorts rightly. With "
        "the room’s own sentences it is harder: type two or more. Sentences that differ in topic work best.",
    ),
    Step(
        "doors",
        "Now you",
        "The links open the tabs of this page. A comparison can be shared with “Copy link” in Compare.",
    ),
)


def markup(tabs: Sequence[str] = tuple(TABS)) -> str:
    """The stage with all steps; the last links to ``tabs``."""
    doors = [(tab, *TABS.get(tab, (tab.capitalize(), ""))) for tab in tabs if tab != "present"]
    return render(
        "present/stage.html",
        steps=STEPS,
        STORIES=STORIES,
        FORMINGS=FORMINGS,
        FAILURES=FAILURES,
        OWN=words("own"),
        N_READY=len(CONTENT["ready"]),
        doors=doors,
    )
