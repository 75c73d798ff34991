"""APIs of companies that are OpenAI-compatible: what no list of models prices is of unknown price."""

from __future__ import annotations

from independence.clients.dialects import Dialect

DIALECT = Dialect()
