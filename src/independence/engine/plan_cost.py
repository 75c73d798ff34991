"""What a whole plan will cost, as if nothing of it were stored.

Only endpoints that bill are asked, for their prices; nothing is written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.clients.pricing import FREE, Prices
from independence.config import environment
from independence.config.options import RunOptions
from independence.config.subjects import LOCAL, SIM
from independence.engine import connections, cost_history, estimate, resolve, resume, routing, service
from independence.engine.cost_history import CostHistory, FilledPrices, PriceList
from independence.engine.estimate import Bill, Payer
from independence.engine.resolve import ResolvedRun
from independence.engine.resume import PendingTrial
from independence.engine.service import Model, ModelNeeds
from independence.store import database
from independence.suites.load import LoadedSuite

_FREE = (SIM, LOCAL)  # endpoints that take no money: nothing has to be asked there


class StoredCosts(NamedTuple):
    """What the store says: tokens, prices, and how much of the plan it holds already."""

    history: CostHistory
    prices: FilledPrices
    complete: int = 0


class PlanCost(NamedTuple):
    """A plan, and what everybody in it will pay."""

    run: ResolvedRun
    notes: Sequence[str]  # on the models file
    listed: PriceList
    stored: StoredCosts
    bills: Mapping[Payer, Bill]

    @property
    def whole(self) -> Bill:
        """Everything together."""
        return estimate.total(self.bills.values())


async def price(options: RunOptions, loaded: LoadedSuite, db: Path) -> PlanCost:
    """Price a plan. Raises UsageError, KeyRejected."""
    env, known = environment.read(), resolve.models(options)
    run = resolve.planned(options, loaded, known, env)
    models = _billed(run)
    keyless = msgspec.structs.replace(options.connection, dry_run=True)
    endpoints = connections.endpoints([endpoint for endpoint, _ in models], known, env, keyless)
    async with service.check_endpoints(ModelNeeds(endpoints, models, keyless)) as found:
        listed = {**_unbilled(run), **found.prices}
    stored = _stored(db, run, listed)
    todo = [PendingTrial(trial, trial.dialogue.generated, tuple(run.judges)) for trial in run.trials]
    thinned = routing.with_expected_purchases(resume.without_duplicates(todo, run.rubrics), run.suite)
    return PlanCost(run, known.notes, listed, stored, estimate.bills(thinned, stored.prices.prices, stored.history))


def _billed(run: ResolvedRun) -> dict[Model, bool]:
    """Models of endpoints that bill -> whether with tools."""
    models: dict[Model, bool] = {}
    for trial in run.trials:
        model = (trial.subject.endpoint, trial.subject.model)
        models[model] = models.get(model, False) or trial.dialogue.tool is not None
    for judge in run.judges:
        if judge.needs_model:
            models.setdefault((judge.endpoint, judge.model), False)
    return {model: tools for model, tools in models.items() if model[0] not in _FREE}


def _unbilled(run: ResolvedRun) -> dict[Model, Prices | None]:
    free: dict[Model, Prices | None] = {
        (t.subject.endpoint, t.subject.model): FREE for t in run.trials if t.subject.endpoint in _FREE
    }
    return free | {(judge.endpoint, judge.model): FREE for judge in run.judges if judge.endpoint in _FREE}


def _stored(db: Path, run: ResolvedRun, prices: PriceList) -> StoredCosts:
    if not db.is_file():
        return StoredCosts(CostHistory(rubrics=cost_history.rubrics(run.suite)), FilledPrices(prices))
    with closing(database.connect_existing(db)) as connection:
        try:
            left = resume.compare(connection, run.where, run.trials, run.judges, run.rubrics)
            history = cost_history.learned(connection, run.suite, run.edition)
            return StoredCosts(history, cost_history.filled_prices(connection, prices, run.judges), left.complete)
        except sqlite3.Error as error:
            raise database.translate(error, db) from error
