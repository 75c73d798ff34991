"""What `models` shows: configurations, what names stand for, or the catalogue of an endpoint."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from independence.cli import doors, run_request
from independence.cli.doors import Directory
from independence.cli.event_loop import drive
from independence.clients.catalogue import Catalogue
from independence.clients.failures import RequestFailure
from independence.clients.listing import EndpointListing
from independence.clients.transport import open_session
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.errors import UsageError
from independence.report import models
from independence.report.models import Resolved
from independence.report.table import Table
from independence.testing.sim.advisers import ADVISERS
from independence.testing.sim.panel import PANEL

_NEAR = 3


class Asked(NamedTuple):
    """What to show, as asked for on the command line."""

    names: tuple[str, ...]
    models_file: Path | None
    part: str | None  # of the ids of a catalogue; None: no catalogue
    endpoint: str | None
    local_url: str | None


def table(asked: Asked) -> Table:
    """The one table that is asked for. Raises UsageError."""
    if asked.part is None and (asked.endpoint or asked.local_url):
        raise UsageError("--endpoint and --local-url say whose catalogue to read; add --catalogue")
    if asked.part is not None and asked.names:
        raise UsageError("-m shows what names stand for, --catalogue what an endpoint has; ask for one of the two")
    file = asked.models_file or run_request.DEFAULT_FILE
    here = asked.models_file is not None or file.is_file()
    known = run_request.models(asked.models_file)
    if asked.part is not None:
        return _catalogue(known, asked, asked.part)
    if asked.names:
        return models.resolved([_resolved(known, name) for name in asked.names])
    if here and not known.subjects and not known.endpoints:
        raise UsageError(f"{file}: it lists no models; write them below `models:`, one a line, as `- vendor/model`")
    return models.configurations(known.subjects, f"Configurations of {file}", known.notes) if here else _panel()


def _resolved(known: Registry, name: str) -> Resolved:
    subjects = known.resolve(name)
    if any(subject.label == name for subject in known.subjects):
        return Resolved(name, "label", subjects)
    return Resolved(name, "id" if subjects[0] in known.subjects else "default", subjects)


def _panel() -> Table:
    subjects = [Registry().default(f"{SIM}/{name}") for name in (*PANEL, *ADVISERS)]
    note = "There is no models.yaml here. These are simulated and need no key; any other id works with -m all the same."
    return models.configurations(subjects, "Simulated subjects", [note])


def _catalogue(known: Registry, asked: Asked, part: str) -> Table:
    endpoint = _endpoint(known, asked)
    listed = drive(_listed(endpoint))
    if not listed.models:
        raise UsageError(f"{endpoint.name} answers at {doors.address(endpoint)}, but lists no models")
    if not any(models.matching(listed, part)):
        near = ", ".join(listed.near(part)[:_NEAR])
        hint = f"; near it: {near}" if near else ""
        raise UsageError(f"{endpoint.name}: none of its {len(listed.models):,} model ids holds `{part}`{hint}")
    return models.catalogue(endpoint.name, listed, part)


def _endpoint(known: Registry, asked: Asked) -> Endpoint:
    if asked.endpoint and asked.local_url:
        raise UsageError("--endpoint and --local-url name two servers; ask one of them")
    name = asked.endpoint or (LOCAL if asked.local_url else OPENROUTER)
    names = [OPENROUTER, LOCAL, *(entry.name for entry in known.endpoints)]
    if name not in names:
        raise UsageError(f"no endpoint `{name}`; there are {', '.join(names)}")
    endpoint, missing = doors.reach(name, Directory(known, environment.read(), asked.local_url))
    if endpoint is None:
        assert missing is not None
        raise missing
    return endpoint


async def _listed(endpoint: Endpoint) -> Catalogue:
    where = doors.address(endpoint)
    async with open_session() as session:
        found = await EndpointListing(endpoint, session).read_catalogue()
    if isinstance(found, RequestFailure):
        advice = "ask again in a few minutes" if found.status else "start the server or correct its address"
        raise UsageError(f"{endpoint.name}: no catalogue at {where} ({found.kind}: {found.detail}); {advice}")
    return found
