"""`{{name}}` templates: substituted once, so a value that contains braces is never expanded again.

Also what templates of other programs leave to be filled, which no prompt of a user should be sent with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_SLOT = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")


def slots(text: str) -> list[str]:
    """Names of the variables a template asks for, in order of appearance."""
    return _SLOT.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Substitute every slot in one pass. Raises KeyError for a slot that nothing fills."""
    if "{{" not in text:  # as most of the many texts of a grid
        return text
    return _SLOT.sub(lambda match: values[match.group(1)], text)


def pattern(text: str, within: Mapping[str, str]) -> re.Pattern[str]:
    """What a template looks like when it is filled: a group for each slot, of any text or as `within` has it."""
    parts = _SLOT.split(text)
    seen, out = set[str](), [re.escape(parts[0])]
    for name, after in zip(parts[1::2], parts[2::2], strict=True):
        out.append(f"(?P={name})" if name in seen else f"(?P<{name}>{within.get(name, '.*?')})")
        out.append(re.escape(after))
        seen.add(name)
    return re.compile("".join(out), re.DOTALL)


# What comes first here is code, LaTeX or mathematics, in which braces mean something else.
_UNFILLED = re.compile(
    r"""
    \\[A-Za-z]+\*?(?:\[[^]\n]*\]|\{[^{}\n]*\})+                   # \frac{a}{b}
    | \b[rRbB]?[fF][rR]?(?:"[^"\n]*"|'[^'\n]*')                     # f"{name}"
    | \b(?:import|export|const|let|var|return|type)\s*\{[^{}\n]*\}
    | \{\s*\{[^{}\n]*\}(?:\s*,\s*\{[^{}\n]*\})+\s*\}               # sets of sets
    | [∈∉⊂⊆∪∩∖]\s*\{[^{}\n]*\} | \{\{\s*\w+(?:\s*,\s*\w+)+\s*\}\}
    | =\{\{\s*\w+\s*:\s[^{}]*\}\}                                   # style={{ color: red }}
    | (?P<slot>
        \{\{\{?[-~]?\s*[#/^>&!$@.]{0,2}\s*[^\W\d][^{}]{0,200}\}?\}\}     # Mustache, Jinja, Tavern
        | \{%[-+~]?\s*[^\W\d][^\n]*?%\} | \{\#[^{}\n]*\#\}             # Jinja
        | <%[=\#-]?[^\n]*?%>                                           # ERB
        | \$\{\s*(?:[^\W\d][^{}\n]*)?\} | \{\$[^\W\d]\w*\}            # shells, Smarty
        | (?<![\\^_$/{])\{[^\W\d]\w+(?:\.\w+|\[\w+\])*                    # Python, LangChain
            (?:![rsa])?(?::[<>^=]?[+ -]?\d*[,_]?(?:\.\d+)?[defgnsx%])?\}
        | <(?P<tag>USER|BOT|CHAR|CHARIFNOTGROUP|GROUP)>(?!(?s:.)*</(?P=tag)>)   # Tavern, before it had braces
        | (?<![\w%])%[^\W\d]\w+%(?![\w%])                              # batch files
    )""",
    re.VERBOSE,
)
_AROUND = re.compile(r"^[{$<%#~&\s-]+|[}>%#~\s-]+$")
_NAME = re.compile(r"[^\W\d][\w.-]*")
_TAVERN = {"USER": "user", "CHAR": "char", "BOT": "char", "CHARIFNOTGROUP": "char", "GROUP": "group"}


class Unfilled(NamedTuple):
    """What a template of some program leaves to be filled."""

    text: str
    start: int
    name: str  # of what would fill it; "" where that is no name


def unfilled(text: str) -> list[Unfilled]:
    """What stands in a text that some program would have filled.

    unfilled('You are {{char}}. Answer as {"a": 1}.')  # [Unfilled("{{char}}", 8, "char")]
    """
    return [Unfilled(match[0], match.start(), _name(match[0])) for match in _UNFILLED.finditer(text) if match["slot"]]


def _name(slot: str) -> str:
    name = "" if slot.startswith(("{%", "{#", "<%")) else _AROUND.sub("", slot)  # those are statements
    return _TAVERN.get(name, name) if _NAME.fullmatch(name) else ""


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with these values, by lower-case name, in the place of what `unfilled` finds; the rest stays."""

    def value(match: re.Match[str]) -> str:
        return values.get(_name(match[0]).casefold(), match[0]) if match["slot"] else match[0]

    return _UNFILLED.sub(value, text)
