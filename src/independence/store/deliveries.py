"""What delivery probes found: one row a probe, by model and the way it is asked."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

import msgspec

from independence.config.subjects import Subject
from independence.store.file import digests


class DeliveryRow(NamedTuple):
    """One probe. `model` holds a pinned provider behind a plus sign; `delivery` is a mode, or `judge`."""

    endpoint: str
    model: str
    delivery: str
    address: str  # without anything secret
    template: str  # digest of the server's chat template; '' where it does not tell
    version: str  # of this package
    found: str  # JSON of clients.delivery.DeliveryFindings
    probed_at: str  # UTC, ISO 8601


def add(connection: sqlite3.Connection, row: DeliveryRow) -> None:
    """Keep what a probe found."""
    digests.insert(connection, "deliveries", [row._asdict()], {"found": None})


def latest(
    connection: sqlite3.Connection, endpoint: str, model: str, delivery: str, until: str = "9"
) -> DeliveryRow | None:
    """The last probe of a model up to a time; None where there was none."""
    row = connection.execute(
        f"SELECT {', '.join(DeliveryRow._fields)} FROM deliveries WHERE endpoint = ? AND model = ? AND delivery = ? "
        "AND probed_at <= ? ORDER BY probed_at DESC LIMIT 1",
        (endpoint, model, delivery, until),
    ).fetchone()
    return DeliveryRow._make(row) if row else None


_PARTS = {"system": "system prompt", "assistant": "earlier answers", "user": "the person's words",
          "arguments": "its own earlier messages", "results": "the person's words", "tools": "the tool",
          "prompt": "the prompt", "long": "the longest prompt"}  # fmt: skip


def sentence(row: DeliveryRow) -> str:
    """What a probe found, in a sentence. Parts that a later version probes are called by their names."""
    parts: dict[str, str] = msgspec.json.decode(row.found)["parts"]
    told = [f"{_PARTS.get(name, name)}: {found}" for name, found in parts.items()]
    return f"delivery probe of {row.probed_at[:10]}: {', '.join(told)}"


def of_subject(connection: sqlite3.Connection, subject: Subject, delivery: str, until: str = "9") -> str:
    """What the last probe of a subject's model up to a time found, in a sentence; "" where there was none."""
    pin = f"+{subject.sampling.provider}" if subject.sampling.provider else ""
    row = latest(connection, subject.endpoint, subject.model + pin, delivery, until)
    return sentence(row) if row else ""
