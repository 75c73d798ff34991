"""Writes the web's types anew: `python -m tests.report.site.regenerate`."""

from __future__ import annotations

from . import typescript
from .test_typescript import COMMITTED

COMMITTED.write_text(typescript.types(), encoding="utf-8")
