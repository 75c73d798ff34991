"""Readers of published results, and writers for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.exchange import cache as cache
    from independence.exchange import export_tables as export_tables
    from independence.exchange import humans as humans
    from independence.exchange import labels as labels
    from independence.exchange import output as output
    from independence.exchange import published as published
    from independence.exchange import rent as rent
    from independence.exchange import requests as requests
    from independence.exchange import storing as storing
    from independence.exchange import summary as summary
    from independence.exchange import trajectory as trajectory
    from independence.exchange import trajectory_reading as trajectory_reading

__getattr__ = lazy(__name__)
