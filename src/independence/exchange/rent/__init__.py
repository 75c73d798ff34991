"""Run folders and grid files of the rent benchmark, and its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.exchange.rent import reader as reader
    from independence.exchange.rent import records as records
    from independence.exchange.rent import summary as summary
    from independence.exchange.rent import words as words

__getattr__ = lazy(__name__)
