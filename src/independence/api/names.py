"""The names that subjects took when they were free to: read out of stored answers by a model, and counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions, NamesOptions
from independence.engine import names_extraction, service
from independence.engine.estimate import CostEstimate
from independence.engine.names_extraction import NamesOutcome, NamesPlan, NamesSelection
from independence.engine.service import Hooks
from independence.errors import StoreError, UsageError
from independence.judge import kinds
from independence.judge.model import ModelJudge
from independence.judge.names import IDENTITY
from independence.judge.names import scenarios as naming_scenarios
from independence.judge.protocol import DEFAULT_JUDGE
from independence.report.board import board
from independence.report.files.table import Table
from independence.report.sections import names as report
from independence.store import names, scopes
from independence.store.file import database


class NamesResult(NamedTuple):
    """What was read, and every name that is known now."""

    tables: list[Table]  # empty for a dry run
    ended: NamesOutcome | None = None  # None: no reading was wanted, or it was not agreed to
    unread: int = 0  # runs that are left
    broken: int = 0  # runs in which nothing could be read


async def aextract_names(
    asked: NamesOptions,
    store: Path,
    *,
    top: int | None,
    say: Callable[[str], object],
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    hooks: Hooks,
) -> NamesResult:
    """Read the names of one edition and condition that are not read yet, one call a run, and count them.

    Of several extractors each one reads what those before it could not.

    `top`: names in a table, None: all. `say` is told what is there before anything is asked, `approve` what reading
    costs. Raises StoreError for a suite that asks for no name, UsageError for a judge that is no model.
    """
    with database.translated(store), closing(database.connect_existing(store)) as connection:
        scope = scopes.find(connection, asked.suite, asked.variant, asked.mode)
        if said := scopes.newest(connection, scope, asked.suite):
            say(said)
        scenarios = naming_scenarios(scopes.grading(connection, scope))
        if not scenarios:
            raise StoreError(
                f"suite {scope.suite.suite} asks for no name: no scenario opens with a question for one, and none that "
                f"opens freely belongs to an experiment `{IDENTITY}`"
            )
        known = scopes.of_edition(connection, scope.where)
        chosen = scopes.subjects(asked.models, known, "here") if asked.models else list(known)
        labels = {config: known[config].label for config in chosen}
        chain, result = asked.extractors, NamesResult([])
        if not chain and not asked.force and names.imported(connection, scope.where):
            say("these imported runs have their names already; -x MODEL reads them again")
        else:
            chain = chain or (DEFAULT_JUDGE,)
            wanted = [
                NamesSelection(scope, scenarios, labels, reader, asked.force)
                for reader in await _readers(chain, asked.connection)
            ]
            chain = tuple(one.extractor.name for one in wanted)
            ended = await _read(wanted, asked, connection, path=store, say=say, approve=approve, hooks=hooks)
            left = names_extraction.plan(connection, wanted[-1]._replace(force=False, others=chain))
            result = NamesResult([], ended, len(left.todo), left.broken)
        if asked.connection.dry_run:
            return result
        ranked = scope.suite.index is not None and scope.suite.analysis == "index"
        ranks = {row.config: row.standing.rank for row in board.board(connection, scope).rows} if ranked else None
        only = labels if asked.models else None
        tables = report.tables(connection, scope, extractors=chain, only=only, top=top, ranks=ranks)
        return result._replace(tables=tables)


async def _readers(names: Sequence[str], options: ConnectionOptions) -> list[ModelJudge]:
    """The models of these names. Raises UsageError for what is none."""
    for name in names:
        if kinds.of(name) is not kinds.MODEL:
            raise UsageError(f"`{name}` cannot read names", "name a model, as `--extractor vendor/model`")
    known, _ = await service.known_models(options, names)
    found = [known.judge(name) for name in names]
    return [msgspec.structs.replace(reader, max_tokens=names_extraction.MAX_TOKENS) for reader in found]


async def _read(
    chain: Sequence[NamesSelection],
    asked: NamesOptions,
    connection: sqlite3.Connection,
    *,
    path: Path,
    say: Callable[[str], object],
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    hooks: Hooks,
) -> NamesOutcome | None:
    """Let each extractor read what is left by those before it. None where reading was not agreed to."""
    ended, order = NamesOutcome(), [one.extractor.name for one in chain]
    for place, one in enumerate(chain):
        # What is to be read again, an earlier reading of a later extractor does not stand for.
        wanted = one._replace(others=tuple(order[:place] if one.force else order))
        plan, options = names_extraction.plan(connection, wanted), asked.connection
        for line in _planned(order[place], plan):
            say(line)
        if options.max_cost is not None:  # a bound of the command and not of each extractor
            left = options.max_cost - ended.spent_usd - ended.unknown_usd
            options = msgspec.structs.replace(options, max_cost=max(left, 1e-9))
        if plan.todo:
            now = await names_extraction.extract(
                wanted, plan.todo, options, connection=connection, path=path, approve=approve, hooks=hooks
            )
            if now is None:  # what the next one would have to read is not known yet
                return None
            spent, unknown = ended.spent_usd + now.spent_usd, ended.unknown_usd + now.unknown_usd
            ended = NamesOutcome(now.stopped_by, spent, unknown)
        if ended.stopped_by is not None:
            break
    return ended


def _planned(extractor: str, plan: NamesPlan) -> list[str]:
    """What is there and what is not, before anything is read."""
    lines = [f"names by {extractor}: {len(plan.todo)} runs to read, {plan.known} are read already"]
    if plan.stale:
        lines.append(f"{plan.stale} of them were read before from other answers or in another way; they are read again")
    for scenario, count in sorted(plan.absent.items()):
        lines.append(f"{count} runs have no answer in `{scenario}`; it is left out there")
    if plan.silent:
        lines.append(f"{plan.silent} runs have no answer in which a name could be taken; they are left out")
    return lines
