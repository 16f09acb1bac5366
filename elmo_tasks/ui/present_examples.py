"""The words and sentences that the Present tab shows.

They are candidates: which are shown is chosen with the bundled model, the stories it reads rightly, the failures it does not
(:mod:`elmo_tasks.ui.examples`). What the page says about them comes from the answer and never from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from elmo_tasks.ui.examples import CANDIDATES, CONTENT, Example, chosen

#: Static vectors shown side by side.
STATIC_WORDS = ("bank", "plant", "mouse")

#: Any comparison of one word will do as a story; those that everybody follows come first.
_FIRST = ("bank", "spring", "jam")
_COMPARED = {example.word: example for example in CANDIDATES if example.is_one_word}
STORY_CANDIDATES = tuple(_COMPARED[word] for word in dict.fromkeys((*_FIRST, *_COMPARED)))
STORIES = chosen("stories", STORY_CANDIDATES, lambda story: story.word)
FAILURES = tuple(
    Example(found["word"], found["word"], tuple(found["sentences"]), tuple(found["meant"]))
    for found in CONTENT["failures"]
)

_EITHER = re.compile(r"\{(.+?)\|(.+?)\}")


@dataclass(frozen=True)
class Turning:
    """Two sentences that are read word by word, side by side."""

    word: str
    senses: tuple[str, str]  # of the gallery: that of the first sentence, and that of the second
    frame: str  # both sentences, with ``{one|other}`` for the word that decides

    @property
    def deciding(self) -> tuple[str, str]:
        """The word of the first sentence that decides, and that of the second."""
        found = _EITHER.search(self.frame)
        assert found is not None
        return found[1], found[2]

    @property
    def sentences(self) -> tuple[str, str]:
        """The first sentence and the second."""
        return _EITHER.sub(r"\1", self.frame), _EITHER.sub(r"\2", self.frame)

    @property
    def title(self) -> str:
        """What the button says."""
        return f"{self.word}: {' / '.join(self.deciding)}"


FORMING_CANDIDATES = tuple(
    Turning(word, (first, second), frame)
    for word, first, second, frame in (
        ("case", "container", "illness", "The case of {beer|flu} came as a surprise."),
        ("case", "legal", "illness", "The case of {theft|measles} was the first this year."),
        ("bank", "river", "money", "The bank of the {stream|investors} looked safe to us."),
        ("bark", "dog", "tree", "The bark of the {puppy|oak} was easy to recognise."),
        ("trunk", "elephant", "tree", "The trunk of the {elephant|oak} was covered in dust."),
        ("palm", "hand", "tree", "The palm and its {fingers|coconuts} were painted on the wall."),
        ("organ", "body", "instrument", "The organ in the {abdomen|church} was larger than we thought."),
        ("cell", "prison", "biology", "The cell of the {prisoner|embryo} was smaller than we thought."),
        ("wave", "water", "gesture", "The wave of the {ocean|queen} was seen from far away."),
        ("mouth", "face", "river", "The mouth of the {child|river} was open."),
        ("crown", "headwear", "tooth", "The crown of the {king|molar} was made of gold."),
        ("pupil", "eye", "school", "The pupil of the {eye|teacher} did not move."),
        ("ring", "boxing", "jewellery", "The ring of the {boxer|bride} was bought last year."),
        ("branch", "tree", "office", "The branch of the {oak|insurer} was gone in spring."),
        ("head", "body part", "leader", "The head of the {cow|company} turned towards us."),
        ("root", "plant", "number", "The root of the {willow|equation} was hard to find."),
        ("note", "message", "music", "The note from the {neighbour|trumpet} was short."),
        ("match", "fire", "game", "The match for the {candle|championship} was ready."),
        ("letter", "mail", "alphabet", "The letter of the {lawyer|alphabet} was hard to read."),
        ("pitcher", "jug", "baseball", "The pitcher with the {lemonade|glove} stood in the sun."),
        ("mouse", "animal", "computer", "The mouse and the {cat|keyboard} were in my room."),
        ("bat", "animal", "sport", "The bat and the {owl|ball} were lost in the dark."),
        ("crane", "bird", "machine", "The crane above the {marsh|skyscraper} moved slowly."),
        ("seal", "animal", "closure", "The seal on the {iceberg|envelope} was grey."),
        ("mole", "animal", "spy", "The mole in the {lawn|ministry} was hard to find."),
        ("nail", "metal", "finger", "The nail in the {plank|toe} was bent."),
        ("bow", "weapon", "ribbon", "The bow with the {arrows|ribbons} was a present."),
        ("bolt", "fastener", "lightning", "The bolt of {steel|lightning} was bright."),
        ("plant", "living", "factory", "The plant with the {flowers|workers} was new."),
        ("board", "plank", "committee", "The board of {oak|directors} was replaced."),
        ("bed", "garden", "sleep", "The bed of {tulips|straw} was ready."),
        ("bed", "river", "sleep", "The bed of the {stream|patient} was empty."),
        ("cabinet", "furniture", "government", "The cabinet of {walnut|ministers} was old."),
        ("column", "pillar", "newspaper", "The column in the {temple|newspaper} was very long."),
        ("conductor", "music", "tickets", "The conductor of the {orchestra|tram} was late."),
        ("court", "law", "sport", "The court for {divorce|tennis} was closed on Monday."),
        ("current", "water", "electric", "The current in the {river|wire} was strong."),
        ("deck", "ship", "cards", "The deck of the {ferry|gambler} was new."),
        ("field", "meadow", "subject", "The field of {wheat|physics} was new to me."),
        ("horn", "animal", "instrument", "The horn of the {goat|trumpeter} was long."),
        ("jam", "fruit", "traffic", "The jam of {plums|lorries} was a nuisance."),
        ("key", "lock", "music", "The key of the {cellar|sonata} was not the right one."),
        ("mass", "physics", "church", "The mass of the {planet|bishop} was known to all."),
        ("nut", "food", "bolt", "The nut in the {cake|wheel} was hard."),
        ("operation", "surgery", "mission", "The operation on the {kidney|border} took all night."),
        ("pipe", "smoking", "tube", "The pipe with the {tobacco|water} was old."),
        ("plot", "story", "land", "The plot of the {novel|farm} was larger than I thought."),
        ("ruler", "monarch", "measure", "The ruler of the {kingdom|classroom} was old."),
        ("school", "education", "fish", "The school of {nursing|herring} was large."),
        ("shell", "hard cover", "explosive", "The shell of the {snail|cannon} was lying in the sand."),
        ("star", "sky", "celebrity", "The star of the {galaxy|film} was bright."),
        ("strike", "labour", "baseball", "The strike of the {miners|batter} was talked about for years."),
        ("suit", "clothes", "lawsuit", "The suit of the {groom|plaintiff} cost a fortune."),
        ("tank", "container", "vehicle", "The tank of the {aquarium|army} was heavy."),
        ("fan", "cooling", "supporter", "The fan of the {laptop|band} was loud."),
        ("coach", "trainer", "bus", "The coach of the {team|tourists} was late."),
        ("calf", "animal", "leg", "The calf of the {cow|runner} was hurt."),
        ("capital", "city", "money", "The capital of the {country|investors} was known to all."),
        ("dish", "meal", "antenna", "The dish of {rice|satellites} was large."),
        ("chip", "food", "electronic", "The chip with the {vinegar|transistors} was small."),
        ("cup", "drink", "trophy", "The cup of {tea|champions} stood on the table."),
        ("glass", "material", "cup", "The glass of the {window|wine} was broken."),
        ("line", "queue", "words", "The line of {customers|poetry} was long."),
        ("bridge", "crossing", "dental", "The bridge over the {river|molar} was new."),
        ("bill", "invoice", "law", "The bill for the {plumber|parliament} was ready."),
        ("film", "movie", "layer", "The film of {Hollywood|grease} was hard to get rid of."),
    )
)
FORMINGS = chosen("forming", FORMING_CANDIDATES, lambda pair: pair.title)
