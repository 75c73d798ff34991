"""How we grade: render, ask, parse, check; the rule judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.faces import lazy

if TYPE_CHECKING:
    from independence.judge import hostile as hostile
    from independence.judge import kinds as kinds
    from independence.judge import model as model
    from independence.judge import name_extraction as name_extraction
    from independence.judge import names as names
    from independence.judge import offline as offline
    from independence.judge import parse as parse
    from independence.judge import prompt as prompt
    from independence.judge import protocol as protocol
    from independence.judge import replies as replies
    from independence.judge import schema as schema

__getattr__ = lazy(__name__)
