"""Tokens as the Penn Treebank spells them -> the characters they stand for, which is how pretraining text has them."""

from __future__ import annotations

_SPELLINGS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "\\/": "/",
}


def plain_token(token: str) -> str:
    r"""``(`` for ``-LRB-``, ``"`` for ``''``, ``1/2`` for ``1\/2``; any other token as it is."""
    return _SPELLINGS.get(token) or token.replace("\\/", "/").replace("\\*", "*")
