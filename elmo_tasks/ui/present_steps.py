"""The twelve steps of the Present tab, and what its speaker may say; what stands on a step is in its template.

What may be said of an answer is made from the answer: nothing is claimed that the model did not show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from elmo_tasks.api import Comparison, IncrementalReading, LayerComparison, StaticNeighbours
from elmo_tasks.ui.examples import CONTENT, Outcome, groups_of, outcome, told, words
from elmo_tasks.ui.page import render
from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STORIES
from elmo_tasks.ui.present_parts import EASIEST, forming_said
from elmo_tasks.wording.text import first_capital, listed, number
from elmo_tasks.wording.views import looked_at, view_place, view_title

#: What the last step says of each tab that it links to.
TABS = {
    "compare": ("Compare", "Your own word in your own sentences, with every number behind the answer."),
    "try": ("Try", "Feeling and names in any text, with and without context."),
    "map": ("Sense map", "All uses of a word as a map, from our examples or from your own text."),
    "nearest": ("Nearest uses", "The uses of any word that come closest to yours."),
    "train": ("Train", "Train a model on your own examples."),
    "layers": ("Layers", "How much trained models draw on each layer, and what tests found in each."),
}
#: Until the answer of a step is there.
LATER = "What you may say here comes with the answer on the screen."
#: Two layers that differ by less are not told apart.
_CLEAR = 0.02
#: For a word that has no answer yet.
NO_ANSWER = (
    "There is no answer on the screen yet: type two sentences for each meaning that people name, as they say them."
)
_EXAMPLES = (
    "Good examples of “run” to call out: a race, a shop, a program, a nose that runs, run for office, run out of milk."
)


@dataclass(frozen=True)
class Step:
    """One step."""

    name: str  # of its template
    title: str
    notes: str  # for the speaker; those that the functions below make come with an answer
    kind: str = ""  # a class for the look of the step as a whole


STEPS = (
    Step(
        "opening",
        "One word, many meanings",
        "All that the model answers in what follows is computed live by a small model on the machine that serves "
        "this page, with no other service. If phones are to vote in step 10, they must reach it: on your own "
        "computer the program must have been started with --host 0.0.0.0, in a network that you trust. Ask who "
        "has ever been misunderstood because one word has two meanings.",
        "opening",
    ),
    Step(
        "stages",
        "From counting words to reading them",
        "Go through the four stages with the word “bank”. The point to make: up to the second stage a word is one"
        " thing; from the third on, a word is what its sentence makes of it. ELMo stands between the fixed vectors and the "
        "Transformers: it is old by now, but small enough to look inside.",
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
        "vote for phones, if the program was started with --host 0.0.0.0: they scan the square, and each has one vote a pair. The "
        "counts are shown once the pair is revealed. Each pair takes two presses; the score stands below every answer, so you "
        "can end after any of them. Of the last ones, which are the hardest, the model often cannot tell.",
    ),
    Step(
        "own",
        "Your word",
        "Take a word from the audience: the box at the bottom of every step leads here. For the words that are ready "
        "it shows the two meanings and the sentences that the bundled model keeps apart best of all in our gallery, so expect a "
        "right answer there, and not always the meanings that people think of first; those on the buttons it sorts rightly. With "
        "the room’s own sentences it is harder: of short ones the model often cannot tell how they group, and now and then it "
        "is wrong, even where it is sure. Let the room judge it. Two sentences for each meaning, on different topics, work best.",
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


def static(answers: Sequence[StaticNeighbours], senses: Mapping[str, Sequence[str]] | None = None) -> str:
    """For the lists of nearest words; ``senses`` has names of meanings by word, to listen for."""
    first = listed([f"“{answer.neighbours[0].word}” for “{answer.word}”" for answer in answers if answer.neighbours])
    by_word = [f"{word}: {listed(names)}" for word, names in (senses or {}).items() if names]
    kept = f" (our gallery of examples has, for {'; for '.join(by_word)})" if by_word else ""
    return (
        f"Let people read the lists aloud and call out meanings that they miss{kept}. Nearest are {first}. The lists come from "
        "vectors trained for this project; nobody chose their words. Then reveal the explanation."
    )


def guess(n_senses: int) -> str:
    """For the vote."""
    return (
        f"Let the room vote and press the number that most say before you reveal. {_EXAMPLES} "
        f"Our gallery of examples keeps {n_senses} of its meanings."
    )


def story(comparison: Comparison, meant: Sequence[str]) -> str:
    """For the sentences that the audience sorts."""
    return (
        "Let the audience sort the sentences into A and B first, by hand or with the buttons, then reveal what the model says. "
        f"{told(comparison, meant)} {_meant(meant)} {_read(comparison)} What its numbers mean was learned "
        "from sentences with other words. The words of this step were chosen because the model sorts them rightly: "
        "many words are harder."
    )


def forming(answers: tuple[IncrementalReading, IncrementalReading]) -> str:
    """For the two sentences that are read word by word."""
    first = answers[0]
    total = len(first.known[0]) + len(first.known[1])
    alone = ""
    if len(first.read_from) > 1:
        alone = (
            f" That is more than ELMo: by its {view_title(first.layer).lower()} alone {first.right_by_layer} of the {total} known "
            f"uses lie on their own side (half of them would by chance), by all together {first.right}."
        )
    return (
        "Press Play. The dots are the word in the two sentences; the two poles are the averages of known uses of each "
        f"sense. The program looks {looked_at(first.read_from, 'the word')}.{alone} A side is named only where the known uses make "
        f"it likely enough; how far from the dashed middle that is differs from word to word. {forming_said(answers)}"
    )


def layers(comparison: Comparison) -> str:
    """For the same sentences layer by layer."""
    first = comparison.layers[0]
    cosines = [value for at, row in enumerate(first.cosine) for value in row[:at]]
    if first.name == "0" and min(cosines) > 0.995:
        start = f"At “{view_title('0')}” every pair scores 1.00: the letters are the same."
    else:
        start = f"At “{view_title(first.name)}” the cosines go from {number(min(cosines))} to {number(max(cosines))}."
    return (
        f"{start} Move up with the arrow keys while the slider has the focus, or with the button below. "
        f"{_best_layer(comparison)} “Two random words” is the measuring stick: the cosine of words that have nothing to do "
        "with each other. Which layer is best is a matter of the model and the sentences, not a law."
    )


def failure(comparison: Comparison, meant: Sequence[str]) -> str:
    """For a word that the model was expected to fail at."""
    found = outcome(comparison, meant)
    asks = (
        "Ask what could have misled it; the screen does not tell."
        if found.is_wrong
        else "Ask which words of the sentences could have told it more."
        if not found.is_right
        else "So this is no failure: the model on this machine reads it well."
    )
    bet = "What was meant is on the slide: let people bet on whether the model finds it, then reveal."
    return f"{bet} {_meant(meant)} {told(comparison, meant)} {asks}"


def own(comparison: Comparison, meant: Sequence[str], by_rule: bool = False) -> str:
    """For the audience's word; ``meant`` and ``by_rule`` as in :func:`elmo_tasks.ui.present_parts.own`."""
    if not meant:
        return f"{_voiced(comparison)} Ask the room whether that is what they meant. Sentences that differ in topic work best."
    found = outcome(comparison, meant)
    silent = " That is an answer, too." if found is Outcome.SILENT else ""
    best = (
        f" {EASIEST} Ask for the meaning that people think of first, and type two sentences for it."
        if by_rule and found is not Outcome.UNASKED
        else ""
    )
    return f"{_meant(meant)} {told(comparison, meant)}{silent}{best}"


def _voiced(comparison: Comparison) -> str:
    if comparison.spellings_differ:
        return Outcome.UNASKED.value
    return {
        "named": "The model is sure enough here to say what goes together.",
        "leaning": "The model only leans to an answer here.",
    }.get(comparison.voice if comparison.groups else "", "The model cannot tell how these uses group.")


def _meant(meant: Sequence[str]) -> str:
    parts = [f"{name}: {listed([use + 1 for use in uses])}" for name, uses in groups_of(meant).items()]
    return f"Meant were {'; '.join(parts)}."


def _read(comparison: Comparison) -> str:
    if not comparison.read_from:
        return ""
    return f"The program looks {looked_at(comparison.read_from)}."


def _best_layer(comparison: Comparison) -> str:
    """Where uses of one group and of different groups lie furthest apart."""
    if len(comparison.groups) < 2:
        return "The model names no groups here, so look at which uses come out alike."
    apart = {layer.name: _separation(layer, comparison.groups) for layer in comparison.layers}
    ranked = sorted(apart, key=lambda name: -apart[name])
    if apart[ranked[0]] < _CLEAR:
        return "No layer alone sets the groups of the answer apart: the answer rests on more than ELMo’s layers."
    said = (
        f"{first_capital(view_place(ranked[0]))} uses of one group are {number(apart[ranked[0]])} closer on average than uses of "
        "different groups"
    )
    if apart[ranked[0]] - apart[ranked[1]] < _CLEAR:
        return f"{said}, and {view_place(ranked[1])} about as much."
    return f"{said}, more than anywhere else."


def _separation(layer: LayerComparison, groups: Sequence[Sequence[int]]) -> float:
    of = {use: k for k, group in enumerate(groups) for use in group}
    within: list[float] = []
    between: list[float] = []
    for a, row in enumerate(layer.cosine):
        for b in range(a):
            (within if of[a] == of[b] else between).append(row[b])
    return sum(within) / max(1, len(within)) - sum(between) / max(1, len(between)) if within and between else 0.0
