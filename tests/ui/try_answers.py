"""What the tab Try answers in the tests: its page, and texts and sentences as heads read them."""

from elmo_tasks.ui import cards, try_tab

NOT_BAD = "The food was not bad."
JORDAN = ("Jordan scored twice.", "The bus crossed into Jordan.")


def ask(service, **data):
    return try_tab.respond(service, {"text": "", "revision": 1, **data})


def feeling(service, *texts):
    offer = cards.offers(service.heads.offered(), "classification")[0]
    return offer, service.heads.classify(texts, offer.head.name), service.heads.classify(texts, offer.baseline.name)


def names(service, *sentences, head=0):
    offer = cards.offers(service.heads.offered(), "tagging")[head]
    without = service.heads.tag(sentences, offer.baseline.name, 4) if offer.baseline else ()
    return offer, service.heads.tag(sentences, offer.head.name, 4), without
