"""What is left of a broken tool call at the end of a text: unopened closing tags, special tokens, brackets."""

from __future__ import annotations

import re

_CLOSERS = "}]) \t\r\n"
_LONGEST_TAG = 80
_TAG = re.compile(
    r"</(?:[｜|]DSML[｜|]|minimax:)?"
    r"(?P<name>tool_calls?|arg_key|arg_value|parameters?|function(?:_calls?)?|invoke|tools?|message|arguments?|tool_code)>"
    r"|<[|｜][^<>\s]{1,60}>|<[a-z_]{1,20}\|>"
)
_QUOTED = re.compile(r'"\s*[)\]}\s]*[}\]][)\]}\s]*\Z')


def without_debris(text: str) -> str:
    """The text without the remains of a call at its end; the text itself when there are none. Linear, idempotent."""
    cut = False
    while True:
        bare = text.rstrip(_CLOSERS)
        tag = _tag_at_end(bare.rstrip('"'))
        if tag is not None:
            text, cut = tag, True
            continue
        shorter = _unbracketed(text, cut=cut)
        if shorter is None:
            return text.rstrip() if cut else text
        text, cut = shorter, True


def _tag_at_end(text: str) -> str | None:
    """The text before a tag that ends it; None when it does not end in one or the tag was opened before."""
    start = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    match = _TAG.fullmatch(text, start) if start >= 0 else None
    if match is None or (match["name"] and f"<{match['name']}" in text[:start]):
        return None
    return text[:start]


def _unbracketed(text: str, *, cut: bool) -> str | None:
    """The text without unopened brackets at its end; None when there is nothing of the kind to drop."""
    if not any(text.count(opening) < text.count(closing) for opening, closing in ("{}", "[]")):
        return None
    quoted = _QUOTED.search(text, max(0, len(text) - _LONGEST_TAG))
    if quoted:
        bare = text[: quoted.start() + 1]
        return bare[:-1] if bare.count('"') % 2 == 1 else bare
    bare = text.rstrip("}] \t\r\n")
    return bare if cut and len(bare) < len(text.rstrip()) else None
