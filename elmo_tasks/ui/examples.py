"""Example words and sentences, and the outcome where the meanings are known.

They were written for this project.

The sentences of one example differ in syntax and topic and are rich in context words: parallel sentences ("I ate an
apple", "I ate a carrot") look alike to a language model whatever the word is.

Which of the candidates are offered stands in ``chosen.json``. What the screen says of an example comes from the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from elmo_tasks.api import Certainty, Comparison
from elmo_tasks.ui.page import FOLDER

FILE = FOLDER / "chosen.json"
Candidate = TypeVar("Candidate")


CONTENT: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def chosen(kind: str, candidates: Sequence[Candidate], name: Callable[[Candidate], str]) -> tuple[Candidate, ...]:
    """Return the offered candidates of a kind, in file order.

    ``name`` is the key of that kind in the file.
    """
    known = {name(candidate): candidate for candidate in candidates}
    return tuple(known[title] for title in CONTENT[kind])


@dataclass(frozen=True)
class QuizPair:
    """Two uses of a word and its meaning in each; ``[brackets]`` mark the word."""

    word: str
    sentences: tuple[str, str]
    senses: tuple[str, str]


@cache
def quiz_pairs() -> tuple[QuizPair, ...]:
    """Return the pairs of the quiz, in file order."""
    return tuple(QuizPair(word, tuple(sentences), tuple(senses)) for word, sentences, senses in CONTENT["quiz"])


@dataclass(frozen=True)
class Example:
    """Comparison that runs on click, or a story of the Present tab."""

    title: str  # what the button says
    word: str
    sentences: tuple[str, ...]  # with ``[brackets]`` where another word is meant
    meant: tuple[str, ...]  # what each is about: of one word, what it means there; of several, the closest two share it
    is_one_word: bool = True


def _one_word(word: str, *uses: tuple[str, str]) -> Example:
    return Example(word, word, tuple(sentence for sentence, _ in uses), tuple(meant for _, meant in uses))


def _several(title: str, word: str, *uses: tuple[str, str]) -> Example:
    return replace(_one_word(word, *uses), title=title, is_one_word=False)


CANDIDATES: tuple[Example, ...] = (
    _one_word(
        "bank",
        ("The bank refused our loan because my salary was too low.", "money"),
        ("Herons were nesting in the reeds along the muddy bank of the river.", "river"),
        ("The bank raised its interest rates twice last year.", "money"),
        ("An old willow stood on the left bank of the river.", "river"),
        ("Investors lost their savings when the bank collapsed.", "money"),
    ),
    _several(
        "bank and shore",
        "bank",
        ("Fishermen pulled their canoe onto the grassy bank before the storm came.", "river"),
        ("Waves rolled gently towards the [shore] while children looked for shells.", "river"),
        ("The bank raised its interest rates on every new mortgage.", "money"),
        ("My [lender] wants the monthly payment for the house by Friday.", "money"),
    ),
    _one_word(
        "run",
        ("Every morning before breakfast I go for a run through the park.", "jogging"),
        ("The program takes hours to run on my slow laptop.", "computing"),
        ("After a long run along the beach her legs were tired.", "jogging"),
        ("Engineers run the software on a faster computer.", "computing"),
    ),
    _one_word(
        "match",
        ("Our team lost the football match in the second half.", "game"),
        ("He struck a match to light the candle in the dark.", "fire"),
        ("Thousands of fans watched the match at the stadium.", "game"),
        ("She lit the stove with a match from the box.", "fire"),
    ),
    _one_word(
        "pupil",
        ("The teacher praised the pupil for her homework.", "school"),
        ("The pupil of the eye widens in the dark.", "eye"),
        ("Every pupil in the school took the exam.", "school"),
        ("The doctor shone a light at the pupil of his left eye.", "eye"),
    ),
    _one_word(
        "jam",
        ("We were stuck in a traffic jam on the motorway.", "traffic"),
        ("She spread strawberry jam on her toast.", "food"),
        ("An accident caused a long jam on the road to the city.", "traffic"),
        ("My grandmother makes jam from plums and sugar.", "food"),
    ),
    _one_word(
        "discharge",
        ("The nurse planned his discharge from the hospital on Friday.", "leaving"),
        ("Yellow discharge from the wound was a sign of infection.", "fluid"),
        ("After discharge the patient went home with her pills.", "leaving"),
        ("Thick discharge came from the infected ear.", "fluid"),
    ),
    _one_word(
        "culture",
        ("The blood culture grew bacteria after two days in the laboratory.", "bacteria"),
        ("Music and dance belong to the culture of the island people.", "people"),
        ("A throat culture was taken to find the bacteria.", "bacteria"),
        ("He studies the history, religion and culture of ancient Japan.", "people"),
    ),
    _one_word(
        "shock",
        ("The doctor treated the patient for septic shock and low blood pressure.", "illness"),
        ("The news of his resignation came as a shock to the party.", "surprise"),
        ("Bleeding and infection can lead to shock, and the patient may die.", "illness"),
        ("It was a shock to his friends that he lost the election.", "surprise"),
    ),
    _one_word(
        "cold",
        ("He caught a cold and coughed all week.", "illness"),
        ("It was a cold night and snow lay on the roofs.", "temperature"),
        ("The doctor gave her pills for a cold and a sore throat.", "illness"),
        ("Cold water ran down from the snow on the mountain.", "temperature"),
    ),
    _one_word(
        "apple",
        ("She peeled an apple and cut it into slices for the pie.", "fruit"),
        ("Apple unveiled a thinner phone at its headquarters in California.", "company"),
        ("The sweetest apple in the orchard hung from the highest branch.", "fruit"),
        ("Investors watched Apple closely as its shares fell on the stock market.", "company"),
    ),
    _several(
        "beauty, beautiful",
        "beauty",
        ("The beauty of the mountains took our breath away at sunrise.", "landscape"),
        ("What a [beautiful] view of the valley we had from the hotel window!", "landscape"),
        ("Poets have praised her beauty in songs for hundreds of years.", "person"),
        ("The bride wore a [beautiful] dress that her mother had sewn by hand.", "person"),
    ),
    _several(
        "running, runner",
        "running",
        ("He has been running along the canal to train for the marathon.", "sport"),
        ("The fastest [runner] crossed the finish line with a new record.", "sport"),
        ("She is running for mayor and hopes to win the election in May.", "politics"),
        ("Water kept running from the broken tap in the kitchen all night.", "water"),
    ),
    _several(
        "cold, freezing",
        "cold",
        ("The wind was so cold that our fingers hurt.", "weather"),
        ("A [freezing] wind blew in from the frozen lake all night.", "weather"),
        ("The lawyer sent us the signed contract by [post] on Monday.", "mail"),
    ),
    _several(
        "doctor, nurse, lawyer",
        "doctor",
        ("The doctor gave the patient an injection against the pain.", "hospital"),
        ("A [nurse] brought the patient her pills in the hospital ward.", "hospital"),
        ("The [lawyer] told the judge that the contract was a forgery.", "court"),
    ),
    _one_word(
        "bark",
        ("The loud bark of a dog woke the whole street.", "dog"),
        ("Beetles live under the bark of the pine tree.", "tree"),
        ("With a short bark the puppy ran after the cat.", "dog"),
        ("The bark of an old oak is rough and brown.", "tree"),
    ),
    _one_word(
        "spring",
        ("Flowers bloom in the garden every spring after the snow melts.", "season"),
        ("The metal spring inside the clock broke.", "coil"),
        ("Birds return from the south in early spring.", "season"),
        ("A coiled spring pushes the piston back into the cylinder.", "coil"),
    ),
)

#: What the page offers; the first is what it opens with.
EXAMPLES = chosen("compare", CANDIDATES, lambda example: example.title)


def known_senses(word: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the meaning of the word in each sentence, if all are of one example."""
    for example in EXAMPLES:
        known = dict(zip(example.sentences, example.meant, strict=True)) if example.is_one_word else {}
        if example.word == word and sentences and all(sentence in known for sentence in sentences):
            return tuple(known[sentence] for sentence in sentences)
    return ()


def groups_of(meant: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the uses of each meaning, in order of first appearance."""
    return {name: tuple(at for at, other in enumerate(meant) if other == name) for name in dict.fromkeys(meant)}


def outcome(comparison: Comparison, meant: Sequence[str]) -> str:
    """Describe the model's result on uses whose meanings are known."""
    if comparison.spellings_differ:
        return "The spellings differ, so meanings are not compared."
    if not comparison.groups:
        return "The model cannot tell how these group, and says so."
    how = (
        "as they were meant"
        if set(comparison.groups) == set(groups_of(meant).values())
        else "otherwise than they were meant"
    )
    sure = "and is sure of it" if comparison.certainty is Certainty.CONFIDENT else "without being sure"
    return f"The model sorts them {how}, {sure}."
