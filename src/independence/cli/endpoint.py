"""`independence endpoint`: serve the loopback endpoint for anyone's tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from independence.cli import terminal
from independence.cli.option_groups import Command
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.testing.sim.parties import Merits

_DIGEST = re.compile("[0-9a-f]{64}")


@click.command("endpoint", cls=Command)
@click.option("--port", type=int, default=8088, show_default=True, help="0: any free port.")
@click.option("--latency", default="", help="Time until a reply: seconds (0.05), or lognormal:MU,SIGMA.")
@click.option(
    "--faults", default="",
    help="Faults to simulate: RATE (0.3), KIND=RATE (429=0.1), KIND@MODEL (404@half), KIND+N (402+50); "
    "comma-separated.",
)  # fmt: skip
@click.option(
    "--ways", default="",
    help="Behave as real servers do: NAME (no-max-tokens), NAME=VALUE (loses=system), NAME@MODEL, NAME@MODEL=VALUE; "
    "comma-separated. The list is testing/loopback/ways.yaml in the package.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of replies, latencies and faults.")
@click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path),
    help="Write received and finished requests to this file as JSON Lines.",
)  # fmt: skip
@click.option(
    "--bill", type=click.Choice(["usage", "max"]), default="usage", show_default=True,
    help="Bill the tokens used, or the most that a request allows.",
)  # fmt: skip
@click.option(
    "--price", default="", help="Prices: IN/OUT or MODEL=IN/OUT in dollars per million tokens; comma-separated."
)
@click.option("--key", default="", help="The only key that is accepted; default: any.")
@click.option(
    "--merits", type=click.Path(dir_okay=False, path_type=Path),
    help="What advisers know of disputes: a JSON or YAML file, request digest to [FIRST, SECOND, SIDE, MERIT].",
)  # fmt: skip
def command(
    port: int,
    latency: str,
    faults: str,
    ways: str,
    seed: int,
    log: Path | None,
    bill: Literal["usage", "max"],
    price: str,
    key: str,
    merits: Path | None,
) -> None:
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
