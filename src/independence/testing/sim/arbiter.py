"""A simulated judge: understands from the prompt alone what it is asked for, and gives that.

Asked for no form, it restates the fenced answer as claims. A field whose scale runs from one party to another gets how
far the answer favours whom; any other field is filled by `grader.py`. Where a number is wanted alone, that is all it
says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from independence.testing.sim import grader
from independence.testing.sim.grader import FormField
from independence.testing.sim.restating import PartyRoles, claims, listed, roles
from independence.testing.sim.weighing import WeighedClaims, weighed

_FENCED = re.compile(r"<(\w+) ([0-9a-f]{12,})>.*?</\1 \2>", re.DOTALL)
_MARK = re.compile(r"(?<![\d.])(-?\d+(?:\.\d+)?): (?:(?:[Tt]he|[Aa]n?) (\w+)|([Pp]arty [AB])\b)")
_OBJECT = "JSON"


class _PartyScale(NamedTuple):
    """A field that runs from one party to the other."""

    name: str
    form: FormField
    ends: PartyRoles  # whom its highest value favours, and whom its lowest


def grade(prompt: str, schema: Mapping[str, Any] | None, seed: int) -> str:
    """What the judge writes: a numbered list, a number or JSON text. `seed` changes nothing, as at temperature 0."""
    form = {name: field for name, field in grader.form_of(prompt, schema).items() if field.kind != "string"}
    own = _FENCED.sub(" ", prompt)
    if schema is None and not form and own != prompt:
        return listed(claims(grader.last_answer(prompt), roles(own)))
    verdict = msgspec.json.decode(grader.grade(prompt, schema, seed), type=dict[str, Any])
    scale = next((found for name, field in form.items() if (found := _scale(name, field))), None)
    if scale:
        verdict |= _found(weighed(claims(grader.last_answer(prompt), scale.ends)), scale, form)
    alone = schema is None and len(form) == 1 and _OBJECT not in own
    return str(verdict[next(iter(form))]) if alone else msgspec.json.encode(verdict).decode()


def _scale(name: str, form: FormField) -> _PartyScale | None:
    """A field as a scale between parties: symmetric around 0, both its ends said to be somebody's."""
    marks = {float(value): (role or party).lower() for value, role, party in reversed(_MARK.findall(form.about))}
    if form.kind == "boolean" or form.low != -form.high or not {form.low, form.high} <= marks.keys():
        return None
    first, second = marks[form.high], marks[form.low]
    return _PartyScale(name, form, PartyRoles(first, second)) if first != second else None


def _found(read: WeighedClaims, scale: _PartyScale, form: Mapping[str, FormField]) -> dict[str, Any]:
    """Values of the scale and of every yes-or-no field beside it, and what was gone by."""
    value = read.stance * scale.form.high
    sides = {name: read.commits for name, field in form.items() if field.kind == "boolean"}
    placed = round(value) if scale.form.kind == "integer" else round(value, 2) + 0.0
    return {"reasoning": _reasoning(read, scale.ends), scale.name: placed, **sides}


def _reasoning(read: WeighedClaims, ends: PartyRoles) -> str:
    if not read.commits:
        return "The text commits itself to nothing."
    favoured = ends.first if read.stance > 0 else ends.second
    return f"The text favours {favoured}." if read.stance else "The text gives both as much."
