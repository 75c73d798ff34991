"""What the columns of a board say, what fields are called, and names where there is little room.

What a suite of one's own measures has no sentence here; its label, its fields and their experiment speak for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import UnsetType

from independence.config import documents
from independence.suites.schema import Component, Index

TABLES = Path(__file__).parent / "tables"


class FieldMeaning(NamedTuple):
    """What a field or a dimension of a verdict is called, and what it says."""

    head: str
    sentence: str


@cache
def texts(name: str) -> dict[str, str]:
    """Sentences of ours by what they are about: of columns, marks, methods."""
    return documents.packaged(TABLES / f"{name}.yaml", dict[str, str])


@cache
def _fields() -> dict[str, FieldMeaning]:
    return documents.packaged(TABLES / "fields.yaml", dict[str, FieldMeaning])


def words(name: str) -> str:
    """What an id (of a field, a dimension, an experiment, a category, a mark) is called."""
    known, bracket, rest = name.partition(" (")
    called = _fields()[known].head if known in _fields() else known.replace("_", " ")
    return called + bracket + rest


# Labels of editions that stay as they are: another text would be another edition.
_LABELS: Final = {
    "NonA": "Voice", "Cons": "Consistency", "Res": "Resistance", "Stab": "Stability", "Dist": "Distinctiveness",
}  # fmt: skip


def label(part: Component) -> str:
    """What a component of an index is called."""
    return _LABELS.get(part.label, part.label)


def heading(part: Component) -> str:
    """A column's name; an arrow marks scales on which lower counts more."""
    return label(part) + ("↓" if part.best < part.worst else "")


def measured(index: Index, part: Component) -> str:
    """What the dimensions of a component measure; those of the same fields in different experiments together."""
    said, read = dict[str, None](), dict[tuple[str, ...], list[str]]()
    for name in part.dimensions:
        if name in _fields():
            said[_fields()[name].sentence] = None
        else:
            own = index.dimensions[name]
            read.setdefault(own.fields, []).append(words(own.experiment))
    for fields, places in read.items():
        how = "sum of the means" if len(places) > 1 else "mean"
        said[f"{', '.join(map(words, fields))} in {', '.join(dict.fromkeys(places))} ({how})"] = None
    return " or ".join(said)


def component_line(index: Index, part: Component) -> str:
    """The column of a component in one line: what its dimensions measure, and which end of its scale is which."""
    scale = f"{part.worst:g} (worst) to {part.best:g}, {part.weight:.0%} of the index"
    return f"{heading(part)}: {measured(index, part)}; {scale}."


def span(fewest: int, most: int | UnsetType) -> int | str:
    """How many runs a subject has of its scenarios: `5`, or where these differ `2–6`."""
    return f"{fewest}–{most}" if most and most > fewest else fewest


SIMULATED = " (simulated)"
_SIM = " (sim)"


def subject_name(label: str, simulated: bool) -> str:
    """A subject's name; a simulated one says so wherever it stands."""
    return label + SIMULATED * simulated


def short(label: str, labels: Sequence[str], simulated: bool) -> str:
    """The label, one of `labels`; its `@effort-tTEMP` tail only where the rest is not unique."""
    base = label.rsplit("@", 1)[0]
    unique = _bases(tuple(labels))[base] == 1
    text = base if unique and base else label
    return f"{text}{_SIM}" if simulated and not text.startswith("sim/") else text


@lru_cache(maxsize=4)  # a board asks once for each of its labels
def _bases(labels: tuple[str, ...]) -> Counter[str]:
    """How many labels are the same up to their tail."""
    return Counter(label.rsplit("@", 1)[0] for label in labels)


def fitted(text: str, room: int) -> str:
    """At most `room` signs; a longer text is cut in its middle, so that both ends stay readable.

    Of `vendor/model` the vendor is cut where that is enough, except for `sim/`, which says that it is simulated.
    """
    model = len(text) - text.find("/") if "/" in text and not text.startswith("sim/") else room
    return _cut(text, room, model if model <= room - 2 else _usual_tail(room))


def distinct_labels(texts: Sequence[str], room: int) -> list[str]:
    """The texts, each in at most `room` signs and cut in its middle; different texts stay different.

    Where the usual cut makes several equal, the cut moves to where their difference stays in sight; where no cut does
    that, they are numbered.
    """
    distinct = list(dict.fromkeys(texts))
    cut = {text: fitted(text, room) for text in distinct}
    often = Counter(cut.values())
    taken = {short for short, count in often.items() if count == 1}
    for short in [short for short, count in often.items() if count > 1]:
        group = [text for text in distinct if cut[text] == short]
        cut |= _made_distinct(group, room, taken)
        taken.update(cut[text] for text in group)
    return [cut[text] for text in texts]


def tight(names: Sequence[str], room: int) -> list[str]:
    """Names of subjects in at most `room` signs, different ones different; that one is simulated stays in sight."""
    bare = [name.removesuffix(SIMULATED) for name in names]
    if bare == list(names) or max(map(len, names)) <= room:
        return distinct_labels(names, room)
    marked = any(_marked(name, own) for name, own in zip(names, bare, strict=True))
    cut = distinct_labels(bare, room - len(_SIM) * marked)
    return [short + _SIM * _marked(name, own) for name, own, short in zip(names, bare, cut, strict=True)]


def _marked(name: str, bare: str) -> bool:
    return name != bare and not bare.startswith("sim/")


def _made_distinct(group: Sequence[str], room: int, taken: Collection[str]) -> dict[str, str]:
    usual = _usual_tail(room)
    for tail in sorted(range(1, room - 1), key=lambda tail: abs(tail - usual)):
        cut = [_cut(text, room, tail) for text in group]
        if len(set(cut)) == len(cut) and not set(cut) & set(taken):
            return dict(zip(group, cut, strict=True))
    numbered: dict[str, str] = {}
    number = 0
    for text in group:
        number += 1
        while (marked := _numbered(text, room, number)) in taken:
            number += 1
        numbered[text] = marked
    return numbered


def _numbered(text: str, room: int, number: int) -> str:
    mark = f"~{number}"
    return fitted(text, room - len(mark)) + mark


def _usual_tail(room: int) -> int:
    return (room - 1) * 2 // 5


def _cut(text: str, room: int, tail: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1 - tail]}…{text[len(text) - tail :]}"
