"""The words and sentences that the Present tab shows.

They are candidates: which are shown is chosen with the bundled model, the stories it reads rightly, the failures it does not
(:mod:`elmo_tasks.ui.chosen`). What the page says about them comes from the answer and never from here.
"""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.ui.chosen import chosen, failures
from elmo_tasks.ui.examples import CANDIDATES


@dataclass(frozen=True)
class Story:
    """A word in sentences whose senses the audience guesses first.

    Attributes:
        word: the word.
        sentences: its uses, mixed.
        meant: for each sentence the sense that its writer had in mind.
    """

    word: str
    sentences: tuple[str, ...]
    meant: tuple[str, ...]


#: Static vectors shown side by side.
STATIC_WORDS = ("bank", "plant", "mouse")

#: Any comparison of one word will do as a story; those that everybody follows come first.
_FIRST = ("bank", "spring", "jam")
_COMPARED = {
    example.word: Story(example.word, example.sentences, example.senses) for example in CANDIDATES if example.senses
}
STORY_CANDIDATES = tuple(_COMPARED[word] for word in dict.fromkeys((*_FIRST, *_COMPARED)))
STORIES = chosen("stories", STORY_CANDIDATES, lambda story: story.word)
FAILURES = tuple(Story(found["word"], tuple(found["sentences"]), tuple(found["meant"])) for found in failures())
