"""Runs and dialogues that only repeat earlier ones: found by the words of their replies, and left out."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from independence.config.subjects import Subject, from_json
from independence.store import queries
from independence.store.queries import TrialState
from independence.types import Where

FLAG = "repeated_run"  # on boards: dialogues left out
REPLAYED = "cache_hit"


class Repeats(NamedTuple):
    """What was left out, by config_dir."""

    dialogues: Mapping[str, int] = {}  # all dialogues that were left out
    why: Mapping[str, tuple[str, ...]] = {}  # the same in sentences

    def flags(self, config: str) -> dict[str, int]:
        """The mark of a subject with how many of its dialogues were left out; nothing without any."""
        return {FLAG: self.dialogues[config]} if config in self.dialogues else {}

    def notes(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        """What was left out of these subjects (config_dir -> label), each sentence once, in front of it whose it is."""
        whose: dict[str, list[str]] = {}
        for config, sentences in self.why.items():
            for sentence in sentences:
                whose.setdefault(sentence, []).extend([labels[config]] if config in labels else [])
        return tuple(f"{', '.join(sorted(found))}: {sentence}" for sentence, found in whose.items() if found)


def leave_out(
    connection: sqlite3.Connection, where: Where, states: Sequence[TrialState]
) -> tuple[list[TrialState], Repeats]:
    """The dialogues that count, and what was left out."""
    runs = {config: found for config, own in _by_subject(states).items() if (found := equal_runs(own))}
    kept = [state for state in states if state.run not in runs.get(state.config_dir, {})]
    replayed = _replayed(kept)
    counted = [state for at, state in enumerate(kept) if at not in replayed]
    if len(counted) == len(states):
        return counted, Repeats()
    marked = Counter(kept[at].config_dir for at in replayed)
    left_out = Counter(state.config_dir for state in states)
    left_out.subtract(state.config_dir for state in counted)
    configured = queries.configurations(connection, where)
    out: dict[str, tuple[str, ...]] = {}
    for config, equal in runs.items():
        known = configured.get(config)
        out[config] = (_sentence(equal, known is not None and _cold(from_json(known))),)
    for config, count in marked.items():
        said = f"replayed by a gateway from its cache and equal to earlier dialogues, therefore counted once: {count}."
        out[config] = (*out.get(config, ()), said)
    return counted, Repeats(+left_out, out)


def _by_subject(states: Sequence[TrialState]) -> dict[str, dict[int, dict[str, str | None]]]:
    """config_dir -> run -> scenario -> digests of its replies; None while it is unfinished."""
    out: dict[str, dict[int, dict[str, str | None]]] = {}
    for state in states:
        said = state.said if state.end else None
        out.setdefault(state.config_dir, {}).setdefault(state.run, {})[state.scenario] = said
    return out


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


def _replayed(states: Sequence[TrialState]) -> set[int]:
    """Places of dialogues that came from a cache, by what the gateway said, and equal an earlier one."""
    seen: set[tuple[str, str, str]] = set()
    out: set[int] = set()
    for at, state in sorted(enumerate(states), key=lambda pair: pair[1].run):
        words = (state.config_dir, state.scenario, state.said)
        if state.end is not None and REPLAYED in state.flags and words in seen:
            out.add(at)
        elif state.end is not None:
            seen.add(words)
    return out


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
    return (
        f"{which}, therefore counted once. A cache on the way to the model repeats replies, or its server always "
        "uses the same seed."
    )


def _listed(runs: Sequence[int]) -> str:
    return f"run {runs[0]} is" if len(runs) == 1 else f"runs {', '.join(map(str, runs))} are"
