"""Sentences about the meanings of a word: headline and details."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Certainty, Meaning, Message, Source, TextWord, UseMeaning
from elmo_tasks.messages.text import listed, percent

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_MORE_HINTS = "A sentence that says more around the word may help."


def meanings_answer(
    word: str, meanings: Sequence[Meaning], uses: Sequence[UseMeaning], probability: float, certainty: Certainty
) -> Message:
    """State the meanings of the uses, and the certainty of the whole."""
    chosen = {use.best for use in uses}
    unsure = [k for k, use in enumerate(uses, 1) if use.certainty is not Certainty.CONFIDENT]
    probably = "" if certainty is Certainty.CONFIDENT else "probably "
    if certainty is Certainty.ABSTAIN:
        headline = f"The model cannot tell all meanings of “{word}” here"
    elif len(chosen) > 1:
        headline = f"“{word}” {probably}has {_number(len(chosen))} meanings here"
    elif None in chosen:
        headline = f"“{word}” {probably}has a meaning here that is not in the dictionary"
    else:
        headline = f"“{word}” {probably}means the same in {_all(len(uses))}"
    sure = f"The model is {percent(probability)} sure of {_all(len(uses))} together."
    if certainty is Certainty.ABSTAIN and unsure:
        sure = f"Unsure: {_sentences(unsure)}. {_MORE_HINTS}"
    elif unsure:
        sure = f"{sure} Least sure: {_sentences(unsure)}."
    return Message(f"{headline}.", sure)


def one_meaning_answer(word: str, n: int, certainty: Certainty) -> Message:
    """State that the word is on the list of words with one everyday meaning."""
    if certainty is not Certainty.CONFIDENT:
        return Message(
            f"“{word}” probably means the same in {_all(n)}.",
            "It is on this project’s list of words with one everyday meaning, but two of the sentences are very unlike: it may "
            "have a rarer meaning in one of them.",
        )
    return Message(
        f"“{word}” means the same in {_all(n)}.",
        "It is on this project’s list of words with one everyday meaning; only the vectors below are computed.",
    )


def unlisted_answer(word: str, n: int, probability: float, certainty: Certainty) -> Message:
    """State that the word is in no list; ``probability`` is that all uses share a meaning."""
    why = f"“{word}” is not in the dictionary, so this is only an estimate from how alike the sentences are."
    add = "Give its meanings yourself under “Own meanings” for a better answer."
    if certainty is Certainty.ABSTAIN:
        return Message(f"The model cannot tell whether “{word}” means the same in {_all(n)}.", f"{why} {add}")
    if probability >= 0.5:
        return Message(f"“{word}” probably means the same in {_all(n)} ({percent(probability)}).", f"{why} {add}")
    return Message(f"“{word}” probably has more than one meaning here ({percent(1 - probability)}).", f"{why} {add}")


def text_answer(n: int, unsure: int, n_words: int) -> Message:
    """Count the words of a text with several meanings, and those that are uncertain."""
    if not n:
        return Message(
            "No word of this text has several meanings in the dictionary.",
            f"The dictionary has {n_words:,} words with several meanings.",
        )
    words = "1 word of this text has" if n == 1 else f"{n} words of this text have"
    pale = "" if not unsure else f" Of {unsure} the model is unsure; these are pale."
    return Message(
        f"{words} several meanings.",
        f"Meanings come from this project’s dictionary ({n_words:,} words); which one is meant is computed.{pale}",
    )


def not_english_answer(share: float) -> Message:
    """State that too few of the words are English."""
    return Message(
        "This model reads English, and most of these words are not English.",
        f"It knows {percent(share)} of the words around, so nothing is said of meanings.",
    )


def uncalibrated_answer(model: str) -> Message:
    """State that the model has no calibration."""
    return Message(
        f"Nothing is said of meanings: “{model}” was not calibrated.",
        "Run elmo-tasks calibrate with it, or start the app without --no-calibration. The vectors are compared below.",
    )


def different_words_answer() -> Message:
    """State that the marked words are different words."""
    return Message(
        "These are different words, so their meanings are not compared.", "Their vectors are compared below."
    )


def source_line(source: Source, n_words: int) -> str:
    """State the known and the computed part of an answer."""
    if source is Source.DICTIONARY:
        return f"Meanings come from this project’s dictionary ({n_words:,} words); which one is meant is computed."
    if source is Source.OWN:
        return "Meanings come from you; which one is meant is computed."
    return ""


def heading(meaning: Meaning | None) -> str:
    """Return the heading of a card: the gloss of a meaning."""
    return "another meaning, not in the dictionary" if meaning is None else meaning.gloss


def hesitation(use: UseMeaning, meanings: Sequence[Meaning]) -> str:
    """Name the two candidates for an uncertain use; empty for a sure one."""
    if use.certainty is Certainty.CONFIDENT or use.second is None:
        return ""
    best = "another meaning" if use.best is None else f"“{meanings[use.best].gloss}”"
    second = f"“{meanings[use.second].gloss}”"
    if use.best is not None and use.other > use.probabilities[use.second]:
        second = "another meaning"
    return f"between {best} and {second}"


def sense_tip(word: TextWord) -> str:
    """Describe the meaning of a word of a text in one line."""
    meaning = word.meaning
    kind = f"{meaning.word}, {meaning.part_of_speech}: " if meaning else ""
    between = hesitation(word.meant, word.meanings)
    return f"{kind}{heading(meaning)} ({percent(word.meant.probability)}{f'; {between}' if between else ''})"


def _all(n: int) -> str:
    return "both sentences" if n == 2 else f"all {n} sentences"


def _number(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def _sentences(numbers: Sequence[int]) -> str:
    return f"sentence {numbers[0]}" if len(numbers) == 1 else f"sentences {listed(numbers)}"
