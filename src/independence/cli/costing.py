"""From a wanted run to what it will cost. Only endpoints that bill are asked for their prices; nothing is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import job as jobs
from independence.cli import judges, rosters
from independence.cli.asking import Needs, checked
from independence.cli.job import Planned, Wanted
from independence.cli.loop import drive
from independence.clients.pricing import FREE, Prices
from independence.config import environment
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import assumed, estimate, experience, resume, thinning
from independence.engine.assumed import Assumed
from independence.engine.bill import Bill
from independence.engine.estimate import Entry, PriceList
from independence.engine.profile import ANY, EVERYBODY, OWN, PUBLISHED, SUITE, Profile
from independence.engine.resume import Todo
from independence.judge.spec import CUES
from independence.report import costs_estimate
from independence.report.costs_estimate import Expected, JudgeCost, Price, SubjectCost
from independence.report.table import Table
from independence.store import database
from independence.suites import digest

_FREE = (SIM, LOCAL)  # endpoints that take no money: nothing has to be asked there
_MILLION = 1e6
Model = tuple[str, str]  # endpoint, model id there


class Known(NamedTuple):
    """What the store says: token statistics, and how much of the plan it holds already."""

    profile: Profile
    prices: Assumed
    complete: int = 0


def tables(wanted: Wanted, db: Path) -> list[Table]:
    """The estimate of a whole plan, as if nothing of it were stored. Raises UsageError, KeyRejected."""
    env, registry = (
        environment.read(),
        rosters.known(jobs.models(wanted.models_file), wanted.models_file, wanted.roster),
    )
    made = jobs.planned(wanted, registry, env)
    prices = drive(_prices(made, _needs(made, wanted, registry, env)))
    known = _read(db, made, prices)
    todo = [Todo(trial, trial.dialogue.generated, tuple(made.judges)) for trial in made.trials]
    thinned = thinning.bought(resume.unshared(todo, _rubrics(made)), made.suite)
    found = estimate.bills(thinned, known.prices.prices, known.profile)
    labels = {trial.subject.config_dir: trial.subject.label for trial in made.trials}
    subjects = [_subject(label, _of(found, [config]), known.profile) for config, label in labels.items()]
    if len(subjects) > 1:
        subjects.append(_subject(f"all {len(subjects)} subjects", found, known.profile))
    judges = [_judge(judge.name, found, known.profile) for judge in made.judges if judge.asks]
    return costs_estimate.tables(
        subjects,
        judges,
        _listed(prices),
        _notes(made, registry, known, found),
    )


def _needs(made: Planned, wanted: Wanted, registry: Registry, env: Mapping[str, str]) -> Needs:
    """Endpoints that bill, and the models asked there."""
    models: dict[Model, bool] = {}
    for trial in made.trials:
        model = (trial.subject.endpoint, trial.subject.model)
        models[model] = models.get(model, False) or trial.dialogue.tool is not None
    for judge in made.judges:
        if judge.asks:
            models.setdefault((judge.endpoint, judge.model), False)
    billed = {model: tools for model, tools in models.items() if model[0] not in _FREE}
    asked = msgspec.structs.replace(wanted, dry_run=True)
    return Needs(jobs.endpoints([endpoint for endpoint, _ in billed], registry, env, asked, None), billed)


async def _prices(made: Planned, needs: Needs) -> dict[Model, Prices | None]:
    free = {(t.subject.endpoint, t.subject.model): FREE for t in made.trials if t.subject.endpoint in _FREE}
    free |= {(judge.endpoint, judge.model): FREE for judge in made.judges if judge.endpoint in _FREE}
    async with checked(needs) as found:
        return {**free, **found.prices}


def _read(db: Path, made: Planned, prices: PriceList) -> Known:
    if not db.is_file():
        return Known(Profile(rubrics=experience.rubrics(made.suite)), Assumed(prices))
    connection = database.connect_existing(db)
    try:
        place = (made.suite.suite, made.edition)
        left = resume.compare(connection, place, made.trials, made.judges, _rubrics(made))
        profile = experience.learned(connection, made.suite, made.edition)
        return Known(profile, assumed.prices(connection, prices, made.judges), left.complete)
    except sqlite3.Error as error:
        raise database.translate(error, db) from error
    finally:
        connection.close()


def _rubrics(made: Planned) -> dict[str, str]:
    return {scenario.id: digest.rubric(made.suite, scenario) for scenario in made.suite.scenarios}


def _of(found: Mapping[Entry, Bill], configs: Sequence[str]) -> dict[Entry, Bill]:
    return {entry: bill for entry, bill in found.items() if entry.config_dir in configs}


def _subject(label: str, found: Mapping[Entry, Bill], profile: Profile) -> SubjectCost:
    """The line of one subject, or of all together."""
    answers = reduce(Bill.plus, (bill for entry, bill in found.items() if not entry.judge), Bill())
    verdicts = reduce(Bill.plus, (bill for entry, bill in found.items() if entry.judge), Bill())
    configs = {entry.config_dir for entry in found}
    source = _source(answers, profile, configs.pop()) if len(configs) == 1 else ""
    judge_usd = None if verdicts.unpriced else verdicts.usd
    return SubjectCost(label, _expected(answers, source), verdicts.calls, judge_usd, _expected(answers.plus(verdicts)))


def _judge(name: str, found: Mapping[Entry, Bill], profile: Profile) -> JudgeCost:
    bill = reduce(Bill.plus, (bill for entry, bill in found.items() if entry.judge == name), Bill())
    own = profile.verdicts.get((name, ANY))
    return JudgeCost(name, _expected(bill, f"own verdicts (n = {own.calls})" if own else PUBLISHED))


def _expected(bill: Bill, source: str = "") -> Expected:
    if bill.unpriced:
        return Expected(bill.calls, bill.prompt, bill.completion, None, None, None, source)
    return Expected(bill.calls, bill.prompt, bill.completion, bill.usd, bill.range_usd, bill.most_usd, source)


def _source(bill: Bill, profile: Profile, config: str) -> str:
    """Which stored calls a subject's expectation rests on, the most used first."""
    subjects = max((cell.subjects for (who, *_), cell in profile.completions.items() if who == EVERYBODY), default=0)
    level = profile.levels.get(config)
    said = {
        OWN: f"{OWN} (n = {level.calls if level else 0})",
        SUITE: f"{SUITE} ({subjects} subject{'s' * (subjects > 1)})",
    }
    return ", ".join(said.get(source, source) for source, _ in bill.sources.most_common())


def _listed(prices: PriceList) -> list[Price]:
    out = []
    for (endpoint, model), price in prices.items():
        name = model if endpoint == OPENROUTER else f"{endpoint}/{model}"
        each = (price.prompt * _MILLION, price.completion * _MILLION, price.request) if price else (None, None, None)
        out.append(Price(name, *each))
    return out


def _notes(made: Planned, registry: Registry, known: Known, found: Mapping[Entry, Bill]) -> list[str]:
    notes = [*registry.notes, *(f"{said}." for said in made.notes), *known.prices.notes]
    if any(bill.unpriced for bill in found.values()):
        notes.append("No price is known where a dash stands in for dollars; such calls are in no sum.")
    if known.complete:
        stored = f"{known.complete} of these {len(made.trials)} dialogues"
        notes.append(f"{stored} are stored already; `run --dry-run` prices the rest.")
    if any(judge.kind == CUES for judge in made.judges):
        notes.append("The rule judge `cues` costs nothing.")
    notes += [f"{said}." for judge in made.judges if (said := judges.share(judge))]
    return notes
