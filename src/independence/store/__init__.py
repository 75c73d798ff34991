"""What we keep: SQLite. The only writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.store import artefacts as artefacts
    from independence.store import context as context
    from independence.store import database as database
    from independence.store import deletion as deletion
    from independence.store import export_rows as export_rows
    from independence.store import health as health
    from independence.store import leases as leases
    from independence.store import names as names
    from independence.store import queries as queries
    from independence.store import records as records
    from independence.store import routes as routes
    from independence.store import scopes as scopes
    from independence.store import spending as spending
    from independence.store import writer as writer

__getattr__ = lazy(__name__)
