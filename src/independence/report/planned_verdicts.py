"""Every planned verdict of a place under one judge: its values, or why there are none. Repeated runs are left out."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from independence.config.subjects import Subject, from_json
from independence.judge import kinds, protocol
from independence.judge.kinds import CUES
from independence.stats import engagement, strict
from independence.stats.engagement import FieldRequirements
from independence.stats.strict import ReplyWords, void_reason
from independence.store import queries, routes, scopes
from independence.store.queries import JudgeCounts, TrialState
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.types import Scalar, Where

REREAD = "reread_verdict"  # the flag of a verdict that its publisher could not read
OUR_RUBRIC = "our_rubric"  # the flag of a verdict on an imported dialogue that a judge gave by a rubric of ours
MISQUOTED = "misquoted"  # the flag of a verdict whose quotation is not in the replies
FLAG = "repeated_run"  # on boards: dialogues left out
_REPLAYED = "cache_hit"
K = TypeVar("K")
C = TypeVar("C")


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


class PlannedVerdict(NamedTuple):
    """One planned verdict. Exactly one of `values` and `missing` is set.

    `values` are those that count under strict scoring (`stats.engagement`), `given` those of the judge.
    """

    config_dir: str
    experiment: str
    scenario: str
    run: int
    values: dict[str, Scalar] | None
    missing: str | None
    given: dict[str, Scalar] | None  # the verdict as it was given, void or partial dialogues included
    flags: tuple[str, ...]
    evadable: bool = False  # whether the verdict says if a stand was taken


class PlannedVerdicts(NamedTuple):
    """All planned verdicts of a place under one judge, those on replies that only repeat earlier ones left out."""

    judge: str | None
    planned: list[PlannedVerdict]
    repeats: Repeats = Repeats()
    thinking: frozenset[str] = frozenset()  # config_dirs of those whose answers took reasoning tokens
    as_full: tuple[str, ...] = ()  # where no judge was asked for: others that graded as much
    other_judges: tuple[str, ...] = ()  # whose verdicts are all their own; none where this one's are not


def planned_verdicts(connection: sqlite3.Connection, scope: BoardScope, asked_judge: str | None) -> PlannedVerdicts:
    """Read a place, under the asked judge or the usual one. Of editions of one wording all are read."""
    there = judges(connection, [one.where for one in scope.editions])
    name = asked_judge or usual_judge(there)
    found = [_of_edition(connection, one, name) for one in scope.editions]
    whole = _joined(scope, found) if scope.beside else found[0]
    others = tuple(one for one in independent(there) if one != name) if name in independent(there) else ()
    return whole._replace(judge=name, as_full=as_full(there, name) if asked_judge is None else (), other_judges=others)


def _of_edition(connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> PlannedVerdicts:
    """Read one edition under a judge."""
    suite = grading(connection, scope)
    rubrics = {s.id: digest.rubric(suite, s) for s in suite.scenarios}
    required = engagement.requirements(suite)
    by_dialogue = {(v.trial, v.context, v.rubric): v for v in queries.verdicts(connection, scope.where, judge)}
    predicted = _predicted(connection, scope, judge)
    planned = []
    imported = queries.imported(scope.edition)  # they stay as they were published
    there = queries.states(connection, scope.where)
    states, repeats = (there, Repeats()) if imported else _leave_out(connection, scope.where, there)
    unanswered = {} if imported else _unanswered(states)
    for state in states:
        verdict = None
        for rubric in (rubrics.get(state.scenario, ""), queries.PUBLISHED, queries.REREAD):
            verdict = verdict or by_dialogue.get((state.key, state.at or "", rubric))
        given = verdict.fields if verdict and verdict.missing is None else None
        marked = unanswered.get((state.config_dir, state.scenario, state.run), ())
        missing = _missing(state, verdict) or (strict.NO_ANSWER if marked else None)
        exact = predicted.get((verdict.trial, verdict.context, verdict.rubric), {}) if verdict else {}
        by_this_rubric = verdict is not None and verdict.rubric == rubrics.get(state.scenario)
        needed = required.get(state.scenario) if by_this_rubric else None
        values, evaded = _counted({**given, **exact} if given is not None and missing is None else None, needed)
        particular = [
            *(_marks(verdict, in_our_words=not suite.judged_as_published) if imported else ()),
            *_misquoted(verdict),
        ]
        flags = (*state.flags, *particular, *marked, *[engagement.EVADED] * bool(evaded))
        planned.append(
            PlannedVerdict(
                config_dir=state.config_dir,
                experiment=state.experiment,
                scenario=state.scenario,
                run=state.run,
                values=values,
                missing=missing,
                given=given,
                flags=flags,
                evadable=evaded is not None,
            )
        )
    thinking = frozenset(state.config_dir for state in states if state.thought)
    return PlannedVerdicts(None, planned, repeats, thinking)


def _predicted(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None
) -> dict[tuple[str, str, str], dict[str, Scalar]]:
    """What a hybrid predicted of the index's fields where it bought no verdict: its own are the same, but rounded."""
    if judge is None or scope.suite.index is None or not kinds.of(judge).repeats_bought:
        return {}
    read = {field for dimension in scope.suite.index.dimensions.values() for field in dimension.fields}
    found = {
        place: protocol.read_prediction(prediction).values
        for place, prediction in routes.unbought(connection, scope.where, judge).items()
    }
    return {place: {name: own[name] for name in own.keys() & read} for place, own in found.items()}


def _counted(
    given: dict[str, Scalar] | None, own: FieldRequirements | None
) -> tuple[dict[str, Scalar] | None, bool | None]:
    """What counts of a verdict, and whether the subject evaded; None where it does not say."""
    return (given, None) if given is None or own is None else engagement.counted(given, own)


def _misquoted(verdict: queries.StoredVerdict | None) -> tuple[str, ...]:
    """The mark of a verdict that rests on words that nobody said."""
    return (MISQUOTED,) if verdict is not None and verdict.quote_found is False else ()


def _joined(scope: BoardScope, found: Sequence[PlannedVerdicts]) -> PlannedVerdicts:
    """Editions of one wording together; a dialogue that several of them use counts once."""
    planned: dict[tuple[str, int, str], PlannedVerdict] = {}
    dialogues: dict[str, int] = {}
    why: dict[str, tuple[str, ...]] = {}
    thinking: set[str] = set()
    for one, own in zip(scope.editions, found, strict=True):
        keys = {cell.config_dir: scope.key(one.where, cell.config_dir) for cell in own.planned}
        for cell in own.planned:
            key = keys[cell.config_dir]
            planned.setdefault((key, cell.run, cell.scenario), cell._replace(config_dir=key))
        thinking |= {keys[config] for config in own.thinking}
        dialogues = {scope.key(one.where, config): count for config, count in own.repeats.dialogues.items()} | dialogues
        why = {scope.key(one.where, config): said for config, said in own.repeats.why.items()} | why
    return PlannedVerdicts(None, [planned[at] for at in sorted(planned)], Repeats(dialogues, why), frozenset(thinking))


def _marks(verdict: queries.StoredVerdict | None, *, in_our_words: bool) -> list[str]:
    """What is particular about a verdict on an import."""
    if verdict is None or verdict.rubric == queries.PUBLISHED:
        return []
    if verdict.rubric == queries.REREAD:
        return [REREAD]
    return [OUR_RUBRIC] if in_our_words else []


def _unanswered(states: Sequence[TrialState]) -> dict[tuple[str, str, int], tuple[str, ...]]:
    """Dialogues with replies that are no answers, of subjects of whose replies half or more are none -> their marks."""
    said: dict[str, list[tuple[tuple[str, str, int], ReplyWords]]] = {}
    suspects = {config for config, own in grouped(states, lambda state: state.config_dir).items() if _suspect(own)}
    for state in (one for one in states if one.config_dir in suspects):
        spot = (state.config_dir, state.scenario, state.run)
        for turn, reply in enumerate(state.replies):
            one = ReplyWords((state.scenario, turn), reply.words, strict.NO_ANSWER in reply.flags)
            said.setdefault(state.config_dir, []).append((spot, one))
    out: dict[tuple[str, str, int], tuple[str, ...]] = {}
    for own in said.values():
        replies = [one for _, one in own]
        again = strict.repeated(replies)
        for (spot, _), none, twice in zip(own, strict.no_answers(replies), again, strict=True):
            if none:
                out[spot] = (*out.get(spot, ()), strict.UNANSWERED, *((strict.REPEATED,) if twice else ()))
    return out


def _suspect(own: Sequence[TrialState]) -> bool:
    """Whether half of a subject's replies may be no answers, told without a look at which say the same.

    Of n replies with u different words at most 1.5 (n - u) have words that three of them share.
    """
    replies = [reply for state in own for reply in state.replies]
    marked = sum(strict.NO_ANSWER in reply.flags for reply in replies)
    return 2 * marked + 3 * (len(replies) - len({reply.words for reply in replies})) >= len(replies)


def _missing(state: queries.TrialState, verdict: queries.StoredVerdict | None) -> str | None:
    if state.missing is not None:
        return state.missing
    if state.stale:
        return "stale"
    if state.end is None:
        return "not_run"
    if verdict is None:
        return "unjudged"
    return verdict.missing or void_reason(state.flags)


def reasons(cells: Collection[PlannedVerdict]) -> dict[str, int]:
    """How many planned verdicts are missing, by reason."""
    return dict(sorted(Counter(cell.missing for cell in cells if cell.missing is not None).items()))


def marks(cells: Collection[PlannedVerdict], left_out: Mapping[str, int] | None = None) -> dict[str, int]:
    """Marks on a subject's answers, those on what was left out too, and how many verdicts are missing, by reason."""
    counts = Counter(flag for cell in cells for flag in cell.flags) + Counter(left_out)
    return dict(sorted(counts.items())) | {f"missing:{reason}": n for reason, n in reasons(cells).items()}


def grouped(cells: Iterable[C], by: Callable[[C], K]) -> dict[K, list[C]]:
    """Planned verdicts or dialogues by what they share, in the order in which that comes."""
    out: dict[K, list[C]] = {}
    for cell in cells:
        out.setdefault(by(cell), []).append(cell)
    return out


def _leave_out(
    connection: sqlite3.Connection, where: Where, states: Sequence[TrialState]
) -> tuple[list[TrialState], Repeats]:
    """The dialogues that count, and what was left out."""
    runs = {config: found for config, own in _by_subject(states).items() if (found := _equal_runs(own))}
    kept = [state for state in states if state.run not in runs.get(state.config_dir, {})]
    replayed = _replayed(kept)
    counted = [state for at, state in enumerate(kept) if at not in replayed]
    if len(counted) == len(states):
        return counted, Repeats()
    marked = Counter(kept[at].config_dir for at in replayed)
    left_out = Counter(state.config_dir for state in states)
    left_out.subtract(state.config_dir for state in counted)
    return counted, Repeats(+left_out, _why(connection, where, runs, marked))


def _by_subject(states: Sequence[TrialState]) -> dict[str, dict[int, dict[str, TrialState]]]:
    """config_dir -> run -> scenario -> dialogue."""
    out: dict[str, dict[int, dict[str, TrialState]]] = {}
    for state in states:
        out.setdefault(state.config_dir, {}).setdefault(state.run, {})[state.scenario] = state
    return out


def _equal_runs(runs: Mapping[int, Mapping[str, TrialState]]) -> dict[int, int]:
    """Run -> the first run that holds all its replies. A run with a hole is told from none: it is measured yet."""
    out: dict[int, int] = {}
    for run in sorted(runs):
        own = runs[run]
        if any(state.end is None for state in own.values()):
            continue
        for earlier in (one for one in sorted(runs) if one < run and one not in out):
            there = runs[earlier]
            if all(name in there and there[name].end and there[name].said == own[name].said for name in own):
                out[run] = earlier
                break
    return out


def _replayed(states: Sequence[TrialState]) -> set[int]:
    """Places of dialogues that came from a cache, by what the gateway said, and equal an earlier one."""
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    out: set[int] = set()
    for at, state in sorted(enumerate(states), key=lambda pair: pair[1].run):
        words = (state.config_dir, state.scenario, state.said)
        if state.end is not None and _REPLAYED in state.flags and words in seen:
            out.add(at)
        elif state.end is not None:
            seen.add(words)
    return out


def _why(
    connection: sqlite3.Connection,
    where: Where,
    runs: Mapping[str, Mapping[int, int]],
    replayed: Mapping[str, int],
) -> dict[str, tuple[str, ...]]:
    configured = queries.configurations(connection, where)
    out: dict[str, tuple[str, ...]] = {}
    for config, equal in runs.items():
        known = configured.get(config)
        out[config] = (_sentence(equal, known is not None and _cold(from_json(known))),)
    for config, count in replayed.items():
        said = f"replayed by a gateway from its cache and equal to earlier dialogues, therefore counted once: {count}."
        out[config] = (*out.get(config, ()), said)
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


def judges(connection: sqlite3.Connection, places: Iterable[Where]) -> list[JudgeCounts]:
    """Everybody who graded in some places, those of the first place first, in the order in which they began."""
    return _together([queries.judges(connection, where) for where in places])


def _together(sides: Iterable[Sequence[JudgeCounts]]) -> list[JudgeCounts]:
    valid: dict[str, int] = {}
    for one in itertools.chain.from_iterable(sides):
        valid[one.judge] = valid.get(one.judge, 0) + one.valid
    return list(itertools.starmap(JudgeCounts, valid.items()))


def judge(there: Iterable[JudgeCounts], asked: str) -> str:
    """The judge that is meant. Raises StoreError, naming the judges there are, when none of that name graded here."""
    return scopes.judge(asked, sorted({one.judge for one in there}))


def judge_anywhere(connection: sqlite3.Connection, places: Sequence[BoardScope], asked: str | None) -> str | None:
    """The judge that is meant in any of some places; None where none is named. Raises StoreError."""
    if asked is None:
        return None
    return judge(judges(connection, {one.where for place in places for one in place.editions}), asked)


def judge_here(connection: sqlite3.Connection, scope: BoardScope, asked: str | None) -> str | None:
    """The judge that is meant in a place; None where none is named. Raises StoreError as `judge` does."""
    return judge_anywhere(connection, [scope], asked)


def independent(there: Iterable[JudgeCounts]) -> list[str]:
    """The judges whose verdicts are all their own; a hybrid repeats those of the model that it buys from."""
    return sorted(one.judge for one in there if one.valid and not kinds.of(one.judge).repeats_bought)


def usual_judge(there: Sequence[JudgeCounts]) -> str | None:
    """Whose verdicts are shown where nobody was asked for; None where there are none. `there`: as they began.

    Of those that graded at least half of what the most diligent one did: a model before the rules, those that rest on
    predictions last; of one kind the one with most valid verdicts, then the one that began first. People, who score a
    sample, never without being asked for, nor an older version of the rules beside the newest.
    """
    names = {one.judge for one in there}
    left_out = {name for name in names if kinds.of(name).human or (name.startswith(f"{CUES}@") and CUES in names)}
    counts = {one.judge: one.valid for one in there if one.judge not in left_out}
    most = max(counts.values(), default=0)
    full = [name for name in counts if 2 * counts[name] >= most]
    return min(full, key=lambda name: (kinds.of(name).order_on_boards, -counts[name]), default=None)


def shared_judge(*sides: Sequence[JudgeCounts]) -> str | None:
    """The usual judge among those with a valid verdict on every side; None where no judge has."""
    both = set.intersection(*({one.judge for one in own if one.valid} for own in sides))
    return usual_judge([one for one in _together(sides) if one.judge in both])


def as_full(there: Iterable[JudgeCounts], judge: str | None) -> tuple[str, ...]:
    """The other judges with as many valid verdicts as `judge`, in the order in which they began."""
    counts = {one.judge: one.valid for one in there}
    return tuple(
        name for name in counts if name != judge and counts[name] and counts[name] >= counts.get(judge or "", 0)
    )
