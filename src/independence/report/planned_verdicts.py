"""Every planned verdict of a place under one judge: its values, or why there are none. Repeated runs are left out."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from independence.judge import kinds
from independence.judge.kinds import CUES
from independence.report import edition_verdicts
from independence.report.edition_verdicts import EditionVerdicts
from independence.report.repeats import Repeats
from independence.report.verdict_cells import PlannedVerdict, grouped
from independence.store import gradings, place_dialogues, queries, scopes
from independence.store.gradings import QuotationCounts
from independence.store.place_dialogues import PlacedVerdict, PlaceRead
from independence.store.queries import JudgeCounts
from independence.store.scopes import BoardScope
from independence.store.spending import Dates
from independence.types import Where

_NEARLY: Final = 0.9  # of all dialogues: published sets lack some verdicts of every judge


class Judging(NamedTuple):
    """What a board says of the judge whose verdicts it shows."""

    quotations: QuotationCounts | None = None  # None: it was to quote nothing
    half_finished: str = ""  # where nobody was asked for, and nobody graded everything: who was taken


class PlannedVerdicts(NamedTuple):
    """All planned verdicts of a place under one judge, those on replies that only repeat earlier ones left out."""

    judge: str | None
    subjects: Mapping[str, Sequence[PlannedVerdict]]  # by config_dir, in its order
    repeats: Repeats = Repeats()
    thinking: frozenset[str] = frozenset()  # config_dirs of those whose answers took reasoning tokens
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much
    other_judges: tuple[str, ...] = ()  # whose verdicts are all their own; none where this one's are not
    dates: Dates | None = None  # of replies and verdicts; None where they have to be read
    judging: Judging = Judging()

    @property
    def planned(self) -> list[PlannedVerdict]:
        """Those of all subjects."""
        return list(itertools.chain.from_iterable(self.subjects.values()))


def planned_verdicts(connection: sqlite3.Connection, scope: BoardScope, asked_judge: str | None) -> PlannedVerdicts:
    """Read a place, under the asked judge or the usual one. Of editions of one wording all are read."""
    at_once = [_at_once(connection, one) for one in scope.editions]
    there = together(
        own.judges if own is not None else queries.judges(connection, one.where)
        for one, own in zip(scope.editions, at_once, strict=True)
    )
    name = asked_judge or usual_judge(there)
    found = [
        edition_verdicts.read(connection, one, name, _of_judge(connection, one, own, name))
        for one, own in zip(scope.editions, at_once, strict=True)
    ]
    whole = _joined(scope, found) if scope.beside else _alone(found[0])
    others = tuple(one for one in independent(there) if one != name) if name in independent(there) else ()
    return whole._replace(
        judge=name,
        as_full=as_full(there, name) if asked_judge is None else (),
        other_judges=others,
        judging=_judging(connection, scope, name, there if asked_judge is None else ()),
    )


def _judging(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, there: Sequence[JudgeCounts]
) -> Judging:
    if judge is None:
        return Judging()
    places = [one.where for one in scope.editions]
    counts = QuotationCounts(0, 0)
    if kinds.of(judge).needs_model:
        counts = sum((gradings.quotations(connection, where, judge) for where in places), counts)
    return Judging(counts if counts.asked else None, half_finished(connection, places, judge, there))


def half_finished(
    connection: sqlite3.Connection, places: Iterable[Where], judge: str | None, there: Sequence[JudgeCounts]
) -> str:
    """That the judge who was taken, of several, graded a part alone, as all of them did; empty where it did not."""
    own = next((_settled(one) for one in there if one.judge == judge), 0)
    if len(there) < 2 or not own:
        return ""
    all_ = sum(gradings.finished(connection, where) for where in places)
    if _whole(own, all_):
        return ""
    return (
        f"No judge graded everything: shown is {judge}, which graded {own} of {all_} dialogues; --judge takes another."
    )


def _settled(one: JudgeCounts) -> int:
    """Dialogues that a judge need not be asked about any more."""
    return max(one.graded, one.valid)


def _whole(graded: int, of: int) -> bool:
    """Whether somebody graded everything, but for the little that is missing in any large set."""
    return graded >= _NEARLY * of


def _at_once(connection: sqlite3.Connection, scope: BoardScope) -> PlaceRead | None:
    """All dialogues and verdicts of an edition, where one judge graded there."""
    return None if queries.imported(scope.edition) else place_dialogues.read(connection, scope.where)


def _of_judge(
    connection: sqlite3.Connection, scope: BoardScope, read: PlaceRead | None, judge: str | None
) -> list[PlacedVerdict] | None:
    """The dialogues of an edition with the verdicts of one judge; None where those are read one by one."""
    if queries.imported(scope.edition) or (judge is not None and kinds.of(judge).predicts):
        return None
    if read is not None and [*filter(None, [judge])] == [one.judge for one in read.judges]:
        return read.verdicts
    return place_dialogues.under_judge(connection, scope.where, judge)


def _alone(read: EditionVerdicts) -> PlannedVerdicts:
    return PlannedVerdicts(None, read.subjects, read.repeats, read.thinking, dates=read.dates)


def _joined(scope: BoardScope, found: Sequence[EditionVerdicts]) -> PlannedVerdicts:
    """Editions of one wording together; a dialogue that several of them use counts once."""
    planned: dict[tuple[str, int, str], PlannedVerdict] = {}
    dialogues: dict[str, int] = {}
    why: dict[str, tuple[str, ...]] = {}
    thinking: set[str] = set()
    for one, own in zip(scope.editions, found, strict=True):
        keys = {config: scope.key(one.where, config) for config in own.subjects}
        for config, cells in own.subjects.items():
            for cell in cells:
                spot = (keys[config], cell.run, cell.scenario)
                planned.setdefault(spot, cell._replace(config_dir=keys[config]))
        thinking |= {keys[config] for config in own.thinking}
        dialogues = {scope.key(one.where, config): count for config, count in own.repeats.dialogues.items()} | dialogues
        why = {scope.key(one.where, config): said for config, said in own.repeats.why.items()} | why
    subjects = grouped((planned[at] for at in sorted(planned)), lambda cell: cell.config_dir)
    return PlannedVerdicts(None, subjects, Repeats(dialogues, why), frozenset(thinking))


def reasons(cells: Collection[PlannedVerdict]) -> dict[str, int]:
    """How many planned verdicts are missing, by reason."""
    return dict(sorted(Counter(cell.missing for cell in cells if cell.missing is not None).items()))


def marks(cells: Collection[PlannedVerdict], left_out: Mapping[str, int] | None = None) -> dict[str, int]:
    """Marks on a subject's answers, those on what was left out too, and how many verdicts are missing, by reason."""
    counts = Counter(flag for cell in cells for flag in cell.flags) + Counter(left_out)
    return dict(sorted(counts.items())) | {f"missing:{reason}": n for reason, n in reasons(cells).items()}


def judges(connection: sqlite3.Connection, places: Iterable[Where]) -> list[JudgeCounts]:
    """Everybody who graded in some places, those of the first place first, in the order in which they began."""
    return together([queries.judges(connection, where) for where in places])


def together(sides: Iterable[Sequence[JudgeCounts]]) -> list[JudgeCounts]:
    """How much everybody graded in several places, those of the first place first."""
    found: dict[str, JudgeCounts] = {}
    for one in itertools.chain.from_iterable(sides):
        own = found.get(one.judge, JudgeCounts(one.judge, 0, 0))
        found[one.judge] = JudgeCounts(one.judge, own.valid + one.valid, _settled(own) + _settled(one))
    return list(found.values())


def judge(there: Iterable[JudgeCounts], asked: str) -> str:
    """The judge that is meant. Raises StoreError, naming the judges there are, when none of that name graded here."""
    return scopes.judge(asked, sorted({one.judge for one in there}))


def judge_anywhere(connection: sqlite3.Connection, places: Sequence[BoardScope], asked: str | None) -> str | None:
    """The judge that is meant in any of some places; None where none is named. Raises StoreError."""
    if asked is None:
        return None
    return judge(judges(connection, {one.where for place in places for one in place.editions}), asked)


def judge_here(connection: sqlite3.Connection, scope: BoardScope, asked: str | None) -> str | None:
    """The judge that is meant in a place; None where none is named. Raises StoreError as `judge` does."""
    return judge_anywhere(connection, [scope], asked)


def independent(there: Iterable[JudgeCounts]) -> list[str]:
    """The judges whose verdicts are all their own; a hybrid repeats those of the model that it buys from."""
    return sorted(one.judge for one in there if one.valid and not kinds.of(one.judge).repeats_bought)


def usual_judge(there: Sequence[JudgeCounts]) -> str | None:
    """Whose verdicts are shown where nobody was asked for; None where there are none. `there`: as they began.

    Of those that graded everything, as far as anybody did, and have at least half as many valid verdicts as any: a
    model before the rules, those that rest on predictions last; of one kind the one with most valid verdicts, then the
    one that began first. People, who score a sample, never without being asked for, nor an older version of the rules
    beside the newest.
    """
    names = {one.judge for one in there}
    left_out = {name for name in names if kinds.of(name).human or (name.startswith(f"{CUES}@") and CUES in names)}
    graded = {one.judge: _settled(one) for one in there if one.judge not in left_out}
    all_ = max(graded.values(), default=0)
    counts = {one.judge: one.valid for one in there if _whole(graded.get(one.judge, -1), all_)}
    most = max(counts.values(), default=0)
    full = [name for name in counts if 2 * counts[name] >= most]
    return min(full, key=lambda name: (kinds.of(name).order_on_boards, -counts[name]), default=None)


def shared_judge(*sides: Sequence[JudgeCounts]) -> str | None:
    """The usual judge among those with a valid verdict on every side; None where no judge has."""
    both = set.intersection(*({one.judge for one in own if one.valid} for own in sides))
    return usual_judge([one for one in together(sides) if one.judge in both])


def as_full(there: Iterable[JudgeCounts], judge: str | None) -> tuple[str, ...]:
    """The other judges with as many valid verdicts as `judge`, in the order in which they began."""
    counts = {one.judge: one.valid for one in there}
    return tuple(
        name for name in counts if name != judge and counts[name] and counts[name] >= counts.get(judge or "", 0)
    )
