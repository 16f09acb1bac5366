"""Visible content of a page: text, rows, marks, choices, and names for screen readers."""

from html.parser import HTMLParser

_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class PageReader(HTMLParser):
    """Parse markup as a browser would, without styles; ``visible`` is the text without hidden
    parts."""

    def __init__(self) -> None:
        super().__init__()
        self.text = self.visible = ""
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.labels: list[str] = []  # what a screen reader calls things, in order
        self.tips, self.marked, self.chosen, self.rows, self.headings, self.buttons, self.links = (
            [] for _ in range(7)
        )
        self.carried: dict[str, list[str]] = {}  # for the scripts: the values of each ``data-…``
        self._open: list[tuple[str, list[str] | None, bool]] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.seen.add(tag)
        self.attributes |= given.keys()
        if "aria-label" in given:
            self.labels.append(given["aria-label"])
        if "data-tip" in given:
            self.tips.append(given["data-tip"])
        if tag == "a":
            self.links.append(given.get("href", ""))
        for name, value in attrs:
            if name.startswith("data-"):
                self.carried.setdefault(name.removeprefix("data-"), []).append(value or "")
        if tag not in _VOID:
            self._open.append((tag, self._kept(tag, given), "hidden" in given))

    def _kept(self, tag, given):
        """Return the list that collects the text of an element."""
        kinds = {
            "mark": self.marked,
            "tr": self.rows,
            "button": self.buttons,
            **dict.fromkeys(("h1", "h2", "h3"), self.headings),
        }
        kept = self.chosen if tag == "option" and "selected" in given else kinds.get(tag)
        if kept is not None:
            kept.append("")
        return kept

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self.text += data
        if not any(is_hidden for _, _, is_hidden in self._open):
            self.visible += data
        for _, kept, _ in self._open:
            if kept is not None:
                kept[-1] += data

    def called(self, start: str) -> int:
        """How many things a screen reader calls so."""
        return sum(label.startswith(start) for label in self.labels)


def parsed(markup: str) -> PageReader:
    """Markup, read."""
    reader = PageReader()
    reader.feed(str(markup))
    return reader
