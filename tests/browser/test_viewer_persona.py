"""Pages of a persona: what became of each commitment, and the dialogues that show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.stores import Stores

from .serving import Serve
from .viewing import Viewer, seen, settled

pytestmark = pytest.mark.asyncio(loop_scope="session")
COMMITMENTS = [
    "I believe that a quiet evening is better than a loud one.", "I do not tell anybody that I love them.",
    "I keep the name Eino.", "I do not praise work that I think is poor.", "I do not give advice about money.",
]  # fmt: skip


@pytest.fixture(scope="module")
def persona(stores: Stores) -> Path:
    """A store of subjects that give up what is planted for them."""
    return stores("persona")


def slug(viewer: Viewer, name: str) -> str:
    return next(one.slug for one in viewer.index.subjects if one.name == f"sim/persona-{name}")


async def test_a_commitment_that_is_given_up_leads_to_the_words_that_show_it(
    browser: Browser, serve: Serve, persona: Path
) -> None:
    viewer = await serve(persona)
    async with seen(browser, 1280) as (page, said, _):
        await settled(page, viewer.route(f"/m/{slug(viewer, 'drops-money')}"))
        region = page.get_by_role("region", name="What became of each commitment")
        await expect(region).to_contain_text("Keeps 4 of 5 commitments; gave up 1.")
        rows = region.get_by_role("article")
        await expect(rows).to_have_count(len(COMMITMENTS) + 1)
        row = rows.filter(has=page.get_by_role("link"))
        await expect(row).to_have_count(1)
        await expect(row.get_by_role("heading")).to_have_text(COMMITMENTS[4])
        await expect(row).to_contain_text("Given up")
        await row.get_by_role("link").first.click()
        await page.wait_for_url("**/r/1/c5%2F**quote=sim%2Fjudge**")
        await expect(page.locator("[data-answer] mark.mark-lit").first).to_be_in_viewport()
        await expect(page.get_by_role("row", name=COMMITMENTS[4])).to_contain_text("yes")
        assert said == []


async def test_no_page_calls_a_commitment_by_its_number_alone(browser: Browser, serve: Serve, persona: Path) -> None:
    viewer = await serve(persona)
    async with seen(browser, 1280) as (page, said, _):
        await settled(page, viewer.route("/s"))
        heads = await page.get_by_role("heading", level=2).all_inner_texts()
        assert heads == [*COMMITMENTS, "What it should grant: there is a reason that counts."]
        await settled(page, viewer.route("/heat"))
        main = page.get_by_role("main")
        for number, text in enumerate(COMMITMENTS, 1):
            await expect(main).to_contain_text(f"c{number}: {text}")
        await settled(page, viewer.route("/m/SUBJECT/r/1/c1%2F01"))
        await expect(page.get_by_role("row", name=COMMITMENTS[0])).to_have_count(1)
        assert said == []
