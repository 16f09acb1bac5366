"""Words and sentences to start from, written for this project.

The sentences of one example differ in syntax and topic and are rich in context words: parallel sentences ("I ate an
apple", "I ate a carrot") look alike to a language model whatever the word is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A comparison that runs on click.

    Attributes:
        title: what the button says.
        word: the word to compare.
        sentences: the sentences, with ``[brackets]`` where another word is meant.
    """

    title: str
    word: str
    sentences: tuple[str, ...]


EXAMPLES: tuple[Example, ...] = (
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
    ),
    Example(
        "run",
        "run",
        (
            "Every morning before breakfast I go for a run through the park.",
            "The old program takes hours to run on my slow laptop.",
            "Her long run along the beach left her tired but happy.",
            "Engineers run the simulation overnight on a faster computer.",
            "Frightened customers caused a run on the bank to withdraw their savings.",
        ),
    ),
    Example(
        "bark",
        "bark",
        (
            "With a loud bark the puppy chased the cat across the yard.",
            "Beetles dig tunnels under the bark until the pine tree dies.",
            "The dog gave a short bark and wagged its tail.",
            "The bark of an old oak is rough and full of cracks.",
        ),
    ),
    Example(
        "bucket",
        "bucket",
        (
            "He filled a bucket with soapy water to wash the car.",
            "The villain kicks the bucket in the last chapter of the novel.",
            "Seeing the northern lights is at the top of her bucket list.",
            "The farmer carried a heavy bucket of milk from the barn.",
            "Skydiving has been on his bucket list since he retired from teaching.",
        ),
    ),
    Example(
        "play",
        "play",
        (
            "The new play opened at the theatre to a cheering audience.",
            "Children play football in the garden until it gets dark.",
            "The critics praised the play and its young director.",
            "The brothers play tennis every Sunday in summer.",
            "Her first play was a comedy about two sisters in Dublin.",
        ),
    ),
    Example(
        "discharge",
        "discharge",
        (
            "The nurse prepared the patient for discharge from hospital on Friday.",
            "Yellow discharge from the wound was a clear sign of infection.",
            "Before discharge the doctor explained which pills to take at home.",
            "Thick discharge from the ear is often caused by bacteria.",
        ),
    ),
    Example(
        "culture",
        "culture",
        (
            "The blood culture grew bacteria after two days in the laboratory.",
            "Music, food and dance are at the heart of the culture of the island.",
            "A swab from her throat was sent to the lab for culture and testing.",
            "Tourists visit the museum to learn about the culture of ancient Egypt.",
        ),
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
    ),
)
