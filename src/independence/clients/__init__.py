"""Who answers: one chat protocol, its dialects, the only retries, rate limits and pricing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.clients import catalogue as catalogue
    from independence.clients import cleaning as cleaning
    from independence.clients import dialects as dialects
    from independence.clients import failures as failures
    from independence.clients import limits as limits
    from independence.clients import listing as listing
    from independence.clients import openai as openai
    from independence.clients import protocol as protocol
    from independence.clients import transport as transport

__getattr__ = lazy(__name__)
