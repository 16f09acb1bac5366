"""Messages about the meanings of a word and of its uses on a map."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks import api
from elmo_tasks.wording import first_capital, listed, number, number_word, percent, quoted

#: Stands for a language when most words of a text are unknown.
UNKNOWN_WORDS = "unknown words"
#: Name of the group of uses whose meaning the dictionary lacks.
_ANOTHER_MEANING = "another meaning"


def meanings_answer(
    word: str,
    uses: Sequence[api.UseMeaning],
    probability: float,
    certainty: api.Certainty,
    *,
    in_expression: bool = False,
) -> api.Message:
    """State the meanings of the uses, and the certainty of the whole.

    ``in_expression`` tells that a meaning is that of an expression, not of the word alone.
    """
    chosen = {use.best for use in uses}
    named = len(chosen - {None})
    undecided = [k for k, use in enumerate(uses, 1) if use.best is None and not use.is_sure]
    is_other = any(use.best is None and use.is_sure for use in uses)
    unsure = [k for k, use in enumerate(uses, 1) if use.certainty is not api.Certainty.CONFIDENT]
    probably = "probably " if probability >= 0.5 else "perhaps "
    if certainty is api.Certainty.CONFIDENT:
        probably = ""
    has = f"has {number_word(named)} meaning{'' if named == 1 else 's'}"
    if in_expression:
        has = f"is used in {number_word(named)} way{'' if named == 1 else 's'}"
    more = ", and another that is not in the dictionary" if is_other and named else ""
    if certainty is api.Certainty.ABSTAIN and unsure:
        headline = f"The model cannot tell all meanings of “{word}” here"
    elif certainty is api.Certainty.ABSTAIN:
        mostly = "means the same" if len(chosen) == 1 else has
        headline = f"“{word}” mostly {mostly} here{more}"
    elif not named and not is_other:
        headline = f"The meaning of “{word}” is unclear here"
    elif undecided and not is_other:
        where = _sentences(undecided)
        headline = f"“{word}” {probably}{has} here; in {where} it is unclear"
    elif len(chosen) > 1:
        headline = f"“{word}” {probably}{has} here{more}"
    elif None in chosen:
        headline = f"“{word}” {probably}has a meaning here that is not in the dictionary"
    else:
        headline = f"“{word}” {probably}means the same in {_all(len(uses))}"
    sure = f"The model is {percent(probability)} sure of {_all(len(uses))} together."
    if certainty is api.Certainty.ABSTAIN and unsure:
        sure = f"Unsure: {_sentences(unsure)}. A sentence that says more around the word may help."
    elif certainty is api.Certainty.ABSTAIN:
        least = percent(min(use.probability for use in uses))
        sure = (
            f"The model is at least {least} sure of each sentence, but has probably misread one of"
            f" the {len(uses)}."
        )
    elif unsure:
        sure = f"{sure} Least sure: {_sentences(unsure)}."
    return api.Message(f"{headline}.", sure)


def one_meaning_answer(
    word: str, n: int, certainty: api.Certainty, meaning: api.Meaning | None = None
) -> api.Message:
    """State that the word has one meaning, by the dictionary or by the list of words."""
    if meaning is None:
        known = "It is on this project’s list of words with one everyday meaning"
    else:
        noun = "expression" if meaning.part_of_speech == "expression" else "word"
        known = f"This {noun} has one meaning in the dictionary: {meaning.gloss}"
        if noun == "expression" and " " in word:
            return api.Message(
                f"“{word}” has one meaning in the dictionary: {meaning.gloss}.",
                "Whether its words are meant literally in one of the sentences was not checked.",
            )
    if certainty is api.Certainty.CONFIDENT:
        return api.Message(
            f"“{word}” means the same in {_all(n)}.",
            f"{known}. This was known before the sentences were read.",
        )
    doubt = "Two of the sentences are very unlike: it may have a rarer meaning in one of them."
    return api.Message(f"“{word}” probably means the same in {_all(n)}.", f"{known}. {doubt}")


def unlisted_answer(
    word: str,
    n: int,
    probability: float,
    certainty: api.Certainty,
    *,
    is_same: bool,
    is_name: bool = False,
    spelling: str = "",
) -> api.Message:
    """State that the word is in no list, and whether its uses share a meaning.

    ``spelling`` is the word that an unknown one may be a misspelling of.
    """
    if certainty is api.Certainty.ABSTAIN:
        headline = f"The model cannot tell whether “{word}” means the same in {_all(n)}."
    else:
        answer = f"means the same in {_all(n)}" if is_same else "has more than one meaning here"
        headline = f"“{word}” probably {answer} ({percent(probability)})."
    meant = f" (did you mean “{spelling}”?)" if spelling else ""
    missing = f"“{word}” is not in the dictionary{meant}, so this is only an estimate from how"
    shared = " Two people, places or things of one name can seldom be distinguished."
    names = shared if is_name else ""
    better = "Give its meanings yourself under “Own meanings” for a better answer."
    return api.Message(headline, f"{missing} alike the sentences are.{names} {better}")


def text_answer(n: int, unsure: int, n_words: int) -> api.Message:
    """Count the words of a text with several meanings, and those that are uncertain."""
    if not n:
        return api.Message(
            "No word of this text has several meanings in the dictionary.",
            f"The dictionary has {n_words:,} words with several meanings.",
        )
    words = "1 word of this text has" if n == 1 else f"{n} words of this text have"
    several = "several meanings in the dictionary"
    pale = f" The model is unsure of {unsure}, shown pale." if unsure else ""
    return api.Message(
        f"{words} {several}.", f"{source_line(api.MeaningSource.DICTIONARY, n_words)}{pale}"
    )


def not_english_answer(language: str) -> api.Message:
    """State that a text is not English.

    ``language`` is the name of its language, or :data:`UNKNOWN_WORDS`.
    """
    if language == UNKNOWN_WORDS:
        found = "most of these words are not common English words"
    else:
        found = f"at least one sentence here seems to be in {language}"
    return api.Message(f"This model reads only English, and {found}.", "No meanings are given.")


def uncalibrated_answer(model: str) -> api.Message:
    """State that the model has no calibration."""
    return api.Message(
        f"No meanings are given: “{model}” was not calibrated.",
        "Run elmo-tasks calibrate with it, or start the app without --no-calibration. The vectors"
        " are compared below.",
    )


def different_words_answer(
    words: Sequence[str], cosine: Sequence[Sequence[float]], random: float
) -> api.Message:
    """Name the nearest two different words, beside two uses of one word and two random words.

    The ``cosine`` ``[n][n]`` is of the ``words`` in their sentences.
    """
    pairs = [(a, b) for b in range(len(words)) for a in range(b)]
    same = {(a, b) for a, b in pairs if words[a].lower() == words[b].lower()}
    a, b = max(
        (pair for pair in pairs if pair not in same), key=lambda pair: cosine[pair[0]][pair[1]]
    )
    near = number(cosine[a][b])
    headline = (
        f"“{words[a]}” and “{words[b]}” have a cosine of {near} here."
        if len(pairs) == 1
        else f"Nearest are “{words[a]}” in sentence {a + 1} and “{words[b]}” in sentence {b + 1}:"
        f" cosine {near}."
    )
    own = [
        f"“{words[c]}” in {c + 1} and “{words[d]}” in {d + 1} have {number(cosine[c][d])}"
        for c, d in sorted(same)
    ]
    parts = [
        *own[:2],
        f"two random words {number(random)}" if own else f"two random words have {number(random)}",
    ]
    compared = first_capital(f"{', '.join(parts)}.")
    return api.Message(
        headline, f"{compared} These are different words: only their vectors are compared."
    )


def source_line(source: api.MeaningSource, n_words: int) -> str:
    """State the known and the computed part of an answer."""
    if source is api.MeaningSource.DICTIONARY:
        return (
            f"Meanings come from this project’s dictionary ({n_words:,} words); which one is meant"
            " is computed."
        )
    if source is api.MeaningSource.OWN:
        return "You gave the meanings; which one is meant is computed."
    return ""


def gloss_for(meaning: api.Meaning, word: str) -> str:
    """Return the gloss; that of an expression that has ``word`` in it follows the expression."""
    is_part = meaning.part_of_speech == "expression" and word and " " not in word
    return f"{meaning.word}: {meaning.gloss}" if is_part else meaning.gloss


def heading(
    meaning: api.Meaning | None,
    source: api.MeaningSource = api.MeaningSource.DICTIONARY,
    uses: Sequence[api.UseMeaning] = (),
    word: str = "",
) -> str:
    """Return the heading of a card: a gloss, or a note on ``uses`` without a listed meaning.

    ``word`` is the compared one: a card says if its meaning is that of an expression with it.
    """
    if meaning is not None:
        return gloss_for(meaning, word)
    known = "among yours" if source is api.MeaningSource.OWN else "in the dictionary"
    if uses and not any(use.is_sure for use in uses):
        return f"unclear, perhaps another meaning, not {known}"
    return f"another meaning, not {known}"


def hesitation(use: api.UseMeaning, meanings: Sequence[api.Meaning], word: str = "") -> str:
    """Name the second candidate for an uncertain use of ``word``; empty for a sure one."""
    if use.certainty is api.Certainty.CONFIDENT or len(meanings) < 2:
        return ""
    names = [*(f"“{gloss_for(meaning, word)}”" for meaning in meanings), "another meaning"]
    shares = (*use.probabilities, use.other)
    second = sorted(range(len(names)), key=lambda k: -shares[k])[1]
    return f"perhaps {names[second]}"


def sense_tip(word: api.JudgedUse) -> str:
    """Describe the meaning of a word of a text in one line."""
    meaning = word.meaning
    kind = f"{meaning.word}: " if meaning else ""
    doubt = hesitation(word.meant, word.meanings)
    return (
        f"{kind}{heading(meaning, uses=[word.meant])}"
        f" ({percent(word.meant.probability)}{f'; {doubt}' if doubt else ''})"
    )


def others_title(others: Sequence[api.Meaning], source: api.MeaningSource) -> str:
    """Return the title of the fold with the meanings that no use has, by their entries."""
    names = {meaning.word for meaning in others if meaning.part_of_speech == "name"}
    names -= {meaning.word for meaning in others if meaning.part_of_speech != "name"}
    words = listed(
        [
            quoted(" ".join(map(first_capital, word.split())) if word in names else word)
            for word in dict.fromkeys(meaning.word for meaning in others)
        ]
    )
    where = "that you gave" if source is api.MeaningSource.OWN else "in the dictionary"
    return f"{_counted(len(others), 'other meaning')} of {words} {where}"


def _all(n: int) -> str:
    return "both sentences" if n == 2 else f"all {n} sentences"


def _sentences(numbers: Sequence[int]) -> str:
    return f"sentence {numbers[0]}" if len(numbers) == 1 else f"sentences {listed(numbers)}"


def source_name(source: str) -> str:
    """Return the title of an origin of uses."""
    return "your index" if source == api.INDEX else source


def nothing_to_draw(word: str, has_text: bool, examples: bool) -> str:
    """Explain an empty map, and suggest a remedy."""
    if has_text:
        return (
            f"Your text has no use of {quoted(word)}. Type another word, or paste a text that"
            " has it."
        )
    if not examples:
        return (
            f"Paste a text that uses {quoted(word)}, or let the examples of the dictionary count."
        )
    return (
        f"{quoted(word)} is not in the dictionary. Paste your own text that uses it, or choose"
        " another word."
    )


def map_verdict(
    word: str,
    uses: Sequence[api.MapUse],
    groups: Sequence[api.SenseGroup],
    are_meanings: bool,
    is_calibrated: bool,
    *,
    has_one_meaning: bool,
) -> api.Message:
    """Describe a map, of meanings or of clusters, and what a calibrated model adds."""
    counted = f"{_counted(len(uses), 'use')} of “{word}”"
    own = [use for use in uses if use.own]
    if has_one_meaning and not are_meanings:
        details = "It is on this project’s list of such words."
        return api.Message(f"{counted}, a word with one everyday meaning.", details)
    if not are_meanings:
        if not groups:
            return api.Message(
                f"{counted}, too few or too alike for clusters.",
                "The word is not in the dictionary.",
            )
        details = "so the clusters have no names, and they may be topics or turns of phrase."
        return api.Message(
            f"{counted} in {len(groups)} clusters.", f"The word is not in the dictionary, {details}"
        )
    if not own:
        details = "The meanings are those of the dictionary; where the uses lie is computed."
        return api.Message(f"{counted} in {_counted(len(groups), 'meaning')}.", details)
    if not is_calibrated:
        details = "This model was not calibrated, so the meanings in your text are not given."
        return api.Message(f"{counted}.", details)
    n_unsure = sum(not use.is_sure for use in own)
    unsure = f" Unsure, and pale on the map: {n_unsure} of {len(own)}." if n_unsure else ""
    found = {groups[use.group].name for use in own if use.group is not None}
    has = (
        f"{'has' if len(own) == 1 else 'have'}"
        f" {_counted(len(found - {_ANOTHER_MEANING}), 'meaning')}"
        " of the dictionary"
    )
    has += " and another" if _ANOTHER_MEANING in found else ""
    details = (
        "The meanings are those of the dictionary; which one each of your uses has is"
        f" computed.{unsure}"
    )
    return api.Message(f"Your {_counted(len(own), 'use')} of “{word}” {has}.", details)


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def texts_compared(answer: api.SenseMap) -> list[tuple[str, list[str]]]:
    """Describe the share of each group in two texts, as ``8 % (1 of 13)``."""
    columns = [
        answer.sources.index(source)
        for source in (api.TEXT_A, api.TEXT_B)
        if source in answer.sources
    ]
    if len(columns) < 2 or not answer.groups:
        return []
    totals = [max(1, sum(group.by_source[k] for group in answer.groups)) for k in columns]

    def shares(group: api.SenseGroup) -> list[str]:
        counts = [group.by_source[k] for k in columns]
        return [
            f"{percent(n / total)} ({n} of {total})"
            for n, total in zip(counts, totals, strict=True)
        ]

    return [(group.name, shares(group)) for group in answer.groups]


def typed_otherwise(answer: api.SenseMap) -> str:
    """Note that the examples are of another form of the typed word; else empty."""
    if not answer.examples_of or answer.word.lower() in {
        word.lower() for word in answer.examples_of
    }:
        return ""
    return (
        f"You typed “{answer.word}”; the examples are those of"
        f" {listed([f'“{word}”' for word in answer.examples_of])}."
    )


def shown_words(answer: api.SenseMap) -> str:
    """Describe the limits of the picture."""
    if answer.shown >= 0.995:
        return "The map shows all differences between the uses."
    return (
        f"The map shows {percent(answer.shown)} of the differences between the uses: near marks can"
        " be further apart than they look. The numbers in the list use all of them."
    )


def own_words(answer: api.SenseMap) -> str:
    """Count the uses from the user's own text; some may not be on the map."""
    on_map = sum(use.own for use in answer.uses)
    if answer.n_own <= on_map:
        return ""
    return (
        f"Your text has {answer.n_own:,} uses; {on_map} of them, at even distances, are on the map."
    )


def read_as(answer: api.SenseMap) -> str:
    """State how the user's tables were read; empty for running text."""
    return " ".join(
        f"Read from {source_name(source)}: {description}." for source, description in answer.read_as
    )


def use_name(use: api.MapUse, number: int, answer: api.SenseMap) -> str:
    """Describe a mark for a screen reader."""
    group = f", {answer.groups[use.group].name}" if use.group is not None else ""
    unsure = "" if use.is_sure or use.group is None or not answer.are_meanings else ", unsure"
    return (
        f"Use {number + 1}{group}{unsure}{f', from {source_name(use.source)}' if use.own else ''}:"
        f" {use.use.sentence}"
    )


def projected_answer(meanings: Sequence[api.ProjectedMeaning], *, is_sure: bool) -> api.Message:
    """Describe the place of a sentence by its meanings, the most probable first."""
    if not meanings:
        return api.Message("It lands beside its nearest uses.", "Its meaning is not given.")
    where = "" if meanings[0].group is not None else "No use on this map has it."
    first, *others = (
        f"{meaning.name} ({percent(meaning.probability)})" for meaning in meanings[:2]
    )
    found = f"It means: {first}." if is_sure else f"Unsure: {first}, or {others[0]}."
    return api.Message(found, where)
