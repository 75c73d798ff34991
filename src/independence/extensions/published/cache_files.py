"""One edition in the published cache layout, for the published viewer and scripts, and for `independence import`.

One file a turn, as `layout` describes. Verdicts are those of one judge a condition; a dialogue's verdict lies with the
turn that carries it. What a publisher could not read is an empty object, as it was published.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from independence.config import documents
from independence.errors import UsageError
from independence.exchange.requests import Requests
from independence.extensions.published import dialogues as layout
from independence.extensions.published.responses import CUT_MODEL_ID
from independence.report.board.board_data import SubjectInfo
from independence.report.board.judge_choice import usual_judge
from independence.store import dialogues, names, queries
from independence.store.dialogues import Dialogue, StoredVerdict, Turn
from independence.store.names import NamesRow, RunKey
from independence.store.scopes import OF_PUBLISHERS, BoardScope, grading
from independence.suites import digest
from independence.types import UNGIVEN, Answer, Grade, Reply, Verdict

_RULES = "cues"  # of extractors of names the one to be taken last
_OUTSIDE = {"", ".", ".."}

Record = dict[str, Any]


def files(
    connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None, about: Mapping[str, SubjectInfo]
) -> dict[str, Iterable[bytes]]:
    """Path -> content of every file of these conditions of one edition, for the subjects in `about`.

    Contents are made while they are read, one at a time: read them in this order, in one transaction.
    `judge`: whose verdicts; None: each condition's usual judge. Raises UsageError for a name that cannot be a path.
    """
    places = sorted(places, key=lambda one: one.condition)
    folders = layout.folder_names(about)
    made = _made(connection, places, judge, about, folders)
    return {path: _Content(path, made) for path in _paths(connection, places, about, folders)}


class _Content:
    """What one file holds: it is looked for among what is made next."""

    __slots__ = ("_made", "_path")

    def __init__(self, path: str, made: Iterator[tuple[str, bytes]]) -> None:
        self._path, self._made = path, made

    def __iter__(self) -> Iterator[bytes]:
        yield next(content for path, content in self._made if path == self._path)


def _paths(
    connection: sqlite3.Connection,
    places: Sequence[BoardScope],
    about: Mapping[str, SubjectInfo],
    folders: Mapping[str, str],
) -> Iterator[str]:
    """The paths in the order in which `_made` makes their files."""
    for scope in places:
        for config in sorted(about):
            for one in dialogues.read(connection, scope.where, [config]):
                yield from (_path(folders, one, turn.turn_id) for turn in one.turns)
    for config, run in _extractions(connection, places[0], about):
        yield _below(folders[config], run, names.SIDECAR)


def _made(
    connection: sqlite3.Connection,
    places: Sequence[BoardScope],
    judge: str | None,
    about: Mapping[str, SubjectInfo],
    folders: Mapping[str, str],
) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file."""
    for scope in places:
        suite, requests = grading(connection, scope), Requests(connection, scope)
        by = judge or usual_judge(queries.judges(connection, scope.where))
        rubrics = {scenario.id: digest.rubric(suite, scenario) for scenario in suite.scenarios}
        carriers = {scenario.id: layout.verdict_turn(scenario) for scenario in scope.suite.scenarios}
        for config, who in sorted(about.items()):
            for one in dialogues.read(connection, scope.where, [config]):
                verdict = layout.current_verdict(one, by, rubrics.get(one.scenario))
                for turn, request in zip(one.turns, requests.of(one), strict=True):
                    carried = verdict if carriers.get(one.scenario) == turn.turn_id else None
                    record = _record(one, turn, carried, request, who.model_id)
                    yield _path(folders, one, turn.turn_id), _encoded(record)
    for (config, number), content in _extractions(connection, places[0], about).items():
        yield _below(folders[config], number, names.SIDECAR), content


def _record(one: Dialogue, turn: Turn, verdict: StoredVerdict | None, request: bytes, model_id: str) -> Record:
    """A response file, its keys in the published order; keys that were published only with a value have one."""
    answer = turn.answer
    reply = answer if isinstance(answer, Reply) else Reply("", "content")
    # Where its publisher cut the model's id out of the directory's name, it is cut so again.
    model = one.config.rpartition("@")[0].replace("--", "/", 1) if CUT_MODEL_ID in reply.flags else model_id
    record: Record = {
        "metadata": {
            "model": model, "experiment": one.experiment, "system_variant": one.variant,
            "delivery_mode": one.mode, "scenario_id": turn.turn_id, "timestamp": turn.reply.answered_at,
        },
        "response": reply.text,
    }  # fmt: skip
    if "old_prompt" not in reply.flags:
        record["finish_reason"] = reply.finish_reason
    record |= {"gen_cost": _cost(answer), "judge_scores": None, "judge_cost": None}
    record["request_messages"], raw = msgspec.Raw(request), ""
    if verdict is not None:
        grade = verdict.grade
        if isinstance(grade, Verdict) or grade.reason in UNGIVEN:
            record["judge_scores"] = {}
            if isinstance(grade, Verdict) and verdict.rubric != queries.REREAD:
                record["judge_scores"] = {"reasoning": grade.reasoning, **grade.values}
            record["judge_cost"] = {**_cost(grade), "judge_model": verdict.judge}
        # Of our own verdicts only what could be read: other tools might read the rest otherwise.
        if isinstance(grade, Verdict) or verdict.rubric in OF_PUBLISHERS:
            raw = grade.raw
    optional = {
        "reasoning_content": reply.reasoning, "content_thinking": reply.thinking,
        "response_tool_calls": reply.tool_calls, "judge_raw_response": raw,
    }  # fmt: skip
    return record | {key: value for key, value in optional.items() if value}


def _cost(came: Answer | Grade) -> Record:
    usage = came.usage
    return {
        "prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "cost_usd": usage.cost_usd,
        "elapsed_seconds": sum(attempt.seconds for attempt in came.attempts),
    }  # fmt: skip


def _extractions(connection: sqlite3.Connection, scope: BoardScope, configs: Collection[str]) -> dict[RunKey, bytes]:
    """Run -> the names extracted from it: those that came with an import, else those that an extractor found here."""
    read = sorted(names.stored(connection, scope.where), key=lambda row: row.extractor != _RULES)
    out = {(row.config_dir, row.run): _encoded(_names(row)) for row in read if row.missing is None}
    out |= names.imported(connection, scope.where)
    return {key: content for key, content in out.items() if key[0] in configs}


def _names(row: NamesRow) -> Record:
    return {
        "names": [{"name": pick.name, "sources": list(pick.sources)} for pick in row.names],
        "declined_scenarios": list(row.declined),
        "primary_name": row.primary,
        "extraction_model": row.extractor,
        "extraction_cost_usd": row.usage.cost_usd,
    }


def _path(folders: Mapping[str, str], one: Dialogue, turn_id: str) -> str:
    return _below(folders[one.config], one.run, one.experiment, one.variant, one.mode, f"{turn_id}.json")


def _below(folder: str, run: int, *below: str) -> str:
    parts = (folder, f"run_{run}", *(part.replace("\\", layout.BACKSLASH) for part in below))
    if any(part in _OUTSIDE or "/" in part for part in parts):
        raise UsageError(f"`{'/'.join(parts)}` cannot be the path of a file", "leave this subject out with --models")
    return "/".join(parts)


def _encoded(record: Record) -> bytes:
    return msgspec.json.format(documents.encode(record), indent=2)
