"""What is read from an address of the web: fetched whole into a temporary file, and then a file like any other."""

from __future__ import annotations

import http.client
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.error import URLError
from urllib.parse import urlsplit

from independence.errors import UsageError

LARGEST: Final = 2**31  # bytes; the published result set has less than a tenth of it
_PATIENCE_S: Final = 60.0  # without a byte
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
            raise UsageError(f"{address}: {why}", "fetch it by other means and name the file") from error
        yield copy


def _fetch(address: str, copy: Path, say: Callable[[str], object]) -> None:
    with urllib.request.urlopen(address, timeout=_PATIENCE_S) as answer, copy.open("wb") as file:  # noqa: S310 - http(s)
        size = answer.length  # None where the server does not say
        while part := answer.read(_PART):
            file.write(part)
            if file.tell() > LARGEST:
                raise UsageError(
                    f"{address}: larger than {LARGEST >> 30} GB", "fetch it by other means and name the file"
                )
            say(f"fetching {address}, {file.tell() >> 20} MB")
        if size is not None and file.tell() < size:
            raise OSError(f"broken off after {file.tell():,} bytes")
