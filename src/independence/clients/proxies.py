"""Which proxy a request goes through: what the environment names for its host, and none for this machine."""

from __future__ import annotations

import ipaddress
from urllib.request import getproxies, proxy_bypass

from yarl import URL


def proxy_of(url: URL) -> URL | None:
    """The proxy for an address by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.

    None for a loopback address whatever they say: a proxy would look for the server on its own machine, and prompts and
    keys would leave this one.
    """
    if url.host is None or is_loopback(url.host):
        return None
    found = getproxies()
    named = found.get(url.scheme) or found.get("all", "")
    if not named.startswith(("http://", "https://")) or proxy_bypass(f"{url.host}:{url.port}"):
        return None  # a SOCKS proxy is none that the HTTP library can use
    return URL(named)


def is_loopback(host: str) -> bool:
    """True for names and addresses of this machine; the unspecified address leads there too."""
    if host.rstrip(".").lower() == "localhost" or host.rstrip(".").lower().endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return any(one.is_loopback or one.is_unspecified for one in (address, mapped) if one is not None)
