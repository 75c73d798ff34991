"""The dialogues of an edition under a condition with what judges made of them.

Places are read in their order, and what was said there in the order of its keys: a board of many dialogues would
otherwise look for each of them in tables that no memory holds.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import msgspec

from independence.errors import StoreError
from independence.store import context, digests, spending
from independence.store.dialogue_rows import DIGITS
from independence.store.queries import UNDER, JudgeCounts, keys_json
from independence.store.spending import Dates
from independence.types import Where

_PLANNED = (
    "SELECT config_dir, run, trial, scenario, experiment, iif(parent IS NULL, turns, -turns) FROM planned "
    f"WHERE {UNDER} ORDER BY config_dir, run, scenario"
)
# By the order of the keys: looking for each dialogue in the order of its place takes three times as long.
_DIALOGUES = (
    "SELECT k.key, d.said, d.words, d.first_at, d.last_at, v.judged_at, v.judge, iif(d.broken, NULL, d.answered), "
    "iif(NOT d.broken AND d.start_context IS NULL AND d.flags IS NULL AND v.context = d.at AND v.missing IS NULL "
    "AND v.quote_found IS NOT 0 AND v.field_set IS NOT NULL, d.answered, NULL), d.thought, v.missing IS NULL, "
    "v.quote_found, v.rubric, v.field_set, v.field_values FROM json_each(?) k "
    "LEFT JOIN dialogues d ON d.trial = k.value LEFT JOIN verdicts v INDEXED BY verdicts_short ON v.trial = k.value"
)


class QuotationCounts(msgspec.Struct, frozen=True):
    """How often one judge was to quote what was said, and how often that is not to be found."""

    asked: int
    not_found: int


class PlannedScript(NamedTuple):
    """What dialogues have in common of which nobody knows how they went."""

    scenario: str
    experiment: str
    turns: int  # to be answered; negative where they continue another dialogue


class VerdictKind(NamedTuple):
    """What verdicts have in common that say the same, and their dialogues."""

    judge: str | None  # None: there is none
    answered: int | None  # turns; None where none is, or there are answers on a history that was replaced
    plain: int | None  # the same where nothing is to be said of a whole dialogue but the values of its verdict
    thought: int | None  # as of a `DialogueRow`
    valid: int  # whether the verdict is not missing
    quote_found: int | None  # whether its quotation is in the replies; None where it was to quote nothing
    rubric: str | None
    layout: int | None  # row in `field_sets`
    values: bytes | None


class VerdictRows(NamedTuple):
    """The verdicts of one judge, in the order of their trials; of nobody those that are not there."""

    dialogue: list[int]  # its place among those that are planned
    kind: list[int]
    judged_at: list[str]


class JudgedDialogues(NamedTuple):
    """The dialogues that are planned under a condition, by config_dir, run and scenario, and all verdicts on them."""

    subjects: Sequence[str]  # config_dirs, in order
    scripts: Sequence[PlannedScript]
    subject: Sequence[int]  # of each dialogue: place in `subjects`
    script: Sequence[int]
    run: Sequence[int]
    trial: Sequence[str]
    said: Sequence[str | None]  # as of a `TrialState`; None while it is unfinished, as the next
    words: Sequence[str | None]
    kinds: Sequence[VerdictKind]
    verdicts: Mapping[str | None, VerdictRows]  # by judge
    answered: Collection[str | None]  # when first and last answers came

    @property
    def judges(self) -> list[JudgeCounts]:
        """Everybody who graded, in the order in which they began."""
        there = {judge: own for judge, own in self.verdicts.items() if judge is not None}
        return [
            JudgeCounts(
                judge,
                valid=sum(self.kinds[kind].valid * count for kind, count in Counter(there[judge].kind).items()),
                graded=len(set(map(self.trial.__getitem__, there[judge].dialogue))),
                last=max(there[judge].judged_at),
            )
            for judge in sorted(there, key=lambda judge: (min(there[judge].judged_at), judge))
        ]

    @property
    def thinking(self) -> set[str]:
        """Config_dirs of those whose finished dialogues took reasoning."""
        if not any(kind.thought for kind in self.kinds):
            return set()
        places = (
            place
            for own in self.verdicts.values()
            for place, kind, _ in zip(*own, strict=True)
            if self.kinds[kind].thought
        )
        return {self.subjects[self.subject[place]] for place in places if self.said[place] is not None}

    def newest(self, judge: str | None, rubrics: Mapping[str, str]) -> list[int]:
        """The kind of the verdict of a judge on each dialogue, -1 without: of several that count alike the newest.

        One to be looked at comes before all others. `rubrics`: scenario -> digest that its verdicts count under.
        """

        def order(one: tuple[int, int, str]) -> tuple[bool, bool, str]:
            script, kind = self.scripts[self.script[one[0]]], self.kinds[one[1]]
            return kind.plain != script.turns, kind.rubric == rubrics.get(script.scenario), one[2]

        out, own = [-1] * len(self.trial), self.verdicts.get(judge, VerdictRows([], [], []))
        rows: Iterable[tuple[int, int, str]] = zip(*own, strict=True)
        for place, kind, _ in sorted(rows, key=order) if len(set(own.dialogue)) < len(own.dialogue) else rows:
            out[place] = kind
        return out


def read(connection: sqlite3.Connection, where: Where) -> JudgedDialogues:
    """Read the dialogues of an edition under a condition, whoever graded them."""
    subjects, scripts = dict[str, int](), dict[tuple[object, ...], int]()
    subject, script, run, trial, due = list[int](), list[int](), list[int](), list[str](), list[int]()
    for config_dir, number, key, *words_ in connection.execute(_PLANNED, where.columns):
        subject.append(subjects.setdefault(config_dir, len(subjects)))
        script.append(scripts.setdefault(tuple(words_), len(scripts)))
        run.append(number)
        trial.append(key)
        due.append(abs(words_[2]))
    order = sorted(range(len(trial)), key=trial.__getitem__)
    said, words = list[str | None]([None]) * len(trial), list[str | None]([None]) * len(trial)
    answered, kinds, verdicts = set[str | None](), dict[tuple[object, ...], int](), dict[str | None, VerdictRows]()
    for row in connection.execute(_DIALOGUES, (keys_json(map(trial.__getitem__, order)),)):
        key, own_said, own_words, first_at, last_at, judged_at, judge, count = row[:8]
        place = order[key]
        if count == due[place]:
            said[place], words[place] = own_said, own_words
        answered.add(first_at)
        answered.add(last_at)
        own = verdicts.get(judge) or verdicts.setdefault(judge, VerdictRows([], [], []))
        own.dialogue.append(place)
        own.kind.append(kinds.setdefault(row[6:], len(kinds)))
        own.judged_at.append(judged_at)
    return JudgedDialogues(
        list(subjects), list(map(PlannedScript._make, scripts)), subject, script, run, trial, said, words,
        list(map(VerdictKind._make, kinds)), verdicts, answered,
    )  # fmt: skip


def dates(reads: Sequence[JudgedDialogues], judge: str | None) -> Dates:
    """First and last answer of some editions, and valid verdict of a judge."""
    answered = {at for one in reads for at in one.answered}
    rows = [(one.kinds, one.verdicts.get(judge, VerdictRows([], [], []))) for one in reads]
    given = ((kinds[kind], at) for kinds, own in rows for kind, at in zip(own.kind, own.judged_at, strict=True))
    return spending.ends(answered, {at for kind, at in given if kind.valid})


def quotations(reads: Sequence[JudgedDialogues], judge: str) -> QuotationCounts:
    """Of a judge, over some editions."""
    given = Counter[int | None]()
    for one in reads:
        for kind in one.verdicts.get(judge, VerdictRows([], [], [])).kind:
            given[one.kinds[kind].quote_found] += 1
    return QuotationCounts(given[0] + given[1], given[0])


def reply_texts(connection: sqlite3.Connection, trials: Iterable[str]) -> dict[str, list[str]]:
    """The replies of trials that are in line, by turn. Raises StoreError for those that are not as they were given.

    Boards read them, and their table has no digests: `dialogues` has.
    """
    found = connection.execute(
        "SELECT d.trial, d.said, c.text, c.thinking FROM json_each(?) k JOIN dialogues d ON d.trial = k.value "
        "LEFT JOIN calls c ON c.trial = d.trial AND c.version = 0 AND c.missing IS NULL ORDER BY d.trial, c.turn",
        (keys_json(trials),),
    )
    out: dict[str, list[str]] = {}
    for (trial, said), own in groupby(found, itemgetter(0, 1)):
        texts = [(str(text), str(thinking)) for *_, text, thinking in own][: len(said) // DIGITS]
        if "".join(context.digest(*words)[:DIGITS] for words in texts) != said:
            what = f"the store is damaged (calls: the answers of {trial} are not as they were given)"
            raise StoreError(what, digests.REMEDY)
        out[trial] = [text for text, _ in texts]
    return out
