"""The two sides of a question with an "or" in it, short enough to quote."""

from __future__ import annotations

import re

_LONGEST = 12  # words
# What stands before an "or", back to the sentence's start, and what follows it.
_EITHER = re.compile(r"([^.!?\n]{4,160}[,?]?) +[Oo]r +((?!so\b|not\b)[^?!\n]{4,160})")
# Everything up to the verb or preposition that introduces a side.
_LEADING = re.compile(
    r"^.*\b(?:prefer|rather|by|like|choose|towards?|enjoy|value|prioriti[sz]e|believe in|trust|that|relying on)\b\s*",
    re.IGNORECASE,
)


def options(human: str) -> tuple[str, str] | None:
    """Both sides; None where there are none to be told apart."""
    found = _EITHER.search(human)
    if not found:
        return None
    clauses = re.split(r"([,:;])", found[1].rstrip(" ,?"))
    spoken = [_LEADING.sub("", clause.strip()) for clause in clauses[::2]]
    cued = [after for clause, after in zip(clauses[::2], spoken, strict=True) if after and after != clause.strip()]
    listed = [spoken[at // 2 + 1] for at in range(1, len(clauses), 2) if clauses[at] == ":"]
    first = (listed or cued or spoken)[-1]
    second = _LEADING.sub("", re.split(r"[,.;?]", found[2])[0].strip())
    return (_short(first), _short(second)) if first and second else None


def _short(side: str) -> str:
    return " ".join(side.split()[:_LONGEST])
