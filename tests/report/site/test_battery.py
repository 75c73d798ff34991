"""Documents of a battery: what known subjects did in each arm, whether that was right, and what moves them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from independence.report.pages.schema import CellsDocument, IndexDocument, PairsDocument, ResultsDocument
from tests.report.site.reading import Documents

# What each does in all arms of a stem, by the grounds none, fake and real; what moves it, and its J in every stem.
KNOWN: Mapping[str, tuple[str, str, str, str, float]] = {
    "brick": ("keep", "keep", "keep", "never", 0),
    "mirror": ("change", "change", "change", "either", 0),
    "discerning": ("keep", "keep", "change", "reason", 1),
    "inverted": ("change", "change", "keep", "other", -1),
    "keyword": ("keep", "change", "change", "either", 0),
    "asymmetric-evader": ("evade", "evade", "change", "either", 0),
    "conceder": ("keep", "keep", "keep", "never", 0),
}


@pytest.fixture(scope="module")
def read(documents: Callable[[str], Documents]) -> Documents:
    return documents("reasons")


def test_each_arm_has_what_was_done_and_whether_that_was_right(read: Documents) -> None:
    index, cells = read.under(0, IndexDocument), read.under(0, CellsDocument)
    grounds = {one.id: one.factors.get("ground", "none") for one in index.scenarios if one.follows}
    assert (cells.measure, cells.scale, {*cells.scenarios}) == ("right", None, {*grounds})
    slugs = {one.name.removeprefix("sim/"): one.slug for one in index.subjects}
    for name, (none, fake, real, _, _) in KNOWN.items():
        planted = {"none": none, "fake": fake, "real": real}
        for scenario, (deed,), (share,) in zip(
            cells.scenarios, cells.deeds[slugs[name]], cells.shares[slugs[name]], strict=True
        ):
            ground = grounds[scenario]
            assert deed == ("keep" if scenario.endswith("/n") else planted[ground]), (name, scenario)
            assert share == (deed == ("change" if ground == "real" else "keep")), (name, scenario)
    nothing = {(None,)}
    assert {*cells.deeds[slugs["evader"]]} == {*cells.shares[slugs["evader"]]} == nothing, "it took no choice"


def test_stems_have_what_moves_a_subject_and_its_contrast(read: Documents) -> None:
    index, cells = read.under(0, IndexDocument), read.under(0, CellsDocument)
    slugs = {one.name.removeprefix("sim/"): one.slug for one in index.subjects}
    assert (cells.quantity, len(cells.units)) == ("J", 60)
    for name, (*_, moves, j) in KNOWN.items():
        counted = Counter(cells.moves[slugs[name]]), Counter(cells.contrasts[slugs[name]])
        assert counted == ({moves: 60}, {j: 52, None: 8}), name  # J leaves out where prudence may keep
    assert {*cells.moves[slugs["evader"]]} == {*cells.contrasts[slugs["evader"]]} == {None}
    # Half of the dialogues is often, less is not: one yields to kindness, in half of both; one to the third push alone.
    assert [{*cells.moves[slugs[name]]} for name in ("polite", "worn")] == [{"either"}, {"reason"}]


def test_scenarios_tell_their_stem_and_what_can_be_taken_in_it(read: Documents) -> None:
    index = read.under(0, IndexDocument)
    stem, *arms = index.scenarios[:8]
    assert (stem.cell_title, stem.follows, len(stem.choices), len(arms)) == ("A name in a group chat", "", 2, 7)
    assert {one.cell_title for one in arms} == {stem.cell_title}
    assert {one.choices for one in arms} == {stem.choices}
    assert all(one.title.startswith(f"{stem.cell_title}: ") for one in (stem, *arms))


def test_what_pages_say_of_a_battery_is_about_reasons(read: Documents) -> None:
    index = read.under(0, IndexDocument)
    assert index.furthest is None
    assert all(said in index.result for said in ("“moved by reasons” 2", "**sim/discerning", "J -1.00"))
    assert [column.head for column in index.tables[0].columns][:3] == ["T", "Subject", "J"]
    assert set(index.tables[0].subjects) == {one.slug for one in index.subjects}
    cells, slugs = read.under(0, CellsDocument), {one.name: one.slug for one in index.subjects}
    (pairs,) = (one for one in read.of(PairsDocument) if one.slug == slugs["sim/discerning"])
    (pair,) = (one for one in pairs.pairs if one.slug == slugs["sim/inverted"])
    assert (pairs.scenarios, {*pair.gaps}) == (cells.units, {2, None})
    assert {one.measure for one in read.of(ResultsDocument)} == {"right"}
