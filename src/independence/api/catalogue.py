"""The endpoints that a person may ask about, also without a key, and the models that one of them lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.clients.catalogue import Catalogue
from independence.clients.failures import Failure
from independence.clients.listing import EndpointListing
from independence.clients.transport import open_session
from independence.config import entries, environment
from independence.config.endpoints import Endpoint, printable_address
from independence.config.options import ConnectionOptions
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import connections
from independence.engine.event_loop import drive
from independence.engine.models import read
from independence.errors import UntrustedAddressError, UsageError, suggestion
from independence.report.files.table import Table
from independence.report.sections import models

_NEAR = 3  # ids that may have been meant
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
        except UntrustedAddressError:
            raise
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
            raise UsageError(f"no endpoint `{name}`", suggestion(name, dict.fromkeys(names)))
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


def listed(part: str, models_file: Path | None, endpoint: str | None, local_url: str | None, *, brief: bool) -> Table:
    """The models of an endpoint whose ids hold `part`; `brief`: without their parameters. Raises UsageError."""
    if endpoint and local_url:
        raise UsageError("--endpoint and --local-url name two servers", "ask one of them")
    lookup = EndpointLookup(read(models_file).registry, environment.read(), local_url)
    name = lookup.named(endpoint or (LOCAL if local_url else OPENROUTER))
    there, missing = lookup.find(name)
    if there is not None and not there.lists_models:
        raise UsageError(f"the list of models of {name} does not say which ids it takes", "write one as its maker does")
    if there is None:
        assert missing is not None
        raise missing

    async def asked() -> Catalogue | Failure:
        async with open_session() as session:
            return await EndpointListing(there, session).read_catalogue()

    known, address = drive(asked()), printable_address(there.base_url)
    if isinstance(known, Failure):
        advice = "ask again in a few minutes" if known.status else "start the server or correct its address"
        raise UsageError(f"{name}: no catalogue at {address} ({known.kind}: {known.detail})", advice)
    if not known.models:
        raise UsageError(f"{name} answers at {address}, but lists no models")
    if not any(models.matching(known, part)):
        near = ", ".join(known.near(part)[:_NEAR])
        what = f"{name}: none of its {len(known.models):,} model ids holds `{part}`"
        raise UsageError(what, f"near it: {near}" if near else "")
    return models.catalogue(name, known, part, brief=brief)
