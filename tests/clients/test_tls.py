"""Servers whose certificate is not good, or that speak no TLS: each is told with what helps."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from independence.clients.failures import Failure, of_exception
from independence.clients.transport import Transport
from independence.config.endpoints import Endpoint

CERTIFICATES = Path(__file__).with_name("certificates")
AUTHORITY = str(CERTIFICATES / "ca.pem")
KNOWN = "its TLS certificate is signed by an authority that this machine does not know"
CLOCK = "check the clock of this machine"
# The server's certificate, the host that is asked, whether its authority is known -> what is said, and what helps.
PROBLEMS = {
    ("known", "localhost", False): (KNOWN, "that holds the certificate of that authority; REQUESTS_CA_BUNDLE is not"),
    ("self", "localhost", False): (
        "its TLS certificate is self-signed",
        "set SSL_CERT_FILE to a file (PEM) that holds",
    ),
    ("other", "localhost", True): ("its TLS certificate is for another host name", "use the host name in the cert"),
    ("known", "127.0.0.1", True): ("its TLS certificate is not for this IP address", "use the host name in the cert"),
    ("old", "localhost", True): ("its TLS certificate has expired", f"renew it on the server, or {CLOCK}"),
    ("early", "localhost", True): ("its TLS certificate is not valid yet", CLOCK),
    # It names no key of its authority, which RFC 5280 asks for.
    ("bare", "localhost", True): (
        "its TLS certificate is not valid (missing authority key identifier)",
        "Python 3.13 and newer check more",
    ),
    ("", "localhost", True): ("it does not speak TLS on this port", "write http:// in place of https://"),
}


@asynccontextmanager
async def serving(certificate: str) -> AsyncIterator[int]:
    """The port of a server with this certificate, or with none, that answers nothing of use."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / f"{certificate}.pem", CERTIFICATES / "key.pem")
    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def failure(certificate: str, host: str, *, trusted: bool) -> Failure:
    """What becomes of a request."""
    context = ssl.create_default_context(cafile=AUTHORITY) if trusted else ssl.create_default_context()
    context.verify_flags |= ssl.VERIFY_X509_STRICT  # as Python 3.13 and newer have it
    async with (
        serving(certificate) as port,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context)) as session,
    ):
        with pytest.raises(aiohttp.ClientError) as raised:
            await Transport(session, Endpoint("e", f"https://{host}:{port}/v1", "local")).post(b"{}")
    return of_exception(raised.value, "")


async def test_what_is_wrong_is_told_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    for (certificate, host, trusted), (what, fix) in PROBLEMS.items():
        found = await failure(certificate, host, trusted=trusted)
        assert (found.kind, found.detail, found.lasting) == ("tls", what, True)
        assert fix in found.fix, found.fix


async def test_a_file_of_certificates_that_is_named_already_is_named_in_the_advice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    absent = str(tmp_path / "absent.pem")
    for named, fix in (
        (AUTHORITY, f"add it to {AUTHORITY} (SSL_CERT_FILE);"),
        (absent, f"correct SSL_CERT_FILE: {absent} is no file"),
    ):
        monkeypatch.setenv("SSL_CERT_FILE", named)
        assert (await failure("self", "localhost", trusted=True)).fix.startswith(fix)
