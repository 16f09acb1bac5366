"""The nine steps of the Present tab with their speaker notes; the content of a step is in its template."""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.ui.examples import CONTENT, words
from elmo_tasks.ui.page import render
from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STORIES


@dataclass(frozen=True)
class Step:
    """One step; the page adds the headline on the screen to its notes."""

    name: str  # of its template
    title: str
    notes: str  # for the speaker
    kind: str = ""  # a class for the look of the step as a whole


STEPS = (
    Step(
        "stages",
        "From counting words to reading them",
        "Go through the four stages with the word “bank”. Up to the second stage a word is one thing; from the third on, "
        "its sentence decides what it is. ELMo stands between fixed vectors and Transformers: it is old by now, but small "
        "enough to look inside. All answers in the next steps are computed live.",
        "wide",
    ),
    Step(
        "static",
        "One word, one vector",
        "Let people read the lists aloud and call out meanings that they miss. The lists come from vectors trained for this "
        "project; nobody chose their words. Then reveal the explanation.",
    ),
    Step(
        "story",
        "Which sentences belong together?",
        "Let the audience sort the sentences into A and B, by hand or with the buttons, then reveal what the model says. "
        "The words of this step were chosen because the model sorts them rightly: many words are harder.",
    ),
    Step(
        "forming",
        "Watch the meaning turn",
        "Press Play. The two dots are the word in the two sentences; the poles are the averages of known uses of each sense. "
        "A side is named only where the known uses make it likely enough.",
    ),
    Step(
        "layers",
        "From spelling to context, layer by layer",
        "Move up with the button below or with the slider. “Two random words” is the measuring stick: the cosine of words "
        "that have nothing to do with each other. Which layer is best depends on the model and the sentences.",
    ),
    Step(
        "own",
        "Your word",
        "Take a word from the audience: the box at the bottom of every step leads here. The ready sentences are those that "
        "the bundled model keeps apart best; with the room’s own sentences it is harder. Two sentences for each meaning, on "
        "different topics, work best. Let the room judge the answer.",
    ),
    Step(
        "landing",
        "Where does your sentence land?",
        "Take a sentence with the word from the audience, or press a ready one, and let people point to where it will land. "
        "Nothing on the map moves: the sentence is read, put where its numbers say, and its nearest uses are listed. "
        "“Between” means that the model does not know, or that the meaning is not on this map.",
        "wide",
    ),
    Step(
        "limits",
        "What ELMo cannot do",
        "What was meant is on the slide: let people bet on whether the model finds it, then reveal. Ask which words could "
        "have misled it, or told it more; the screen does not tell.",
    ),
    Step(
        "quiz",
        "The room against the model",
        "Ten pairs of short sentences. The first are those that the model is surest of, rightly or wrongly. Let people raise "
        "their hands, press what most say, then reveal. The score stands below every answer, so you can end after any pair.",
    ),
)


def markup() -> str:
    """Render the stage with all steps."""
    return render(
        "present/stage.html",
        steps=STEPS,
        STORIES=STORIES,
        FORMINGS=FORMINGS,
        FAILURES=FAILURES,
        OWN=words("own"),
        N_READY=len(CONTENT["ready"]),
    )
