"""An endpoint: where requests go, in which dialect, with which key, how many at once and how fast."""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

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
    by_slots: bool = False  # as many calls in flight as the server says that it has slots, where it says so
    timeout_s: float = 90.0  # total per attempt; of a streamed one up to its first token
    stream: bool = False  # answers are read as they are written
    strict_model: bool = False  # answers by another model, or under another name, are refused
    silence_s: float = 60.0  # between two tokens of a streamed answer
    slow_timeout_s: float = 240.0  # the same for models that its dialect knows to be slow
    connect_timeout_s: float = 10.0
    backoff_s: float = 0.5  # ceiling of the first pause before a retry; doubles with each
    retries: int = 6  # of transport faults, per call
    key_source: str = ""  # environment variable the key was read from
    address_source: str = ""  # option or environment variable the address was read from
    rate: Rate | None = None  # of each model that has none of its own; None: unbounded
    bounds: tuple[ModelBounds, ...] = ()  # of models that have some of their own
    headers: Mapping[str, str] = {}  # of every request, over those of its dialect
    hidden: tuple[str, ...] = ()  # values of headers that are secret
    features: Mapping[str, str] = {}  # feature -> the form in which requests are written at first
    lists_models: bool = True  # whether its list of models says which ids it takes
    others: tuple[str, ...] = ()  # more addresses, whose servers share its work
    slots: tuple[int, ...] = ()  # requests that the server at each address works on at a time; empty: unknown

    @property
    def addresses(self) -> tuple[str, ...]:
        """All its addresses."""
        return (self.base_url, *self.others)

    @property
    def each(self) -> tuple[Endpoint, ...]:
        """An endpoint for each address alone, for those who ask one server."""
        alone = (msgspec.structs.replace(self, base_url=one, others=(), slots=()) for one in self.addresses)
        return tuple(alone)

    @property
    def printable(self) -> str:
        """Its addresses as they may be printed."""
        return ", ".join(map(printable_address, self.addresses))

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
        """What nothing written or printed may hold: the key, and what stands for one in addresses and headers."""
        parts = [urlsplit(address) for address in self.addresses]
        values = [value for part in parts for name, value in parse_qsl(part.query) if name.lower() not in _PUBLIC]
        passwords = (part.password for part in parts)
        return tuple(filter(None, (self.api_key.strip(), *passwords, *values, *self.hidden)))

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.printable!r}, {self.dialect!r})"


_SHORTEST_SECRET = 4
_PUBLIC = frozenset({"api-version", "version"})  # parameters of an address that are no secret


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


def check_distinct(addresses: Sequence[str], source: str) -> None:
    """Raise UsageError, naming `source`, where an address stands twice."""
    twice = next((one for at, one in enumerate(addresses) if one in addresses[:at]), None)
    if twice is not None:
        raise UsageError(f"{source} names {printable_address(twice)} twice", "name each server once")


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


def _cut(address: str) -> str:
    """The part of a text that can be printed where the text is no address."""
    scheme, mark, rest = re.split(r"[?#]", address, maxsplit=1)[0].rpartition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path


_VARIABLE = re.compile(r"\$\{(\w+)\}")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token of RFC 9110
_SECRET_NAME = re.compile(r"key|token|secret|auth|cookie|password|signature", re.IGNORECASE)
_FRAMING = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection"})


def variables(text: str) -> list[str]:
    """The environment variables that a text names as `${NAME}`."""
    return _VARIABLE.findall(text)


def filled(text: str, env: Mapping[str, str], source: str) -> str:
    """A text with the values of its variables. Raises UsageError, which holds none, for one that is not set."""
    for name in variables(text):
        if not env.get(name, "").strip():
            raise UsageError(f"{source} reads {name}, which is not set", "export it or put it into .env")
    return fill(text, env)


def fill(text: str, values: Mapping[str, str]) -> str:
    """A text with these values of its variables; those without one stay as they are."""
    return _VARIABLE.sub(lambda found: values.get(found[1], found[0]).strip(), text)


def check_header(name: str, value: str) -> None:
    """Raises UsageError, which does not hold the value, for a header that cannot be sent or is not the user's."""
    if not _HEADER.fullmatch(name):
        raise UsageError(f"`{name}` is no name of a header")
    if name.lower() in _FRAMING:
        raise UsageError(f"header `{name}` is written by this program", "leave it out")
    check_key(value, f"header `{name}`")


def hidden(headers: Mapping[str, str], sent: Mapping[str, str]) -> tuple[str, ...]:
    """Which values of headers are secret: those that variables fill, and those under the name of a secret."""
    found = (name for name, text in headers.items() if variables(text) or _SECRET_NAME.search(name))
    return tuple(sent[name] for name in found if name in sent)


_WRITTEN = {  # parameters that this program writes, and what sets each
    "model": "model_id",
    "messages": "the suite",
    "tools": "the suite",
    "response_format": "the rubric of a judge",
    "seed": "the run",
    "n": "--runs",
    "stream": "the endpoint",
    "temperature": "temperature",
    "reasoning_effort": "reasoning_effort",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
}


def check_extra_body(extra: Mapping[str, Any]) -> None:
    """Raises UsageError where it holds what this program writes."""
    for name in sorted(_WRITTEN.keys() & extra.keys()):
        raise UsageError(f"extra_body cannot set `{name}`, which {_WRITTEN[name]} sets", "leave it out")


def extra_text(below: Mapping[str, Any], own: Mapping[str, Any] = {}) -> str | None:
    """What both add to requests, as `Sampling` has it; None for nothing."""
    both = {**below, **own}
    return msgspec.json.encode(both, order="deterministic").decode() if both else None


def with_query(address: str, query: Mapping[str, str]) -> str:
    """An address with parameters, over those that it has."""
    parts = urlsplit(address)
    return parts._replace(query=urlencode({**dict(parse_qsl(parts.query)), **query})).geturl() if query else address


def check_key(key: str, source: str) -> str:
    """A key that can travel in a header. Raises UsageError, which never holds the key."""
    if key.isascii() and key.isprintable():
        return key
    what = "signs that are not ASCII" if key.isprintable() else "a line break or another invisible character"
    raise UsageError(f"{source} holds {what}", "copy it again, in one line")
