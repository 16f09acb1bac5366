"""Recipe: words of all meanings, stored beside the bundled static vectors.

    python -m elmo_tasks.recipes.meaning_words

See :mod:`elmo_tasks.senses.stored_words`.
"""

from __future__ import annotations

from tqdm.auto import tqdm

from elmo_tasks.encoders.static_vectors import DEFAULT_NAME, StaticVectors, static_folder
from elmo_tasks.senses.disambiguation import words_key
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.stored_words import write_words
from elmo_tasks.senses.word_matches import CompactWords, meaning_words


def main() -> None:
    """Look up the words of all meanings, and write them."""
    lexicon, static = bundled_lexicon(), StaticVectors.load()
    words: dict[str, CompactWords] = {}
    for entry in tqdm([*lexicon.ambiguous, *lexicon.expressions], unit="word", leave=False):
        for sense in entry.all_senses:
            found = meaning_words(static, entry.word, sense)
            words[words_key(entry.word, sense)] = CompactWords(found.weights, found.rows)
    path = write_words(static_folder(DEFAULT_NAME), static, words)
    print(f"Wrote the words of {len(words):,} meanings to {path}.")


if __name__ == "__main__":
    main()
