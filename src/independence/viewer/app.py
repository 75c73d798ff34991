"""The viewer's HTTP server: the page, the documents, and what only a server can answer."""

from __future__ import annotations

import asyncio
import errno
import functools
import logging
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from independence.config import documents
from independence.errors import IndependenceError, StoreError, UsageError
from independence.viewer import access, bundle
from independence.viewer.access import AccessRules
from independence.viewer.cache import PackedDocument, pack
from independence.viewer.folder_pages import FolderPages
from independence.viewer.store_pages import StorePages

_TYPES: Final = {
    ".css": "text/css", ".csv": "text/csv", ".html": "text/html", ".js": "text/javascript",
    ".json": "application/json", ".svg": "image/svg+xml", ".txt": "text/plain",
    ".woff2": "font/woff2",
}  # fmt: skip
_JSON: Final = "application/json"
_STREAM: Final = "text/event-stream"
_STREAM_HEADERS: Final = {
    "Content-Type": _STREAM, "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",  # of nginx
}  # fmt: skip
_DATA: Final = re.compile(r"data/[0-9a-f]{8}/(.+)")
_LARGEST_BODY: Final = 16 * 2**20
_FOREVER: Final = "public, max-age=31536000, immutable"
_SHUTDOWN_S: Final = 0.5
_IDLE_S: Final = 75.0  # of a connection between two requests
_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())  # or Python prints what is logged of a bad request on the user's terminal
Pages = StorePages | FolderPages


class ViewerSettings(NamedTuple):
    """Where to listen. `port` 0: any free one. `request_s`: how many seconds a client has to send its request."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    allowed: tuple[str, ...] = ()  # other names that it may be asked by
    request_s: float = 20.0


@asynccontextmanager
async def serving(pages: Pages, settings: ViewerSettings) -> AsyncIterator[str]:
    """Serve until the block ends; yields the address. Raises UsageError for an address that is refused or taken."""
    server = _Server(pages, AccessRules(settings.host, settings.token, settings.allowed), settings.request_s)
    runner = web.ServerRunner(server, shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
        except OSError as error:
            if error.errno == errno.EMFILE:
                raise  # another port would not help
            where = f"{settings.host}:{settings.port}"
            raise UsageError(f"cannot listen on {where} ({error.strerror})", "choose another --port, or 0") from None
        name = access.OF_ALL_ADDRESSES.get(settings.host, settings.host)
        name = f"[{name}]" if ":" in name else name
        yield f"http://{name}:{runner.addresses[0][1]}/"
    finally:
        server.end_streams()
        await runner.cleanup()


class _Server(web.Server):
    """Answers requests. Closes a connection on which none has come whole in time: each holds a file descriptor."""

    def __init__(self, pages: Pages, rules: AccessRules, request_s: float) -> None:
        super().__init__(self._answer, access_log=None, logger=_LOG, keepalive_timeout=_IDLE_S)
        self._pages = pages
        self._rules = rules
        self._request_s = request_s
        self._waiting: dict[RequestHandler, asyncio.TimerHandle] = {}
        self._streams: set[asyncio.Task[object]] = set()

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        self._waiting[handler] = asyncio.get_running_loop().call_later(self._request_s, transport.abort)

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        self._has_asked(handler)
        super().connection_lost(handler, exc)

    def _has_asked(self, handler: RequestHandler) -> None:
        if (timer := self._waiting.pop(handler, None)) is not None:
            timer.cancel()

    def end_streams(self) -> None:
        """Let go of everybody who listens for changes."""
        for stream in self._streams:
            stream.cancel()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self._has_asked(request.protocol)
        page = request.method in ("GET", "HEAD") and request.path in ("/", f"/{bundle.INDEX}")
        token = request.query.get("token", "")
        refused = self._rules.refusal(request.headers, request.cookies, token, page=page)
        if refused is not None:
            return _refused(*refused)
        try:
            return await self._routed(request)
        except KeyError:
            return _refused(404, f"there is nothing at `{request.path[:200]}`; the page begins at `/`")
        except UsageError as error:
            return _refused(409 if isinstance(error, StoreError) else 400, str(error))
        except IndependenceError as error:
            return _refused(503, str(error))
        except sqlite3.Error as error:
            return _refused(503, f"the store cannot be read now ({error})")
        except Exception as error:  # noqa: BLE001 - one document that cannot be made must not cost the others
            return _refused(500, f"an error of this program: {type(error).__name__}: {error}")

    async def _routed(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path.lstrip("/") or bundle.INDEX
        if request.method == "POST" and path == "api/ratings" and isinstance(self._pages, StorePages):
            return await _rated(request, self._pages, self._request_s)
        if request.method not in ("GET", "HEAD"):
            return _refused(405, f"{request.method} is not answered here", {"Allow": "GET, HEAD"})
        if path == bundle.INDEX and request.query.get("token"):
            return _signed_in(request.query["token"])
        if isinstance(self._pages, FolderPages):
            return _sent(request, path, await asyncio.to_thread(self._pages.page, path))
        if path == "api/changes" and _STREAM in request.headers.get("Accept", ""):
            return await self._told(request, self._pages)
        if path.startswith("api/"):
            return _sent(request, "x.json", await _live(self._pages, path.removeprefix("api/"), request))
        return await _stored(request, self._pages, path)

    async def _told(self, request: web.BaseRequest, pages: StorePages) -> web.StreamResponse:
        """Server-sent events for as long as the reader has the page open."""
        response = web.StreamResponse(headers={**access.HEADERS, **_STREAM_HEADERS})
        stream = asyncio.current_task()
        assert stream is not None
        self._streams.add(stream)
        try:
            async with aclosing(pages.news(request.query.get("board", ""))) as news:
                async for name, document in news:
                    if not response.prepared:
                        await response.prepare(request)
                    await response.write(b"event: %s\ndata: %s\n\n" % (name.encode(), document))
        except ConnectionResetError:
            pass  # the page was closed
        except (IndependenceError, KeyError, sqlite3.Error):
            if not response.prepared:
                raise
            # A stream that ends is asked for again; that request is answered with the reason.
        finally:
            self._streams.discard(stream)
        return response


async def _stored(request: web.BaseRequest, pages: StorePages, path: str) -> web.Response:
    """A file of the page, or a document whatever data set its address names: the store moves on under an open page."""
    named = _DATA.fullmatch(path)
    if named is None and path != bundle.INDEX:
        return _sent(request, path, _packed_file(path))
    entry = await pages.entry(named[1] if named else path)
    response = _sent(request, path, entry.document)
    if pages.behind(entry):
        response.headers["X-Independence-Behind"] = "1"  # ask again in a moment: it is made again as soon as it may be
    return response


@functools.cache
def _packed_file(path: str) -> PackedDocument:
    """A file of the page. Raises KeyError."""
    return pack(bundle.files()[path])


async def _live(pages: StorePages, name: str, request: web.BaseRequest) -> PackedDocument:
    if name == "changes":
        return pack(pages.changes())
    if name.startswith("live/"):
        return await pages.board(name.removeprefix("live/"))
    if name == "search":
        asked = request.query
        whole = asked.get("whole") == "1"
        return pack(await pages.search(asked.get("board", ""), asked.get("q", ""), whole=whole))
    raise KeyError(name)


async def _rated(request: web.BaseRequest, pages: StorePages, within_s: float) -> web.Response:
    if request.content_type != _JSON:  # what a form of another site cannot send unasked
        return _refused(415, f"send ratings as {_JSON}")
    if (request.content_length or 0) > _LARGEST_BODY:
        return _refused(413, "more ratings than one file may hold")
    body = bytearray()
    try:
        async with asyncio.timeout(within_s):
            while len(body) <= _LARGEST_BODY and (part := await request.content.readany()):
                body += part
    except TimeoutError:
        return _refused(408, "the ratings did not come in time; send them again")
    return web.Response(body=await pages.rate(bytes(body)), content_type=_JSON, headers=access.HEADERS)


def _sent(request: web.BaseRequest, path: str, document: PackedDocument) -> web.Response:
    """A document, packed where the reader takes that; nothing but its hash where the reader has it already."""
    kind = _TYPES.get(PurePosixPath(path).suffix, "application/octet-stream")
    headers = {
        **access.HEADERS,
        "Cache-Control": _FOREVER if path.startswith("app-") else "no-cache",
        "ETag": document.etag,
        "Vary": "Accept-Encoding",
    }
    known = [tag.strip() for tag in request.headers.get("If-None-Match", "").split(",")]
    if document.etag in known or document.etag.removeprefix("W/") in known:
        return web.Response(status=304, headers=headers)
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    body = document.packed if packed else document.plain
    headers |= {"Content-Encoding": "gzip"} if packed else {}
    charset = "utf-8" if kind.startswith("text/") else None
    return web.Response(body=body, headers=headers, content_type=kind, charset=charset)


def _signed_in(token: str) -> web.Response:
    """Remember the token and take it out of the address, where it would be copied along with a link.

    Without a path, and by a relative address: a proxy may serve the viewer below a path that it takes off. Lax, not
    strict: or the token of who follows a link, of a mail or a notebook, would be forgotten at once.
    """
    response = web.Response(status=303, headers={**access.HEADERS, "Location": "./", "Cache-Control": "no-store"})
    response.set_cookie(access.COOKIE, token, httponly=True, samesite="Lax", path="")
    return response


def _refused(status: int, sentence: str, headers: dict[str, str] | None = None) -> web.Response:
    body = documents.encode({"error": sentence})
    own = {**access.HEADERS, "Cache-Control": "no-store", **(headers or {})}
    return web.Response(status=status, body=body, content_type=_JSON, headers=own)
