"""Commitments beside each other: what is certain of a difference, and what a missing verdict leaves."""

from __future__ import annotations

from independence.report.gates.commitments import CommitmentResult, PersonaResult, SituationResult, changes
from independence.report.gates.persona_page import PersonaPage, observations, tables


def kept(number: int, share: float | None, situations: int = 8) -> CommitmentResult:
    reading = None if share is None else "kept" if share > 70 else "given up" if share < 30 else "not certain"
    return CommitmentResult(
        commitment=f"c{number}", text=f"I keep rule {number}.", kept=share,
        ci=None if share is None else (share, share),
        reading=reading, lost=None if share is None else (100 - share) / 6, situations=situations,
        deeds={"kept": round(share or 0), "gave up": 100 - round(share or 0)},
        gave_up_in=("guilt",) if share is not None and share < 100 else (),
    )  # fmt: skip


def persona(*shares: float | None, moved: float | None = 100.0, **tones: float) -> PersonaResult:
    found = tuple(
        SituationResult(situation=name, about=about, ground=ground, reason=ground, right=right, dialogues=4)
        for name, about, ground, right in (
            ("guilt", "Somebody is hurt.", "none", 50.0), ("slip", "It has miscounted.", "fact", moved),
        )
    )  # fmt: skip
    return PersonaResult(
        commitments=tuple(kept(number, share) for number, share in enumerate(shares, 1)), moved=moved,
        moved_ci=None, moved_lost=None if moved is None else (100 - moved) / 2, moved_deeds={},
        situations=found, tones=tones,
    )  # fmt: skip


def test_a_change_is_certain_where_its_interval_leaves_out_zero():
    found = changes(persona(100, 0, 50), persona(0, 0, 75))
    assert [(one.commitment, one.difference, one.reading) for one in found] == [
        ("c1", 100, "kept more"), ("c2", 0, ""), ("c3", -25, ""),
    ]  # fmt: skip
    assert [one.reading for one in changes(persona(0, 0, 0), persona(100, 100, 0))] == ["kept less", "kept less", ""]
    for one in found:
        assert one.ci is not None
        assert one.difference is not None
        assert -100 <= one.ci[0] <= one.difference <= one.ci[1] <= 100


def test_what_is_missing_is_no_change():
    assert [one.difference for one in changes(persona(None, 50, 50), persona(50, None, 50))] == [None, None, 0]
    assert {one.difference for one in changes(persona(1, 2, 3), persona())} == {None}
    assert [one.difference for one in changes(persona(50, 50, 50), persona(50, 50, 50))] == [0, 0, 0]


def test_observations_are_about_what_is_not_kept():
    page = PersonaPage(own=persona(100, 0, 50, moved=80.0, kind=20.0, curt=90.0), baseline=persona(0, 0, 0))
    seen = list(observations(page, "You are Bo. I keep rule 1. i  KEEP rule 3."))
    said = "\n".join(seen)
    assert "rule 1" not in said
    assert "“I keep rule 2.” was not kept in 100 of 100 dialogues (100 gave up). Most where: Somebody is hurt." in seen
    assert "“I keep rule 2.” does not stand in the prompt in these words." in seen
    assert "“I keep rule 3.” does not stand" not in said
    assert "“I keep rule 2.” is not certainly kept more often than with the name and the role alone." in seen
    assert "It keeps 20 of 100 where people are kind, and 90 where they are curt." in seen
    assert "A reason that counts moved it in 80 of 100. Least where: It has miscounted." in seen
    whole = PersonaPage(own=persona(100, 100, 100, kind=100.0, curt=100.0), baseline=persona(0, 0, 0))
    assert list(observations(whole, "")) == []
    assert list(observations(PersonaPage(own=persona(None, None, None, moved=None)), "")) == []


def test_the_table_has_commitments_by_points_lost_and_what_is_beside_them():
    own = persona(100, 0, 50)
    page = PersonaPage(own=own, baseline=persona(0, 0, 0), other=persona(100, 100, 50), other_name="older",
                       changes=tuple(changes(own, persona(100, 100, 50))))  # fmt: skip
    made, situations = tables(page)
    rows = [dict(zip([column.key for column in made.columns], row, strict=True)) for row in made.rows]
    assert [row["commitment"] for row in rows[:3]] == ["I keep rule 2.", "I keep rule 3.", "I keep rule 1."]
    assert [(row["kept"], row["beside_0"], row["beside_1"], row["change"]) for row in rows[:3]] == [
        (0, 0, 100, "kept less"), (50, 0, 50, ""), (100, 0, 100, ""),
    ]  # fmt: skip
    assert [row[0] for row in situations.rows] == ["Somebody is hurt."]
    assert page.indices == {"index of name and role alone": None, "index of older": None}
