"""A comparison as one HTML file to keep: it opens without a network and without scripts, and prints on A4.

Everything that came from a person or a model goes through :func:`html.escape`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from html import escape

from elmo_tasks.api import Comparison, Explanation, ModelInfo, Substitutes
from elmo_tasks.ui import answer, format, substitutes_card, why_card
from elmo_tasks.ui.page_files import joined
from elmo_tasks.ui.uses import group_of

HOW = """
<p>The model reads every sentence and describes the word with a list of numbers, a vector, once at each of its layers.
Layer 0 looks at the letters of the word only; the layers above it read the sentence from the left and from the right.
The cosine of two vectors says how alike they are: 1.00 is identical. What two random words score is the measuring stick:
only what lies clearly above it means anything. Numbers of different layers or models cannot be compared directly. A
small model makes mistakes: trust a clear pattern more than a single number. After: Peters and others, “Deep
contextualized word representations”, 2018.</p>
"""
HOW_WHY = """
<p>Why: each word around the compared one is hidden in three ways (left out, replaced by “something”, replaced by “the”);
the change of the cosine is the mean of the three. A word is named only if all three ways put it first and it makes up at
least half of all that moves the cosine its way.</p>
"""
HOW_SUBSTITUTES = """
<p>Likeliest words: the half of the model that reads from the left guesses the word from those before it, the half that
reads from the right from those after it. For both sides the two probabilities are multiplied and divided by how common
the word is, and made to sum to 100&nbsp;% again.</p>
"""


def file_name(comparison: Comparison) -> str:
    """A file name that every system takes."""
    return format.csv_name(comparison).removesuffix(".csv") + ".html"


def page(
    comparison: Comparison,
    models: Sequence[ModelInfo],
    made: date,
    link: str = "",
    explanation: Explanation | None = None,
    substitutes: Substitutes | None = None,
) -> str:
    """The file.

    Args:
        comparison: what it is about.
        models: gives the model its title.
        made: the date to write on it.
        link: address that opens the comparison again; left out if it is not a web address.
        explanation: of two of the uses, if it was asked for.
        substitutes: if they were asked for.
    """
    groups = group_of(comparison)
    title = f"“{comparison.word}” in {len(comparison.items)} sentences" if comparison.word else "Words in context"
    parts = [
        answer.verdict_section(comparison, groups, models),
        "".join(_layer(comparison, position, groups) for position in range(len(comparison.layers))),
        _why(explanation) if explanation else "",
        _substitutes(substitutes) if substitutes else "",
        _about(comparison, models, made, link, explanation, substitutes),
    ]
    style = joined("report.css")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # No script and nothing from elsewhere, whatever a sentence holds.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f'<p class="brand">ELMo in context</p>\n<h1>{escape(title)}</h1>\n{"".join(parts)}\n</main>\n</body>\n</html>\n'
    )


def _layer(comparison: Comparison, position: int, groups: list[int | None]) -> str:
    layer = comparison.layers[position]
    baseline = format.number_text(layer.random_pair_cosine)
    sentence = format.layer_sentence(comparison, layer).replace(
        " Move the slider to let the model read the sentences.", ""
    )
    asked = " (the verdict gives its cosines)" if layer.name == comparison.verdict_layer else ""
    return (
        f'<section class="layer"><h2>{escape(format.layer_title(layer.name))}{asked}</h2>'
        f"<p>{escape(sentence)} Two random words: <b>{baseline}</b>.</p>"
        f"{answer.heat_map(comparison, layer, groups)}{answer.legend(baseline)}"
        f'<div class="tables">{answer.pairs_table(comparison, layer, groups)}'
        f"{answer.norms_table(comparison, layer, groups)}</div></section>"
    )


def _why(explanation: Explanation) -> str:
    return (
        f'<section class="part"><h2>{escape(why_card.question(explanation))} {escape(explanation.answer)}</h2>'
        f"<p>{escape(why_card.reason(explanation))}</p>{why_card.picture(explanation, tips=False)}"
        f"{why_card.table(explanation)}{why_card.sides(explanation)}</section>"
    )


def _substitutes(substitutes: Substitutes) -> str:
    return (
        f'<section class="part"><h2>{escape(substitutes_card.TITLE)}</h2><p>{escape(substitutes.answer)}</p>'
        f"{substitutes_card.lists(substitutes)}</section>"
    )


def _about(
    comparison: Comparison,
    models: Sequence[ModelInfo],
    made: date,
    link: str,
    explanation: Explanation | None,
    substitutes: Substitutes | None,
) -> str:
    model = next((m.title for m in models if m.name == comparison.model), comparison.model)
    is_address = link.startswith(("http://", "https://"))
    again = f'<p>Open it again: <a href="{escape(link)}">{escape(link)}</a></p>' if is_address else ""
    return (
        f'<section class="about"><h2>How this was computed</h2><p>Model: {escape(model)} ({escape(comparison.model)}). '
        f"Date: {made.isoformat()}.</p>{again}{HOW}{HOW_WHY if explanation else ''}"
        f"{HOW_SUBSTITUTES if substitutes else ''}</section>"
    )
