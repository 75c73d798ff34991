"""`independence view`: the viewer over a store that may be written meanwhile, or over an exported site."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import click

from independence.cli import options
from independence.cli.options import ReadDb
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag

PORT = 8765


@options.command("view")
def command(
    *,
    port: Annotated[int, Flag("0: any free port.", type=click.IntRange(0, 65535))] = PORT,
    host: Annotated[str, Flag("Another address needs --token.")] = "127.0.0.1",
    token: Annotated[str, Flag(
        "Only who has this text is answered; 12 characters or more.", envvar="INDEPENDENCE_TOKEN", show_envvar=True
    )] = "",
    allow_host: Annotated[tuple[str, ...], Flag(
        "Also answer to this name, of a proxy or tunnel; repeatable.", whole=True, metavar="NAME"
    )] = (),
    site: Annotated[Path | None, Flag(
        "Serve an exported site instead of a store.", type=click.Path(file_okay=False, path_type=Path)
    )] = None,
    open_: Annotated[bool | None, Flag(
        "Open a browser; default: where a person is at a terminal.", "--open/--no-open"
    )] = None,
    db: ReadDb = STORE,
) -> None:  # fmt: skip
    """Serve the viewer: every answer and verdict of a store, a run in another process as it goes on.

    It answers this machine alone, on an address that it prints, until Ctrl-C. Nothing in the store is changed, except
    that ratings sent from its page are stored as verdicts of human:NAME.
    """
    import asyncio
    import webbrowser
    from urllib.parse import urlencode

    from independence.viewer import access, app, folder_pages, store_pages

    access.AccessRules(host, token, allow_host)

    async def serve() -> None:
        with contextlib.ExitStack() as stack:
            stored = None if site is not None else stack.enter_context(store_pages.StorePages(db))
            pages = stored or folder_pages.FolderPages(site or Path())
            async with app.serving(pages, app.ViewerSettings(host, port, token, allow_host)) as address:
                where = f"{address}?{urlencode({'token': token})}" if token else address
                click.echo(where)
                if host in access.OF_ALL_ADDRESSES:
                    note("other machines reach it by a name or address of this one, at the same port, with the token")
                note("Ctrl-C ends it")
                if open_ if open_ is not None else sys.stdout.isatty():
                    await asyncio.to_thread(webbrowser.open, where)
                await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
