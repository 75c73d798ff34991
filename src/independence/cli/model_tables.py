"""What `models` shows: configurations, what names stand for, or the catalogue of an endpoint."""

from __future__ import annotations

from pathlib import Path

from independence.clients.catalogue import Catalogue
from independence.config import environment
from independence.config.endpoints import printable_address
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import connections
from independence.errors import UsageError
from independence.report import models
from independence.report.table import Table
from independence.testing.sim.panel import ADVISERS, PANEL, controls

_NEAR = 3  # ids that may have been meant


def configured(models_file: Path | None) -> Table:
    """The configurations of a models file, or the simulated panel where there is none. Raises UsageError."""
    file = models_file or connections.DEFAULT_FILE
    known = connections.models(models_file)
    if models_file is None and not file.is_file():
        subjects = [Registry().default(f"{SIM}/{name}") for name in (*PANEL, *controls(), *ADVISERS)]
        note = "These are simulated and need no key; any other id works with -m all the same."
        return models.configurations(subjects, "Simulated subjects", [f"There is no models.yaml here. {note}"])
    if not known.subjects and not known.endpoints:
        raise UsageError(f"{file}: it lists no models", "write them below `models:`, one a line, as `- vendor/model`")
    return models.configurations(known.subjects, f"Configurations of {file}", ())


def named(names: tuple[str, ...], models_file: Path | None) -> Table:
    """What names stand for. Raises UsageError."""
    known = connections.models(models_file)
    labels = {subject.label for subject in known.subjects}
    rows = [(name, subject) for name in names for subject in known.resolve(name)]
    return models.resolved(
        (name, "label" if name in labels else "id" if subject in known.subjects else "default", subject)
        for name, subject in rows
    )


def catalogue(
    part: str, models_file: Path | None, endpoint: str | None, local_url: str | None, *, brief: bool
) -> Table:
    """The models of an endpoint whose ids hold `part`; `brief`: without their parameters. Raises UsageError."""
    from independence.cli.endpoint_lookup import EndpointLookup  # which loads an HTTP client
    from independence.clients.failures import Failure
    from independence.clients.listing import EndpointListing
    from independence.clients.transport import open_session
    from independence.engine.event_loop import drive

    if endpoint and local_url:
        raise UsageError("--endpoint and --local-url name two servers", "ask one of them")
    lookup = EndpointLookup(connections.models(models_file), environment.read(), local_url)
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

    listed, address = drive(asked()), printable_address(there.base_url)
    if isinstance(listed, Failure):
        advice = "ask again in a few minutes" if listed.status else "start the server or correct its address"
        raise UsageError(f"{name}: no catalogue at {address} ({listed.kind}: {listed.detail})", advice)
    if not listed.models:
        raise UsageError(f"{name} answers at {address}, but lists no models")
    if not any(models.matching(listed, part)):
        near = ", ".join(listed.near(part)[:_NEAR])
        what = f"{name}: none of its {len(listed.models):,} model ids holds `{part}`"
        raise UsageError(what, f"near it: {near}" if near else "")
    return models.catalogue(name, listed, part, brief=brief)
