"""Whether a suite of a user's own can run."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from independence.config import documents
from independence.errors import DocumentError, UsageError
from independence.report import analysis
from independence.suites import known, lint_battery, load


class LintedSuite(NamedTuple):
    """The folder of a suite, and what is wrong with it."""

    folder: Path
    problems: list[DocumentError]
    notes: tuple[str, ...] = ()  # what to say of one that can run


def lint(path: Path) -> LintedSuite:
    """Every problem of the suite in a folder, or of which this is a file. Raises UsageError where there is none."""
    folder = path.parent if path.is_file() else path
    if not (folder / "suite.yaml").is_file():
        raise UsageError(f"{folder}: no suite.yaml here")
    try:
        document = documents.read(folder / "suite.yaml")
        suite = load.converted(document, folder)
        found = load.problems(suite, document, folder, analysis.check)
        if not found:
            found = known.problems(folder, load.resolved(suite, folder))
    except DocumentError as error:
        return LintedSuite(folder, [error])
    if found:
        return LintedSuite(folder, found)
    warnings = lint_battery.warnings(suite.battery) if suite.battery else ()
    notes = (load.shared_name(suite.suite, folder), *(str(document.error(*one)) for one in warnings))
    return LintedSuite(folder, [], tuple(filter(None, notes)))
