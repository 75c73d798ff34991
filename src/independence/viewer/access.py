"""Who may ask the viewer: this machine and what is allowed by name, or who has the token; no page of another site.

A page of another site reaches this one by a name of its own (DNS rebinding), or says where it comes from. Proxies may
change the Host that was asked, and say it in another header.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from independence.errors import UsageError

COOKIE: Final = "independence-token"
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
OF_ALL_ADDRESSES: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - no address to open: one that opens
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?")
_FORWARDED: Final = re.compile(r'host="?([^";,\s]+)', re.IGNORECASE)
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

    def __init__(self, host: str, token: str = "", allowed: Iterable[str] = ()) -> None:
        """`allowed`: other names of it. Raises UsageError where one is none, for an address that other machines reach
        and no token, and for a short token.
        """
        if token and len(token) < _SHORTEST_TOKEN:
            raise UsageError(
                f"--token has {len(token)} characters", f"use {_SHORTEST_TOKEN} or more that nobody guesses"
            )
        if not token and not _is_local(host):
            what = f"--host {host}: other machines would read every dialogue of the store"
            raise UsageError(what, "add --token with a text that only readers know, or leave --host out")
        self._allowed = {name: _name(name) for name in allowed}
        for wrong in (name for name, own in self._allowed.items() if not own):
            raise UsageError(f"--allow-host {wrong} is no name of a host", "write it without https:// and path")
        self._token = token.encode()
        self._names = {*_LOCAL, host.lower(), *self._allowed.values()}

    def refusal(
        self, headers: Mapping[str, str], cookies: Mapping[str, str], asked: str, *, page: bool = False
    ) -> Refusal | None:
        """Why a request is refused; None where it is not. `asked`: the token in its address.

        `page`: the page itself is asked for, without data, to which links of other sites may lead.
        """
        hosts = [headers.get("Host", ""), *_FORWARDED.findall(headers.get("Forwarded", ""))]
        hosts += [host.strip() for host in headers.get("X-Forwarded-Host", "").split(",") if host.strip()]
        given = headers.get("Authorization", "").removeprefix("Bearer ") or asked or cookies.get(COOKIE, "")
        if self._token and not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token):
            return Refusal(401, "open the address with ?token=..., as the server printed it")
        strange = next((host for host in hosts if _name(host) not in self._names), None)
        if not self._token and strange is not None:
            helps = f"start it with --allow-host {_name(strange) or 'NAME'} or with --token"
            what = f"this server is not called `{strange[:80]}`"
            return Refusal(403, f"{what}; open the address that it printed, or {helps}")
        site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin", "")
        if site is not None:  # browsers send it where they can be trusted to: over TLS, and on one machine
            followed = page and headers.get("Sec-Fetch-Mode") == "navigate"
            own = followed or site in ("same-origin", "none")
            return None if own else Refusal(403, "requests of other sites are refused")
        scheme, _, host = origin.partition("://")
        named = host in hosts or _name(host) in self._allowed.values()
        if not origin or (scheme in ("http", "https") and named):
            return None
        helps = f"start the viewer with --allow-host {_name(host) or 'NAME'}"
        return Refusal(403, f"requests of other sites are refused; if `{origin[:80]}` is a proxy of yours, {helps}")


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """The name in a Host header, without its port; empty for what is no name."""
    found = _HOST.fullmatch(host.lower())
    return (found[1] or found[2]) if found else ""
