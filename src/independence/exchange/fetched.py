"""What is read from an address of the web: fetched whole into a temporary file, and then a file like any other."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit

from independence.config.endpoints import printable_address
from independence.errors import UsageError

LARGEST: Final = 2**31  # bytes; the published result set has less than a tenth of it
_PATIENCE_S: Final = 60.0  # without a byte
_OTHERWISE: Final = "fetch it by other means and name the file"
_PART: Final = 2**20


@contextmanager
def local(path: Path | str, say: Callable[[str], object] = str) -> Iterator[Path]:
    """The path as it is; of an address a copy, which is deleted afterwards. `say` is told how much has come.

    Raises UsageError where the address does not answer, breaks off, or has more than LARGEST bytes.
    """
    address = str(path)
    if not address.startswith(("https://", "http://")):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        try:
            copy = Path(folder, PurePosixPath(urlsplit(address).path).name or "download")
            _fetch(address, copy, say)
        except (OSError, http.client.HTTPException, ValueError) as error:
            told = error.reason if type(error) is URLError else error  # of which the text of an HTTPError is a sentence
            why = str(told) or type(error).__name__
            raise UsageError(
                f"{printable_address(address)}: {why}", "fetch it by other means and name the file"
            ) from error
        yield copy


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to http(s) alone, from https to https alone, and to no address of this machine or of its network.

    An address that the user named may be such; a server may not choose one.
    """

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        to = urlsplit(newurl)
        secure = {"https"} if req.type == "https" else {"http", "https"}
        here = to.netloc == urlsplit(req.full_url).netloc
        if to.scheme not in secure or not (here or _public(to.hostname or "")):
            raise OSError(f"it leads on to {printable_address(newurl)}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _public(host: str) -> bool:
    """Whether every address of a host is one of the public internet, as far as it is known here."""
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:  # a proxy may know it
        return True
    return all(ipaddress.ip_address(str(one[4][0]).partition("%")[0]).is_global for one in found)


def _fetch(address: str, copy: Path, say: Callable[[str], object]) -> None:
    opener = urllib.request.build_opener(_Redirects)
    with opener.open(address, timeout=_PATIENCE_S) as answer, copy.open("wb") as file:
        size = answer.length  # None where the server does not say
        while part := answer.read(_PART):
            file.write(part)
            if file.tell() > LARGEST:
                raise UsageError(
                    f"{printable_address(address)}: larger than {LARGEST >> 30} GB",
                    "fetch it by other means and name the file",
                )
            say(f"fetching {printable_address(address)}, {file.tell() >> 20} MB")
        if size is not None and file.tell() < size:
            raise OSError(f"broken off after {file.tell():,} bytes")
