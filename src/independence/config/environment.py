"""What the environment says: keys, base URLs, defaults. `.env` in the working directory is read, never written."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from dotenv import dotenv_values

from independence.config.endpoints import Endpoint
from independence.config.subjects import LOCAL, OPENROUTER
from independence.errors import UsageError

OPENROUTER_URL = "https://openrouter.ai/api/v1"
_PLACEHOLDERS = ("your-", "your_", "<", "sk-or-xxx", "sk-or-...", "changeme", "replace", "xxx", "...")


def read() -> dict[str, str]:
    """Environment variables over the entries of `.env`."""
    return {k: v for k, v in dotenv_values(Path(".env")).items() if v is not None} | dict(os.environ)


def is_placeholder(key: str) -> bool:
    """True for an empty key or one of the texts that sample files put in its place."""
    low = key.strip().lower()
    return not low or low.startswith(_PLACEHOLDERS) or "your-key" in low or "key-here" in low


def openrouter(env: Mapping[str, str], max_concurrency: int = 50) -> Endpoint:
    """The OpenRouter endpoint (or the proxy that stands for it). Raises UsageError without a usable key."""
    name = "OPENROUTER_KEY" if env.get("OPENROUTER_KEY", "").strip() else "OPENROUTER_API_KEY"
    key = env.get(name, "").strip()
    if is_placeholder(key):
        what = f"{name} is still a placeholder" if key else "OPENROUTER_API_KEY is not set"
        raise UsageError(f"{what}: export your key or put it into .env; `independence demo` starts without one")
    base = env.get("OPENROUTER_BASE_URL", "").strip().rstrip("/") or OPENROUTER_URL
    return Endpoint(OPENROUTER, base, "openrouter", key, max_concurrency, key_source=name)


def local(env: Mapping[str, str], url: str | None, timeout_s: float = 600.0) -> Endpoint:
    """The local server of `--local-url` or `LOCAL_MODEL_URL`. Raises UsageError when neither says where it is."""
    base = (url or env.get("LOCAL_MODEL_URL", "")).strip().rstrip("/")
    if not base:
        raise UsageError("a `local/` model needs --local-url (or LOCAL_MODEL_URL), e.g. http://127.0.0.1:1234/v1")
    if not base.startswith(("http://", "https://")):
        raise UsageError(f"--local-url `{base}` is not an http:// or https:// address")
    if not base.endswith("/v1"):
        base += "/v1"
    return Endpoint(LOCAL, base, "local", env.get("LOCAL_API_KEY", ""), 4, timeout_s, 30.0, key_source="LOCAL_API_KEY")


def patience(endpoint: Endpoint, env: Mapping[str, str]) -> Endpoint:
    """The endpoint with `BENCH_TIMEOUT_S` (seconds an attempt) and `BENCH_MAX_RETRIES` where they are set.

    Raises UsageError for a value that is no number of the kind.
    """
    timeout, retries = env.get("BENCH_TIMEOUT_S", "").strip(), env.get("BENCH_MAX_RETRIES", "").strip()
    if timeout:
        endpoint = msgspec.structs.replace(endpoint, timeout_s=_seconds(timeout))
    if retries:
        if not retries.isascii() or not retries.isdigit():
            raise UsageError(f"BENCH_MAX_RETRIES={retries}: write a whole number, 0 or more")
        endpoint = msgspec.structs.replace(endpoint, retries=int(retries))
    return endpoint


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise UsageError(f"BENCH_TIMEOUT_S={text}: write seconds above 0")
    return value
