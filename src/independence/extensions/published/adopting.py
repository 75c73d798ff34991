"""Suites in the published words, from a user's own copy, and whether imported results were asked in them."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from independence.config import user_files
from independence.errors import StoreError, listed
from independence.exchange.storing import ImportedRows
from independence.extensions.published import result_set, storing
from independence.extensions.published.adoption import suite_folder, verifying
from independence.extensions.published.adoption.suite_folder import AdoptedSuite
from independence.extensions.published.adoption.verifying import AskedDialogue, RequestComparison
from independence.store import dialogues, queries, scopes, verifications
from independence.store.file.database import writing
from independence.store.queries import PUBLISHED
from independence.store.records import CallRow, TrialRow
from independence.store.verifications import VerificationRow
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Where


def adopt_suite(
    clone: Path | str,
    folder: Path | str | None = None,
    *,
    check: Callable[[LoadedSuite], object] | None = None,
    run_source: bool = False,
) -> AdoptedSuite:
    """Write a suite in the published words from your own copy of the public repository.

    Nothing of it is executed unless `run_source` is set: then what is more than literals and joined texts is evaluated
    in a process of its own. `folder`: where to, by default `adopted-SUITE` here. `.folder` is where it is, `.loaded`
    the suite. Nothing is written where `check`, called with the suite, raises, nor for a source that is not
    understood: a UsageError.
    """
    to = None if folder is None else Path(folder)
    return suite_folder.adopt(Path(clone), to, check, run_source)


def verify_suite(suite: LoadedSuite, results: Path | str) -> RequestComparison:
    """Compare what a suite sends with the requests of published results: a folder, a tar, or a store that holds them.

    `.admitted` are the configurations whose requests are equal except for known exceptions, `.set_aside` the others and
    why. Where `.holds`, a store keeps that its import has the wording of the suite: its titles and rubrics are shown
    with the import, and the admitted configurations stand on one board with what is measured here. Raises UsageError
    or StoreError where there is nothing to compare.
    """
    path, own = Path(results), suite.suite
    if not user_files.is_store(path):
        return verifying.compare(own, imported_dialogues(storing.rows(own, result_set.read(path, own).runs)))
    with writing(path, new=False) as connection:
        where = Where(own.suite, PUBLISHED)
        conditions = queries.conditions(connection, where)
        held = (one for under in conditions for one in dialogues.read(connection, where.under(under)))
        found = verifying.compare(own, ((one.row(TrialRow), one.turns) for one in held))
        if not found.configurations:
            there = scopes.names(queries.editions(connection)) or "nothing"
            what = f"{path}: holds no imported results of {own.suite}, which would be {where.edition_name}"
            raise StoreError(what, f"`independence import` brings them; it holds {there}")
        if found.holds:
            admitted = found.admitted.values()
            row = VerificationRow(
                suite=own.suite, edition=PUBLISHED, wording=digest.wording(own),
                requests=sum(one.requests for one in admitted), equal=sum(one.equal for one in admitted),
                exceptions=dict(sum((Counter(one.exceptions) for one in admitted), Counter[str]())),
                configurations={name: one.why for name, one in found.configurations.items()},
            )  # fmt: skip
            verifications.record(connection, row, msgspec.json.encode(own).decode())
    return found


def imported_dialogues(rows: ImportedRows) -> Iterator[AskedDialogue]:
    """The dialogues of an import that have answers."""
    calls: defaultdict[str, list[CallRow]] = defaultdict(list)
    for call in rows.calls:
        calls[call.trial].append(call)
    return ((trial, calls[trial.key]) for trial in rows.trials if trial.key in calls)


def other_words(connection: sqlite3.Connection, where: Where, rows: ImportedRows) -> list[str]:
    """Compare what comes to an import of known wording; what to say of configurations with requests in other words.

    Without any that has the wording, the import has none from then on.
    """
    known, text = verifications.compared(connection, where), queries.read_as(connection, where)
    if known is None or text is None:
        return []
    found = verifying.compare(msgspec.json.decode(text, type=Suite), imported_dialogues(rows))
    new = {name: one.why for name, one in found.configurations.items() if not known.get(name)}
    aside = [name for name, why in new.items() if why]
    if not all((known | new).values()):
        verifications.amend(connection, where, known | new)
        what = f"set aside, with requests in other words than those that were verified: {listed(aside)}"
        return [f"{what}; `independence suites adopt --verify` says more"] if aside else []
    verifications.withdraw(connection, where)
    what = "requests in other words than those that were verified: the imported results have a board of their own again"
    return [f"{what}; `independence suites adopt --verify` compares anew"]
