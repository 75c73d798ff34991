"""What an independent parser leaves of a text in Markdown."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt

NOT_READ = ["link", "image", "autolink", "entity", "reference", "lheading", "code", "html_inline", "html_block"]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(NOT_READ)


def without_marks(text: str) -> str:
    """A text less its marks and its white space; what the page shows as text (links, HTML, entities) stays."""
    parts = []
    for token in _parser().parse(text):
        if token.type == "inline":
            parts += [child.content for child in token.children or ()]
        elif token.type == "fence":
            parts.append(token.info + token.content)
    return re.sub(r"\s", "", "".join(parts))
