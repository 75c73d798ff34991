"""What the environment says: keys, base URLs, defaults. `.env` in the working directory is read, never written."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values
from dotenv.parser import parse_stream

from independence.config import endpoints, user_files
from independence.config.endpoints import Endpoint, RateSetting
from independence.config.subjects import LOCAL, OPENROUTER
from independence.errors import DocumentError, UsageError

OPENROUTER_KEYS = ("OPENROUTER_KEY", "OPENROUTER_API_KEY")  # the first that is set
OPENROUTER_URL = "https://openrouter.ai/api/v1"
LOCAL_TIMEOUT_S = 600.0  # a model may have to be loaded first
_OURS = ("OPENROUTER_", "LOCAL_MODEL_", "BENCH_")  # how names of ours begin, besides keys
_PLACEHOLDERS = ("your-", "your_", "<", "sk-or-xxx", "sk-or-...", "changeme", "replace", "xxx", "...")

Level = Literal["debug", "info", "warning", "error"]


class EnvironmentSettings(NamedTuple):
    """What the environment says about every endpoint; None where it says nothing."""

    concurrency: int | None = None  # BENCH_CONCURRENCY: calls in flight on one endpoint
    timeout_s: float | None = None  # BENCH_TIMEOUT_S: total per attempt
    retries: int | None = None  # BENCH_MAX_RETRIES: of transport faults, per call
    pacing: Mapping[str, RateSetting] = {}  # dialect -> what OPENROUTER_MODEL_RPS and _BURST say of each model


def read() -> dict[str, str]:
    """Environment variables over the entries of `.env`. Raises UsageError for a line of it that cannot be read.

    With INDEPENDENCE_NO_DOTENV=1 that file is not read.
    """
    path = Path(".env")
    unread = os.environ.get("INDEPENDENCE_NO_DOTENV") == "1"
    if unread or not os.path.lexists(path) or path.is_dir():  # some call the folder of a virtual environment so
        return dict(os.environ)
    text = user_files.read_text(path)
    for binding in parse_stream(io.StringIO(text)):
        key = binding.key or ""
        if binding.error or (":" in key and (binding.value is None or key.startswith("$"))):  # YAML or PowerShell
            raise _unreadable(path, *binding.original)
        meant = key.upper().replace("-", "_")
        ours = meant.startswith(_OURS) or meant.endswith("_API_KEY")
        if ours and (key != meant or binding.value is None):
            what = f"nothing reads `{key}`" if key != meant else f"{key} has no value"
            raise DocumentError(str(path), binding.original.line, what, f"write {meant}=value")
    values = dotenv_values(stream=io.StringIO(text))
    return {name: value for name, value in values.items() if value is not None} | dict(os.environ)


def _unreadable(path: Path, text: str, line: int) -> DocumentError:
    """What is wrong with a line, of which nothing is repeated: it may hold a key."""
    begun = text.lstrip()
    line += user_files.line_of(text.removesuffix(begun)) - 1
    value = begun.splitlines()[0].partition("=")[2].strip()
    quote = value[:1]
    if quote not in ("'", '"') or begun.startswith("$"):
        return DocumentError(str(path), line, "this is no setting", "write KEY=value")
    closed = value.replace(f"\\{quote}", "").count(quote) > 1
    what = "text follows the quote that closes the value" if closed else "the quote is not closed"
    return DocumentError(str(path), line, what, f"write KEY={quote}value{quote}")


def is_placeholder(key: str) -> bool:
    """True for an empty key or one of the texts that sample files put in its place."""
    low = key.strip().lower()
    return not low or low.startswith(_PLACEHOLDERS) or "your-key" in low or "key-here" in low


def openrouter(env: Mapping[str, str], *, keyless: bool = False) -> Endpoint:
    """The OpenRouter endpoint (or the proxy that stands for it). Raises UsageError without a usable key.

    `keyless`: nothing but its catalogue is read, for which a missing key is no hindrance.
    """
    name = next((one for one in OPENROUTER_KEYS if env.get(one, "").strip()), OPENROUTER_KEYS[-1])
    key = env.get(name, "").strip()
    if is_placeholder(key) and keyless:
        key = ""
    elif is_placeholder(key):
        what = f"{name} is still a placeholder" if key else "OPENROUTER_API_KEY is not set"
        others = "a server of your own (--local-url) and `independence demo` need none"
        or_file = " (.env is a folder here, which is not read)" if Path(".env").is_dir() else " or put it into .env"
        raise UsageError(f"{what}:", f"export your key{or_file}; {others}")
    endpoints.check_key(key, name)
    base = redirected(env) or OPENROUTER_URL
    return Endpoint(OPENROUTER, base, "openrouter", key, 50, key_source=name)


def redirected(env: Mapping[str, str]) -> str:
    """The address that stands for OpenRouter's; empty where nothing does. Raises UsageError."""
    base = endpoints.check(env.get("OPENROUTER_BASE_URL", "").strip() or OPENROUTER_URL, "OPENROUTER_BASE_URL")
    return "" if base == OPENROUTER_URL else base


def local(env: Mapping[str, str], url: str | None, timeout_s: float = LOCAL_TIMEOUT_S) -> Endpoint:
    """The local server of `--local-url` or `LOCAL_MODEL_URL`, which may name several that share the work, separated by
    commas. Raises UsageError when neither says where it is.
    """
    given, source = url or env.get("LOCAL_MODEL_URL", ""), "--local-url" if url else "LOCAL_MODEL_URL"
    addresses = []
    for one in filter(None, map(str.strip, given.split(","))):
        parts = urlsplit(endpoints.check(one, source))
        path = parts.path.rstrip("/")
        addresses.append(parts._replace(path=path if path.endswith("/v1") else f"{path}/v1").geturl())
    if not addresses:
        fix = "write for example --local-url http://127.0.0.1:8080/v1, or set LOCAL_MODEL_URL"
        raise UsageError("a `local/` model needs --local-url, the address of your server", fix)
    endpoints.check_distinct(addresses, source)
    key = endpoints.check_key(env.get("LOCAL_API_KEY", "").strip(), "LOCAL_API_KEY")
    first, *others = addresses
    return Endpoint(
        LOCAL, first, "local", key, max_concurrency=4 * len(addresses), timeout_s=timeout_s,
        key_source="LOCAL_API_KEY", address_source=source if url else f"{source} (environment or .env)",
        others=tuple(others), by_slots=True, stream=True,
    )  # fmt: skip


def settings(env: Mapping[str, str]) -> EnvironmentSettings:
    """What holds for every suite and endpoint. Raises UsageError for a value that is none, by name."""
    rps = _above_zero(env, "OPENROUTER_MODEL_RPS", "requests a second")
    pacing = RateSetting(rps, _count(env, "OPENROUTER_MODEL_BURST"))
    if pacing.rps is None and pacing.burst is not None:
        raise UsageError(f"OPENROUTER_MODEL_BURST={pacing.burst} bounds nothing alone:", "set OPENROUTER_MODEL_RPS too")
    return EnvironmentSettings(
        concurrency=_count(env, "BENCH_CONCURRENCY"),
        timeout_s=_above_zero(env, "BENCH_TIMEOUT_S", "seconds"),
        retries=_count(env, "BENCH_MAX_RETRIES", least=0),
        pacing={OPENROUTER: pacing} if pacing.rps else {},
    )


def log_level(env: Mapping[str, str]) -> Level:
    """What `LOG_LEVEL` asks for, in any case; `info` where it is not set. Raises UsageError."""
    text = env.get("LOG_LEVEL", "").strip() or "info"
    try:
        level: Level = msgspec.convert(text.lower(), Level)
    except msgspec.ValidationError:
        raise UsageError(f"LOG_LEVEL={text}:", f"write one of {', '.join(get_args(Level))}") from None
    return level


def _number(env: Mapping[str, str], name: str, kind: Any, meant: str) -> Any:
    """A variable as a number of a kind; None where it is not set. Raises UsageError."""
    text = env.get(name, "").strip()
    try:
        return msgspec.convert(text, kind, strict=False) if text else None
    except msgspec.ValidationError:
        raise UsageError(f"{name}={text}:", f"write {meant}") from None


def _count(env: Mapping[str, str], name: str, least: int = 1) -> int | None:
    kind = Annotated[int, msgspec.Meta(ge=least, lt=10**9)]  # more is a slip of the hand
    number: int | None = _number(env, name, kind, f"a whole number, {least} or more")
    return number


def _above_zero(env: Mapping[str, str], name: str, unit: str) -> float | None:
    number: float | None = _number(env, name, Annotated[float, msgspec.Meta(gt=0, lt=10**9)], f"{unit} above 0")
    return number
