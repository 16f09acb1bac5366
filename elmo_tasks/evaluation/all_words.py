"""The senses of all words of running text, learned from SemCor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from elmo_tasks.data.sense_uses import read_first_senses, read_semcor, read_unified
from elmo_tasks.evaluation.nearest_sense import all_words_scores, most_frequent, say_all_words
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row

FILES = ("wsd/semcor3/semcor.jsonl.xz", "wsd/unified_eval/ALL.data.xml", "wsd/unified_eval/ALL.gold.key.txt")
#: Not needed: WordNet's list of senses, for words that SemCor has not.
FIRST_SENSES = "wsd/wordnet/index.sense"


def all_words(reader: Reader, data: Path) -> list[Row]:
    """The unified sets (Raganato et al., 2017), by the nearest mean of a sense in SemCor (Peters et al., 2018, section 5.3)."""
    asked = read_unified(data / FILES[1], data / FILES[2])
    lemmas = {use.lemma for use in asked}
    # Encoding SemCor is what takes long: the senses of words that nobody asks for are left out.
    known = [use for use in read_semcor(data / FILES[0]) if use.lemma in lemmas]
    first = read_first_senses(data / FIRST_SENSES) if (data / FIRST_SENSES).is_file() else {}
    known_vectors = reader.words([use.use for use in known], "SemCor")
    asked_vectors = reader.words([use.use for use in asked], "unified sets")
    of_lemma: dict[str, list[tuple[str, ...]]] = {}
    for use in known:
        of_lemma.setdefault(use.lemma, []).append(use.senses)
    commonest = {lemma: most_frequent(senses) for lemma, senses in of_lemma.items()}
    # The answer without vectors goes along as a view without a name, so that it is scored as the others are.
    said: dict[str, list[str | None]] = {"": [(commonest | first).get(use.lemma) for use in asked]}
    for view in reader.views:
        said[view] = say_all_words(
            known_vectors.view(view),
            [use.lemma for use in known],
            [use.senses for use in known],
            asked_vectors.view(view),
            [use.lemma for use in asked],
            first,
        )
    unseen = sum(use.lemma not in of_lemma for use in asked)
    told = (
        f"get WordNet's first sense, from {FIRST_SENSES}"
        if first
        else f"stay without an answer ({FIRST_SENSES} is not here)"
    )
    note = (
        f"WSD: nearest mean of the senses of the word in SemCor, any gold sense is right. {unseen:,} of {len(asked):,} uses are of "
        f"words that SemCor has not; they {told}."
    )
    rows = []
    for group in (*dict.fromkeys(use.group for use in asked), "ALL"):
        mine = [k for k, use in enumerate(asked) if group in (use.group, "ALL")]
        gold = [asked[k].senses for k in mine]
        scores = {view: all_words_scores([found[k] for k in mine], gold).f1 for view, found in said.items()}
        how = "first sense" if first else "commonest sense in SemCor"
        row = Row("wsd", f"WSD {group}, F1", scores, without=scores.pop(""), without_name=how, note=note)
        rows.append(replace(row, is_main=group == "ALL"))
    return rows
