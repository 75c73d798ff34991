"""Endpoints by name, as `doctor` and `models` need them: also without a key, since listings are often free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from independence.config import entries, environment
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import connections
from independence.errors import UsageError

_LONGEST_S = 180.0  # for one attempt: a local model may have to be loaded first


class EndpointLookup(NamedTuple):
    """Where addresses and keys come from."""

    known: Registry
    env: Mapping[str, str]
    local_url: str | None
    loopback: Endpoint | None = None  # serves `sim/` ids

    def find(self, name: str) -> tuple[Endpoint | None, UsageError | None]:
        """The endpoint of that name, None where its address is unknown; and what is missing to call its models."""
        if name == SIM:
            return self.loopback, None
        try:
            return self._endpoint(name, keyless=False), None
        except UsageError as missing:
            try:
                return self._endpoint(name, keyless=True), missing
            except UsageError:
                return None, missing

    def _endpoint(self, name: str, *, keyless: bool) -> Endpoint:
        options = ConnectionOptions(local_url=self.local_url, dry_run=keyless)
        endpoint = connections.endpoints([name], self.known, self.env, options)[name]
        return msgspec.structs.replace(endpoint, timeout_s=min(endpoint.timeout_s, _LONGEST_S))

    def named(self, name: str) -> str:
        """The name of an endpoint, if there is one. Raises UsageError naming those that there are."""
        names = [OPENROUTER, LOCAL, *(entry.name for entry in self.known.endpoints), *entries.shipped()]
        if name not in names:
            raise UsageError(f"no endpoint `{name}`", f"there are {', '.join(dict.fromkeys(names))}")
        return name

    def configured(self) -> list[str]:
        """Names of the endpoints that environment and models file mention, by a key or address; else OpenRouter."""
        names = [entry.name for entry in self.known.endpoints]
        names += [
            name
            for name, entry in entries.shipped().items()
            if name not in names and not environment.is_placeholder(self.env.get(entry.key_variable(self.env), ""))
        ]
        if self.local_url or self.env.get("LOCAL_MODEL_URL", "").strip():
            names.insert(0, LOCAL)
        key = any(self.env.get(name, "").strip() for name in ("OPENROUTER_API_KEY", "OPENROUTER_KEY"))
        used = any(subject.active and subject.endpoint == OPENROUTER for subject in self.known.subjects)
        return [OPENROUTER, *names] if key or used or not names else names
