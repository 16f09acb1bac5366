"""The language of short texts."""

import pytest

from elmo_tasks.text.language import foreign_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("El banco está cerrado hoy.", "Spanish"),
        ("Die Bank ist heute geschlossen.", "German"),
        ("Где вокзал?", "Russian"),
        ("Le chat dort sur le lit.", "French"),
        ("銀行は今日閉まっています。", "Japanese"),
        ("The bank is closed today.", ""),
        ("omg this is soooo good lol", ""),
        ("Tbilisi is the capital of Georgia.", ""),
        ("SHE RAN FOR OFFICE IN MAY", ""),
        ("Vi ses i dag.", "Swedish"),
        ("Slay, queen!", ""),
        ("I am in.", ""),
        ("ok", ""),
        ("", ""),
        ("123 !!! 456", ""),
        ("gracias", ""),
        ("He ghosted me.", ""),
        ("Dad snored.", ""),
    ],
)
def test_language(text: str, language: str):
    assert foreign_language(text) == language
