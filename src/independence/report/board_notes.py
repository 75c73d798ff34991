"""Sentences below a board: what its numbers are, whose verdicts, of which days; and names with their marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import UNSET, UnsetType

from independence.clients import features, protocol
from independence.report import board_data, declared, planned_verdicts, point_kinds
from independence.report.board import STRICT, Board
from independence.report.board_data import IMPORTED, BoardRemarks, VerdictData, Words
from independence.report.board_rows import BoardRow
from independence.report.estimates import UNLIKE
from independence.report.legend import subject_name, texts
from independence.report.planned_verdicts import OUR_RUBRIC
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.judge_error import AUDITED, FEWEST, JUDGES_LIKE_THESE
from independence.stats.strict import UNANSWERED
from independence.store import queries
from independence.store.spending import Dates

SIMULATED_NOTE: Final = "sim/ subjects are simulated: programs with known behaviour, no model was asked."
AS_PUBLISHED: Final = "Judge prompt as published, not hardened"
_FEW: Final = 3  # names that a sentence lists
THINKS: Final = "†"
PLACED: Final = "‡"
_SINGLE = "A single run has no rank and no interval, and counts in no other rank: chance may explain much of its index."
_HOLES = "Without all of its verdicts a subject stands at the lowest index that they allow."
UNCALIBRATED: Final = "uncalibrated"
_ESTIMATES = {
    "offline": "Estimate: from predictions alone; its interval follows from their errors on unseen model families.",
    "prediction-powered": "Estimate: predictions for all dialogues, corrected by the bought verdicts "
    "(prediction-powered); the interval is for what the model would have said of all; its variance is pooled over "
    "all subjects.",
    UNLIKE: "unlike: the offline judge withholds more than a third of the verdicts, as these replies are unlike those "
    "that it was trained on; to grade them, name a model: judge -j MODEL.",
    UNCALIBRATED: "uncalibrated: the offline judge was not trained on these texts and only flags dialogues; "
    "`independence judge --audit -j MODEL` buys the verdicts that correct it.",
    "undrawn": "No estimate if the random sample is too small to correct the predictions.",
    "bounded": "[low, high]: lowest and highest estimate, because bought verdicts came to nothing; the interval "
    "contains both.",
    "incomplete": "No estimate if replies or verdicts are missing, or the sample is not completely bought: the same "
    "command continues.",
}
_RUNS = (
    "Intervals and tiers of the index are for more runs under this judge; the estimate's interval includes how far its "
    "verdicts are from the model's."
)
_FLAGGED = "Flagged: dialogues with a field predicted on the unusual half of its scale. Read those first."
READINGS = {THESE: "more runs of these scenarios", LIKE_THESE: "other scenarios of this kind"}
_CORRECTIONS = {
    "holm": "all pairs, Holm, 5 %",
    "bh": "all pairs, Benjamini-Hochberg, 5 % false discoveries",
    "none": "pairs at 5 % each, uncorrected",
}


def readings(board: Board) -> list[str]:
    """Whose answers were cut, what separates the top, whose verdicts there are besides, and what the places mean."""
    own = [row for row in board.rows if row.origin != IMPORTED and not queries.imported(board.edition)]
    lines = cut((name(row), row.flags) for row in own)
    lines += [point_kinds.separates(board.top, board.kinds)] if board.top and board.kinds else []
    lines += [f"{THINKS} answers used reasoning tokens."] if any(row.thinking for row in board.rows) else []
    if board.scoring == STRICT:
        lines += unanswered((name(row), row.flags) for row in board.rows)
    lines += [*board_data.judge_lines(board), *board.repeats, *also_graded(board.as_full)]
    lines += [f"{AS_PUBLISHED}."] if board.judge_prompt else []
    lines += origins(board)
    lines += transport((name(row), row.flags) for row in board.rows)
    lines += unranked(board) if board.scoring == STRICT else []
    if any(OUR_RUBRIC in row.flags for row in board.rows):
        lines.append("Imported dialogues, graded by our rubrics: the published rubrics are unknown.")
    if any(row.tier for row in board.rows):
        lines.append(
            "Tiers: a new one begins at the first subject that differs significantly from the first of the one before "
            f"({_CORRECTIONS[board.correction]})."
        )
    if board.looks is not UNSET:
        lines.append(
            f"Runs were added: some pairs could be compared {board.looks} times. Tiers and ranks allow for it: a later "
            "comparison needs a smaller p (alpha spending, Lan and DeMets 1983)."
        )
    if board.minimum_detectable is not None:
        lines.append(
            "Smallest difference that a test would detect with 80 % power, on average over these subjects: "
            f"{board.minimum_detectable:.1f} points in one comparison at 5 %{_in_tiers(board)}."
        )
    return [*lines, *_judge_error(board)]


def few_scenarios(board: Board) -> list[str]:
    """That intervals for other scenarios are no 95 % ones, where there are any and scenarios are too few."""
    if isinstance(board.few_scenarios, UnsetType) or not any(row.intervals.get(LIKE_THESE) for row in board.rows):
        return []
    return [board.few_scenarios.note]


def _judge_error(board: Board) -> list[str]:
    """Which intervals contain the error of the judge, and from what."""
    if not any(row.ci for row in board.rows) or board.scoring != STRICT:
        return []
    default = f"Intervals for {READINGS[board.generalises_to]} do not contain the judge's error. Those called"
    if not isinstance(board.judges, UnsetType):
        known = board.judges
        said = (
            f"{default} {JUDGES_LIKE_THESE} (--format json) do: they are for other runs, scenarios and judges, by what "
            f"{', '.join(known.names)} gave {known.subjects} subjects. How much higher or lower a judge grades all "
            f"subjects alike (SD {known.severity:.1f} points) is in no interval."
        )
    elif any(AUDITED in row.intervals for row in board.rows):
        said = (
            f"{default} {AUDITED} (--format json) do: they are around the estimate, for other runs and scenarios as "
            "the bought judge would have graded them. The error of that judge is in no interval."
        )
    else:
        said = (
            "No interval allows for errors of the judge: for that, another judge or a person must have graded all "
            f"replies of at least {FEWEST} subjects."
        )
    return [said]


def _in_tiers(board: Board) -> str:
    """The same for the test behind the tiers, where that is another."""
    corrected = board.minimum_detectable_corrected
    if corrected is None or corrected == board.minimum_detectable:
        return ""
    return f", {corrected:.1f} between tiers ({_CORRECTIONS[board.correction]})"


def unranked(board: Board) -> list[str]:
    """Why some rows have no rank, or have one without an index."""
    placed = [f"{row.label}: {why(row.flags) or 'some'}" for row in board.rows if row.placed]
    said = (
        f"{PLACED} Verdicts are missing ({'; '.join(placed)}), so there is no index; interval and rank hold whatever "
    )
    lines = [f"{said}they would be."] if placed else []
    ranked = any(row.rank is not None for row in board.rows)
    lines += [_SINGLE] if any(row.index is not None and row.rank is None for row in board.rows) else []
    holes = any(row.index is None and row.rank is None for row in board.rows)
    return [*lines, _HOLES] if holes and ranked and not estimated(board) else lines


def also_graded(names: Sequence[str]) -> list[str]:
    """That other judges graded as much as the one that is shown, and how to see theirs; nothing without any."""
    if not names:
        return []
    return [f"Also completely graded by {', '.join(names)}: --judge {names[0] if len(names) == 1 else 'NAME'}."]


def origins(board: Board) -> list[str]:
    """How imported rows came about, where they stand beside others."""
    said = "Imported: replies under 100 characters were asked for again, up to five times, before they counted."
    return [said] if any(row.origin == IMPORTED for row in board.rows) else []


def unanswered(rows: Iterable[tuple[str, Mapping[str, int]]]) -> list[str]:
    """Who has no number for want of answers, from names and flags."""
    named = [f"{who} ({flags[UNANSWERED]})" for who, flags in rows if flags.get(UNANSWERED)]
    if not named:
        return []
    what = "error messages, noise, repetitions of the prompt or the human, the same words to several questions"
    why = f"Half of the replies or more are no answers ({what}); verdicts on them do not count."
    return [f"No index: {', '.join(named)}. {why}"]


def cut(rows: Iterable[tuple[str, Mapping[str, int]]]) -> list[str]:
    """Whose answers were cut off, those with most first, from names and flags."""
    counts = Counter({who: flags[protocol.TRUNCATED] for who, flags in rows if flags.get(protocol.TRUNCATED)})
    whose = [f"{who} ({count})" for who, count in counts.most_common(_FEW)]
    more = f" and {len(counts) - _FEW} more subjects" if len(counts) > _FEW else ""
    said = "An index of cut answers says little: allow more with --max-tokens."
    return [f"Answers were cut off at the token limit: {', '.join(whose)}{more}. {said}"] if whose else []


def transport(rows: Iterable[tuple[str, Mapping[str, int]]]) -> list[str]:
    """Whose requests were written in another form, or may not have reached the model whole, from names and flags."""
    named = list(rows)
    lines = []
    for mark in (protocol.DELIVERY_UNVERIFIED, protocol.UNSTATED_END, *features.MARKS):
        whose = [who for who, flags in named if flags.get(mark)]
        if whose:
            what = texts("marks")[mark]
            lines.append(f"{what[0].upper()}{what[1:]}: {', '.join(whose)}.")
    return lines


def lacking(rows: Iterable[tuple[str, Mapping[str, int]]]) -> list[str]:
    """Who lacks answers or verdicts, from names and flags."""
    named = list(rows)
    return [*unanswered(named), *(f"{who}: missing {reasons}." for who, flags in named if (reasons := why(flags)))]


def why(flags: Mapping[str, int]) -> str:
    """Missing verdicts by reason."""
    return ", ".join(f"{flag[8:]} {count}" for flag, count in flags.items() if flag.startswith("missing:"))


def judging(board: Board) -> list[str]:
    """What estimates are, where there are any."""
    if board.judging is None:
        return []
    methods = {row.estimate.method for row in board.rows if row.estimate is not None}
    runs = [_RUNS] if any(row.ci for row in board.rows) else []
    methods_said = (_ESTIMATES[method] for method in _ESTIMATES if method in methods)
    return [f"{board.judging}.", *methods_said, *_came_to_nothing(board), *runs, _FLAGGED]


def _came_to_nothing(board: Board) -> list[str]:
    """Whose bought verdicts could not be read, and where."""
    whose = [
        f"{name(row)} ({', '.join(f'{scenario} {count}' for scenario, count in row.estimate.lost.items())})"
        for row in board.rows
        if row.estimate is not None and row.estimate.lost
    ]
    return [f"Bought verdicts that came to nothing: {'; '.join(whose)}."] if whose else []


def caption(board: Board) -> str:
    """What the numbers are: suite, condition, scoring, judge, what they generalise to."""
    return (
        f"{_edition(board)}, {board.condition}, scoring {board.scoring}, judge {board.judge or 'none'}, "
        f"{_intervals(board)}"
    )


def _edition(board: Board) -> str:
    """Suite, edition and language, and whose words they are where others have published results under that name."""
    said = board.suite if board.editions else f"{board.suite}@{board.edition}"
    said += f", wording {board.wording}" if board.wording else ""
    said += f" (editions {', '.join(board.editions)})" if board.editions else ""
    return declared.edition_named(said, board.language) + own_wording(board.words)


def own_wording(words: Words | UnsetType) -> str:
    """What follows the name of an edition that asks in our words what others asked in theirs."""
    return ", own wording" if words == "own" else ""


def generalises_to(board: Board) -> str:
    """What intervals and tiers are about, in words."""
    few = board.few_scenarios
    if isinstance(few, UnsetType) or board.generalises_to != THESE:
        return f"intervals and tiers are for {READINGS[board.generalises_to]}"
    said = f"intervals and tiers are about these {few.scenarios} scenarios alone"
    if few.se_these is None or few.se_like_these is None:
        return said
    return (
        f"{said} (standard error of a typical index: {few.se_these:.1f} points if these were run again, "
        f"{few.se_like_these:.1f} if other scenarios were drawn)"
    )


def _intervals(board: Board) -> str:
    """What the intervals are about, and their method where it has a name of its own."""
    methods = sorted({row.ci_method for row in board.rows} - {"none"})
    if not methods:
        return "no intervals"
    few = board.few_scenarios is not UNSET and board.generalises_to == THESE
    about = generalises_to(board) if few else f"intervals for {READINGS[board.generalises_to]}"
    return about if methods == [board.generalises_to] else f"{about}, method {', '.join(methods)}"


def name(row: BoardRow) -> str:
    """A subject's name, with the mark of those that think; a simulated one says so wherever it stands."""
    return subject_name(row.label + marks(row), row.simulated)


def marks(row: BoardRow) -> str:
    """The signs behind a subject's name that notes below the board explain."""
    signs = THINKS * row.thinking + PLACED * row.placed
    return f" {signs}" if signs else ""


def estimated(board: Board) -> bool:
    """Whether a board has estimates."""
    return any(row.estimate is not None for row in board.rows)


def reply_days(dates: Dates) -> str:
    """The days of the first and the last reply; empty where none is known."""
    return _days(dates.first_reply, dates.last_reply)


def verdict_days(dates: Dates) -> str:
    """The days of the first and the last verdict; empty where none is known."""
    return _days(dates.first_verdict, dates.last_verdict)


def date_line(dates: Dates | None) -> list[str]:
    """Both in one line below a board; none where nothing is known."""
    if dates is None:
        return []
    parts = [f"replies of {reply_days(dates)}"] * bool(reply_days(dates))
    parts += [f"verdicts of {verdict_days(dates)}"] * bool(verdict_days(dates))
    return [", ".join(parts)] * bool(parts)


def place_notes(read: VerdictData) -> list[str]:
    """What stands below a board of any analysis: where, who judged, when, who is simulated, what is missing."""
    edition = declared.edition_named(read.scope.where.edition_name, read.scope.suite.foreign_language)
    marked = [(who.name, planned_verdicts.marks(read.planned[config])) for config, who in read.about.items()]
    return [
        f"{edition}, {read.scope.condition}, judge {read.judge or 'none'}",
        *date_line(read.dates),
        *[SIMULATED_NOTE] * any(who.simulated for who in read.about.values()),
        *lacking(marked),
        *([] if queries.imported(read.scope.where.edition) else cut(marked)),
        *transport(marked),
        *board_data.judge_lines(board_data.with_remarks(BoardRemarks(), read)),
        *read.repeat_notes,
        *also_graded(read.as_full),
    ]


def _days(first: str | None, last: str | None) -> str:
    days = list(dict.fromkeys(at[:10] for at in (first, last) if at))
    return " to ".join(days)
