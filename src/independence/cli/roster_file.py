"""Configurations as a roster in the form that the rent benchmark reads: a JSON list of models at OpenRouter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from independence.cli.terminal import note
from independence.config import registry, user_files
from independence.config.registry import Registry
from independence.config.subjects import OPENROUTER, Subject
from independence.engine import connections
from independence.errors import UsageError
from independence.types import Sampling

_CONCURRENCY = 3  # what published rosters have; they must have one


def write(file: Path, names: Sequence[str], models_file: Path | None, force: bool) -> None:
    """Write the named configurations, or all active ones. Raises UsageError where none of them is at OpenRouter."""
    known = connections.models(models_file)
    listed = names or [subject.label for subject in known.subjects if subject.active]
    chosen = registry.choose(known, listed, Sampling())
    there = [subject for subject in chosen if subject.endpoint == OPENROUTER]
    once = list({subject.model: subject for subject in reversed(there)}.values())[::-1]
    if not once:
        raise UsageError("no model of OpenRouter is listed, and a roster holds no others; name some with -m")
    rows = [_row(subject, known) for subject in once]
    content = json.dumps(rows, ensure_ascii=False, indent=2).encode() + b"\n"
    user_files.write_new(file, content, "--write-roster", force=force)
    note(f"written: {len(once)} models in {file}; a roster states neither temperature nor effort nor a pin")
    if len(there) > len(once):
        note(f"{len(there) - len(once)} further configurations of these models are not in it")
    if len(chosen) > len(there):
        note(f"{len(chosen) - len(there)} configurations of other endpoints are not in it")


def _row(subject: Subject, known: Registry) -> dict[str, object]:
    own = next((entry for pin, entry in known.limits.items() if pin[:2] == (OPENROUTER, subject.model)), None)
    row: dict[str, object] = {"id": subject.model, "label": subject.label, "provider": "OpenRouter"}
    if own and own.rate_limit:
        row["rate_limit"] = {"rps": own.rate_limit.rps, "burst": own.rate_limit.burst or 1}
    return row | {"concurrency": (own and own.concurrency) or _CONCURRENCY}
