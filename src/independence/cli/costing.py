"""From a wanted run to what it will cost. Only endpoints that bill are asked for their prices; nothing is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import judges, rosters
from independence.cli import run_request as jobs
from independence.cli.event_loop import drive
from independence.cli.model_service import ModelNeeds, check_endpoints
from independence.cli.run_request import RunPlan, RunRequest
from independence.clients.pricing import FREE, Prices
from independence.config import environment
from independence.config.registry import Registry
from independence.config.subjects import LOCAL, OPENROUTER, SIM
from independence.engine import cost_history, estimate, expected_purchases, resume
from independence.engine.cost_history import ANSWER, OWN, SUITE, VERDICT, CostHistory, FilledPrices, PriceList
from independence.engine.estimate import Bill, Payer, total
from independence.engine.resume import PendingTrial
from independence.judge.spec import CUES
from independence.report.table import Column, Table, Value
from independence.store import database
from independence.suites import digest
from independence.types import Where

_FREE = (SIM, LOCAL)  # endpoints that take no money: nothing has to be asked there
_MILLION = 1e6
_NOTES = (
    "Total: what such calls cost on average. Range: from a subject's cheapest stored run to its dearest.",
    "Range of a subject without runs: 60 to 150 % of what others took; where there are none, half to twice the mean.",
    "At most: a bound, no forecast: every answer fills its budget and is asked again. `run --max-cost` sets another.",
)
_TOKENS = (
    Column("prompt_tokens", "Tokens in", "count"), Column("completion_tokens", "Tokens out", "count"),
)  # fmt: skip
Model = tuple[str, str]  # endpoint, model id there


class StoredCosts(NamedTuple):
    """What the store says: tokens, prices, and how much of the plan it holds already."""

    history: CostHistory
    prices: FilledPrices
    complete: int = 0


class SubjectBills(NamedTuple):
    """The bills of one subject, or of all together."""

    label: str
    answers: Bill
    verdicts: Bill
    source: str | None  # which calls the answers' tokens rest on


def tables(wanted: RunRequest, db: Path) -> list[Table]:
    """The estimate of a whole plan, as if nothing of it were stored. Raises UsageError, KeyRejected."""
    env = environment.read()
    registry = rosters.known(jobs.models(wanted.models_file), wanted.models_file, wanted.roster)
    made = jobs.make_plan(wanted, registry, env)
    prices = drive(_prices(made, _needs(made, wanted, registry, env)))
    stored = _read(db, made, prices)
    todo = [PendingTrial(trial, trial.dialogue.generated, tuple(made.judges)) for trial in made.trials]
    thinned = expected_purchases.with_expected_purchases(resume.without_duplicates(todo, _rubrics(made)), made.suite)
    found = estimate.bills(thinned, stored.prices.prices, stored.history)
    subjects = _subjects(made, found, stored.history)
    out = [_dollars(subjects, (*_NOTES, *_notes(made, registry, stored, found))), _calls(subjects)]
    if graders := [judge.name for judge in made.judges if judge.asks]:
        out.append(_judges(graders, found, stored.history))
    return [*out, _listed(prices)]


def _needs(made: RunPlan, wanted: RunRequest, registry: Registry, env: Mapping[str, str]) -> ModelNeeds:
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
    return ModelNeeds(jobs.endpoints([endpoint for endpoint, _ in billed], registry, env, asked, None), billed)


async def _prices(made: RunPlan, needs: ModelNeeds) -> dict[Model, Prices | None]:
    free = {(t.subject.endpoint, t.subject.model): FREE for t in made.trials if t.subject.endpoint in _FREE}
    free |= {(judge.endpoint, judge.model): FREE for judge in made.judges if judge.endpoint in _FREE}
    async with check_endpoints(needs) as found:
        return {**free, **found.prices}


def _read(db: Path, made: RunPlan, prices: PriceList) -> StoredCosts:
    if not db.is_file():
        return StoredCosts(CostHistory(rubrics=cost_history.rubrics(made.suite)), FilledPrices(prices))
    connection = database.connect_existing(db)
    try:
        where = Where(made.suite.suite, made.edition)
        left = resume.compare(connection, where, made.trials, made.judges, _rubrics(made))
        history = cost_history.learned(connection, made.suite, made.edition)
        return StoredCosts(history, cost_history.filled_prices(connection, prices, made.judges), left.complete)
    except sqlite3.Error as error:
        raise database.translate(error, db) from error
    finally:
        connection.close()


def _rubrics(made: RunPlan) -> dict[str, str]:
    return {scenario.id: digest.rubric(made.suite, scenario) for scenario in made.suite.scenarios}


def _subjects(made: RunPlan, found: Mapping[Payer, Bill], history: CostHistory) -> list[SubjectBills]:
    """Each subject's bills; of several subjects the last line is their sum."""
    out = []
    for config, label in {trial.subject.config_dir: trial.subject.label for trial in made.trials}.items():
        answers = total(bill for payer, bill in found.items() if payer == Payer(config))
        verdicts = total(bill for payer, bill in found.items() if payer.config_dir == config and payer.judge)
        out.append(SubjectBills(label, answers, verdicts, _source(answers, history, config)))
    if len(out) > 1:
        whole = total(one.answers for one in out), total(one.verdicts for one in out)
        out.append(SubjectBills(f"all {len(out)} subjects", *whole, None))
    return out


def _source(bill: Bill, history: CostHistory, config: str) -> str:
    """Which stored calls a subject's tokens rest on, the most used first."""
    others = history.subjects
    names = {OWN: f"{OWN} (n = {history.calls(config, ANSWER)})"}
    names[SUITE] = f"{SUITE} ({others} subject{'s' * (others > 1)})"
    return ", ".join(names.get(source, source) for source, _ in bill.sources.most_common())


def _usd(bill: Bill, dollars: Value) -> Value:
    """Dollars of a bill; None where a price in it is not known."""
    return None if bill.unpriced else dollars


def _dollars(subjects: Sequence[SubjectBills], notes: Sequence[str]) -> Table:
    columns = (
        Column("subject", "Subject"), Column("answers_usd", "Answers", "dollars", 3),
        Column("judge_usd", "Judge", "dollars", 3), Column("total_usd", "Total", "dollars", 3),
        Column("range_usd", "Range, $", "interval", 3), Column("most_usd", "At most", "dollars"),
    )  # fmt: skip
    rows = []
    for label, answers, verdicts, _ in subjects:
        whole = total((answers, verdicts))
        sums = (_usd(whole, dollars) for dollars in (whole.usd, whole.range_usd, whole.most_usd))
        rows.append((label, _usd(answers, answers.usd), _usd(verdicts, verdicts.usd), *sums))
    return Table("estimate", "What it will cost", columns, tuple(rows), tuple(notes))


def _calls(subjects: Sequence[SubjectBills]) -> Table:
    columns = (
        Column("subject", "Subject"), Column("calls", "Calls", "count"), Column("verdicts", "Verdicts", "count"),
        *_TOKENS, Column("source", "By"),
    )  # fmt: skip
    rows = tuple(
        (label, answers.calls, verdicts.calls, round(answers.prompt), round(answers.completion), source)
        for label, answers, verdicts, source in subjects
    )
    return Table("tokens", "Calls and tokens of the subjects", columns, rows)


def _judges(names: Sequence[str], found: Mapping[Payer, Bill], history: CostHistory) -> Table:
    columns = (
        Column("judge", "Judge"), Column("verdicts", "Verdicts", "count"), *_TOKENS,
        Column("usd", "Total", "dollars", 3), Column("range_usd", "Range, $", "interval", 3), Column("source", "By"),
    )  # fmt: skip
    rows = []
    for name in names:
        own = total(bill for payer, bill in found.items() if payer.judge == name)
        calls = history.calls(name, VERDICT)
        source = f"own verdicts (n = {calls})" if calls else ", ".join(own.sources)
        dollars = (_usd(own, own.usd), _usd(own, own.range_usd))
        rows.append((name, own.calls, round(own.prompt), round(own.completion), *dollars, source))
    return Table("judges", "Judges", columns, tuple(rows))


def _listed(prices: PriceList) -> Table:
    columns = (
        Column("model", "Model"), Column("prompt_usd", "In, $ per million", "number", 3),
        Column("completion_usd", "Out, $ per million", "number", 3), Column("request_usd", "$ per call", "number", 4),
    )  # fmt: skip
    rows = []
    for (endpoint, model), price in prices.items():
        name = model if endpoint == OPENROUTER else f"{endpoint}/{model}"
        each = (price.prompt * _MILLION, price.completion * _MILLION, price.request) if price else (None, None, None)
        rows.append((name, *each))
    return Table("prices", "Prices", columns, tuple(rows))


def _notes(made: RunPlan, registry: Registry, stored: StoredCosts, found: Mapping[Payer, Bill]) -> list[str]:
    notes = [*registry.notes, *(f"{said}." for said in made.notes), *stored.prices.notes]
    if any(bill.unpriced for bill in found.values()):
        notes.append("No price is known where a dash stands in for dollars; such calls are in no sum.")
    if stored.complete:
        held = f"{stored.complete} of these {len(made.trials)} dialogues"
        notes.append(f"{held} are stored already; `run --dry-run` prices the rest.")
    if any(judge.kind == CUES for judge in made.judges):
        notes.append("The rule judge `cues` costs nothing.")
    notes += [f"{said}." for judge in made.judges if (said := judges.share(judge))]
    return notes
