"""Whether two words look like forms of one word: banks and banked, ran and run, beautiful and beauty.

Good enough to offer a form, not to take it silently.
"""

from __future__ import annotations

import re
import unicodedata

import snowballstemmer

# Families, with commas between them; the regular forms are the stemmer's business.
_IRREGULAR = """
be am is are was were been being, have has had having, do does did done doing, go goes went gone going, run ran,
begin began begun, bear bore borne born, beat beaten, become became, bend bent, bind bound, bite bit bitten, blow blew blown,
break broke broken, breed bred, bring brought, build built, burn burnt,
buy bought, can could, catch caught, choose chose chosen, come came,
creep crept, deal dealt, dig dug, dive dove, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fly flew flown flies,
forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given,
grind ground, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid,
lead led, leave left, lend lent, lie lay lain lying, light lit, lose lost, make made, mean meant, meet met, pay paid,
ride rode ridden, ring rang rung, rise rose risen, say said, see saw seen, seek sought, sell sold, send sent,
shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk,
sit sat, sleep slept, slide slid, sling slung, sow sown, speak spoke spoken, spell spelt, spend spent, spill spilt,
spin spun, spit spat, spoil spoilt, spring sprang sprung, stand stood,
steal stole stolen, stick stuck, sting stung, strike struck, swear swore sworn, sweep swept,
swell swollen, swim swam swum,
swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,
understand understood, wake woke woken, wear wore worn, weave wove woven, weep wept, will would, win won, wind wound,
withdraw withdrew withdrawn,
write wrote written, child children, man men, woman women, person people, foot feet, tooth teeth, goose geese,
mouse mice, ox oxen, antenna antennae, appendix appendices, index indices, medium media, nucleus nuclei,
dwarf dwarves, scarf scarves, leaf leaves, life lives, knife knives, wife wives, half halves, shelf shelves, wolf wolves,
loaf loaves, thief thieves, calf calves, die dice dying, tie tying, good better best, bad worse worst
"""

_FAMILIES: dict[str, set[int]] = {}
_BASES: list[str] = []  # the first word of each family
for _number, _family in enumerate(_IRREGULAR.split(",")):
    _BASES.append(_family.split()[0])
    for _word in _family.split():
        _FAMILIES.setdefault(_word, set()).add(_number)

_ANY_ENDING = re.compile(r"(?:e?s|ed|ing|ers?|ors?|est)")
_LONG_ENDING = re.compile(
    r"(?:ly|less|ness|fully?|i?fully?|ments?|able|ible|al|ally|i?ty|ies|y|ship|hood|ists?|ism|a?t?ions?|ish|like|en|ic)"
)


def _stem(word: str) -> str:
    # A new one each time: it keeps the word it works on in itself, and the app asks from several threads.
    return str(snowballstemmer.stemmer("english").stemWord(word))


def _is_built_on(longer: str, shorter: str) -> bool:
    """Whether ``longer`` is ``shorter`` and an ending: run, runner; play, player; decorate, decorator."""
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


def may_be_forms_of_one_word(one: str, other: str) -> bool:
    """Whether the two, in lower case, look like forms of one English word (inflected or derived)."""
    if one == other or _FAMILIES.get(one, set()) & _FAMILIES.get(other, set()):
        return True
    if not (one.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < 2 or len(longer) > 60:
        return False
    return _stem(one) == _stem(other) or _is_built_on(longer, shorter)


_SHORT = re.compile(r"[^aeiou]?[aeiou][^aeiouwxy]")


def are_inflections(one: str, other: str) -> bool:
    """Whether the two, in lower case, are one English word in two inflections (bank, banks, banked, banking; ran, run).

    Stricter than :func:`may_be_forms_of_one_word`: banker and organic are other words than bank and organ.
    """
    if one == other or _FAMILIES.get(one, set()) & _FAMILIES.get(other, set()):
        return True
    if not (one.isalpha() and other.isalpha()) or max(len(one), len(other)) > 60:
        return False
    return bool(lemmas(one) & lemmas(other))


def inflection_bases(word: str) -> set[str]:
    """What a word in lower case may be an inflection of: hoping gives hop and hope, studies gives study, and each gives itself."""
    found = {word}
    for ending in ("s", "es", "ed", "ing"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 2 or (ending == "s" and base.endswith("s")):
            continue
        # Not of noted: short words double their last letter before these endings, and are found as that below.
        if ending not in ("ed", "ing") or not _SHORT.fullmatch(base):
            found.add(base)
        if ending in ("ed", "ing"):
            found.add(base + "e")
            if len(base) > 2 and base[-1] == base[-2]:
                found.add(base[:-1])
        if ending in ("es", "ed") and base.endswith("i"):
            found.add(base[:-1] + "y")
    return found


def irregular_bases(word: str) -> set[str]:
    """Base words of which a word in lower case is an irregular form: ``rose`` gives rise, ``left`` gives leave."""
    return {_BASES[number] for number in _FAMILIES.get(word, ())}


def lemmas(word: str) -> set[str]:
    """Words of which a word in lower case may be an inflection, itself included."""
    return inflection_bases(word) | irregular_bases(word)


def comparative_bases(word: str) -> set[str]:
    """Words of which a word in lower case may be the comparative or superlative: hotter gives hot, nicer nice, happiest happy."""
    found: set[str] = set()
    for ending in ("er", "est"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 2:
            continue
        found |= {base, base + "e"}
        if base[-1] == base[-2]:
            found.add(base[:-1])
        if base.endswith("i"):
            found.add(base[:-1] + "y")
    return found


def folded(text: str) -> str:
    """What spellings have in common that differ in case, or in how accents are encoded."""
    return unicodedata.normalize("NFC", text).casefold()
