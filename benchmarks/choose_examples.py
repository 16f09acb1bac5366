"""Choose the page's examples: ``python -m benchmarks.choose_examples``.

To be run whenever the bundled model changes. Every rule asks the model as the screen does:

- compare: candidates in their order that are sorted as they were meant, and named; where the words differ, whose closest two are
  those that were meant. A story of Present: the first three of its candidates that are so.
- failures: of short everyday sentences of known senses, two in each of two senses: the first word that is named wrongly, the first
  that is leaned to wrongly, the first that is not told.
- ready: for every word of the gallery two senses and typical uses of each (:mod:`elmo_tasks.senses.typical_uses`); own: those of
  these words, in the order of the gallery, that are named rightly, for the slide that offers some.
- forming: pairs of sentences in both of which the word is nearer to neither sense up to the word that decides, and from there on,
  at every word, nearer to the one that was meant: the first of its candidates that are so.
- map: words of the gallery whose map, as it opens, has named groups that are exactly the meanings, those with most groups first.
- nearest: candidates of whose five nearest uses of the same word most have the sense that the title names.
- quiz: of every everyday word in several senses that no calibration was fitted on, two sentences in one sense or one in each of
  two, by turns; of these pairs ten, evenly spread from the one that the model is surest of to the one it is least sure of,
  whoever is right.
- try: candidates whose answers with context are those that were meant; those that are wrong without context come first.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import MapRequest
from elmo_tasks.files import atomic_write
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.calibration_fit import halves
from elmo_tasks.senses.gallery import everyday_uses, gallery, gallery_words
from elmo_tasks.senses.grouping import GroupingModel
from elmo_tasks.senses.marked_vectors import density_of, told_of
from elmo_tasks.senses.similarity import cosine_matrix
from elmo_tasks.senses.typical_uses import typical_uses
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.serving.comparisons import other_cosines
from elmo_tasks.serving.session import Session
from elmo_tasks.ui import examples, nearest_tab, present_examples, try_examples
from elmo_tasks.ui.examples import Outcome, outcome, shows_what_was_meant
from elmo_tasks.ui.present_examples import FORMING_CANDIDATES, Turning
from elmo_tasks.ui.try_examples import TryExample
from elmo_tasks.uses import Use, read_uses
from elmo_tasks.wording.classified import said

#: How many are offered at most.
_STORIES, _PAIRS, _MAPS, _OWN, _TRY = 3, 4, 8, 12, 10
_QUIZ = 10
_NEAREST, _MOST = 5, 3  # so many of the nearest so many have the sense that is named


def main() -> None:
    """Choose and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of the model (default: the bundled one)")
    args = parser.parse_args()
    session = Session(args.model)
    compare = [e.title for e in examples.CANDIDATES if _is_shown(session, e.word, e.sentences, e.meant)]
    stories = [s.word for s in present_examples.STORY_CANDIDATES if _is_shown(session, s.word, s.sentences, s.meant)]
    ready = {word: uses for word in gallery_words() if (uses := ready_uses(session, word))}
    sentences = {word: sentences_of(word, uses) for word, uses in ready.items()}
    right = [word for word, uses in ready.items() if _is_shown(session, word, sentences[word], [s for s, _ in uses])]
    # The talk has shown its own words before, in meanings that are not those of their ready sentences.
    new = [word for word in right if word not in {s.word for s in present_examples.STORY_CANDIDATES}]
    content: dict[str, Any] = {
        "model": session.loaded.default,
        "compare": compare,
        "stories": stories[:_STORIES],
        "failures": _failures(session),
        "forming": _forming(session),
        "map": _maps(session),
        "nearest": [title for title, *asked in nearest_tab.CANDIDATES if is_near(session, *asked)],
        "try": _try(session),
        "quiz": quiz(session),
        "own": new[:: max(1, len(new) // _OWN)][:_OWN],
        "ready": ready,
    }
    atomic_write(examples.FILE, _as_json(content))
    for kind, found in content.items():
        print(f"{kind}: {f'{len(found)} words, {len(right)} named rightly' if kind == 'ready' else found}")


def _as_json(content: dict[str, Any]) -> str:
    """One line for each kind, and for each word that is ready."""
    ready = ",\n".join(f"  {json.dumps(word)}: {json.dumps(uses)}" for word, uses in content["ready"].items())
    lines = [
        f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in content.items()
        if key != "ready"
    ]
    return "{\n" + ",\n".join(lines) + ',\n "ready": {\n' + ready + "\n }\n}\n"


def _is_shown(session: Session, word: str, sentences: Sequence[str], meant: Sequence[str]) -> bool:
    return shows_what_was_meant(session.compare(word, sentences), meant)


def ready_uses(session: Session, word: str) -> list[tuple[str, int]]:
    """Typical uses of two senses of a word, by sense and sentence number."""
    entries = [entry for entry in gallery() if entry.word == word]
    seen: Counter[str] = Counter()
    places = []
    for entry in entries:
        places.append((entry.sense, seen[entry.sense]))
        seen[entry.sense] += 1
    odds = pair_log_odds(session, [gallery_use(entry) for entry in entries])
    found = typical_uses(odds, [entry.sense for entry in entries])
    return [] if found is None else [places[use] for use in found]


def sentences_of(word: str, uses: Sequence[tuple[str, int]]) -> list[str]:
    """The sentences that :func:`ready_uses` names."""
    by_sense: dict[str, list[str]] = {}
    for entry in gallery():
        if entry.word == word:
            by_sense.setdefault(entry.sense, []).append(entry.sentence)
    return [by_sense[sense][number] for sense, number in uses]


def pair_log_odds(session: Session, uses: Sequence[Use]) -> NDArray[np.float64]:
    """Log-odds ``[n, n]`` that two uses have the same meaning, as for a pair alone."""
    grouping, cosines, told, density = what_is_read(session, uses)
    first, second = np.triu_indices(len(uses), 1)
    same = grouping.of_two(
        [of_view[first, second] for of_view in cosines],
        np.stack([told[first], told[second]], axis=1),
        np.stack([density[first], density[second]], axis=1),
    )
    same = np.clip(same, 1e-9, 1 - 1e-9)
    odds = np.zeros((len(uses), len(uses)))
    odds[first, second] = odds[second, first] = np.log(same / (1 - same))
    return odds


def what_is_read(
    session: Session, uses: Sequence[Use]
) -> tuple[GroupingModel, list[NDArray[np.float64]], NDArray[np.float64], NDArray[np.float64]]:
    """Model inputs of a comparison: cosines by view, and two features ``[n]``."""
    loaded = session.loaded.model()
    selected = loaded.calibration.selected_reading
    assert selected.grouping is not None, "the model cannot tell uses apart"
    read = read_uses(loaded.encoder, uses)
    views = zip(loaded.names, with_mean(read.layers), strict=True)
    cosines = {name: np.asarray(cosine_matrix(vectors)) for name, vectors in views} | other_cosines(loaded, uses, read)
    told, density = (np.array([of(loaded.static, use) for use in uses]) for of in (told_of, density_of))
    return selected.grouping, [cosines[view] for view in selected.views], told, density


def _failures(session: Session) -> list[dict[str, Any]]:
    """Find the first of each kind of failure among pairs of everyday sentences."""
    by_word: dict[str, dict[str, list[str]]] = {}
    for use in everyday_uses():
        by_word.setdefault(use.word, {}).setdefault(use.sense, []).append(use.sentence)
    found: dict[Outcome, dict[str, Any]] = {}
    for word, senses in by_word.items():
        two = [(sense, sentences[:2]) for sense, sentences in senses.items() if len(sentences) > 1][:2]
        if len(two) == 2:
            meant = [two[0][0], two[1][0]] * 2
            sentences = [two[0][1][0], two[1][1][0], two[0][1][1], two[1][1][1]]
            answer = session.compare(word, sentences)
            if not answer.same_meaning:  # lighter is another word than light: no verdict
                continue
            kind = outcome(answer, meant)
            found.setdefault(kind, {"word": word, "sentences": sentences, "meant": meant})
    order = (Outcome.WRONG, Outcome.LEANS_WRONG, Outcome.SILENT, Outcome.PAIR, Outcome.IF_SEVERAL)
    return [found[kind] for kind in order if kind in found][:3]


def _forming(session: Session) -> list[str]:
    found = (pair.title for pair in FORMING_CANDIDATES if all(turns(session, pair, which) for which in (0, 1)))
    return list(islice(found, _PAIRS))


def turns(session: Session, pair: Turning, which: int) -> bool:
    """Check that a sentence turns to its sense at the deciding word, and not before."""
    answers = [session.present.forms(pair.word, sentence, pair.senses) for sentence in pair.sentences]
    at = next(k for k, (a, b) in enumerate(zip(answers[0].tokens, answers[1].tokens, strict=True)) if a != b)
    nearer = [(step.words > at, step.nearer) for step in answers[which].steps]
    return all(name == (pair.senses[which] if decided else None) for decided, name in nearer)


def _maps(session: Session) -> list[str]:
    found: list[tuple[int, int, str]] = []
    for word in gallery_words():
        answer = session.maps.sense_map(MapRequest(word))
        if answer.groups and answer.agreement is not None and answer.agreement > 0.99:
            found.append((-len(answer.groups), len(found), word))
    return [word for *_, word in sorted(found)[:_MAPS]]


def is_near(session: Session, word: str, sentence: str, sense: str) -> bool:
    """Check that most of the nearest uses of the same word have the sense."""
    senses = {gallery_use(entry).sentence: entry.sense for entry in gallery() if entry.word == word}
    near = session.nearest.uses(word, sentence, only="same", n=_NEAREST).uses
    return sum(senses.get(use.sentence) == sense for use in near) >= _MOST


def quiz(session: Session) -> list[tuple[str, list[str], list[str]]]:
    """Pairs of uses with their senses, the surest first."""
    by_word: dict[str, dict[str, list[str]]] = {}
    for use in everyday_uses():
        by_word.setdefault(use.word, {}).setdefault(use.sense, []).append(use.sentence)
    _, held_out = halves(sorted({*by_word, *gallery_words()}))
    pairs = []
    for k, word in enumerate(word for word in held_out if len(by_word.get(word, ())) > 1):
        (one, ours), (other, theirs) = list(by_word[word].items())[:2]
        second, sense = (ours[1], one) if k % 2 == 0 else (theirs[0], other)
        same = session.compare(word, [ours[0], second]).same_meaning[0][1]
        pairs.append((-abs(same - 0.5), word, [ours[0], second], [one, sense]))
    pairs.sort()
    picked = [pairs[round(k * (len(pairs) - 1) / (_QUIZ - 1))] for k in range(_QUIZ)]
    return [(word, sentences, senses) for _, word, sentences, senses in picked]


def _try(session: Session) -> list[str]:
    right = [example for example in try_examples.CANDIDATES if is_said(session, example)]
    decided = [example for example in right if not is_said(session, example, with_context=False)]
    first = right[:1]  # the opening examples: sentiment and entities
    rest = [*decided, *(example for example in right if example not in decided)]
    return [example.title for example in (*first, *(e for e in rest if e not in first))][:_TRY]


def is_said(session: Session, example: TryExample, with_context: bool = True) -> bool:
    """Check that the default heads, or their static twins, predict what was meant."""
    heads = {info.name: info for info in session.heads.offered()}
    first = {kind: next(h for h in heads.values() if h.kind == kind) for kind in ("classification", "tagging")}
    names = {kind: head.name if with_context else head.baseline for kind, head in first.items()}
    found = session.heads.classify(example.lines, names["classification"], occlusion=False) if example.feeling else ()
    tagged = session.heads.tag(example.lines, names["tagging"]) if example.names else ()
    return tuple(said(result) for result in found) == example.feeling and (
        tuple(tuple(span.type for span in sentence.spans) for sentence in tagged) == example.names
    )


if __name__ == "__main__":
    main()
