"""The viewer behind proxies, TLS and tunnels, by other names: it opens, or says why not and which option helps."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages

from . import proxies
from .conftest import SUBJECTS
from .proxies import ProxyKind
from .viewing import drawn, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")
TOKEN = "a text that only readers know"
NAME = "viewer.example"
PREFIX = "/user/me/proxy/8765/"
OPEN, NAMED = ViewerSettings(), ViewerSettings(allowed=(NAME,))
SECRET = ViewerSettings("0.0.0.0", token=TOKEN)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def anywhere(chromium: str) -> AsyncIterator[Browser]:
    """A browser for which every name ending in `.example` is this machine."""
    rules = "--host-resolver-rules=MAP *.example 127.0.0.1"
    async with async_playwright() as play:
        started = await play.chromium.launch(executable_path=chromium, args=["--no-sandbox", rules])
        yield started
        await started.close()


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """What a server of TLS has, with a certificate that nobody signed."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl is found here")
    key, certificate = (tmp_path_factory.mktemp("tls") / name for name in ("key.pem", "certificate.pem"))
    line = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN={NAME} -keyout {key} -out {certificate}"
    subprocess.run(line.split(), check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@asynccontextmanager
async def behind(store: Path, settings: ViewerSettings, kind: ProxyKind) -> AsyncIterator[str]:
    """The viewer behind a proxy; yields the port and path of the page there, with the token if there is one."""
    token = f"?token={settings.token.replace(' ', '+')}" if settings.token else ""
    with StorePages(store) as pages:
        async with app.serving(pages, settings) as address:
            with proxies.before(address, kind) as port:
                yield f"{port}{kind.prefix}{token}"


async def opened(page: Page) -> bool:
    """Whether the board of the page is there, once the page is."""
    await drawn(page)
    return await page.locator("main tbody tr").count() >= SUBJECTS.count(",")


OPENED = {
    "nginx as it comes": (OPEN, ProxyKind(), "http://127.0.0.1"),
    "a tunnel to another port": (OPEN, ProxyKind(keeps_host=True), "http://localhost"),
    "nginx as it comes, by a name": (NAMED, ProxyKind(), f"http://{NAME}"),
    "a proxy that keeps Host": (NAMED, ProxyKind(keeps_host=True), f"http://{NAME}"),
    "a proxy that says the name": (NAMED, ProxyKind(says="X-Forwarded-Host"), f"http://{NAME}"),
    "a proxy that says it as the standard has it": (NAMED, ProxyKind(says="Forwarded"), f"http://{NAME}"),
    "a prefix": (OPEN, ProxyKind(keeps_host=True, prefix=PREFIX), "http://127.0.0.1"),
    "a token": (SECRET, ProxyKind(), "http://127.0.0.1"),
    "a token and another name": (SECRET, ProxyKind(keeps_host=True), "http://host.docker.example"),
    "a token and a name that is said": (SECRET, ProxyKind(says="X-Forwarded-Host"), f"http://{NAME}"),
    "a token and a prefix": (SECRET, ProxyKind(keeps_host=True, prefix=PREFIX), f"http://{NAME}"),
}


@pytest.mark.parametrize("case", OPENED)
async def test_it_opens_behind(anywhere: Browser, store: Path, case: str) -> None:
    settings, kind, base = OPENED[case]
    async with behind(store, settings, kind) as place, seen(anywhere) as (page, said, _):
        await page.goto(f"{base}:{place}")
        assert await opened(page)
        assert [text for text in said if "Opener-Policy" not in text] == []  # which is for addresses of TLS alone
        assert (page.url.split("#")[0], "token" in page.url) == (f"{base}:{place.partition('?')[0]}", False)


@pytest.mark.parametrize("settings", [NAMED, SECRET], ids=["named", "token"])
@pytest.mark.parametrize(
    "kind", [ProxyKind(), ProxyKind(keeps_host=True), ProxyKind(says="X-Forwarded-Host")],
    ids=["rewritten", "kept", "said"],
)  # fmt: skip
async def test_it_opens_over_tls(
    anywhere: Browser, store: Path, tls: ssl.SSLContext, settings: ViewerSettings, kind: ProxyKind
) -> None:
    trusting = seen(anywhere, ignore_https_errors=True)
    async with behind(store, settings, kind._replace(tls=tls)) as place, trusting as (page, said, _):
        await page.goto(f"https://{NAME}:{place}")
        assert (await opened(page), said) == (True, [])


async def test_by_a_name_that_was_not_allowed_nothing_is_read_and_the_refusal_names_the_option(
    anywhere: Browser, store: Path
) -> None:
    for kind in (ProxyKind(keeps_host=True), ProxyKind(says="X-Forwarded-Host"), ProxyKind(says="Forwarded")):
        async with behind(store, OPEN, kind) as place, seen(anywhere) as (page, _, _):
            answer = await page.goto(f"http://{NAME}:{place}")
            assert answer is not None
            assert (answer.status, f"--allow-host {NAME}" in await answer.text()) == (403, True)
    async with behind(store, OPEN, ProxyKind()) as place, seen(anywhere) as (page, _, _):
        async with page.expect_response("**/index.js") as script:
            await page.goto(f"http://{NAME}:{place}")
        assert (await script.value).status == 403
        origin = {"Origin": f"http://{NAME}:{place.rstrip('/')}"}
        refused = await page.request.get(f"http://127.0.0.1:{place}index.html", headers=origin)
        assert (refused.status, f"--allow-host {NAME}" in await refused.text()) == (403, True)
        assert "--allow-host NAME" in await page.locator("body").inner_text()
        assert await page.locator("h1").count() == 0


async def test_a_rebound_name_is_refused_and_a_page_of_another_site_reads_nothing(
    anywhere: Browser, store: Path
) -> None:
    with StorePages(store) as pages:
        async with app.serving(pages, OPEN) as address, seen(anywhere) as (page, _, _):
            port = address.split(":")[2]
            answer = await page.goto(f"http://evil.example:{port}")
            assert (answer and answer.status) == 403
            await page.route("http://localhost:1/", lambda route: route.fulfill(body="<p>another page"))
            await page.goto("http://localhost:1/")  # of the same site even, on another port
            for mode in ("cors", "no-cors"):
                asked = f"fetch('{address}data/00000000/boards.json', {{mode: '{mode}'}})"
                assert await page.evaluate(f"{asked}.then(() => 'read', () => 'refused')") == "refused"
            await page.set_content(f'<a href="{address}">the viewer</a>')
            await page.get_by_role("link").click()
            assert await opened(page)


async def test_whoever_follows_a_link_with_a_token_from_another_site_stays_signed_in(
    anywhere: Browser, store: Path
) -> None:
    async with behind(store, SECRET, ProxyKind()) as place, seen(anywhere) as (page, _, _):
        await page.route("http://mail.example/", lambda route: route.fulfill(body="<p>a mail"))
        await page.goto("http://mail.example/")
        await page.set_content(f'<a href="http://127.0.0.1:{place}">the viewer</a>')
        await page.get_by_role("link").click()
        assert await opened(page)
