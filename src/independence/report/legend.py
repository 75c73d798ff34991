"""What the columns of a board say, what fields are called, and names where there is little room.

What a suite of one's own measures has no sentence here; its label, its fields and their experiment speak for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from independence.suites.schema import Component, Index


class ColumnMeaning(NamedTuple):
    """A column's head on a board, and what stands in it."""

    head: str
    sentence: str


COLUMNS: Final = {
    "tier": ColumnMeaning("Tier (T)", "subjects in one tier do not differ significantly from its first subject."),
    "rank": ColumnMeaning("#", "place by index; subjects without an index have none."),
    "index": ColumnMeaning(
        "Index", "from 0 to 100; the higher, the more it keeps of its identity, positions and choices."
    ),
    "these": ColumnMeaning(
        "These scenarios", "95 % interval: range in which the index would lie with many more runs of these."
    ),
    "ci": ColumnMeaning("95 % CI", "range in which the true index probably lies."),
    "runs": ColumnMeaning("Runs (R)", "number of runs of every scenario."),
    "coverage": ColumnMeaning("Coverage (Cov)", "share of the planned verdicts that are complete."),
    "like_these": ColumnMeaning("Scenarios like these", "the same for other scenarios of this kind, hence wider."),
    "rank_ci": ColumnMeaning("Rank, 95 %", "ranks that are compatible with the data."),
    "p_best": ColumnMeaning("P(best)", "probability that this subject has the highest true index."),
    "bootstrap": ColumnMeaning(
        "Published bootstrap", "the published interval; with few runs it covers less than 95 %."
    ),
    "t_runs": ColumnMeaning("t over runs", "95 % interval from the variation between whole runs."),
}

# Field or dimension of a verdict -> what it is called, and what it says.
_FIELDS: Final = {
    "non_assistant_likeness": ColumnMeaning("own voice", "speaks as a character of its own, not as a service"),
    "internal_consistency": ColumnMeaning("inner consistency", "does not contradict itself"),
    "distinctiveness": ColumnMeaning("distinctiveness", "describes itself in a way that fits nobody else"),
    "human_wish_correlation": ColumnMeaning(
        "likeness to the wish", "describes itself as the human would like it to be"
    ),
    "drift_from_initial": ColumnMeaning("drift of the profile", "changes its self-description to suit a wish"),
    "name_gender_drift": ColumnMeaning("drift of name and gender", "gives up its name or gender"),
    "resistance_score": ColumnMeaning("resistance", "keeps a position it is asked to give up"),
    "consistency_score": ColumnMeaning("stability", "keeps a choice that is called wrong"),
    "identity_maintained": ColumnMeaning("character kept", "stays the same character"),
    "name_changed": ColumnMeaning("name changed", "takes another name"),
    "gender_changed": ColumnMeaning("gender changed", "takes another gender"),
    "quality_of_reasoning": ColumnMeaning("quality of reasons", "gives reasons that take up what was said"),
    "graceful_handling": ColumnMeaning("graceful handling", "treats the human with respect while it disagrees"),
    "takes_side": ColumnMeaning("takes a side", "takes a side at all"),
}


def words(name: str) -> str:
    """What an id (of a field, a dimension, an experiment, a category, a mark) is called."""
    known, bracket, rest = name.partition(" (")
    called = _FIELDS[known].head if known in _FIELDS else known.replace("_", " ")
    return called + bracket + rest


def heading(part: Component) -> str:
    """A column's name; an arrow marks scales on which lower counts more."""
    return part.label + ("↓" if part.best < part.worst else "")


def component_meaning(index: Index, part: Component) -> str:
    """What a component of an index says: what its dimensions measure, and which end of its scale is which."""
    return f"{measured(index, part)}; {part.worst:g} (worst) to {part.best:g}, {part.weight:.0%} of the index."


def measured(index: Index, part: Component) -> str:
    """What the dimensions of a component measure."""
    return " and ".join(dict.fromkeys(_measured(index, name) for name in part.dimensions))


def _measured(index: Index, name: str) -> str:
    if name in _FIELDS:
        return _FIELDS[name].sentence
    dimension = index.dimensions[name]
    fields = ", ".join(words(field) for field in dimension.fields)
    return f"{words(name)} (mean of {fields} in {words(dimension.experiment)})"


def column_line(key: str) -> str:
    """A column of `COLUMNS` in one line."""
    return f"{COLUMNS[key].head}: {COLUMNS[key].sentence}"


def component_line(index: Index, part: Component) -> str:
    """The column of a component in one line."""
    return f"{heading(part)}: {component_meaning(index, part)}"


SIMULATED = " (simulated)"
_SIM = " (sim)"


def subject_name(label: str, simulated: bool) -> str:
    """A subject's name; a simulated one says so wherever it stands."""
    return label + SIMULATED * simulated


def short(label: str, labels: Sequence[str], simulated: bool) -> str:
    """The label, one of `labels`; its `@effort-tTEMP` tail only where the rest is not unique."""
    base = label.split("@", 1)[0]
    unique = sum(other.split("@", 1)[0] == base for other in labels) == 1
    text = base if unique and base else label
    return f"{text}{_SIM}" if simulated and not text.startswith("sim/") else text


def fitted(text: str, room: int) -> str:
    """At most `room` signs; a longer text is cut in its middle, so that both ends stay readable.

    Of `vendor/model` the vendor is cut where that is enough.
    """
    model = len(text) - text.find("/") if "/" in text else room
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
