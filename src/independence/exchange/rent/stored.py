"""What a store holds of one place, as the records of a run folder.

Own runs are put into the published fields. Of imports every value comes back as it came, what the tables do not hold
from beside them; an answer, a request and a score are always the stored ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from independence.errors import UsageError
from independence.exchange.rent import own, prompts, sources, storing, summary
from independence.exchange.rent.own import Asked, Judge, Record
from independence.exchange.rent.records import Factors, Snapshot, decode
from independence.exchange.rent.sources import Sources
from independence.report import place as places
from independence.report.place import Place
from independence.stats.stance import Rated, Sides
from independence.store.exported import GivenAnswer, GivenVerdict, Spot
from independence.store.queries import imported
from independence.types import Attempt

ANALYSIS = "stance_csv"  # one number a verdict, and the published summary


class Prompt(NamedTuple):
    """A planned prompt."""

    prompt_id: str
    factors: Factors
    messages: msgspec.Raw  # JSON array; empty where no words are known


class Kept(NamedTuple):
    """One answer: its two records, and what the summary, the grid and the log read of it."""

    scenario: str
    run: int
    prompt: Prompt
    answer: Record
    judged: Record | None  # None without a judge
    rated: Rated
    attempts: tuple[Attempt, ...]
    missing: str | None  # reason, where no usable answer came
    unscored: str | None  # the same of the score
    repeated: bool = False  # the answer to a prompt before it, which says the same; its cost is counted there


class Run(msgspec.Struct, frozen=True):
    """Everything a run folder is written from. `kept` in the order in which the answers came."""

    place: Place
    judge: str | None
    judges: tuple[str, ...]  # all who graded here
    sides: Sides
    prompts: tuple[Prompt, ...]  # in the suite's order
    kept: tuple[Kept, ...]
    snapshot: Snapshot | None  # of an import
    grid: bytes  # of an import that brought its prompts along
    simulated: bool  # all subjects are


def read(connection: sqlite3.Connection, place: Place, judge: str | None = None, names: Collection[str] = ()) -> Run:
    """Read a place under a judge (None: the one with most verdicts). `names`: only these labels, ids, directories.

    Raises UsageError for a suite that is no grid of sides, StoreError for a judge or a name that nothing here has.
    """
    grid = place.suite.grid
    if grid is None or len(grid.sides) < 2:
        raise UsageError(f"suite {place.suite.suite} has no grid of sides; --rent writes suites such as `rent`")
    if place.suite.analysis != ANALYSIS:
        raise UsageError(
            f"suite {place.suite.suite} is graded by more than one score, for which a run folder has no place; "
            "leave out --rent, or export suite `rent`"
        )
    judge = places.judge_here(connection, place, judge)
    found = sources.read(connection, place, judge, names)
    kept = _records(found)
    first = {name: content for (*_, name), content in reversed([*found.files.items()])}
    return Run(
        place, found.judge, found.judges, Sides(*list(grid.sides)[:2]), tuple(_prompts(found, kept)), kept,
        _snapshot(first.get(storing.SNAPSHOT, b"")), first.get(storing.GRID, b""), found.simulated,
    )  # fmt: skip


def _snapshot(content: bytes) -> Snapshot | None:
    """None where there is none that can be read: broken ones are kept like all that came."""
    with suppress(ValueError):
        return decode(content, Snapshot).record
    return None


def _records(found: Sources) -> tuple[Kept, ...]:
    """Every stored answer: imports in the order of their files, own ones as they came."""
    run_ids = sources.run_ids(found)
    out = []
    for spot in found.spots:
        row = found.answers.get(spot.trial)
        if row is not None:
            beside = found.beside(spot, storing.beside_answer(spot.scenario))
            order = (spot.run, beside.line if beside else 0, row.answered_at, spot.config_dir, spot.scenario)
            out.append((order, spot.trial, _record(found, spot, row, run_ids[spot.config_dir, spot.run])))
    return _counted_once([(trial, kept) for _, trial, kept in sorted(out, key=lambda one: one[0])])


def _counted_once(kept: Sequence[tuple[str, Kept]]) -> tuple[Kept, ...]:
    """The records, later ones of a dialogue that stands at several places marked and without its cost."""
    out, seen = [], set()
    for trial, one in kept:
        out.append(_again(one) if trial in seen else one)
        seen.add(trial)
    return tuple(out)


def _again(one: Kept) -> Kept:
    judged = None if one.judged is None else one.judged | {"eval_cost_usd": None}
    return one._replace(repeated=True, answer=one.answer | {"cost_usd": None}, judged=judged)


def _record(found: Sources, spot: Spot, row: GivenAnswer, run_id: int) -> Kept:
    scenario = found.place.suite.scenario(spot.scenario)
    beside = found.beside(spot, storing.beside_answer(spot.scenario))
    messages, model = msgspec.Raw(found.requests.of(spot, row)), found.models[spot.config_dir]
    asked = Asked(run_id, model, spot.scenario, prompts.factors(scenario), messages)
    said = sources.as_it_came(own.answer(asked, row), beside)
    verdict = found.verdicts.get(spot.trial) if row.missing is None else None
    score = _score(found.place, verdict)
    facts = _facts(said)
    one = summary.rated(model, asked.factors, score, scenario.cell)
    # Published records without these facts are part of no share; where a suite has none, a cell is its own baseline.
    one = one._replace(key=prompts.baseline(facts) or (None if beside else scenario.cell))
    prompt = Prompt(str(said["prompt_id"]), facts, messages)
    line = _judged(found, spot, said, verdict, row.missing is not None)
    unscored = verdict.missing if verdict else own.UNSCORED
    return Kept(spot.scenario, spot.run, prompt, said, line, one, own.attempts(row), row.missing, unscored)


def _judged(found: Sources, spot: Spot, said: Record, verdict: GivenVerdict | None, failed: bool) -> Record | None:
    if found.judge is None:
        return None
    line = own.judged(said, verdict, Judge(found.judge, found.judged_at), failed) | {
        "score": _score(found.place, verdict)
    }
    if verdict is None and not failed:  # deleted, or never given: what is kept beside it is of no use
        return line
    kept = sources.as_it_came(line, found.beside(spot, storing.beside_verdict(spot.scenario, found.judge)))
    return kept | {"error": kept["error"] or line["error"]}


def _facts(said: Mapping[str, object]) -> Factors:
    facts = said["factors"]
    return facts if isinstance(facts, dict) else {}


def _score(place: Place, verdict: GivenVerdict | None) -> float | None:
    assert place.suite.grid is not None
    values = msgspec.json.decode(verdict.fields, type=dict[str, float]) if verdict else {}
    return values.get(place.suite.grid.stance)


def _prompts(found: Sources, kept: Collection[Kept]) -> Iterator[Prompt]:
    """Planned prompts as they were asked; those that nobody answered in our words, of imports without any."""
    asked = {one.scenario: one.prompt for one in reversed(list(kept))}
    planned = {spot.scenario for spot in found.spots}
    for scenario in found.place.suite.scenarios:
        if scenario.id in asked:
            yield asked[scenario.id]
        elif scenario.id in planned:
            words = b"[]" if imported(found.place.edition) else found.requests.first(scenario.id)
            yield Prompt(scenario.id, prompts.factors(scenario), msgspec.Raw(words))
