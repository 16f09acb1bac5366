"""Nearest uses before the dictionary has been read."""

import threading

from elmo_tasks.api import NearestRequest
from elmo_tasks.service import nearest_uses
from elmo_tasks.service.session import Session


def test_a_first_search_does_not_wait_until_the_dictionary_is_read(folder, monkeypatch, tmp_path):
    session, may_go_on = Session(str(folder)), threading.Event()
    made = nearest_uses._dictionary_index
    monkeypatch.setattr(nearest_uses, "_PATIENCE", 0.05)
    monkeypatch.setattr(
        nearest_uses, "_one_of_each_meaning", lambda: ["A lake shore.", "The bank was shut."]
    )
    monkeypatch.setattr(
        nearest_uses, "_dictionary_index", lambda *given: may_go_on.wait(60) and made(*given)
    )
    monkeypatch.setenv(nearest_uses.CACHE_VARIABLE, str(tmp_path))
    sentence = "We sat on the bank of the river."
    first = session.nearest(NearestRequest("bank", sentence, complete=False))
    assert not first.is_complete
    assert first.uses
    assert all(use.same_word for use in first.uses)
    may_go_on.set()
    whole = session.nearest(NearestRequest("bank", sentence))
    assert whole.is_complete
    assert whole.n_tokens > first.n_tokens
    assert session.nearest(NearestRequest("bank", sentence, complete=False)).is_complete
