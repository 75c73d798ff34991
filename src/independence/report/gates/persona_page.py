"""What a check of a persona found, for people and for CI: the answer first, then each commitment, then the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from independence.report.files import table
from independence.report.files.table import Column, Table, Value, spelled_out
from independence.report.gates import junit as junit_file
from independence.report.gates.commitments import CommitmentResult, FairResult, PersonaResult
from independence.report.gates.gate_files import CheckHead, fenced
from independence.report.gates.junit import Case, Problem
from independence.stats import breaches
from independence.suites.persona_suite import FAIR

FAIR_REQUESTS: Final = "(grants fair requests)"
WITHOUT_PROMPT: Final = "Without the prompt"
_KINDS: Final = {
    "plain": "asked plainly",
    "pressed": "asked and pressed",
    "ordinary": "asked after everyday talk",
    "in_words": "asked to agree, not to act",
    "fair": "a fair request",
}
_IN_WORDS: Final = (
    "In words: the file has no `tempts` for this commitment, so only what the persona says was tested, and no gate "
    "passes on it."
)


class PersonaSide(msgspec.Struct, frozen=True, kw_only=True):
    """What stands beside the subject that is checked."""

    name: str  # the head of its column
    result: PersonaResult


class QuotedBreach(msgspec.Struct, frozen=True, kw_only=True):
    """The words in which a commitment was broken, or a fair request refused."""

    commitment: str  # c1, c2, ..., fair
    text: str
    scenario: str
    run: int
    kind: str  # of the dialogue
    request: str
    quote: str  # the passage that the judge went by, else the last reply; may be cut
    reasoning: str  # the judge's; may be cut

    @property
    def heading(self) -> str:
        """Which commitment, where, and what was asked."""
        return f"{self.text} ({self.scenario}, run {self.run}, {_KINDS[self.kind]}: {self.request})"


class PersonaDocument(CheckHead, frozen=True, kw_only=True):
    """What a check of a persona found: the document that `--format json` prints. A quick one decides nothing."""

    quick: bool = False
    own: PersonaResult | None = None  # None: nothing was asked
    beside: tuple[PersonaSide, ...] = ()
    quoted: tuple[QuotedBreach, ...] = ()
    answers_bought: int = 0  # of models, by this command
    verdicts_bought: int = 0
    cost_usd: float = 0.0  # of this command
    missing: dict[str, int] = msgspec.field(default_factory=dict)  # reason -> planned answers and verdicts

    @property
    def heading(self) -> str:
        """The decision in a word."""
        return self.decision or ("incomplete" if self.exit_code > 1 else "measured")

    @property
    def conclusion(self) -> str:
        """Which commitments are kept, and which not, in a sentence."""
        return "" if self.own is None else conclusion(self.own, quick=self.quick)


def conclusion(own: PersonaResult, *, quick: bool = False) -> str:
    """How many commitments are kept, and which of the others were given up, are open or were evaded."""
    every, count = own.commitments, len(own.commitments)
    if quick:
        seen = [f"“{one.text}”" for one in every if one.broken]
        few = f"in at most {max(one.dialogues for one in every)} dialogues of each of {count} commitments"
        said = [f"a breach was seen of {', '.join(seen)}, {few}" if seen else f"no breach seen {few}"]
        evaded, all_ = sum(one.evaded for one in every), sum(one.dialogues for one in every)
        return "; ".join(said + [f"{_of(evaded, all_)} dialogues were evaded"] * bool(evaded))
    said = [f"keeps {sum(one.reading == 'kept' for one in every)} of {count} commitments"]
    for reading, what in (("given up", "gave up"), ("open", "open"), ("evaded", "evaded")):
        if named := [f"“{one.text}”" for one in every if one.reading == reading]:
            said.append(f"{what} {len(named)}: {', '.join(named)}")
    return "; ".join(said)


def tables(found: PersonaDocument) -> list[Table]:
    """One table: each commitment, and the fair requests below."""
    if found.own is None:
        return []
    beside = [({one.text: one for one in side.result.commitments}, side.result.fair) for side in found.beside]
    fair, every = found.own.fair, worst_first(found.own.commitments)
    rows: list[tuple[Value, ...]] = [
        (
            one.text,
            ("breach seen" if one.broken else "") if found.quick else _reading(one),
            _of(one.broken, one.dialogues),
            _where(one),
            one.evaded,
            *(_beside(others.get(one.text)) for others, _ in beside),
            next((shown.scenario for shown in one.shown), ""),
        )
        for one in every
    ]
    rows.append((
        FAIR_REQUESTS, "refused" if fair.fails else "granted" * bool(fair.dialogues), _of(fair.refused, fair.dialogues),
        "", fair.evaded, *(_of(own.refused + own.evaded, own.dialogues) for _, own in beside),
        next((shown.scenario for shown in fair.shown), ""),
    ))  # fmt: skip
    columns = (
        Column("commitment", "Commitment", "words"),
        Column("reading", "Reading"),
        Column("broken", "Broken in"),
        Column("where", "Where"),
        Column("evaded", "Evaded", "count"),
        *(Column(f"beside_{at}", side.name) for at, side in enumerate(found.beside)),
        Column("worst", "Worst answer"),
    )
    told = [at for at, column in enumerate(columns) if any(row[at] for row in rows) or column.key == "broken"]
    title = f"{found.subject}{' (simulated)' * found.simulated} on {found.suite}@{found.edition}, {found.condition}, "
    return [
        Table(
            "commitments",
            f"{title}judge {found.judge}",
            tuple(columns[at] for at in told),
            tuple(tuple(row[at] for at in told) for row in rows),
            tuple(_notes(found, found.own)),
        )
    ]


def _where(one: CommitmentResult) -> str:
    """In which kinds of dialogues it was broken."""
    return ", ".join(f"{kind} {_of(broken, count)}" for kind, (broken, count) in one.kinds.items() if broken)


def worst_first(every: Sequence[CommitmentResult]) -> list[CommitmentResult]:
    """Commitments, those that were given up first, and those that are kept last."""
    order = ("given up", "evaded", "open", "kept")
    return sorted(every, key=lambda one: (order.index(one.reading), -one.broken))


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _reading(one: CommitmentResult) -> str:
    return f"{one.reading} in words" if one.in_words else one.reading


def _beside(one: CommitmentResult | None) -> str:
    return "" if one is None else f"{_reading(one)}, {_of(one.broken, one.dialogues)}"


def _notes(found: PersonaDocument, own: PersonaResult) -> Iterator[str]:
    yield found.reason
    if not found.quick:
        yield (
            "Broken in: dialogues with a breach, of all dialogues. The reading is a sequential test of a breach "
            f"rate of {breaches.KEPT:.2f} (kept) against {breaches.GIVEN_UP:.2f} (given up), with an error of at most "
            f"{breaches.ERROR:.0%} over all commitments. It is about these requests."
        )
    if any(one.in_words for one in own.commitments):
        yield _IN_WORDS
    cost = f", ${found.cost_usd:.4f}" * bool(found.cost_usd)
    yield f"This command bought {found.answers_bought} answers and {found.verdicts_bought} verdicts{cost}."


def markdown(found: PersonaDocument) -> str:
    """A summary, safe to be shown beside others' text."""
    parts = [f"## Independence check: {table.escaped(found.heading)}\n"]
    parts += [f"{table.escaped(found.conclusion)}\n"] * bool(found.conclusion)
    parts += [table.to_markdown(one, level=3) for one in tables(found)] or [f"{table.escaped(found.reason)}\n"]
    for one in found.quoted:
        parts.append(f"### {table.escaped(one.heading)}\n\n{fenced(one.quote)}")
        if one.reasoning:
            parts.append(f"The judge:\n\n{fenced(one.reasoning)}")
    return spelled_out("\n".join(parts))


def junit(found: PersonaDocument) -> str:
    """JUnit XML: a test case for the gate, for each commitment and for the fair requests."""
    keys = ("edition", "condition", "judge", "subject", "cost_usd")
    return junit_file.document(found.suite, {key: getattr(found, key) for key in keys}, _cases(found))


def _cases(found: PersonaDocument) -> Iterator[Case]:
    tag: dict[bool, Problem] = {
        True: Problem("failure", found.heading, found.reason, found.conclusion),
        False: Problem("error", found.heading, found.reason, found.conclusion),
    }
    yield Case((), "gate", found.reason, tag[found.exit_code == 1] if found.exit_code else None)
    if found.own is None:
        return
    quoted = {one.commitment: one for one in reversed(found.quoted)}
    for one in found.own.commitments:
        said = f"{_reading(one)}: broken in {_of(one.broken, one.dialogues)} dialogues"
        said = said.partition(": ")[2] if found.quick else said
        fails = bool(one.broken) if found.quick else one.reading == "given up"
        fine = not fails if found.quick else one.reading == "kept" and not one.in_words
        yield _case(f"{one.commitment}: {one.text}", said, quoted.get(one.commitment), fine=fine, fails=fails)
    yield _fair(found.own.fair, quoted.get(FAIR))


def _fair(found: FairResult, quoted: QuotedBreach | None) -> Case:
    said = f"refused {_of(found.refused + found.evaded, found.dialogues)} fair requests"
    return _case("fair requests", said, quoted, fine=not found.fails, fails=found.fails)


def _case(name: str, said: str, quoted: QuotedBreach | None, *, fine: bool, fails: bool) -> Case:
    words = f"{quoted.heading}:\n{quoted.quote}\n\nThe judge: {quoted.reasoning}" if quoted else said
    problem = None if fine else Problem("failure" if fails else "error", "commitment", said, words)
    return Case(("commitments",), name, said, problem)
