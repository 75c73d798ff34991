"""What delivery probes found: one row a probe, by model and the way it is asked."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.store import records


class DeliveryRow(NamedTuple):
    """One probe. `model` holds a pinned provider behind a plus sign; `delivery` is a mode, or `judge`."""

    endpoint: str
    model: str
    delivery: str
    address: str  # without anything secret
    template: str  # digest of the server's chat template; '' where it does not tell
    version: str  # of this package
    found: str  # JSON of clients.delivery.Delivery
    probed_at: str  # UTC, ISO 8601


def add(connection: sqlite3.Connection, row: DeliveryRow) -> None:
    """Keep what a probe found."""
    records.insert(connection, "deliveries", [row._asdict()], "UPDATE SET found = excluded.found")


def latest(
    connection: sqlite3.Connection, endpoint: str, model: str, delivery: str, until: str = "9"
) -> DeliveryRow | None:
    """The last probe of a model up to a time; None where there was none."""
    row = connection.execute(
        f"SELECT {', '.join(DeliveryRow._fields)} FROM deliveries WHERE endpoint = ? AND model = ? AND delivery = ? "
        "AND probed_at <= ? ORDER BY probed_at DESC LIMIT 1",
        (endpoint, model, delivery, until),
    ).fetchone()
    return DeliveryRow(*row) if row else None
