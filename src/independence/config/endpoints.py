"""An endpoint: where requests go, in which dialect, with which key and how many at once."""

from __future__ import annotations

from typing import Literal

import msgspec

Dialect = Literal["openrouter", "local"]


class Endpoint(msgspec.Struct, frozen=True):
    """An OpenAI-compatible server. The key is left out of its repr and is never stored."""

    name: str
    base_url: str  # up to and including `/v1`
    dialect: Dialect
    api_key: str = ""
    max_concurrency: int = 50
    timeout_s: float = 90.0  # total per attempt
    connect_timeout_s: float = 10.0
    backoff_s: float = 0.5  # ceiling of the first pause before a retry; doubles with each
    retries: int = 6  # of transport faults, per call
    key_source: str = ""  # environment variable the key was read from

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.base_url!r}, {self.dialect!r})"
