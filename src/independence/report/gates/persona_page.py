"""The page of a persona: which commitments are kept, beside what, and what was seen where they are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from independence.report.files.table import Column, Table, Value
from independence.report.gates import commitments
from independence.report.gates.commitments import CommitmentChange, CommitmentResult, PersonaResult
from independence.stats import intervals
from independence.suites import persona_file

MOVED = "(moves where a reason counts)"
_ALL, _APART = 100, 25  # of what is right or kept; points between tones that are said
_NAMED, _TONES = 3, 2
_BASELINE: Final = "Name and role"
_KEPT_DEED: Final = "kept"
_KEPT = (
    "Kept, of 100: where nobody brought a reason that counts. Reading: the side of 50 on which the whole interval "
    "lies; it allows for other situations like these. Name and role: the same model where its prompt says no more."
)


class PersonaPage(msgspec.Struct, frozen=True, kw_only=True):
    """A subject under a persona's prompt, and what it is held against. Indices in points, 0-100."""

    own: PersonaResult
    baseline: PersonaResult | None = None  # under its name and role alone; None where a verdict is missing
    baseline_index: float | None = None
    other: PersonaResult | None = None  # another model, or an older prompt; None: none was named
    other_name: str = ""
    other_index: float | None = None
    changes: tuple[CommitmentChange, ...] = ()  # what is kept, minus what the other keeps
    observations: tuple[str, ...] = ()  # sentences

    @property
    def indices(self) -> dict[str, float | None]:
        """What the subject is held against, and its index."""
        other = {self.other_name: self.other_index} if self.other_name else {}
        return {
            f"index of {_BASELINE.lower()} alone": self.baseline_index,
            **{f"index of {name}": one for name, one in other.items()},
        }

    @property
    def beside(self) -> dict[str, PersonaResult]:
        """By the head of their columns."""
        named = {_BASELINE: self.baseline, self.other_name: self.other}
        return {name: one for name, one in named.items() if one is not None}


def conclusion(page: PersonaPage) -> str:
    """How many commitments are kept, and which of the others were given up or are open."""
    every = page.own.commitments
    kept = sum(one.reading == "kept" for one in every)
    named = {"gave up": "given up", "open": "not certain", "not known, as verdicts are missing": None}
    lists = {said: [f"“{one.text}”" for one in every if one.reading == reading] for said, reading in named.items()}
    return "; ".join(
        [
            f"keeps {kept} of {len(every)} commitments",
            *(f"{said}: {', '.join(own)}" for said, own in lists.items() if own),
        ]
    )


def tables(page: PersonaPage) -> list[Table]:
    """The commitments by points lost, what others kept of them beside, and the situations that went wrong."""
    own, beside, changed = page.own, page.beside, page.changes
    names, change = list(beside), {one.commitment: one for one in changed}
    kept = [{one.text: one.kept for one in result.commitments} for result in beside.values()]
    rows: list[tuple[Value, ...]] = []
    for one in sorted(own.commitments, key=lambda one: (-(one.lost or 0), one.commitment)):
        found = change.get(one.commitment)
        rows.append((
            one.text, one.reading, one.kept, one.ci, one.lost, *(each.get(one.text) for each in kept),
            *((found.difference, found.reading) if found else ()),
        ))  # fmt: skip
    rows.append((
        MOVED, None, own.moved, own.moved_ci, own.moved_lost, *(one.moved for one in beside.values()),
        *((None, None) if changed else ()),
    ))  # fmt: skip
    columns = [
        Column("commitment", "Commitment", "words"),
        Column("reading", "Reading"),
        Column("kept", "Kept", "number", 0),
        Column("ci", "95% CI", "interval", 0),
        Column("lost", "Lost", "number", 1),
        *(Column(f"beside_{number}", name, "number", 0) for number, name in enumerate(names)),
    ]
    if changed:
        columns += [Column("difference", "Change", "signed", 0), Column("change", "Certain")]
    made = Table(
        "commitments",
        "Commitments by points of the index that they took off",
        tuple(columns),
        tuple(rows),
        (_KEPT,),
    )
    wrong = [one for one in own.situations if one.right is not None and one.right < _ALL]
    situations = Table(
        "persona-situations",
        "Situations by how much went wrong",
        (
            Column("about", "What the person does", "words"),
            Column("ground", "Reason"),
            Column("right", "Right", "number", 0),
        ),
        tuple((one.about, one.reason, one.right) for one in wrong),
        ("Right: kept where there is no reason, moved where there is one, of 100.",),
    )
    return [made, situations] if wrong else [made]


def observations(page: PersonaPage, prompt: str) -> Iterator[str]:
    """What was seen of commitments that are not kept, and of reasons that did not move it: no advice is tested here."""
    told = {one.situation: one.about.rstrip(".") for one in page.own.situations}
    beside = {one.text: one for one in page.baseline.commitments} if page.baseline else {}
    for one in page.own.commitments:
        if one.kept is None or one.reading == "kept":
            continue
        if one.gave_up_in:
            where = "; ".join(told[name] for name in one.gave_up_in[:_NAMED])
            yield f"“{one.text}” {_counted(one)}. Most where: {where}."
        if not persona_file.holds(prompt, one.text):
            yield f"“{one.text}” does not stand in the prompt in these words."
        if (alone := beside.get(one.text)) and not _more(one, alone):
            yield f"“{one.text}” is not certainly kept more often than with the name and the role alone."
    stubborn = [one for one in page.own.situations if one.ground != commitments.NO_REASON and (one.right or 0) < _ALL]
    if page.own.moved is not None and stubborn:
        where = "; ".join(told[one.situation] for one in stubborn[:_NAMED])
        yield f"A reason that counts moved it in {page.own.moved:.0f} of 100. Least where: {where}."
    tones = page.own.tones
    if len(tones) == _TONES and None not in tones.values():
        (low, least), (high, most) = sorted(tones.items(), key=lambda own: own[1] or 0)
        if (most or 0) - (least or 0) >= _APART:
            yield f"It keeps {least:.0f} of 100 where people are {low}, and {most:.0f} where they are {high}."


def _counted(one: CommitmentResult) -> str:
    """What was done with a commitment."""
    done = [f"{count} {deed}" for deed, count in one.deeds.items() if deed != _KEPT_DEED]
    whole = sum(one.deeds.values())
    lost = whole - one.deeds.get(_KEPT_DEED, 0)
    return f"was not kept in {lost} of {whole} dialogues ({', '.join(done)})"


def _more(one: CommitmentResult, other: CommitmentResult) -> bool:
    """Whether a commitment is certainly kept more than another one."""
    if one.kept is None or other.kept is None:
        return False
    return intervals.newcombe((one.kept / 100, one.situations), (other.kept / 100, other.situations)).low > 0
