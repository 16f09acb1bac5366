"""Who can open a link to this program, which often runs on one computer only."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

ONLY_HERE = (
    "It opens on the computer that runs this program only; for others in the room, start it with --host 0.0.0.0."
)
ONLY_IN_NETWORK = "It opens in the same network, while the program runs."


def who_can_open(link: str) -> str:
    """A sentence about a link that not everybody can open; empty for any other, and for what is no link."""
    try:
        host = (urlsplit(link).hostname or "").lower()
    except ValueError:
        return ""
    if host == "localhost" or host.endswith(".localhost"):
        return ONLY_HERE
    try:
        address = ip_address(host)
    except ValueError:
        # A name without a dot is known in its own network alone, and so are those under .local.
        return ONLY_IN_NETWORK if host and ("." not in host or host.endswith(".local")) else ""
    if address.is_loopback or address.is_unspecified:
        return ONLY_HERE
    return ONLY_IN_NETWORK if address.is_private else ""
