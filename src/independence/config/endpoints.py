"""An endpoint: where requests go, in which dialect, with which key, how many at once and how fast."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

import msgspec

from independence.errors import UsageError


class Rate(msgspec.Struct, frozen=True):
    """How fast requests may leave: no more than `burst + per_second * t` of them in any `t` seconds."""

    per_second: float  # above 0
    burst: int = 1  # at least 1


class RateSetting(NamedTuple):
    """What one source says about a rate; None where it says nothing."""

    rps: float | None = None  # above 0
    burst: int | None = None  # at least 1

    def over(self, below: RateSetting) -> RateSetting:
        """This, and what it leaves open as `below` has it."""
        return RateSetting(
            below.rps if self.rps is None else self.rps, below.burst if self.burst is None else self.burst
        )

    @property
    def rate(self) -> Rate | None:
        """The rate it comes to; None without requests per second, whatever the burst."""
        return None if self.rps is None else Rate(self.rps, self.burst or 1)


class ModelBounds(msgspec.Struct, frozen=True):
    """What one model takes, on one provider where it is pinned."""

    model: str  # id as the endpoint knows it
    provider: str | None = None  # pin
    rate: Rate | None = None  # None: as fast as its endpoint lets
    concurrency: int | None = None  # calls in flight; None: as many as its endpoint lets
    timeout_s: float | None = None  # total per attempt; None: as long as its endpoint


class Endpoint(msgspec.Struct, frozen=True):
    """An OpenAI-compatible server. The key is left out of its repr and is never stored."""

    name: str
    base_url: str  # up to and including `/v1`
    dialect: str  # its name
    api_key: str = ""
    max_concurrency: int = 50
    timeout_s: float = 90.0  # total per attempt
    slow_timeout_s: float = 240.0  # the same for models that its dialect knows to be slow
    connect_timeout_s: float = 10.0
    backoff_s: float = 0.5  # ceiling of the first pause before a retry; doubles with each
    retries: int = 6  # of transport faults, per call
    key_source: str = ""  # environment variable the key was read from
    rate: Rate | None = None  # of each model that has none of its own; None: unbounded
    bounds: tuple[ModelBounds, ...] = ()  # of models that have some of their own

    def bounds_of(self, model: str, provider: str | None = None) -> ModelBounds:
        """What a model takes here: its own bounds (those of this pin before those of any), else the endpoint's rate."""
        mine = [b for b in self.bounds if b.model == model and b.provider in (provider, None)]
        own = max(mine, key=lambda b: b.provider == provider, default=ModelBounds(model))
        return ModelBounds(model, provider, own.rate or self.rate, own.concurrency, own.timeout_s)

    def timeout_of(self, model: str, provider: str | None = None, *, slow: bool = False) -> float:
        """Seconds one attempt on a model may take."""
        usual = max(self.timeout_s, self.slow_timeout_s) if slow else self.timeout_s
        return (self.bounds_of(model, provider).timeout_s or usual) if self.bounds else usual

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no log may hold: the key, and what stands for one in the address."""
        parts = urlsplit(self.base_url)
        values = (value for _, value in parse_qsl(parts.query))
        return tuple(one for one in (self.api_key.strip(), parts.password or "", *values) if one)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {printable_address(self.base_url)!r}, {self.dialect!r})"


_SHORTEST_SECRET = 4


def masking(secrets: Iterable[str]) -> Callable[[bytes], bytes]:
    """A function that takes secrets out of JSON. What is shorter than four characters is none."""
    spelled = [msgspec.json.encode(secret)[1:-1] for secret in secrets if len(secret) >= _SHORTEST_SECRET]
    return lambda text: functools.reduce(lambda out, secret: out.replace(secret, b"[key]"), spelled, text)


_BLANK = re.compile(r"[\x00-\x20\x7f-\xa0]")
_BARE = re.compile(r"(?!https?:)(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d+)(?![^/?#])")  # `host:port`, and what may follow


def check(address: str, source: str) -> str:
    """The address without slashes at its end. `host:port` is taken as http://, with port 443 as https://.

    Raises UsageError, naming `source`, where it cannot be one.
    """
    if bare := _BARE.match(address):
        address = f"http{'s' * (bare[1] == '443')}://{address}"
    if problem := _problem(address):
        raise UsageError(f"{source}: {problem}", "write it like http://127.0.0.1:1234/v1")
    return address.rstrip("/")


def _problem(address: str) -> str:
    """What is wrong with an address; empty for nothing."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        what = "its port is not a number from 1 to 65535" if "ort" in str(error) else "it cannot be read"
        return f"`{_cut(address)}` is no address: {what}"
    if parts.scheme not in ("http", "https") or "://" not in address:
        return f"`{_cut(address)}` is not an http:// or https:// address"
    if not parts.hostname or _BLANK.search(address) or port == 0:
        what = "its port is 0" if port == 0 else "it has no host name" if not parts.hostname else "it holds a blank"
        return f"`{_cut(address)}` is no address: {what}"
    return ""


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
    what = "signs that are not ASCII" if key.isprintable() else "a line break or another invisible character"
    raise UsageError(f"{source} holds {what}", "copy the key again, in one line")
