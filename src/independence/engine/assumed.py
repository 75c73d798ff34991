"""Prices for an estimate where an endpoint lists none: as much a token as its stored calls cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from independence.clients.pricing import Prices
from independence.engine.estimate import PriceList
from independence.judge.spec import JudgeSpec
from independence.store import rates
from independence.store.rates import Paid


class Assumed(NamedTuple):
    """Every price, those of stored calls where none was listed, and a sentence on each of these."""

    prices: PriceList
    notes: tuple[str, ...] = ()


def prices(connection: sqlite3.Connection, listed: PriceList, judges: Iterable[JudgeSpec]) -> Assumed:
    """Fill what is not listed. A hard cap cannot rest on these."""
    unknown = [model for model, price in listed.items() if price is None]
    if not unknown:
        return Assumed(listed)
    paid = rates.of_models(connection)
    graded = rates.of_judges(connection)
    for judge in judges:
        if judge.asks and (judge.auditor or judge.name) in graded:
            paid.setdefault((judge.endpoint, judge.model), graded[judge.auditor or judge.name])
    found = {model: paid[model] for model in unknown if model in paid and paid[model].tokens}
    notes = tuple(_note("/".join(model), own) for model, own in found.items())
    return Assumed({**listed, **{model: _price(own) for model, own in found.items()}}, notes)


def _price(own: Paid) -> Prices:
    return Prices(own.usd / own.tokens, own.usd / own.tokens)


def _note(name: str, own: Paid) -> str:
    return (
        f"No price is listed for {name}; its {own.calls:,} stored calls cost ${own.usd:.4f}, "
        f"${own.usd / own.tokens * 1e6:.2f} a million tokens, and that is taken."
    )
