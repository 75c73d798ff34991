"""What several judges say of the same dialogues, read once: one index a judge, and what each judge cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from shlex import quote
from statistics import fmean
from typing import NamedTuple

from independence.errors import StoreError
from independence.report.board import verdict_frame
from independence.report.board.board_data import SubjectInfo, subjects
from independence.report.board.judge_choice import independent, judge
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.files import table_layouts
from independence.report.files.table import Column, Table, Value
from independence.stats import strict
from independence.store import queries, scopes, spending
from independence.store.scopes import BoardScope
from independence.types import UNGIVEN, Scalar, grouped

Values = Mapping[str, Scalar]
_SHORT = 10  # characters


class DialogueKey(NamedTuple):
    """Where one graded dialogue stands."""

    config_dir: str
    scenario: str
    run: int


class JudgePanel(NamedTuple):
    """A place under several judges."""

    scope: BoardScope
    judges: tuple[str, ...]
    about: Mapping[str, SubjectInfo]  # config_dir -> subject, in the order of config_dir
    planned: Mapping[str, Mapping[str, Sequence[PlannedVerdict]]]  # judge -> config_dir -> planned verdicts
    given: Mapping[DialogueKey, Mapping[str, Values]]  # valid verdicts by judge, as given, of dialogues that have any

    @property
    def shared(self) -> dict[DialogueKey, Mapping[str, Values]]:
        """Dialogues with valid verdicts by at least two judges."""
        return {dialogue: given for dialogue, given in self.given.items() if len(given) > 1}

    @property
    def common(self) -> dict[DialogueKey, Mapping[str, Values]]:
        """Dialogues with valid verdicts by every judge."""
        return {dialogue: given for dialogue, given in self.given.items() if len(given) == len(self.judges)}

    @property
    def unread(self) -> dict[DialogueKey, frozenset[str]]:
        """Dialogues that some judge could not be read on and all the others graded, and the former."""
        out: dict[DialogueKey, frozenset[str]] = {}
        for name, planned in self.planned.items():
            for cell in (cell for own in planned.values() for cell in own if cell.missing in UNGIVEN):
                where = DialogueKey(cell.config_dir, cell.scenario, cell.run)
                out[where] = out.get(where, frozenset()) | {name}
        whole = len(self.judges)
        return {where: lost for where, lost in out.items() if 0 < whole - len(lost) == len(self.given.get(where, ()))}

    @property
    def heads(self) -> dict[str, str]:
        """Judge -> the part of its name after the last slash; the whole where it is short or two share that part."""
        short = {judge: judge if len(judge) <= _SHORT else judge.rsplit("/", 1)[-1] for judge in self.judges}
        return {judge: name if list(short.values()).count(name) == 1 else judge for judge, name in short.items()}


def read(
    connection: sqlite3.Connection, scope: BoardScope, judges: Sequence[str] = (), models: Sequence[str] = ()
) -> JudgePanel:
    """Read a place under the named judges, or all. `models`: only these labels, ids or directories.

    Raises StoreError where a judge or subject is not there, or no dialogue was graded by two of the judges.
    """
    names = _judges(connection, scope, judges)
    about = dict(sorted(subjects(connection, scope.where).items()))
    if models:
        chosen = scopes.subjects(models, scopes.of_edition(connection, scope.where), "here")
        about = {config: who for config, who in about.items() if config in chosen}
    planned: dict[str, dict[str, list[PlannedVerdict]]] = {}
    given: dict[DialogueKey, dict[str, Values]] = {}
    for name in names:
        own = [cell for cell in verdict_frame.read(connection, scope, name).every if cell.config_dir in about]
        planned[name] = grouped(own, lambda cell: cell.config_dir)
        for cell in own:
            if cell.values is not None and cell.given is not None:
                given.setdefault(DialogueKey(cell.config_dir, cell.scenario, cell.run), {})[name] = cell.given
    there = {config: who for config, who in about.items() if config in planned[names[0]]}
    panel = JudgePanel(scope, names, there, planned, given)
    if not panel.shared:
        raise StoreError(f"no dialogue here was graded by two of {', '.join(names)}; {_advice(names)}")
    return panel


def _judges(connection: sqlite3.Connection, scope: BoardScope, asked: Sequence[str]) -> tuple[str, ...]:
    stored = queries.judges(connection, scope.where)
    asked = [judge(stored, name) for name in asked]
    there = tuple(independent(stored))
    if len({*there, *asked}) < 2:
        held = f"there are only verdicts by `{there[0]}`" if there else "nothing is graded yet"
        raise StoreError(f"two judges are needed and {held}; {_advice(there)}")
    named = tuple(dict.fromkeys(asked))
    if len(named) == 1:
        raise StoreError(f"two judges are needed and only `{named[0]}` was named; judges: {', '.join(there)}")
    return named or there


def _advice(there: Sequence[str]) -> str:
    other = "MODEL" if "cues" in there else "cues"
    return f"`independence judge -j {quote(other)}` grades the stored replies once more, beside what is there"


def boards(panel: JudgePanel) -> Table:
    """Strict index and rank of each subject under each judge; best mean first, subjects without one after them."""
    indices = indices_by_judge(panel)
    ranks: dict[str, dict[str, int]] = {}
    for grader, given in indices.items():
        found = {config: index for config, index in given.items() if index is not None}
        ranks[grader] = {config: 1 + sum(other > index for other in found.values()) for config, index in found.items()}
    rows: list[tuple[float | None, tuple[Value, ...]]] = []
    for config, who in panel.about.items():
        own = [indices[judge][config] for judge in panel.judges]
        known = [index for index in own if index is not None]
        whole = len(known) == len(own)
        spread, mean = (max(known) - min(known), fmean(known)) if whole else (None, None)
        row = (who.name, *own, spread, mean, *(ranks[judge].get(config) for judge in panel.judges))
        rows.append((mean, row))
    rows.sort(key=lambda pair: -1.0 if pair[0] is None else pair[0], reverse=True)
    heads, notes = panel.heads, []
    if any(len(head) > _SHORT for head in heads.values()):  # two columns a judge have to leave room for the subject
        heads = {judge: chr(ord("A") + at % 26) * (1 + at // 26) for at, judge in enumerate(panel.judges)}
    if heads != panel.heads:
        notes.append(", ".join(f"{head}: {judge}" for judge, head in heads.items()) + ".")
    if any(mean is None for mean, _ in rows):
        notes.append("—: verdicts of that judge are missing; `independence leaderboard --judge NAME` says which.")
    more = {
        "subject": [Column(f"index:{judge}", head, "number") for judge, head in heads.items()],
        "mean": [Column(f"rank:{judge}", f"# {head}", "count") for judge, head in heads.items()],
    }
    return table_layouts.made("judges/judge-boards", [row for _, row in rows], notes, more)


def indices_by_judge(panel: JudgePanel) -> dict[str, dict[str, float | None]]:
    """Judge -> config_dir -> strict index, None where a verdict is missing."""
    frame = strict.frame(panel.scope.suite)
    return {
        judge: {config: strict.score(frame, panel.planned[judge][config]).index for config in panel.about}
        for judge in panel.judges
    }


def costs(connection: sqlite3.Connection, panel: JudgePanel) -> Table:
    """Verdicts and dollars of each judge on the panel's subjects."""
    scope = panel.scope
    spent = spending.by_judge(connection, scope.where)
    rows: list[tuple[Value, ...]] = []
    foreign = []
    for grader in panel.judges:
        own = [one for one in spent if one.judge == grader and one.config_dir in panel.about]
        verdicts, missing = sum(one.verdicts for one in own), sum(one.missing for one in own)
        dollars = sum(one.cost_usd for one in own)
        valid = verdicts - missing
        rows.append((grader, verdicts, missing, dollars, 1000 * dollars / valid if valid else None))
        if any(one.published for one in own):
            foreign.append(grader)
    some = bool(foreign) and len(foreign) < len(panel.judges)
    note = f"{', '.join(foreign)} graded by the published rubric texts, other judges by this suite's."
    return table_layouts.made("judges/judge-costs", rows, [note] if some else [])
