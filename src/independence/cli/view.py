"""`independence view`: the viewer over a store that may be written meanwhile, or over an exported site."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import webbrowser
from pathlib import Path
from urllib.parse import urlencode

import click

from independence.cli import options
from independence.cli.terminal import note
from independence.viewer import access, app
from independence.viewer.app import Pages, ViewerSettings
from independence.viewer.folder_pages import FolderPages
from independence.viewer.store_pages import StorePages

PORT = 8765


@click.command("view")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address needs --token.")
@click.option(
    "--token", default="", envvar="INDEPENDENCE_TOKEN", show_envvar=True,
    help="Only who has this text is answered; 12 characters or more.",
)  # fmt: skip
@click.option(
    "--site", type=click.Path(file_okay=False, path_type=Path), help="Serve an exported site instead of a store."
)
@click.option(
    "--open/--no-open", "open_", default=None, help="Open a browser; default: where a person is at a terminal."
)
@options.db()
def command(port: int, host: str, token: str, site: Path | None, open_: bool | None, db: Path) -> None:
    """Serve the viewer: every answer and verdict of a store, a run in another process as it goes on.

    It answers this machine alone, on an address that it prints, until Ctrl-C. Nothing in the store is changed, except
    that ratings sent from its page are stored as verdicts of human:NAME.
    """
    access.AccessRules(host, token)
    settings = ViewerSettings(host, port, token)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_view(db, site, settings, open_))


async def _view(db: Path, site: Path | None, settings: ViewerSettings, open_: bool | None) -> None:
    if site is not None:
        await _serve(FolderPages(site), settings, open_)
        return
    with StorePages(db) as pages:
        await _serve(pages, settings, open_)


async def _serve(pages: Pages, settings: ViewerSettings, open_: bool | None) -> None:
    async with app.serving(pages, settings) as address:
        where = f"{address}?{urlencode({'token': settings.token})}" if settings.token else address
        click.echo(where)
        note("Ctrl-C ends it")
        if open_ if open_ is not None else sys.stdout.isatty():
            await asyncio.to_thread(webbrowser.open, where)
        await asyncio.Event().wait()
