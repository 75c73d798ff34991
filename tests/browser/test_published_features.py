"""What the published viewer shows can be seen in ours: rows of `tests/parity/capabilities.yaml` that name a page."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from playwright.async_api import Browser, expect

from tests.parity import lines
from tests.stores import once

from .serving import Serve
from .viewing import PATIENCE, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
TABLE = yaml.safe_load((Path(__file__).parents[1] / "parity" / "capabilities.yaml").read_text("utf-8"))
ROWS = [row for rows in TABLE.values() for row in rows if "viewer" in row]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "parity", lines.make)


async def test_every_page_shows_what_its_rows_say(browser: Browser, serve: Serve, made: Path) -> None:
    pages: dict[tuple[str, str], list[str]] = {}
    for row in ROWS:
        pages.setdefault((row.get("store", lines.STORE), row["viewer"]), []).append(row["shows"])
    async with seen(browser) as (page, _, _):
        for (store, path), said in pages.items():
            viewer = await serve(made / store)
            await settled(page, viewer.route(path))
            for text in said:  # some parts ask for more once the rest is drawn
                await expect(page.locator("main"), path).to_contain_text(text, use_inner_text=True, timeout=PATIENCE)
    assert len(ROWS) >= 20
