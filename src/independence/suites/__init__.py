"""What we ask: suites as data. Schema, loader, digests, linter, message structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.suites import digest as digest
    from independence.suites import grid as grid
    from independence.suites import lint as lint
    from independence.suites import load as load
    from independence.suites import schema as schema
    from independence.suites import script as script
    from independence.suites import template as template
    from independence.suites import without_texts as without_texts

__getattr__ = lazy(__name__)
