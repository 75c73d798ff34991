"""What is configured, what names stand for, and configurations as a roster of the rent benchmark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from independence.config import user_files
from independence.config.registry import Registry
from independence.config.subjects import OPENROUTER, SIM, Subject
from independence.engine import models
from independence.engine.models import Models
from independence.errors import UsageError
from independence.report import models as tables
from independence.report.table import Table
from independence.testing.sim import panel

_CONCURRENCY = 3  # what published rosters have; they must have one


def configured(models_file: Path | None) -> Table:
    """The configurations of a models file, or the simulated panel where there is none. Raises UsageError."""
    file = models_file or models.DEFAULT_FILE
    known = models.read(models_file).registry
    if models_file is None and not file.is_file():
        subjects = [Models().unlisted(f"{SIM}/{name}") for name in panel.names()]
        note = "These are simulated and need no key; any other id works with -m all the same."
        return tables.configurations(subjects, "Simulated subjects", [f"There is no models.yaml here. {note}"])
    if not known.subjects and not known.endpoints:
        raise UsageError(f"{file}: it lists no models", "write them below `models:`, one a line, as `- vendor/model`")
    return tables.configurations(known.subjects, f"Configurations of {file}", ())


def named(names: tuple[str, ...], models_file: Path | None) -> Table:
    """What names stand for. Raises UsageError."""
    known = models.read(models_file)
    listed = known.registry.subjects
    labels = {subject.label for subject in listed}
    rows = [(name, subject) for name in names for subject in known.meant(name)]
    return tables.resolved(
        (name, "label" if name in labels else "id" if subject in listed else "default", subject)
        for name, subject in rows
    )


def write_roster(file: Path, names: Sequence[str], models_file: Path | None, *, force: bool = False) -> list[str]:
    """Write the named configurations, or all active ones, as a roster in the form that the rent benchmark reads: a JSON
    list of models at OpenRouter. Returns what is in it and what is not, in sentences.

    Raises UsageError where none of them is at OpenRouter.
    """
    known = models.read(models_file)
    chosen = known.subjects(names or [subject.label for subject in known.registry.subjects if subject.active])
    there = [subject for subject in chosen if subject.endpoint == OPENROUTER]
    once = list({subject.model: subject for subject in reversed(there)}.values())[::-1]
    if not once:
        raise UsageError("no model of OpenRouter is listed, and a roster holds no others; name some with -m")
    rows = [_row(subject, known.registry) for subject in once]
    content = json.dumps(rows, ensure_ascii=False, indent=2).encode() + b"\n"
    user_files.write_new(file, content, "--write-roster", force=force)
    said = [f"written: {len(once)} models in {file}; a roster states neither temperature nor effort nor a pin"]
    if len(there) > len(once):
        said.append(f"{len(there) - len(once)} further configurations of these models are not in it")
    if len(chosen) > len(there):
        said.append(f"{len(chosen) - len(there)} configurations of other endpoints are not in it")
    return said


def _row(subject: Subject, known: Registry) -> dict[str, object]:
    own = next((entry for pin, entry in known.limits.items() if pin[:2] == (OPENROUTER, subject.model)), None)
    row: dict[str, object] = {"id": subject.model, "label": subject.label, "provider": "OpenRouter"}
    if own and own.rate_limit:
        row["rate_limit"] = {"rps": own.rate_limit.rps, "burst": own.rate_limit.burst or 1}
    return row | {"concurrency": (own and own.concurrency) or _CONCURRENCY}
