"""The answer of the Try tab in tests: its page, and readings of texts and sentences."""

import gradio as gr

from elmo_tasks.ui import cards, try_tab

NOT_BAD = "The food was not bad."
JORDAN = ("Jordan scored twice.", "The bus crossed into Jordan.")


def plain(text):
    """The text with plain spaces before its percent signs."""
    return text.replace("\u00a0", " ")


def ask(service, text="", mode="all", **heads):
    return try_tab.page(service, text, mode, heads)


def tab_of(service):
    """The components of the tab, outside of an app."""
    with gr.Blocks():
        return try_tab.TryTab(service)


def sentiment(service, *texts):
    option = cards.head_options(service.heads(), "classification")[0]
    return (
        option,
        service.classify(texts, option.head.name),
        service.classify(texts, option.baseline.name),
    )


def entities(service, *sentences, head=0):
    option = cards.head_options(service.heads(), "tagging")[head]
    without = service.tag(sentences, option.baseline.name, 4) if option.baseline else ()
    return option, service.tag(sentences, option.head.name, 4), without
