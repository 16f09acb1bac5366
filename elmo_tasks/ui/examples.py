"""Words and sentences to start from, written for this project.

The sentences of one example differ in syntax and topic and are rich in context words: parallel sentences ("I ate an
apple", "I ate a carrot") look alike to a language model whatever the word is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.ui.chosen import chosen


@dataclass(frozen=True)
class Example:
    """A comparison that runs on click.

    Attributes:
        title: what the button says.
        word: the word to compare.
        sentences: the sentences, with ``[brackets]`` where another word is meant.
        senses: what the word means in each, in a word; none where several words are compared.
        about: where several are, what each is about: the closest two are to share it.
    """

    title: str
    word: str
    sentences: tuple[str, ...]
    senses: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


CANDIDATES: tuple[Example, ...] = (
    Example(
        "bank",
        "bank",
        (
            "The bank refused our loan because my salary was too low.",
            "Herons were nesting in the reeds along the muddy bank of the river.",
            "The bank raised its interest rates twice last year.",
            "An old willow stood on the left bank of the river.",
            "Investors lost their savings when the bank collapsed.",
        ),
        ("money", "river", "money", "river", "money"),
    ),
    Example(
        "bank and shore",
        "bank",
        (
            "Fishermen pulled their canoe onto the grassy bank before the storm came.",
            "Waves rolled gently towards the [shore] while children looked for shells.",
            "The bank raised its interest rates on every new mortgage.",
            "My [lender] wants the monthly payment for the house by Friday.",
        ),
        about=("river", "river", "money", "money"),
    ),
    Example(
        "run",
        "run",
        (
            "Every morning before breakfast I go for a run through the park.",
            "The program takes hours to run on my slow laptop.",
            "After a long run along the beach her legs were tired.",
            "Engineers run the software on a faster computer.",
        ),
        ("jogging", "computing", "jogging", "computing"),
    ),
    Example(
        "match",
        "match",
        (
            "Our team lost the football match in the second half.",
            "He struck a match to light the candle in the dark.",
            "Thousands of fans watched the match at the stadium.",
            "She lit the stove with a match from the box.",
        ),
        ("game", "fire", "game", "fire"),
    ),
    Example(
        "pupil",
        "pupil",
        (
            "The teacher praised the pupil for her homework.",
            "The pupil of the eye widens in the dark.",
            "Every pupil in the school took the exam.",
            "The doctor shone a light at the pupil of his left eye.",
        ),
        ("school", "eye", "school", "eye"),
    ),
    Example(
        "jam",
        "jam",
        (
            "We were stuck in a traffic jam on the motorway.",
            "She spread strawberry jam on her toast.",
            "An accident caused a long jam on the road to the city.",
            "My grandmother makes jam from plums and sugar.",
        ),
        ("traffic", "food", "traffic", "food"),
    ),
    Example(
        "discharge",
        "discharge",
        (
            "The nurse planned his discharge from the hospital on Friday.",
            "Yellow discharge from the wound was a sign of infection.",
            "After discharge the patient went home with her pills.",
            "Thick discharge came from the infected ear.",
        ),
        ("leaving", "fluid", "leaving", "fluid"),
    ),
    Example(
        "culture",
        "culture",
        (
            "The blood culture grew bacteria after two days in the laboratory.",
            "Music and dance belong to the culture of the island people.",
            "A throat culture was taken to find the bacteria.",
            "He studies the history, religion and culture of ancient Japan.",
        ),
        ("bacteria", "people", "bacteria", "people"),
    ),
    Example(
        "shock",
        "shock",
        (
            "The doctor treated the patient for septic shock and low blood pressure.",
            "The news of his resignation came as a shock to the party.",
            "Bleeding and infection can lead to shock, and the patient may die.",
            "It was a shock to his friends that he lost the election.",
        ),
        ("illness", "surprise", "illness", "surprise"),
    ),
    Example(
        "cold",
        "cold",
        (
            "He caught a cold and coughed all week.",
            "It was a cold night and snow lay on the roofs.",
            "The doctor gave her pills for a cold and a sore throat.",
            "Cold water ran down from the snow on the mountain.",
        ),
        ("illness", "temperature", "illness", "temperature"),
    ),
    Example(
        "apple",
        "apple",
        (
            "She peeled an apple and cut it into slices for the pie.",
            "Apple unveiled a thinner phone at its headquarters in California.",
            "The sweetest apple in the orchard hung from the highest branch.",
            "Investors watched Apple closely as its shares fell on the stock market.",
        ),
        ("fruit", "company", "fruit", "company"),
    ),
    Example(
        "beauty, beautiful",
        "beauty",
        (
            "The beauty of the mountains took our breath away at sunrise.",
            "What a [beautiful] view of the valley we had from the hotel window!",
            "Poets have praised her beauty in songs for hundreds of years.",
            "The bride wore a [beautiful] dress that her mother had sewn by hand.",
        ),
        about=("landscape", "landscape", "person", "person"),
    ),
    Example(
        "running, runner",
        "running",
        (
            "He has been running along the canal to train for the marathon.",
            "The fastest [runner] crossed the finish line with a new record.",
            "She is running for mayor and hopes to win the election in May.",
            "Water kept running from the broken tap in the kitchen all night.",
        ),
        about=("sport", "sport", "politics", "water"),
    ),
    Example(
        "cold, freezing",
        "cold",
        (
            "The wind was so cold that our fingers hurt.",
            "A [freezing] wind blew in from the frozen lake all night.",
            "The lawyer sent us the signed contract by [post] on Monday.",
        ),
        about=("weather", "weather", "mail"),
    ),
    Example(
        "doctor, nurse, lawyer",
        "doctor",
        (
            "The doctor gave the patient an injection against the pain.",
            "A [nurse] brought the patient her pills in the hospital ward.",
            "The [lawyer] told the judge that the contract was a forgery.",
        ),
        about=("hospital", "hospital", "court"),
    ),
    Example(
        "bark",
        "bark",
        (
            "The loud bark of a dog woke the whole street.",
            "Beetles live under the bark of the pine tree.",
            "With a short bark the puppy ran after the cat.",
            "The bark of an old oak is rough and brown.",
        ),
        ("dog", "tree", "dog", "tree"),
    ),
    Example(
        "spring",
        "spring",
        (
            "Flowers bloom in the garden every spring after the snow melts.",
            "The metal spring inside the clock broke.",
            "Birds return from the south in early spring.",
            "A coiled spring pushes the piston back into the cylinder.",
        ),
        ("season", "coil", "season", "coil"),
    ),
)

#: What the page offers; the first is what it opens with.
EXAMPLES = chosen("compare", CANDIDATES, lambda example: example.title)


def known_senses(word: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """What the word means in each of the sentences, where all of them are of one example above; else none."""
    for example in EXAMPLES:
        known = dict(zip(example.sentences, example.senses, strict=False))
        if example.word == word and sentences and all(sentence in known for sentence in sentences):
            return tuple(known[sentence] for sentence in sentences)
    return ()
