"""Pages that "Save page" writes: they need no server."""

import base64
import hashlib
import re
from datetime import date

import pytest

from elmo_tasks.api import MapRequest
from elmo_tasks.errors import InputError
from elmo_tasks.ui import compare_answer, compare_form, compare_tab, map_tab
from tests.ui.reader import parsed

SENTENCES = (
    "The bank refused our loan.",
    "We sat on the bank of the river.",
    "The bank lent us money.",
)
FORM = compare_form.Form("bank", SENTENCES)
NEEDS_THE_APP = ("Copy link", "Save page", "Download PNG", "Let it land")


def of_map(service, **request):
    return map_tab.file_of(service.sense_map(MapRequest("bank", **request)), service.models())[1]


def of_comparison(service):
    return compare_answer.saved(service.compare("bank", SENTENCES), FORM, service.models())


def test_a_comparison_holds_its_answer_and_every_layer(service):
    text = parsed(of_comparison(service)).text
    for part in (
        "“bank” in 3 sentences",
        "has three meanings here",
        *SENTENCES,
        "Layer 0: the word alone",
        "Layer 2",
        "Mean of layers",
    ):
        assert part in text
    assert "Fake small (for tests)" in text
    assert date.today().isoformat() in text


def test_a_saved_comparison_names_its_word_in_its_title_alone(service):
    page = of_comparison(service)
    assert "<h1>“bank” in 3 sentences</h1>" in page
    assert '<p class="eyebrow">“bank”' not in page


def test_a_map_holds_its_marks_and_its_sentences(service):
    tags = parsed(of_map(service))
    for part in (
        "“bank” in 7 sentences",
        "7 uses of “bank” in 2 meanings",
        "Fake small (for tests)",
    ):
        assert part in tags.text
    assert tags.called("Use ") == 7
    assert tags.text.count("Ducks slept on the muddy") >= 1


@pytest.mark.parametrize("saved", [of_map, of_comparison])
def test_a_page_needs_nothing_else_and_runs_its_own_script_only(service, saved):
    page = saved(service)
    tags = parsed(page)
    assert not tags.seen & {"img", "iframe", "object", "embed", "link", "form"}
    assert not tags.attributes & {"src", "href"}
    assert not any(name.startswith("on") for name in tags.attributes)
    assert re.findall(r"url\(|@import|fetch\(|XMLHttp", page) == []
    assert set(re.findall(r'https?://[^"<\s]*', page)) <= {"http://www.w3.org/2000/svg"}
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert not [name for name in NEEDS_THE_APP if name in tags.text]


def test_the_largest_page_is_under_a_megabyte(service):
    """As many uses as a map may have, each of three hundred characters."""
    text = "\n".join(
        f"Use number {k} of the bank {'and what stands around it ' * 11}." for k in range(300)
    )
    assert len(of_map(service, text=text).encode()) < 1_000_000
    assert len(of_map(service).encode()) < 120_000


def test_the_button_saves_the_comparison_of_the_link(service):
    query = compare_form.query_of(FORM, "fake-small")
    name, text = compare_tab.file_of(service, {"query": f"{query}&layer=1"})
    assert name == "compare-bank.html"
    assert 'class="answer" data-layer="1"' in text


def test_several_models_and_whole_sentences_are_saved_too(service):
    name, text = compare_tab.file_of(
        service, {"query": compare_form.query_of(FORM, "fake-small", "fake-large")}
    )
    assert name == "compare-bank.html"
    assert "by 2 models" in text
    assert "All layers of this model" not in text
    whole = compare_form.Form("", ("The film was good.", "I enjoyed that movie."), whole=True)
    name, text = compare_tab.file_of(service, {"query": compare_form.query_of(whole, "fake-small")})
    assert name == "compare-sentences.html"
    assert "2 whole sentences" in text


@pytest.mark.parametrize("question", [{}, {"query": ""}, {"query": "word=&s=a"}])
def test_unsavable_targets_are_refused(service, question):
    with pytest.raises(InputError):
        compare_tab.file_of(service, question)
