"""Base URLs and keys as a person writes them: what is no address is said here, and not by whoever connects."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from independence.errors import UsageError

_BLANK = re.compile(r"[\x00-\x20\x7f-\xa0]")


def check(address: str, source: str) -> str:
    """The address without slashes at its end. Raises UsageError, naming `source`, where it cannot be one."""
    problem, meant = _problem(address)
    if problem:
        raise UsageError(f"{source}: {problem}", meant)
    return address.rstrip("/")


def _problem(address: str) -> tuple[str, str]:
    """What is wrong with an address, empty for nothing, and what may be meant."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        what = "its port is not a number from 1 to 65535" if "ort" in str(error) else "it cannot be read"
        return f"`{_cut(address)}` is no address: {what}", ""
    if parts.scheme not in ("http", "https") or "://" not in address:
        return f"`{_cut(address)}` is not an http:// or https:// address", _meant(address)
    if not parts.hostname or _BLANK.search(address) or port == 0:
        what = "its port is 0" if port == 0 else "it has no host name" if not parts.hostname else "it holds a blank"
        return f"`{_cut(address)}` is no address: {what}", ""
    return "", ""


def _meant(address: str) -> str:
    """What may have been left out."""
    if "://" in address or _BLANK.search(address) or not re.match(r"[\w.-]+(:\d+)?(/|$)|\[", address):
        return ""
    return f"did you mean `http://{_cut(address)}`?"


def printable_address(address: str) -> str:
    """An address as it may be printed: without user, password and query, where keys can stand."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return _cut(address)
    return SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "").geturl()


def _cut(address: str) -> str:
    """The same for what is no address."""
    scheme, mark, rest = re.split(r"[?#]", address, maxsplit=1)[0].rpartition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path


def check_key(key: str, source: str) -> str:
    """A key that can travel in a header. Raises UsageError, which never holds the key."""
    if key.isascii() and key.isprintable():
        return key
    what = "signs that are not ASCII" if key.isprintable() else "a line break or another control character"
    raise UsageError(f"{source} holds {what}", "copy the key again, in one line")
