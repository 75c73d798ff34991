"""Runs and dialogues that only repeat earlier ones: found by the words of their replies, and left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from independence.config.subjects import Subject, from_json
from independence.store import queries
from independence.store.planned_dialogues import PlannedDialogues
from independence.types import Where, grouped

FLAG = "repeated_run"  # on boards: dialogues left out
REPLAYED = "cache_hit"
_NO_CHANCE = 200  # characters of a dialogue that nobody says twice by chance at a temperature above 0
_COUNTED_ONCE = (
    "therefore counted once. A cache on the way to the model repeats replies, or its server always uses the same seed."
)


class Repeats(NamedTuple):
    """What was left out, and what others answered, by config_dir."""

    dialogues: Mapping[str, int] = {}  # all dialogues that were left out
    why: Mapping[str, tuple[str, ...]] = {}  # the same in sentences
    others: Mapping[str, tuple[str, ...]] = {}  # answers that another model gave, in sentences

    def flags(self, config: str) -> dict[str, int]:
        """The mark of a subject with how many of its dialogues were left out; nothing without any."""
        return {FLAG: self.dialogues[config]} if config in self.dialogues else {}

    def notes(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        """What is said of these subjects (config_dir -> label), each sentence once, in front of it whose it is."""
        whose: dict[str, list[str]] = {}
        for config in dict.fromkeys((*self.others, *self.why)):
            for sentence in (*self.others.get(config, ()), *self.why.get(config, ())):
                whose.setdefault(sentence, []).extend([labels[config]] if config in labels else [])
        return tuple(f"{', '.join(sorted(found))}: {sentence}" for sentence, found in whose.items() if found)


def found(connection: sqlite3.Connection, where: Where, read: PlannedDialogues) -> tuple[set[int], Repeats]:
    """The places of dialogues that do not count, and what is to be said of them."""
    cached = {at for at, kind in enumerate(read.kinds) if REPLAYED in (kind.flags or "")}
    configured: Mapping[str, str] | None = None
    out, left_out, why = set[int](), dict[str, int](), dict[str, tuple[str, ...]]()
    for subject, own in grouped(range(len(read.subject)), read.subject.__getitem__).items():
        said = [(read.script[place], read.said[place]) for place in own if read.kinds[read.kind[place]].finished]
        if len(set(said)) == len(said):  # nothing was said twice
            continue
        config = read.subjects[subject]
        runs: dict[int, dict[str, str | None]] = {}
        for place in own:
            words = read.said[place] if read.kinds[read.kind[place]].finished else None
            runs.setdefault(read.run[place], {})[read.scripts[read.script[place]].scenario] = words
        equal = equal_runs(runs)
        again = _said_before(read, [place for place in own if read.run[place] not in equal])
        replayed = {place for place in again if read.kind[place] in cached}
        configured = queries.configurations(connection, where) if configured is None else configured
        cold = config in configured and _cold(from_json(configured[config]))
        alike = set[int]() if cold else _long(connection, read, again - replayed)
        gone = replayed | alike | {place for place in own if read.run[place] in equal}
        sentences = []
        if equal:
            sentences.append(_sentence(equal, cold))
        if replayed:
            told = "replayed by a gateway from its cache and equal to earlier dialogues, therefore counted once"
            sentences.append(f"{told}: {len(replayed)}.")
        if alike:
            sentences.append(f"{len(alike)} dialogues are the same, word for word, as earlier ones, {_COUNTED_ONCE}")
        if gone:
            why[config] = tuple(sentences)
            left_out[config] = len(gone)
            out |= gone
    return out, Repeats(left_out, why)


def equal_runs(runs: Mapping[int, Mapping[str, str | None]]) -> dict[int, int]:
    """Run -> the first run that holds all its replies. A run with a hole is told from none: it is measured yet.

    `runs`: run -> scenario -> digests of its replies, None while it is unfinished.
    """
    out: dict[int, int] = {}
    for run in sorted(runs):
        own = runs[run]
        if None in own.values():
            continue
        for earlier in (one for one in sorted(runs) if one < run and one not in out):
            there = runs[earlier]
            if all(there.get(name) == said for name, said in own.items()):
                out[run] = earlier
                break
    return out


def _said_before(read: PlannedDialogues, places: Sequence[int]) -> set[int]:
    """Dialogues of a subject that equal an earlier one, word for word."""
    seen: set[tuple[int, str]] = set()
    out: set[int] = set()
    for place in sorted(places, key=lambda place: read.run[place]):
        words = (read.script[place], read.said[place])
        if read.kinds[read.kind[place]].finished:
            if words in seen:
                out.add(place)
            seen.add(words)
    return out


def _long(connection: sqlite3.Connection, read: PlannedDialogues, places: Collection[int]) -> set[int]:
    """Those of so many words that chance does not repeat them: a short answer may well come twice."""
    trials = {read.trial[place]: place for place in places}
    sql = (
        "SELECT c.trial FROM json_each(?) k JOIN calls c ON c.trial = k.value AND c.version = 0 "
        "GROUP BY c.trial HAVING sum(length(c.text)) >= ?"
    )
    found = connection.execute(sql, (queries.keys_json(trials), _NO_CHANCE)) if trials else ()
    return {trials[trial] for (trial,) in found}


def _cold(subject: Subject) -> bool:
    return subject.temperature == 0 and subject.temperature_supported


def _sentence(equal: Mapping[int, int], cold: bool) -> str:
    first = sorted(set(equal.values()))
    which = "; ".join(
        f"{_listed([run for run, of in equal.items() if of == one])} the same, word for word, as run {one}"
        for one in first
    )
    if cold:
        return f"deterministic at temperature 0, so there is only one run ({which})."
    return f"{which}, {_COUNTED_ONCE}"


def _listed(runs: Sequence[int]) -> str:
    return f"run {runs[0]} is" if len(runs) == 1 else f"runs {', '.join(map(str, runs))} are"
