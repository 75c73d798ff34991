"""Which files of the working directory say where requests go, and whether the user has agreed to it.

A folder that was cloned or unpacked may hold somebody else's `models.yaml` or `.env`. Both are read without being
named, so neither may send keys of the environment to an address of its own unasked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from independence.config import entries
from independence.config.endpoints import Endpoint, fill, is_loopback, printable_address, variables
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER
from independence.errors import UntrustedAddressError

VARIABLE = "INDEPENDENCE_TRUST_FOLDER"
_NAMED_BY = {OPENROUTER: "OPENROUTER_BASE_URL", LOCAL: "LOCAL_MODEL_URL"}  # what sets the address


class Destination(NamedTuple):
    """An address that a file of the working directory names, and the variables whose values are sent there."""

    file: str  # absolute path
    address: str  # without user, password, query and values of the environment
    variables: tuple[str, ...]  # at least one

    def __str__(self) -> str:
        return f"{self.file} sends {', '.join(self.variables)} to {self.address}"


def destinations(found: Iterable[Endpoint], known: Registry, env: Mapping[str, str]) -> list[Destination]:
    """Where these endpoints send values of variables because a file that nobody named says so.

    Addresses of this machine, and those that ship with the package, are left out.
    """
    return [one for endpoint in found for one in _of_endpoint(endpoint, known, env)]


def _of_endpoint(endpoint: Endpoint, known: Registry, env: Mapping[str, str]) -> Iterator[Destination]:
    from_env_file = {one: value for one, value in env.items() if one not in os.environ}
    entry = known.entry(endpoint.name)
    if entry is None:
        option = endpoint.address_source == "--local-url"
        addresses, setting = endpoint.addresses, [] if option else [_NAMED_BY.get(endpoint.name, "")]
        read = [endpoint.key_source]
    else:
        addresses, setting = entry.addresses, [one for text in entry.addresses for one in variables(text)]
        texts = (*entry.headers.values(), *entry.query.values())
        read = [endpoint.key_source, *setting, *(one for text in texts for one in variables(text))]
    ships = {address for one in entries.shipped().values() for address in one.addresses}
    if entry in known.endpoints and known.found and not ships.issuperset(addresses):
        file, sent = known.found, read
    elif from_env_file.keys() & setting:
        file, sent = Path(".env"), [one for one in read if one not in from_env_file]
    else:
        return
    sent = [one for one in dict.fromkeys(sent) if env.get(one, "").strip()]
    if sent and not all(is_loopback(urlsplit(one).hostname or "") for one in endpoint.addresses):
        shown = ", ".join(printable_address(fill(one, from_env_file)) for one in addresses)
        yield Destination(str(file.absolute()), shown, tuple(sent))


def of_environment() -> bool:
    """Whether the environment says to trust the folder; `.env`, which is a file of the folder, cannot."""
    return os.environ.get(VARIABLE) == "1"


def check(asked: Iterable[Destination]) -> None:
    """Raises UntrustedAddressError for those that the user has not agreed to."""
    agreed = _agreed()
    if unknown := [one for one in asked if one not in agreed]:
        ways = f"answer yes on a terminal once, or add --trust-folder ({VARIABLE}=1)"
        raise UntrustedAddressError("; ".join(map(str, unknown)), f"if that is right, {ways}", unknown)


def agree(asked: Iterable[Destination]) -> None:
    """Remember that the user agrees to these, in a file of the user's own. Raises OSError."""
    path = _file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as out:
        out.writelines(msgspec.json.encode(one) + b"\n" for one in asked)


def _agreed() -> set[Destination]:
    try:
        return set(msgspec.json.decode(b"[%b]" % b",".join(_file().read_bytes().splitlines()), type=list[Destination]))
    except (FileNotFoundError, NotADirectoryError):
        return set()


def _file() -> Path:
    """Where what the user agreed to is kept: a line of JSON each, `[file, address, [variables]]`."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "independence" / "trusted.jsonl"
