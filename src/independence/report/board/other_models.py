"""Answers by another model or host than the one asked: what is said of them, and whether they count."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Final, NamedTuple

from independence.clients import protocol
from independence.store import queries
from independence.store.planned_dialogues import PlannedDialogues
from independence.types import Where

MARKS: Final = (protocol.OTHER_MODEL, protocol.OTHER_NAME, protocol.OTHER_HOST)
MOST: Final = 0.1  # of a subject's answers; where others gave more, none of theirs counts
_FEW: Final = 3  # names that a sentence lists
_SERVED = (
    "SELECT p.config_dir, c.served_model, c.served_provider, c.flags, count(*) FROM planned p JOIN calls c "
    f"ON c.trial = p.trial AND c.version = 0 AND c.missing IS NULL WHERE {queries.UNDER} GROUP BY 1, 2, 3, 4"
)


class OtherModels(NamedTuple):
    """What others answered, by config_dir."""

    told: dict[str, tuple[str, ...]]  # in sentences
    void: frozenset[str]  # those of whose answers others gave so many that none of theirs counts


def marked(flags: str | None) -> bool:
    """Whether flags of answers, as JSON, say that somebody else gave one."""
    return flags is not None and any(f'"{mark}"' in flags for mark in MARKS)


def found(connection: sqlite3.Connection, where: Where, read: PlannedDialogues) -> OtherModels:
    """Who else answered in the dialogues of an edition under a condition."""
    told, void = dict[str, tuple[str, ...]](), set[str]()
    if not any(marked(kind.flags) for kind in read.kinds):
        return OtherModels(told, frozenset())
    total, others, renamed = Counter[str](), dict[str, Counter[str]](), dict[str, Counter[str]]()
    for config, model, host, flags, count in connection.execute(_SERVED, where.columns):
        total[config] += count
        if f'"{protocol.OTHER_NAME}"' in flags:
            renamed.setdefault(config, Counter())[model] += count
        elif marked(flags):
            others.setdefault(config, Counter())[host if f'"{protocol.OTHER_HOST}"' in flags else model] += count
    for config in others.keys() | renamed.keys():
        own, names = others.get(config, Counter()), renamed.get(config, Counter())
        sentences = []
        if names.total() + own.total() == total[config] and names:  # a deployment may go by a name of its own
            alias, count = names.most_common(1)[0]
            sentences.append(f"{count} of {total[config]} answers name their model `{alias}`.")
            del names[alias]
        if own := own + names:
            whose = ", ".join(f"`{name}`" for name, _ in own.most_common(_FEW)) + ", ..." * (len(own) > _FEW)
            sentence = f"{own.total()} of {total[config]} answers were given by {whose}"
            if own.total() > MOST * total[config]:
                void.add(config)
                sentence += ", so their verdicts do not count and there is no index"
            sentences.append(f"{sentence}.")
        told[config] = tuple(sentences)
    return OtherModels(told, frozenset(void))
