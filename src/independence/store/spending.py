"""What was spent, on whom, in how many attempts and tokens; and the ledger of what every command spent."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from independence.store.file import digests
from independence.store.queries import PUBLISHED, REREAD, UNDER, first, rows
from independence.store.records import now
from independence.types import Where

ASKED_AGAIN = ("empty", "reasoning_only", "silent", "template_tokens", "punctuation", "greeting")
"""How an attempt ends that brought no answer, so that the question was asked again; a cut answer is marked as such."""

_TRIALS = f"(SELECT DISTINCT config_dir, trial FROM planned WHERE {UNDER})"


class SubjectSpending(NamedTuple):
    """One subject's calls and dollars in a place."""

    calls: int
    answers_usd: float
    verdicts: int
    verdicts_usd: float  # what judges wrote before them included
    failed_usd: float  # calls that were never settled
    unknown_usd: float  # reserved for attempts whose cost never came back
    extra_attempts: int  # requests beyond the first of a call, and those of calls never settled
    tokens: int  # prompt and completion, answers and verdicts
    runs: float = 0  # that any of it was spent on: dialogues, over the scenarios that were asked
    without_cost: int = 0  # answers that cost nothing, or of which nobody said what they cost
    answer_tokens: int = 0  # prompt and completion


class RunAnswers(NamedTuple):
    """The current answers of a run."""

    first: str  # when the first of them came, ISO 8601
    last: str
    asked_again: int  # how many came only when their question was asked again, as first none came


class Dates(msgspec.Struct, frozen=True):
    """First and last, ISO 8601; None where there is none, or nobody wrote it down."""

    first_reply: str | None = None
    last_reply: str | None = None
    first_verdict: str | None = None
    last_verdict: str | None = None


def ends(replies: Iterable[str | None], verdicts: Iterable[str | None]) -> Dates:
    """First and last of moments, as far as they are known."""
    answered, judged = list(filter(None, replies)), list(filter(None, verdicts))
    return Dates(
        first_reply=min(answered, default=None),
        last_reply=max(answered, default=None),
        first_verdict=min(judged, default=None),
        last_verdict=max(judged, default=None),
    )


def together(parts: Iterable[Dates]) -> Dates:
    """First and last of several."""
    every = list(parts)
    return ends(
        [at for own in every for at in (own.first_reply, own.last_reply)],
        [at for own in every for at in (own.first_verdict, own.last_verdict)],
    )


class JudgeSpending(NamedTuple):
    """One judge's work on one subject in one condition."""

    judge: str
    config_dir: str
    verdicts: int  # missing ones included
    missing: int
    published: int  # given under the published rubric texts
    cost_usd: float  # failed calls included


def by_subject(connection: sqlite3.Connection, where: Where) -> dict[str, SubjectSpending]:
    """config_dir -> what was spent, replaced answers and every judge included."""
    found = connection.execute(
        f"WITH p AS {_TRIALS}, c AS (SELECT config_dir, count(*) AS number, sum(cost_usd) AS usd, "
        "sum(unknown_usd) AS unknown, sum(max(json_array_length(attempts) - 1, 0)) AS extra, "
        "sum(prompt_tokens + completion_tokens) AS tokens, sum(cost_usd = 0 AND missing IS NULL) AS without_cost "
        "FROM p JOIN calls USING (trial) GROUP BY 1), "
        "v AS (SELECT config_dir, count(*) AS number, sum(cost_usd) AS usd, sum(unknown_usd) AS unknown, "
        "sum(prompt_tokens + completion_tokens) AS tokens FROM p JOIN verdicts USING (trial) GROUP BY 1), "
        "a AS (SELECT config_dir, sum(cost_usd) AS usd, sum(unknown_usd) AS unknown, "
        "sum(prompt_tokens + completion_tokens) AS tokens FROM p JOIN artefacts USING (trial) GROUP BY 1), "
        "f AS (SELECT config_dir, sum(cost_usd) AS usd, sum(unknown_usd) AS unknown, "
        "sum(json_array_length(attempts)) AS extra FROM p JOIN failures USING (trial) GROUP BY 1), "
        f"r AS (SELECT config_dir, 1.0 * count(*) / count(DISTINCT scenario) AS number FROM planned WHERE {UNDER} AND "
        "(trial IN (SELECT trial FROM calls) OR trial IN (SELECT trial FROM failures)) GROUP BY 1) "
        "SELECT config_dir, ifnull(c.number, 0), ifnull(c.usd, 0.0), ifnull(v.number, 0), "
        "ifnull(v.usd, 0.0) + ifnull(a.usd, 0.0), ifnull(f.usd, 0.0), "
        "ifnull(c.unknown, 0.0) + ifnull(v.unknown, 0.0) + ifnull(a.unknown, 0.0) + ifnull(f.unknown, 0.0), "
        "ifnull(c.extra, 0) + ifnull(f.extra, 0), ifnull(c.tokens, 0) + ifnull(v.tokens, 0) + ifnull(a.tokens, 0), "
        "ifnull(r.number, 0), ifnull(c.without_cost, 0), ifnull(c.tokens, 0) FROM (SELECT DISTINCT config_dir FROM p) "
        "LEFT JOIN c USING (config_dir) LEFT JOIN v USING (config_dir) LEFT JOIN a USING (config_dir) "
        "LEFT JOIN f USING (config_dir) LEFT JOIN r USING (config_dir) "
        "WHERE coalesce(c.usd, v.usd, a.usd, f.usd) IS NOT NULL",
        (*where.columns, *where.columns),
    )
    return {config: SubjectSpending._make(own) for config, *own in found}


def by_run(connection: sqlite3.Connection, where: Where) -> dict[tuple[str, int], RunAnswers]:
    """(config_dir, run) -> its current answers, as far as it is known when they came."""
    found = connection.execute(
        "SELECT config_dir, run, min(answered_at), max(answered_at), sum(missing IS NULL AND "
        "json_array_length(attempts) > 1 AND EXISTS (SELECT 1 FROM json_each(attempts) WHERE "
        f"json_extract(value, '$.outcome') IN ({', '.join('?' * len(ASKED_AGAIN))}))) "
        f"FROM planned JOIN calls USING (trial) WHERE version = 0 AND answered_at > '' AND {UNDER} "
        "GROUP BY config_dir, run",
        (*ASKED_AGAIN, *where.columns),
    )
    return {(config, run): RunAnswers._make(own) for config, run, *own in found}


def by_judge(connection: sqlite3.Connection, where: Where) -> list[JudgeSpending]:
    """What every judge did, by judge and subject. Calls that failed count as cost alone."""
    sql = (
        f"WITH p AS {_TRIALS}, failed AS (SELECT config_dir, what AS judge, sum(cost_usd) AS usd FROM p "
        "JOIN failures USING (trial) GROUP BY 1, 2), written AS (SELECT config_dir, judge, sum(cost_usd) AS usd "
        "FROM p JOIN artefacts USING (trial) GROUP BY 1, 2), given AS (SELECT config_dir, judge, count(*) AS number, "
        "sum(missing IS NOT NULL) AS missing, sum(rubric IN (?, ?)) AS published, sum(cost_usd) AS usd "
        "FROM p JOIN verdicts USING (trial) GROUP BY 1, 2) "
        "SELECT judge, config_dir, given.number, given.missing, given.published, "
        "given.usd + ifnull(failed.usd, 0) + ifnull(written.usd, 0) FROM given "
        "LEFT JOIN failed USING (config_dir, judge) LEFT JOIN written USING (config_dir, judge) ORDER BY 1, 2"
    )
    return rows(connection, JudgeSpending, sql, (*where.columns, PUBLISHED, REREAD))


def tokens_per_second(connection: sqlite3.Connection, endpoint: str, model: str) -> float:
    """How fast a model of an endpoint wrote its answers, each by itself; 0 where none is stored."""
    sql = (
        "SELECT total(completion_tokens) / total(seconds) FROM calls WHERE completion_tokens > 0 AND seconds > 0 AND "
        "trial IN (SELECT trial FROM planned JOIN subjects USING (suite, edition, config_dir) WHERE json_valid(config) "
        "AND json_extract(config, '$.endpoint') = ? AND json_extract(config, '$.model') = ?)"
    )
    return float(first(connection, sql, (endpoint, model)) or 0.0)


_EVERY_CALL = """
WITH place AS (
    SELECT config_dir, edition, variant, mode, scenario, run, trial FROM planned WHERE suite = ?
    GROUP BY config_dir, variant, mode, scenario, trial
), call (who, edition, scenario, run, turn, prompt, completion) AS (
    SELECT config_dir, edition, scenario, run, turn, prompt_tokens, completion_tokens
    FROM place JOIN calls USING (trial) WHERE version = 0
    UNION ALL
    SELECT judge, edition, scenario, run, '', prompt_tokens, completion_tokens
    FROM place JOIN verdicts USING (trial)
    UNION ALL
    SELECT judge, edition, scenario, run, step, prompt_tokens, completion_tokens
    FROM place JOIN artefacts USING (trial)
)"""


class CallTokens(NamedTuple):
    """Mean tokens of the calls of one subject or judge at one place; retries of a call summed."""

    who: str  # config_dir, or name of the judge
    scenario: str
    turn: int | str  # of an answer, counted from 0; the step of a rubric that was written; "" for a verdict
    simulated: bool
    calls: int
    prompt: float
    completion: float


class RunTokens(NamedTuple):
    """Tokens of one run of one subject or judge, and what the same calls took in its mean run."""

    who: str
    calls: int
    prompt: float
    completion: float
    mean_prompt: float
    mean_completion: float


def call_tokens(connection: sqlite3.Connection, suite: str) -> list[CallTokens]:
    """Over every edition and condition of a suite, imports included; calls without known tokens are left out."""
    sql = (
        f"{_EVERY_CALL} SELECT who, scenario, turn, who LIKE 'sim/%' OR who IN "
        "(SELECT config_dir FROM subjects WHERE simulated), count(*), avg(prompt), avg(completion) "
        "FROM call WHERE completion > 0 GROUP BY who, scenario, turn"
    )
    return rows(connection, CallTokens, sql, (suite,))


def run_tokens(connection: sqlite3.Connection, suite: str) -> list[RunTokens]:
    """Tokens of each run of each subject and judge, beside the means of its edition."""
    sql = (
        f"{_EVERY_CALL} SELECT who, count(*), sum(prompt), sum(completion), sum(mean_prompt), sum(mean_completion) "
        "FROM (SELECT who, run, edition, prompt, completion, avg(prompt) OVER own AS mean_prompt, "
        "avg(completion) OVER own AS mean_completion FROM call WHERE completion > 0 "
        "WINDOW own AS (PARTITION BY who, edition, scenario, turn)) GROUP BY who, edition, run"
    )
    return rows(connection, RunTokens, sql, (suite,))


class CommandSession(NamedTuple):
    """One command that spent money. Times are ISO 8601."""

    began_at: str
    last_at: str  # of the last change; the end, unless the process was killed
    command: str
    about: str  # suite@edition, or another subject of the command; "" of sessions before the ledger
    spent_usd: float  # what was reserved for attempts of unknown cost included
    unknown_usd: float


class SessionLedger:
    """The session of one command. It is stored with the first dollar and kept up to date from then on."""

    def __init__(self, command: str, about: str, stage: str = "") -> None:
        self.command = command
        self.about = about
        self.stage = stage  # of a purchase, in words; not stored
        self._began_at = now()
        self._row: int | None = None
        self._noted = (0.0, 0.0)

    def note(self, connection: sqlite3.Connection, spent_usd: float, unknown_usd: float) -> None:
        """Store what may be spent by now, where that has changed. Call it inside a transaction."""
        if (spent_usd, unknown_usd) == self._noted:
            return
        self._noted = (spent_usd, unknown_usd)
        own: dict[str, object] = {"last_at": now(), "spent_usd": spent_usd, "unknown_usd": unknown_usd}
        own |= {"began_at": self._began_at, "command": self.command, "about": self.about}
        if self._row is None:
            self._row = first(connection, "SELECT ifnull(max(id), 0) + 1 FROM sessions")
        digests.insert(connection, "sessions", [{"id": self._row} | own], dict.fromkeys(own))


def sessions(connection: sqlite3.Connection) -> list[CommandSession]:
    """Every session, the newest first."""
    columns = ", ".join(CommandSession._fields)
    return rows(connection, CommandSession, f"SELECT {columns} FROM sessions ORDER BY id DESC")


def session_total(connection: sqlite3.Connection) -> float:
    """Dollars that were spent on this store in its whole life."""
    return float(first(connection, "SELECT total(spent_usd) FROM sessions"))
