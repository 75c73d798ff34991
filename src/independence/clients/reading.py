"""Reading the body of a response, decompressed here: no small bomb and no endless answer fills the memory."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Final

import aiohttp

LARGEST: Final = 16 * 2**20  # bytes, after decompression
ACCEPTED: Final = "gzip, deflate"  # what `read` can undo
_WINDOW: Final = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
_CHARSET = re.compile(
    r"charset\s*=\s*\"?((?:latin-?1|(?:iso-?8859|windows|cp|utf|koi8|gb|big5|euc|shift)[\w-]*))", re.IGNORECASE
)
_ZLIB_HEADER: Final = 8  # lowest four bits of the first byte


class BodyTooLarge(Exception):
    """A body of more than `LARGEST` bytes. The rest of it was not read."""


async def read(response: aiohttp.ClientResponse) -> bytes:
    """The body, which must have been asked for without decompression, as UTF-8 where another charset is declared.

    Raises BodyTooLarge, and aiohttp.ClientError for a body that breaks off or cannot be decompressed.
    """
    parts: AsyncIterator[bytes] = response.content.iter_any()
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        parts = _unpacked(parts, encoding)
    out = bytearray()
    async for part in parts:
        out += part
        if len(out) > LARGEST:
            raise BodyTooLarge
    return _as_utf8(bytes(out), response.headers)


async def _unpacked(parts: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    """The parts, decompressed by no more than `LARGEST` bytes at a time."""
    if encoding not in _WINDOW:
        raise aiohttp.ClientPayloadError("its compression is one that was not asked for")
    window, stream = _WINDOW[encoding], None
    try:
        async for part in parts:
            rest = part
            while rest:
                if stream is None or stream.eof:  # a file of several members goes on after the first
                    stream = zlib.decompressobj(_raw_or(window, rest))
                yield stream.decompress(rest, LARGEST + 1)
                if stream.unconsumed_tail:
                    raise BodyTooLarge
                rest = stream.unused_data
    except zlib.error as error:
        raise aiohttp.ClientPayloadError("its compression is broken") from error
    if stream is not None and not stream.eof:
        raise aiohttp.ClientPayloadError("it breaks off within its compression")


def _raw_or(window: int, start: bytes) -> int:
    """Some servers send `deflate` without its header."""
    bare = window == zlib.MAX_WBITS and start[0] & 0x0F != _ZLIB_HEADER
    return -zlib.MAX_WBITS if bare else window


def _as_utf8(body: bytes, headers: Mapping[str, str]) -> bytes:
    """JSON is UTF-8; where it is not, and says so, it is converted. A wrong claim about valid UTF-8 changes nothing."""
    declared = _CHARSET.search(headers.get("Content-Type", ""))
    if declared is None or (body.isascii() and b"\0" not in body):
        return body
    name = declared[1].lower()
    if not name.startswith(("utf-16", "utf-32", "utf16", "utf32")):
        try:
            body.decode()
        except UnicodeDecodeError:
            pass
        else:
            return body
    try:
        return body.decode(name, "replace").encode("utf-8", "replace")
    except LookupError:
        return body
