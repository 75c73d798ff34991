"""Who may ask the viewer: this machine alone, unless a token is set; no page of another site, whatever it is called."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from independence.errors import UsageError

COOKIE: Final = "independence-token"
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?")
_SHORTEST_TOKEN: Final = 12
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    sentence: str


class AccessRules:
    """The rules of one address."""

    def __init__(self, host: str, token: str = "") -> None:
        """Raises UsageError for an address that other machines reach and no token, and for a short token."""
        if token and len(token) < _SHORTEST_TOKEN:
            raise UsageError(
                f"--token has {len(token)} characters", f"use {_SHORTEST_TOKEN} or more that nobody guesses"
            )
        if not token and not _is_local(host):
            what = f"--host {host}: other machines would read every dialogue of the store"
            raise UsageError(what, "add --token with a text that only readers know, or leave --host out")
        self._token = token.encode()
        self._names = None if host in _EVERYWHERE else _LOCAL | {host.lower()}

    def refusal(self, headers: Mapping[str, str], cookies: Mapping[str, str], asked: str) -> Refusal | None:
        """Why a request is refused; None where it is not. `asked`: the token in its address.

        A page of another site reaches this one by a name of its own (DNS rebinding) or says where it comes from.
        """
        host = headers.get("Host", "")
        if self._names is not None and _name(host) not in self._names:
            return Refusal(403, f"this server is not called `{host[:80]}`; open the address that it printed")
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{host}":
            return Refusal(403, "requests of other sites are refused")
        given = headers.get("Authorization", "").removeprefix("Bearer ") or asked or cookies.get(COOKIE, "")
        if self._token and not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token):
            return Refusal(401, "open the address with ?token=..., as the server printed it")
        return None


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """The name in a Host header, without its port; empty for what is no name."""
    found = _HOST.fullmatch(host.lower())
    return (found[1] or found[2]) if found else ""
