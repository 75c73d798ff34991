"""Suites in the published words, from a user's own copy, and whether imported results were asked in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from independence.config import user_files
from independence.errors import StoreError
from independence.exchange import published
from independence.exchange.adoption import imported_requests, suite_folder, verifying
from independence.exchange.adoption.imported_requests import ImportedDialogue
from independence.exchange.adoption.suite_folder import AdoptedSuite
from independence.exchange.adoption.verifying import RequestComparison
from independence.store import queries, scopes, verifications
from independence.store.database import writing
from independence.store.queries import PUBLISHED
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
) -> AdoptedSuite:
    """Write a suite in the published words from your own copy of the public repository; nothing of it is executed.

    `folder`: where to, by default `adopted-SUITE` here. `.folder` is where it is, `.loaded` the suite. Nothing is
    written where `check`, called with the suite, raises, nor for a source that is not understood: a UsageError.
    """
    to = None if folder is None else Path(folder)
    return suite_folder.adopt(Path(clone), to, check)


def verify_suite(suite: LoadedSuite, results: Path | str) -> RequestComparison:
    """Compare what a suite sends with the requests of published results: a folder, a tar, or a store that holds them.

    `.holds` says whether all are equal but for known exceptions. Where they are, a store keeps that its import has
    the wording of the suite, and their boards become one. Raises UsageError or StoreError where there is nothing to
    compare.
    """
    path, own = Path(results), suite.suite
    if not user_files.is_store(path):
        return verifying.compare(own, imported_requests.of_runs(published.read(path, own).runs))
    with writing(path, new=False) as connection:
        where = Where(own.suite, PUBLISHED)
        found = verifying.compare(own, imported_requests.of_store(connection, where))
        if not found.requests:
            held = scopes.names(queries.editions(connection)) or "nothing"
            what = f"{path}: holds no imported results of {own.suite}, which would be {where.edition_name}"
            raise StoreError(what, f"`independence import` brings them; it holds {held}")
        if found.holds:
            row = VerificationRow(
                suite=own.suite, edition=PUBLISHED, wording=digest.wording(own), requests=found.requests,
                equal=found.equal, exceptions=found.exceptions,
            )  # fmt: skip
            verifications.record(connection, row, msgspec.json.encode(own).decode())
    return found


def other_words(connection: sqlite3.Connection, where: Where, dialogues: Iterable[ImportedDialogue]) -> list[str]:
    """What to say where an import of verified wording got requests of other words; it has none from then on."""
    text = queries.read_as(connection, where) if verifications.verified(connection, where) else None
    if text is None or not verifying.compare(msgspec.json.decode(text, type=Suite), dialogues).unexplained:
        return []
    verifications.withdraw(connection, where)
    what = "requests in other words than those that were verified: the imported results have a board of their own again"
    return [f"{what}; `independence suites adopt --verify` compares anew"]
