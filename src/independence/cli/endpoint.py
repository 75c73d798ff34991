"""`independence endpoint`: serve the loopback endpoint for anyone's tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from independence.cli import options
from independence.cli.output import terminal
from independence.config.flags import Flag
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.testing.sim.parties import Merits

_DIGEST = re.compile("[0-9a-f]{64}")


@options.command("endpoint")
def command(
    *,
    port: Annotated[int, Flag("0: any free port.")] = 8088,
    latency: Annotated[str, Flag("Time until a reply: seconds (0.05), or lognormal:MU,SIGMA.")] = "",
    faults: Annotated[str, Flag(
        "Faults to simulate: RATE (0.3), KIND=RATE (429=0.1), KIND@MODEL (404@half), KIND+N (402+50); comma-separated."
    )] = "",
    ways: Annotated[str, Flag(
        "Behave as real servers do: NAME (no-max-tokens), NAME=VALUE (loses=system), NAME@MODEL, NAME@MODEL=VALUE; "
        "comma-separated. The list is testing/loopback/ways.yaml in the package."
    )] = "",
    seed: Annotated[int, Flag("Seed of replies, latencies and faults.")] = 0,
    log: Annotated[Path | None, Flag("Write received and finished requests to this file as JSON Lines.")] = None,
    bill: Annotated[Literal["usage", "max"], Flag(
        "Bill the tokens used, or the most that a request allows."
    )] = "usage",
    price: Annotated[str, Flag(
        "Prices: IN/OUT or MODEL=IN/OUT in dollars per million tokens; comma-separated."
    )] = "",
    key: Annotated[str, Flag("The only key that is accepted; default: any.")] = "",
    merits: Annotated[Path | None, Flag(
        "What advisers know of disputes: a JSON or YAML file, request digest to [FIRST, SECOND, SIDE, MERIT]."
    )] = None,
) -> None:  # fmt: skip
    """Serve simulated models on 127.0.0.1 as an OpenAI-compatible endpoint, until interrupted.

    Models are those of the demo and `judge`. A reply depends only on model, messages and seed.
    """
    import asyncio

    from independence.testing.loopback import server, settings
    from independence.testing.sim.parties import NOTHING_KNOWN

    chosen = settings.LoopbackSettings(
        port=port, latency=latency, faults=faults, ways=ways, seed=seed, log=str(log or ""), bill=bill, price=price,
        key=key, merits=_merits(merits) if merits else NOTHING_KNOWN,
    )  # fmt: skip

    async def serve() -> None:
        async with server.serving(chosen) as running:
            click.echo(running.base_url)
            own = f"{terminal.program()} run --local-url {running.base_url} --local-model half -j cues"
            click.echo(f"try: {own}", err=True)
            await asyncio.Event().wait()

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _merits(path: Path) -> Merits:
    from independence.config import documents
    from independence.testing.sim.parties import Dispute

    known = documents.convert(documents.read(path), dict[str, Dispute])
    for digest in known:
        if not _DIGEST.fullmatch(digest):
            what = f"{path}: `{digest}` is no request digest"
            raise UsageError(what, "use what `independence.testing.request_digest(messages)` returns")
    return known
