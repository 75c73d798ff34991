"""Names that subjects took when they were free to: the popular ones, those of one subject alone, and each subject's."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.judge import names as judging
from independence.judge.name_extraction import source
from independence.judge.names import key, usual
from independence.report.files import table_layouts
from independence.report.files.legend import subject_name
from independence.report.files.table import Table, Value, percent
from independence.store import names, queries
from independence.store.names import RunKey
from independence.store.scopes import BoardScope, grading
from independence.types import Missing, TakenName, Usage, Where

PUBLISHED = "published"  # names that came with an import, whoever extracted them
STALE = "stale"


class RunNames(NamedTuple):
    """What was read out of one run. With `missing` set there are no names, and that is no refusal."""

    taken: tuple[TakenName, ...]
    missing: str | None
    by: str
    usd: float

    @property
    def names(self) -> tuple[str, ...]:
        """What they are, without where they were taken."""
        return tuple(one.name for one in self.taken)

    @property
    def declined(self) -> bool:
        """No name was taken anywhere."""
        return not self.taken and self.missing is None


class NamesReport(NamedTuple):
    """Everything the tables are made of."""

    scope: BoardScope
    scenarios: Sequence[str]  # in which a name may be taken
    extractor: str
    runs: Mapping[RunKey, RunNames]  # of all subjects; what was not read is not in it
    planned: Sequence[RunKey]  # of the subjects that are shown
    labels: Mapping[str, str]
    spelled: Mapping[str, str]  # key of a name -> how it is written
    ranks: Mapping[str, int | None] | None  # on the board, by config_dir

    def read(self) -> dict[RunKey, RunNames]:
        """The runs that are shown and say something: names, or a refusal."""
        return {run: self.runs[run] for run in self.planned if run in self.runs and self.runs[run].missing is None}


def tables(
    connection: sqlite3.Connection,
    scope: BoardScope,
    *,
    extractors: Sequence[str] = (),
    only: Collection[str] | None = None,
    top: int | None = 25,
    ranks: Mapping[str, int | None] | None = None,
) -> list[Table]:
    """Popular names, exclusive names, names by subject; [] where nothing was read.

    `extractors`: whose readings, of a run the first one's that says something; default: of the one that has read most
    runs, of equals what came with an import, and of the others where it could not read a run. `only`: subjects
    (config_dir) to show; what is exclusive is told from all of them. `top`: rows of the first two tables that people
    are shown. `ranks`: places on the board, in whose order subjects stand.
    """
    shown = read(connection, scope, extractors, only, ranks)
    if shown is None:
        return []
    made = [_popular(shown), _exclusive(shown), _by_subject(shown)]
    for at, table in enumerate(made[:2]):
        if top is not None and len(table.rows) > top:
            note = f"the first {top} of {len(table.rows):,}; --format json or csv, and --tables of a report, have all"
            made[at] = msgspec.structs.replace(table, notes=(*table.notes, note), limit=top)
    return made


def read(
    connection: sqlite3.Connection,
    scope: BoardScope,
    extractors: Sequence[str] = (),
    only: Collection[str] | None = None,
    ranks: Mapping[str, int | None] | None = None,
) -> NamesReport | None:
    """What the tables are made of; None where nothing was read. Arguments as of `tables`."""
    where = scope.where
    scenarios = judging.scenarios(grading(connection, scope))
    readings = _readings(connection, where, scenarios)
    known = {name: sum(run.missing is None for run in runs.values()) for name, runs in readings.items()}
    most = min(known, key=lambda name: (-known[name], name != PUBLISHED, name), default=None)
    first = [name for name in extractors or (most,) if name in readings]
    if not first:
        return None
    planned, others = names.runs(connection, where, scenarios), () if extractors else sorted(readings)
    runs = {}
    for run in planned:
        found = [readings[name][run] for name in first if run in readings[name]]
        if found and all(one.missing for one in found):
            found += [readings[name][run] for name in others if run in readings[name]]
        if found:
            runs[run] = next((one for one in found if one.missing is None), found[0])
    spelled = usual(name for run in runs.values() for name in run.names)
    kept = [run for run in planned if only is None or run[0] in only]
    subjects = queries.subjects(connection, where)
    often = Counter(label for label, _, _ in subjects.values())
    labels = {  # one that several bear makes room for the directory name
        config_dir: subject_name(label if often[label] == 1 else config_dir, simulated)
        for config_dir, (label, _, simulated) in subjects.items()
    }
    return NamesReport(
        scope=scope,
        scenarios=scenarios,
        extractor=first[0],
        runs=runs,
        planned=kept,
        labels=labels,
        spelled=spelled,
        ranks=ranks,
    )


def _readings(
    connection: sqlite3.Connection, where: Where, scenarios: Sequence[str]
) -> dict[str, dict[RunKey, RunNames]]:
    """Extractor -> what it read, run by run."""
    out: dict[str, dict[RunKey, RunNames]] = {}
    for run, content in names.imported(connection, where).items():
        by, came = judging.published(content, scenarios)
        reason, taken = (came.reason, ()) if isinstance(came, Missing) else (None, came.names)
        out.setdefault(PUBLISHED, {})[run] = _run_names(taken, reason, by, came.usage)
    stored = names.stored(connection, where)
    answers = names.first_answers(connection, where, scenarios) if stored else {}
    for row in stored:
        run = (row.config_dir, row.run)
        rests_on = source(row.extractor, [(one.scenario, one.digest) for one in answers.get(run, [])])
        missing = row.missing if row.source == rests_on else STALE
        out.setdefault(row.extractor, {})[run] = _run_names(row.names, missing, row.extractor, row.usage)
    return out


def _run_names(taken: Sequence[TakenName], missing: str | None, by: str, usage: Usage) -> RunNames:
    return RunNames(() if missing else tuple(taken), missing, by, usage.cost_usd)


def _takers(runs: Mapping[RunKey, RunNames]) -> dict[str, Counter[str]]:
    """Key of a name -> subject -> runs in which it was taken."""
    out: dict[str, Counter[str]] = {}
    for (config_dir, _), run in runs.items():
        for name in {key(name) for name in run.names}:
            out.setdefault(name, Counter())[config_dir] += 1
    return out


def _popular(shown: NamesReport) -> Table:
    read = shown.read()
    takers = _takers(read)
    counts = {name: by.total() for name, by in takers.items()}
    rows = [
        (rank, shown.spelled[name], counts[name], counts[name] / len(read), len(takers[name]))
        for rank, name in _ranked(counts)
    ]
    notes = _notes(shown, sum(counts.values()), len(counts))
    return table_layouts.made("names/names-popular", rows, notes)


def _exclusive(shown: NamesReport) -> Table:
    takers = _takers(shown.runs)
    here = {config_dir for config_dir, _ in shown.planned}
    single = {name: by for name, by in takers.items() if len(by) == 1 and here.issuperset(by)}
    rows = [
        (rank, shown.spelled[name], shown.labels[next(iter(single[name]))], single[name].total())
        for rank, name in _ranked({name: by.total() for name, by in single.items()})
    ]
    return table_layouts.made("names/names-exclusive", rows, names=len(rows))


def _by_subject(shown: NamesReport) -> Table:
    def place(config_dir: str) -> tuple[bool, int, str, str]:
        """By rank, those without one last and by label."""
        rank = (shown.ranks or {}).get(config_dir)
        return rank is None, rank or 0, shown.labels[config_dir], config_dir

    rows: list[tuple[Value, ...]] = []
    for config_dir in sorted({run[0] for run in shown.planned}, key=place):
        planned = [run for run in shown.planned if run[0] == config_dir]
        runs = [shown.runs[run] for run in planned if run in shown.runs]
        unread = len(planned) - sum(run.missing != STALE for run in runs)
        broken = sum(run.missing not in (None, STALE) for run in runs)
        counts = Counter(name for run in runs for name in {key(name) for name in run.names})
        times = ((shown.spelled[name], counts[name]) for _, name in _ranked(counts))
        taken = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in times) or None
        rank = () if shown.ranks is None else (shown.ranks.get(config_dir),)
        rows.append(
            (*rank, shown.labels[config_dir], taken, len(planned), sum(run.declined for run in runs), broken, unread)
        )
    return table_layouts.made("names/unranked" if shown.ranks is None else "names/ranked", rows)


def _ranked(counts: Mapping[str, int]) -> list[tuple[int, str]]:
    """(rank, name), most frequent first, equals by alphabet; equal counts share a rank."""
    order = sorted(counts, key=lambda name: (-counts[name], name))
    first: dict[int, int] = {}
    return [(first.setdefault(counts[name], place), name) for place, name in enumerate(order, start=1)]


def _notes(shown: NamesReport, picks: int, different: int) -> tuple[str, ...]:
    read, there = shown.read(), [shown.runs[run] for run in shown.planned if run in shown.runs]
    declined = sum(run.declined for run in read.values())
    reasons = Counter(run.missing for run in there if run.missing is not None)
    parts = [f"{picks:,} picks of {different:,} names in {len(read):,} of {len(shown.planned):,} runs"]
    parts.append(f"{declined} declined ({percent(declined / len(read))})" if read else "none declined")
    called = {STALE: "stale, to be read again"}
    parts += [f"{reasons[reason]} {called.get(reason, f'broken ({reason})')}" for reason in sorted(reasons)]
    edition = table_layouts.edition_named(shown.scope.where.edition_name, shown.scope.suite.foreign_language)
    place = f"{edition}, {shown.scope.condition}"
    by = Counter(run.by or "an unnamed model" for run in there)
    readers = ", ".join(f"{name} ({by[name]} runs)" for name in sorted(by, key=lambda name: (-by[name], name)))
    cost = sum(run.usd for run in there)
    paid = f", for ${cost:.4f}" if cost else ""
    origin = "came with the import, read by" if shown.extractor == PUBLISHED else "read by"
    return ("; ".join(parts), f"{place}; {origin} {readers}{paid}; each name counts once a run")
