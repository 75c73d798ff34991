"""What we ask: suites as data. Schema, loader, digests, linter, message structure."""

from __future__ import annotations

from independence.faces import lazy

__getattr__ = lazy(__name__)
