"""What is configured, and what names stand for."""

from __future__ import annotations

from pathlib import Path

from independence.config.subjects import SIM
from independence.engine import models
from independence.engine.models import Models
from independence.errors import UsageError
from independence.report.files.table import Table
from independence.report.sections import models as tables
from independence.testing.sim import panel


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
