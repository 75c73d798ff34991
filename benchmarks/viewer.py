"""How long a reader waits for the board, a dialogue and a feed of the exported site, on a phone and at a desk.

Chromium begins each time with nothing kept. The site of the published part lies behind `view --site`; the phone is
390 x 844, four times slower than this machine, 150 ms and 1.6 Mbit/s away. Beside it: Inspect View on the same
results as logs, up to the first rows of its list. Times are wall times of a machine that others may load; requests are
exact, and ratios are of one run.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import published
from benchmarks.figure import Figure, Result, Skipped, spread
from benchmarks.viewer_memory import serving

ROUNDS, _THEIR_ROUNDS = 5, 3
_PATIENCE_S = 120.0
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_THEIRS = "Inspect View, the same results"
_PUBLISHED = "the published bench's own viewer"
# Notes the moment in which what is waited for is first on the page.
_WATCH = """(() => {
  const look = () => {
    if (document.querySelector(SELECTOR)) window.shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
_FOUND = """window.shownAt === undefined ? null : [
  window.shownAt,
  performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? window.shownAt,
  1 + performance.getEntriesByType('resource').filter((one) => one.startTime < window.shownAt).length
]"""


class Device(NamedTuple):
    """What a page is read on."""

    name: str
    width: int
    height: int
    slower: int = 1
    latency_ms: float = 0.0
    bytes_per_s: float = -1.0  # as fast as it goes


class Route(NamedTuple):
    """A page, by what of it has to be there, with its bounds: seconds on a phone and at a desk, and requests."""

    name: str
    hash: str
    selector: str
    bounds_s: tuple[float, float]
    requests: int | None = None


class Shown(NamedTuple):
    """One cold start."""

    seconds: float
    paint_s: float  # until anything is painted
    requests: int
    busy_s: float  # processor time of the page's main thread; on a phone several times as much


PHONE = Device("mobile4g", 390, 844, 4, 150.0, 1.6e6 / 8)
DESK = Device("desktop", 1280, 900)


def measure() -> list[Result]:
    """Skipped where the browser or the data is not there."""
    folder = published.found()
    missing = folder if isinstance(folder, str) else missing_browser()
    if missing:
        return [Skipped("time to content", missing)]
    assert isinstance(folder, Path)
    with tempfile.TemporaryDirectory() as scratch:
        store, site = Path(scratch) / "store.db", Path(scratch) / "site"
        published.make(folder, store)
        command = [sys.executable, "-m", "independence", "export", str(site), "--site", "--db", str(store)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with serving("--site", site) as (address, _):
            ours, board = asyncio.run(_measured(address, _routes(site)))
        return [
            *ours,
            *_theirs(Path(scratch), store, board),
            Skipped(_PUBLISHED, "it is not among the published data; nothing to run"),
        ]


def missing_browser() -> str:
    """Why nothing can be measured here; empty where it can."""
    if find_spec("playwright") is None:
        return "playwright is not installed; install the `dev` extra"
    return "" if browser_path() else f"none of {', '.join(_BROWSERS)} is found"


def browser_path() -> str | None:
    """Where the browser of this machine is."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def _routes(site: Path) -> list[Route]:
    """The three pages: of the first subject of the board the first dialogue, of its scenario the feed."""
    (index_file,) = site.glob("data/*/*/index.*.json")
    index = json.loads(index_file.read_bytes())
    slug, scenario = index["subjects"][0]["slug"], index["scenarios"][0]["id"]
    return [
        Route("board", "/", "tbody tr", (1.8, 0.5), 8),
        Route("dialogue", f"/m/{slug}/r/1/{scenario}", "[data-answer] .prose-text", (2.5, 0.5)),
        Route("feed", f"/s/{scenario}", "article .prose-text", (2.5, 0.5), 14),
    ]


async def _measured(address: str, routes: list[Route]) -> tuple[list[Result], Mapping[str, list[Shown]]]:
    """Every page, and the starts on each device of the first one, the board."""
    found: list[Result] = []
    board: dict[str, list[Shown]] = {}
    for route in routes:
        most = 0
        for device, bound in zip((PHONE, DESK), route.bounds_s, strict=True):
            shown = await _shown(f"{address}#{route.hash}", route.selector, device)
            board.setdefault(device.name, shown)
            name, took = f"{route.name} on {device.name}", [one.seconds for one in shown]
            found.append(Figure(name, median(took), "s", bound, detail=_detail(shown)))
            most = max(most, *(one.requests for one in shown))
        found.append(Figure(f"{route.name}, requests to content", most, "", route.requests))
    return found, board


async def _shown(address: str, selector: str, device: Device, rounds: int = ROUNDS) -> list[Shown]:
    from playwright.async_api import async_playwright

    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        try:
            return [await _once(browser, address, selector, device) for _ in range(rounds)]
        finally:
            await browser.close()


async def _once(browser: Any, address: str, selector: str, device: Device) -> Shown:
    """One page in a context of its own, which has kept nothing."""
    context = await browser.new_context(viewport={"width": device.width, "height": device.height})
    page = await context.new_page()
    remote = await context.new_cdp_session(page)
    await remote.send("Network.enable")
    await remote.send("Performance.enable", {"timeDomain": "threadTicks"})
    network = {"offline": False, "latency": device.latency_ms}
    speed = {"downloadThroughput": device.bytes_per_s, "uploadThroughput": device.bytes_per_s}
    await remote.send("Network.emulateNetworkConditions", {**network, **speed})
    await remote.send("Emulation.setCPUThrottlingRate", {"rate": device.slower})
    await page.add_init_script(_WATCH.replace("SELECTOR", json.dumps(selector)))
    await page.goto(address, wait_until="commit")
    until = time.monotonic() + _PATIENCE_S
    while (found := await page.evaluate(_FOUND)) is None:
        if time.monotonic() > until:
            raise RuntimeError(f"{address}: no {selector} within {_PATIENCE_S:.0f} s")
        await asyncio.sleep(0.05)
    told = await remote.send("Performance.getMetrics")
    busy = {one["name"]: one["value"] for one in told["metrics"]}["TaskDuration"]
    await context.close()
    return Shown(found[0] / 1000, found[1] / 1000, int(found[2]), busy)


def _detail(shown: list[Shown]) -> str:
    busy = median(one.busy_s for one in shown)
    paint = median(one.paint_s for one in shown)
    return f"{spread([one.seconds for one in shown], 's')}; first paint {paint:.2f} s, main thread busy {busy:.2f} s"


def _theirs(scratch: Path, store: Path, board: Mapping[str, list[Shown]]) -> list[Result]:
    """Inspect View where it is installed, and how much longer it takes than our `board` on each device."""
    if (command := shutil.which("inspect")) is None:
        return [Skipped(_THEIRS, "inspect-ai is not installed; install the `bench` extra")]
    export = [sys.executable, "-m", "independence", "export", str(scratch / "logs"), "--inspect", "--db", str(store)]
    subprocess.run(export, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with _inspect_view(command, scratch / "logs") as address:
        found: list[Result] = []
        for device in (PHONE, DESK):
            shown = asyncio.run(_shown(address, _THEIR_CONTENT, device, _THEIR_ROUNDS))
            name, took = f"{_THEIRS}, on {device.name}", [one.seconds for one in shown]
            detail = f"{_detail(shown)}; {shown[-1].requests} requests"
            found.append(Figure(name, median(took), "s", detail=detail))
            rows = median(took) / median(one.seconds for one in board[device.name])
            paint = median(one.paint_s for one in shown) / median(one.paint_s for one in board[device.name])
            found.append(Figure(f"{name}: times as long", rows, "", detail=f"to the first paint {paint:.1f}"))
        return found


_THEIR_CONTENT = "#app [role='gridcell']"


@contextmanager
def _inspect_view(command: str, logs: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [command, "view", "start", "--log-dir", str(logs), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    try:
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                if time.monotonic() > until or process.poll() is not None:
                    raise
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(20)
