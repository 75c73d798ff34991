"""Endpoints as `doctor` and `models` reach them: with or without a key, and what they say about themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import aiohttp
import msgspec

from independence.cli import run_request
from independence.clients.catalogue import Catalogue
from independence.clients.failures import RequestFailure
from independence.clients.listing import EndpointListing
from independence.config import addresses, environment
from independence.config.endpoints import Endpoint
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.errors import UsageError
from independence.report import checks
from independence.report.findings import Finding

_LONGEST_S = 180.0  # for one attempt: a local model may have to be loaded first


class Directory(NamedTuple):
    """Where addresses and keys come from."""

    known: Registry
    env: Mapping[str, str]
    local_url: str | None
    loopback: Endpoint | None = None  # serves `sim/` ids


class Door(NamedTuple):
    """An endpoint, as far as it could be reached."""

    asked: EndpointListing
    listed: Catalogue
    barred: str = ""  # why no model can be asked through it; empty: nothing speaks against it


def wrong(check: str, of: str, error: UsageError, fix: str = "") -> Finding:
    """A refusal as a finding; `fix` is for those that come without advice of their own."""
    return Finding(check, of, "fail", error.what.removeprefix(f"{of}: "), error.fix or fix)


def address(endpoint: Endpoint) -> str:
    """The base URL without credentials and query. Raises UsageError where it is none."""
    addresses.check(endpoint.base_url, f"the address of endpoint `{endpoint.name}`")
    return addresses.printable_address(endpoint.base_url)


class Reach(NamedTuple):
    """How far configuration leads: an endpoint, and what is missing to call its models."""

    endpoint: Endpoint | None  # None: not even its address is known
    missing: UsageError | None = None


def reach(name: str, directory: Directory) -> Reach:
    """The endpoint of that name, with its key where there is one: listings are often free for everybody."""
    if name == SIM:
        return Reach(directory.loopback)
    wanted = run_request.RunRequest(local_url=directory.local_url)
    try:
        endpoint = run_request.endpoints([name], directory.known, directory.env, wanted, None)[name]
    except UsageError as error:
        return Reach(_keyless(name, directory), error)
    return Reach(msgspec.structs.replace(endpoint, timeout_s=min(endpoint.timeout_s, _LONGEST_S)))


def _keyless(name: str, directory: Directory) -> Endpoint | None:
    if name == OPENROUTER:
        bare = environment.openrouter(directory.env, keyless=True)
        return msgspec.structs.replace(bare, api_key="", key_source="OPENROUTER_API_KEY")
    for entry in directory.known.endpoints:
        if entry.name == name:
            source = entry.api_key_env or ""
            return Endpoint(name, entry.base_url.rstrip("/"), entry.dialect, key_source=source)
    return None


async def knock(name: str, directory: Directory, session: aiohttp.ClientSession) -> tuple[Door | None, list[Finding]]:
    """Ask an endpoint about the key and the models it has. None where there is no address to ask at."""
    endpoint, missing = reach(name, directory)
    out = [_lacking(name, endpoint, missing)] if missing else []
    if endpoint is None:
        return None, out
    try:
        where = address(endpoint)
    except UsageError as error:
        return None, [*out, Finding("endpoint", name, "fail", str(error), "correct it")]
    barred = "its key is missing" if missing else ""
    listing = EndpointListing(endpoint, session)
    if name == SIM:
        out.append(Finding("key", name, "skipped", "simulated subjects need none"))
    elif listing.dialect.key_path and not missing:
        said = await listing.read_key()
        out.append(checks.of_key(endpoint, said))
        barred = "its key is refused" if isinstance(said, RequestFailure) and said.action == "key" else ""
    found = await listing.read_catalogue()
    out.append(checks.of_endpoint(endpoint, where, found))
    if isinstance(found, RequestFailure):
        answers = found.status and found.action != "key"
        return Door(listing, Catalogue(known=False), barred or ("" if answers else "its endpoint is of no use")), out
    return Door(listing, found, barred), out


def _lacking(name: str, endpoint: Endpoint | None, missing: UsageError) -> Finding:
    if endpoint is None:
        return wrong("endpoint", name, missing, "give its address with --local-url")
    return wrong("key", name, missing, "export it or put it into .env")


def configured(directory: Directory) -> list[str]:
    """Names of the endpoints that environment and models file speak of; OpenRouter where they speak of none."""
    names = [entry.name for entry in directory.known.endpoints]
    if directory.local_url or directory.env.get("LOCAL_MODEL_URL", "").strip():
        names.insert(0, LOCAL)
    key = any(directory.env.get(name, "").strip() for name in ("OPENROUTER_API_KEY", "OPENROUTER_KEY"))
    used = any(subject.active and subject.endpoint == OPENROUTER for subject in directory.known.subjects)
    return [OPENROUTER, *names] if key or used or not names else names
