"""Forms of English words: banks and banked, ran and run, happier and happy."""

from __future__ import annotations

import re
import unicodedata

import snowballstemmer

# Families, separated by commas, their base first; regular forms are derived. wo, ca and sha are the tokens before n't.
_IRREGULAR = """
be am is are was were been being, arise arose arisen, awake awoke awoken, have has had having, do does did done doing,
go goes went gone going, run ran, begin began begun, bear bore borne born, beat beaten, become became, bid bade bidden,
bind bound, bite bit bitten, blow blew blown, break broke broken, bring brought, build built, burn burnt, buy bought,
can could ca, catch caught, choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug, draw drew
drawn, dream dreamt, drink drank drunk, drive drove driven, dwell dwelt, eat ate eaten, fall fell fallen, feed fed, feel
felt, fight fought, find found, flee fled, fling flung, fly flew flown flies, forbid forbade forbidden, forget forgot
forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, grow grew grown, hang hung,
hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, leap
leapt, learn learnt, leave left, lend lent, lie lay lain lying, light lit, lose lost, make made, mean meant, meet met,
mistake mistook mistaken, overcome overcame, pay paid, ride rode ridden, ring rang rung, rise rose risen,
say said, see saw seen, seek sought, sew sewn, sell sold,
send sent, shake shook shaken, shear shorn, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung,
sink sank sunk, shall should sha, sit sat, slay slew slain, sleep slept, slide slid, sling slung, smell smelt, sow sown,
speak spoke spoken, spell spelt, spend spent, spill spilt, spit spat, spoil spoilt, spin spun, spring sprang sprung,
stand stood, steal stole stolen, stick stuck, sting stung, stink stank stunk, stride strode stridden, strike struck,
string strung, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum, swing swung, take
took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown, thrive throve thriven, tread
trod trodden, undergo underwent undergone, undertake undertook undertaken, understand understood, withdraw withdrew
withdrawn, withstand withstood, wring wrung, wake woke woken, wear wore worn, weave wove woven, weep wept, will would
wo, win won, wind wound, write wrote written, child children, man men, woman women, person people, foot feet, tooth
teeth, goose geese, mouse mice, ox oxen, leaf leaves, life lives, knife knives, wife wives, half halves, shelf shelves,
wolf wolves, loaf loaves, thief thieves, calf calves, scarf scarves, elf elves, self selves, hoof hooves, die dice,
louse lice, penny pence, crisis crises, analysis analyses, basis bases, thesis theses, criterion criteria, phenomenon
phenomena, bacterium bacteria, cactus cacti, fungus fungi, nucleus nuclei, radius radii, stimulus stimuli, index
indices, appendix appendices, matrix matrices, good better best, bad worse worst, far farther farthest further furthest,
little less least, many more most, old elder eldest, bend bent, breed bred, grind ground, dive dove, dwarf
dwarves, antenna antennae, medium media, die dying, tie tying
"""

_BASES: dict[str, set[str]] = {}
for _family in _IRREGULAR.split(","):
    for _word in _family.split():
        _BASES.setdefault(_word, set()).add(_family.split()[0])

# Adjectives that are compared by -er and -est. A list, because -er is mostly another ending: banker, reader, number.
_COMPARED = frozenset(
    """
    able angry big bitter black blond blue blunt bold brave brief bright brisk broad brown bumpy busy calm cheap chilly clean
    clear clever close cloudy clumsy coarse cold cool costly crazy creamy crisp cruel curly damp dark deadly dear deep dense
    dim dirty dry dull dusty early easy empty faint fair fancy fast fat few fierce fine firm fit flat fond free fresh friendly
    full funny gentle glad gloomy grand grave great greedy green greasy grey grim guilty hairy handsome handy happy hard
    harsh healthy heavy high hot huge humble hungry icy idle juicy keen kind large late lazy lean light likely little lively
    lofty lonely long loose loud lovely low lucky mad mean mere merry messy mighty mild moist muddy naive narrow nasty near
    neat new nice noble noisy odd oily old pale plain pleasant plump polite poor pretty proud pure quick quiet rainy rare raw
    ready red rich ripe risky roomy rosy rough round rude rusty sad safe salty sandy scary secure severe shaky shallow sharp
    shiny short shy sick silly simple sincere skinny sleepy slender slight slim slimy slow small smart smelly smoky smooth
    soft soon sore sour spicy steady steep sticky stiff strange strict strong stupid sturdy subtle sunny sure sweet swift
    tall tame tasty tender thick thin thirsty tidy tight tiny tired tough true ugly vague vast wide warm weak wealthy weary
    cheesy common crude dumb fleet foul gross hip husky lame remote tense trim vain
    weird wet white wicked wild windy wise witty worldly worthy yellow young
    """.split()  # noqa: SIM905
)

_ANY_ENDING = re.compile(r"(?:e?s|ed|ing|ers?|ors?|est)")
_SHORT = re.compile(r"[^aeiou]?[aeiou][^aeiouwxy]")
_LONG_ENDING = re.compile(
    r"(?:ly|less|ness|fully?|i?fully?|ments?|able|ible|al|ally|i?ty|ies|y|ship|hood|ists?|ism|a?t?ions?|ish|like|en|ic)"
)


def _stem(word: str) -> str:
    # A new stemmer for each call: it holds the word as state, and the app calls from several threads.
    return str(snowballstemmer.stemmer("english").stemWord(word))


def _is_built_on(longer: str, shorter: str) -> bool:
    """Check whether ``longer`` is ``shorter`` and an ending, as runner and run."""
    bases = [shorter]
    if len(shorter) > 3 and shorter[-1] in "ey":
        bases += [shorter[:-1], shorter[:-1] + "i"]
    for base in bases:
        if longer.startswith(base) and len(base) > 2:
            ending = longer[len(base) :]
            # runner doubles its n
            if _ANY_ENDING.fullmatch(ending.removeprefix(base[-1])) or (
                len(base) > 3 and _LONG_ENDING.fullmatch(ending)
            ):
                return True
    return False


def may_be_forms_of_one_word(a: str, b: str) -> bool:
    """Check whether two lower-case words look inflected or derived from one word.

    Good enough to offer a form, not to take it without asking.
    """
    if are_inflections(a, b):
        return True
    shorter, longer = sorted((a, b), key=len)
    if not (a.isalpha() and b.isalpha()) or len(shorter) < 2 or len(longer) > 60:
        return False
    return _stem(a) == _stem(b) or _is_built_on(longer, shorter)


def are_inflections(a: str, b: str) -> bool:
    """Check whether two lower-case words are inflections of one English word.

    Stricter than :func:`may_be_forms_of_one_word`: banker and organic are other words than bank and organ.
    """
    return a == b or (a.isalpha() and b.isalpha() and max(len(a), len(b)) <= 60 and bool(lemmas(a) & lemmas(b)))


def lemmas(word: str) -> set[str]:
    """Return what a word in lower case may be an inflection of, itself included.

    ``hoping`` gives hop and hope, ``studies`` study, ``happier`` happy, ``rose`` rise.
    """
    bases = {word}
    for ending in ("s", "es", "ed", "ing"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 2 or (ending == "s" and base.endswith("s")):
            continue
        # Not of noted: short words double their last letter before these endings, and are covered below.
        if ending not in ("ed", "ing") or not _SHORT.fullmatch(base):
            bases.add(base)
        if ending in ("ed", "ing"):
            if base[1:] != "e":  # seed is no form of see
                bases.add(base + "e")
            if len(base) > 2 and base[-1] == base[-2]:
                bases.add(base[:-1])
        if ending in ("es", "ed") and base.endswith("i"):
            bases.add(base[:-1] + "y")
    return bases | _BASES.get(word, set()) | (comparative_bases(word) & _COMPARED)


def comparative_bases(word: str) -> set[str]:
    """Return what a word in lower case may be the comparative or superlative of.

    Not all of it are words: ``hotter`` gives hot, hott and hotte.
    """
    for ending in ("er", "est"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            undoubled = stem[:-1] if stem[-1] == stem[-2] else stem
            return {stem, stem + "e", undoubled, stem[:-1] + "y" if stem[-1] == "i" else stem}
    return set()


def folded(text: str) -> str:
    """Normalize case and the encoding of accents, so that spellings can be compared."""
    return unicodedata.normalize("NFC", text).casefold()
