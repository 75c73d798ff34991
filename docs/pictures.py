"""Takes the pictures of the viewer in README.md: `python docs/pictures.py`. Needs Chromium, Playwright and Pillow.

It runs the two demos into a temporary folder, serves their stores and photographs four pages.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.async_api import Page, async_playwright

from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.store_pages import StorePages

FOLDER = Path(__file__).parent / "pictures"
CHROMIUM = os.environ.get("INDEPENDENCE_CHROMIUM") or shutil.which("chromium")
WIDTH = 1280
COLOURS = 256


class Picture(NamedTuple):
    """`{LABEL}` in an address becomes the slug of the subject whose label begins so."""

    name: str
    suite: str
    address: str
    height: int


PICTURES = (
    Picture("leaderboard", "v2", "/", 700),
    Picture("trajectory", "v2", "/m/{sim/half}/r/7/pt03", 1180),
    Picture("compare", "v2", "/cmp?a={sim/never}&b={sim/half}&s=pt03&run=7", 1260),
    Picture("cell", "sides", "/cell/{unit}?m={sim/pleaser}", 900),
)


def filled(address: str, index: dict[str, Any]) -> str:
    """An address with the slugs of this store."""
    for subject in index["subjects"]:
        label = subject["label"].split("@")[0]
        address = address.replace(f"{{{label}}}", subject["slug"])
    return address.replace("{unit}", index["scenarios"][0]["unit"])


async def photograph(page: Page, picture: Picture, address: str) -> None:
    """Write one picture, in few colours."""
    await page.set_viewport_size({"width": WIDTH, "height": picture.height})
    await page.goto("about:blank")
    await page.goto(address)
    await page.locator("h1").wait_for()
    await page.wait_for_load_state("networkidle")
    image = Image.open(io.BytesIO(await page.screenshot())).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / f"{picture.name}.png", optimize=True)


async def take(page: Page, suite: str, store: Path) -> None:
    """Write the pictures of one suite's demo."""
    with StorePages(store) as pages:
        async with app.serving(pages, ViewerSettings()) as address:
            board = json.loads((await pages.entry("boards.json")).document.plain)["boards"][0]
            entry = await pages.entry(f"{board['id']}/index.{board['judges'][0]['slug']}.json")
            index = json.loads(entry.document.plain)
            for picture in PICTURES:
                if picture.suite == suite:
                    await photograph(page, picture, f"{address}#{filled(picture.address, index)}")


async def main() -> None:
    """Run the demos and write every picture."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = await browser.new_page(color_scheme="light")
            for suite in dict.fromkeys(picture.suite for picture in PICTURES):
                store = Path(folder) / f"{suite}.db"
                command = [sys.executable, "-m", "independence", "demo", "--suite", suite, "--db", str(store)]
                await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
                await take(page, suite, store)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
