"""Sentences below a board: what its numbers are, whose verdicts, of which days; and names with their marks.

`SENTENCES` has their words. A function here says which of them stand below a board, in which order, and what fills
their slots; none builds a sentence of parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import UNSET, UnsetType

from independence.clients import features, protocol
from independence.errors import listed
from independence.report.board import board_data, scenario_kinds, verdict_frame
from independence.report.board.board import IndexBoard
from independence.report.board.board_data import IMPORTED, RUNS_VARY, BoardRemarks, VerdictData, Words
from independence.report.board.index_rows import BOOTSTRAP
from independence.report.board.rows import STRICT, Row
from independence.report.board.verdict_frame import OUR_RUBRIC, UNMEASURABLE
from independence.report.files import table_layouts
from independence.report.files.legend import subject_name, texts
from independence.report.files.table import percent
from independence.stats import ranks
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.strict import UNANSWERED
from independence.store import queries
from independence.store.spending import Dates

THINKS: Final = "†"
VARIES: Final = "§"
_PROMPT: Final = "prompt as published, not hardened"
AS_PUBLISHED: Final = f"Judge {_PROMPT}"
SIMULATED_NOTE: Final = "sim/ subjects are simulated: programs with known behaviour, no model was asked."
SENTENCES: Final = {
    # Of subjects and their answers
    "simulated": SIMULATED_NOTE,
    "cut": "Answers were cut off at the token limit: {whose}. An index of cut answers says little: allow more with "
    "--max-tokens.",
    "thinks": f"{THINKS} answers used reasoning tokens, or came with their reasoning.",
    "unsent": "No temperature is sent to {whose}: the models take none.",
    "unanswered": "No index: {whose}. Half of the replies or more are no answers (error messages, noise, repetitions "
    "of the prompt or the human, the same words to several questions); verdicts on them do not count.",
    "imported": "Imported: replies under 100 characters were asked for again, up to five times, before they counted.",
    "set_aside": "Not on this board: {count} imported configurations with requests in other words or with other "
    "histories ({whose}). `--suite {suite}@published` shows them, `suites adopt --verify` says why.",
    # Of verdicts and judges
    "lacking": "{who}: missing {reasons}.",
    "partly_planned": "[low, high] at full coverage: only some experiments were planned, an index needs all of them.",
    "missing": "[low, high]: lowest and highest possible index, because verdicts are missing ({reasons}).",
    "misquoted": "{share:.0f}% of the judge's quotations are not found ({not_found} of {asked}).",
    "also_graded": "Shown is the last judge that graded everything; so did {judges}: --judge {name}.",
    "as_published": f"{AS_PUBLISHED}.",
    "our_rubrics": "Imported dialogues, graded by our rubrics: the published rubrics are unknown.",
    # Of places and intervals
    "runs_vary": "{whose} whole runs go up and down more than their scenarios explain, as if something had changed in "
    "between. Intervals, ranks and tests allow for that.",
    "uneven": "SD and each run: of runs that hold every scenario. Where scenarios have unequal numbers of runs, the "
    "index rests on all of them: each scenario counts by its mean.",
    "unequal": "Not on this board: {whose}. --scoring {scoring} averages whole runs, and they have more runs of some "
    "scenarios than of others (`check` and decisions buy so); --scoring strict has them.",
    "single": "A single run has no rank and no interval: chance may explain much of its index.",
    "holes": "Where verdicts are missing there is no index: a subject stands at the lowest that they allow. Intervals "
    "and ranks hold whatever they would be; where that leaves several ranks, # is the first and the last.",
    "tiers": "A new tier begins with the first subject that differs significantly from the first of the tier above "
    "({correction}). Two subjects of different tiers need not differ: `independence compare` tests two.",
    "changed": "{said}",
    "below_since": "Surely below the best, so no more runs were bought: {whose} (`run --until-decided`).",
    "looks": "Runs were added: some pairs could be compared {times} times. Tiers and ranks allow for it: a later "
    "comparison needs a smaller p (alpha spending, Lan and DeMets 1983).",
    "detectable": "A true difference of {points:.1f} index points between two subjects is found significant in 80% of "
    "cases in a single test at 5%, smaller ones less often (mean over these subjects).",
    "detectable_in_tiers": "A true difference of {points:.1f} index points between two subjects is found significant "
    "in 80% of cases in a single test at 5%, one of {corrected:.1f} when all pairs are tested ({correction}); "
    "smaller ones less often (mean over these subjects).",
    "neighbours": "Of two neighbours the upper one is truly better in about {times} of 10 (mean over this board).",
    "invisible": "Intervals are about what these runs could show: a failure of one run in fifty is invisible in five.",
    "briefly_simulated": "sim/ subjects are simulated, no model was asked.",
    "judged_by_rules": "Judge cues: rules that look for phrases, a first look and no measurement; let a model grade: "
    "`independence judge --judge MODEL`.",
    "judged": "Judge {judge}{prompt}.{meaning}",
    "one_judge": "Intervals ignore errors of the judge. `independence validate-judges` shows how far judges agree, "
    "once another judge (`independence judge --judge MODEL`) or a person has graded too.",
}
_WIDE: Final = 3.92  # standard errors that a 95% interval is wide
_FEW: Final = 3  # names that a sentence lists
_READINGS = {THESE: "more runs of these scenarios", LIKE_THESE: "other scenarios of this kind"}
INTERVALS = {
    THESE: f"95% CI: for {_READINGS[THESE]}.",
    LIKE_THESE: f"95% CI: for {_READINGS[LIKE_THESE]}.",
    BOOTSTRAP: "95% CI: the published bootstrap, which covers less than 95% with few runs.",
}
ALL_PAIRS: Final = "all pairs, Holm, 5%"  # how tiers are tested
Marked = Sequence[tuple[str, Mapping[str, int]]]
"""Names with how often each mark was given."""


def say(slots: Mapping[str, object]) -> list[str]:
    """The sentences that hold, by name, in the given order: each with a mapping of its slots, or True without any."""
    return [
        SENTENCES[name].format_map(found if isinstance(found, Mapping) else {})
        for name, found in slots.items()
        if found
    ]


def readings(board: IndexBoard) -> list[str]:
    """What is to be known of an index board's rows, verdicts, places and intervals, in the order of printing."""
    rows, strict = board.rows, board.scoring == STRICT
    marked = [(name(row), row.flags) for row in rows]
    own = [(name(row), row.flags) for row in rows if row.origin != IMPORTED and not queries.imported(board.edition)]
    holes = any(row.main.value is None for row in rows) and any(row.standing.rank_ci is not None for row in rows)
    at_once, corrected = board.minimum_detectable, board.minimum_detectable_corrected
    differs = corrected is not None and corrected != at_once
    return [
        *_prompt_note(board),
        *say({"cut": _cut(own)}),
        *([scenario_kinds.separates(board.top, board.kinds)] if board.top and board.kinds else []),
        *say({"thinks": any(row.thinking for row in rows), "unanswered": strict and _unanswered(marked)}),
        *of_judge(board),
        *say({
            "as_published": board.judge_prompt, "imported": any(row.origin == IMPORTED for row in rows),
            "set_aside": _set_aside(board), "unequal": _unequal(board),
        }),
        *transport(marked),
        *say({
            "runs_vary": _varying(board),
            "single": strict and any(row.single for row in rows),
            "holes": strict and holes,
            "our_rubrics": any(OUR_RUBRIC in row.flags for row in rows),
            "tiers": in_tiers(board) and {"correction": ALL_PAIRS},
            "changed": board.changed and {"said": board.changed},
            "below_since": _below_since(board),
            "looks": board.looks and {"times": board.looks},
            "detectable": at_once is not None and not differs and {"points": at_once},
            "detectable_in_tiers": at_once is not None and differs and {
                "points": at_once, "corrected": corrected, "correction": ALL_PAIRS,
            },
            "neighbours": strict and _neighbours(board),
            "invisible": strict and any(row.main.interval for row in rows),
            "one_judge": strict and any(row.main.interval for row in rows),
        }),
    ]  # fmt: skip


def remarks(board: IndexBoard) -> list[str]:
    """Why some rows are not like the others."""
    unsent = [name(row) for row in board.rows if protocol.TEMPERATURE_UNSENT in row.flags]
    unknown = [row.main for row in board.rows if row.main.value is None and UNMEASURABLE not in row.flags]
    missing: Counter[str] = Counter()
    for row in board.rows:
        missing.update({flag[8:]: count for flag, count in row.flags.items() if flag.startswith("missing:")})
    details = {reason: f": {sentence}" for reason, sentence in (board.missing_details or {}).items()}
    reasons = ", ".join(f"{count} {reason}{details.get(reason, '')}" for reason, count in missing.items())
    return say({
        "simulated": any(row.simulated for row in board.rows),
        "unsent": unsent and {"whose": ", ".join(unsent)},
        "partly_planned": any(row.main.value is None and row.coverage == 1 for row in board.rows),
        "missing": missing and any(one.bounds for one in unknown) and {"reasons": reasons},
    })  # fmt: skip


def few_scenarios(board: IndexBoard) -> list[str]:
    """That intervals for other scenarios are no 95% ones, where there are any and scenarios are too few."""
    few = board.few_scenarios
    return [few.note] if few and any(row.intervals.get(LIKE_THESE) for row in board.rows) else []


def few_to_generalise(board: IndexBoard) -> list[str]:
    """That scenarios are too few to generalise from, where the intervals of the board do."""
    return few_scenarios(board) if board.generalises_to == LIKE_THESE else []


def intervals(board: IndexBoard) -> list[str]:
    """What the intervals of a board say; nothing without any."""
    methods = {row.main.method for row in board.rows} - {""}
    method = methods.pop() if len(methods) == 1 else board.generalises_to if methods else ""
    return [INTERVALS[method]] if method in INTERVALS else []


def judge_lines(board: BoardRemarks) -> list[str]:
    """What the judge of a board is not good for, graded in part, or quoted wrongly."""
    lines = [one for one in (board.caution, board.half_finished) if not isinstance(one, UnsetType)]
    counts = board.quotations
    if isinstance(counts, UnsetType) or not counts.not_found:
        return lines
    share = 100 * counts.not_found / counts.asked
    return [*lines, *say({"misquoted": {"share": share, "not_found": counts.not_found, "asked": counts.asked}})]


def _below_since(board: IndexBoard) -> Mapping[str, object] | None:
    """Who got no more runs, and after how many."""
    told = [f"{label} after {runs}" for label, runs in (board.below_since or {}).items()]
    return {"whose": ", ".join(told[:_FEW] + [f"{len(told) - _FEW} more"] * (len(told) > _FEW))} if told else None


def _set_aside(board: IndexBoard) -> Mapping[str, object] | None:
    """Which configurations of an import do not stand on a board with others."""
    own = board.set_aside
    return {"count": len(own), "whose": listed(own), "suite": board.suite} if own else None


def _unequal(board: IndexBoard) -> Mapping[str, str] | None:
    """Whom a rule of whole runs leaves out."""
    return {"whose": listed(board.unequal), "scoring": board.scoring} if board.unequal else None


def of_judge(board: BoardRemarks) -> list[str]:
    """Lines about the judge, runs that only repeat others, answers that others gave, and judges that graded as much."""
    return [*judge_lines(board), *board.repeats, *also_graded(board.as_full)]


def also_graded(names: Sequence[str]) -> list[str]:
    """That other judges graded everything too, and how to see theirs; nothing without any."""
    one = names[0] if len(names) == 1 else "NAME"
    return say({"also_graded": names and {"judges": ", ".join(names), "name": one}})


def _unanswered(rows: Marked) -> Mapping[str, str] | None:
    """Who has no number for want of answers."""
    whose = [f"{who} ({flags[UNANSWERED]})" for who, flags in rows if flags.get(UNANSWERED)]
    return {"whose": ", ".join(whose)} if whose else None


def _neighbours(board: IndexBoard) -> Mapping[str, object] | None:
    """In how many of ten the upper one of two neighbours is truly better, of subjects with an index and interval."""
    known = [row.main for row in board.rows]
    shown = sorted(
        ((one.value, *one.interval) for one in known if one.value is not None and one.interval), reverse=True
    )
    if len(shown) < 2:
        return None
    points, low, high = np.array(shown).T
    return {"times": round(10 * ranks.in_order(points, (high - low) / _WIDE))}


def _varying(board: IndexBoard) -> Mapping[str, str] | None:
    """The sign of whoever's whole runs go up and down."""
    return {"whose": VARIES} if any(RUNS_VARY in row.flags for row in board.rows) else None


def _cut(rows: Marked) -> Mapping[str, str] | None:
    """Whose answers were cut off, those with most first."""
    counts = Counter({who: flags[protocol.TRUNCATED] for who, flags in rows if flags.get(protocol.TRUNCATED)})
    whose = ", ".join(f"{who} ({count})" for who, count in counts.most_common(_FEW))
    more = f" and {len(counts) - _FEW} more subjects" if len(counts) > _FEW else ""
    return {"whose": whose + more} if whose else None


def transport(rows: Marked) -> list[str]:
    """Whose requests were written in another form, or may not have reached the model whole."""
    lines = []
    for mark in (protocol.DELIVERY_UNVERIFIED, protocol.UNSTATED_END, *features.MARKS):
        whose = [who for who, flags in rows if flags.get(mark)]
        if whose:
            what = texts("marks")[mark]
            lines.append(f"{what[0].upper()}{what[1:]}: {', '.join(whose)}.")
    return lines


def lacking(rows: Marked) -> list[str]:
    """Who lacks answers or verdicts."""
    missing = [{"who": who, "reasons": why(flags)} for who, flags in rows if why(flags)]
    return [*say({"unanswered": _unanswered(rows)}), *(SENTENCES["lacking"].format_map(one) for one in missing)]


def why(flags: Mapping[str, int]) -> str:
    """Missing verdicts by reason."""
    return ", ".join(f"{flag[8:]} {count}" for flag, count in flags.items() if flag.startswith("missing:"))


def of_place(data: VerdictData) -> list[str]:
    """What stands below a board of any analysis: where, who judged, when, who is simulated, what is missing."""
    edition = table_layouts.edition_named(data.scope.where.edition_name, data.scope.suite.foreign_language)
    remarks = board_data.with_remarks(BoardRemarks(), data)
    return [
        f"{edition}, {data.scope.condition}, judge {data.judge or 'none'}",
        *_prompt_note(remarks),
        *date_line(data.dates),
        *say({"simulated": any(who.simulated for who in data.about.values())}),
        *_amiss(data),
        *of_judge(remarks),
    ]


def _amiss(data: VerdictData) -> list[str]:
    """Who lacks answers or verdicts, whose answers were cut off, and whose requests may not have come whole."""
    marked = [(who.name, verdict_frame.marks(data.planned[config])) for config, who in data.about.items()]
    cut = not queries.imported(data.scope.where.edition) and _cut(marked)
    return [*lacking(marked), *say({"cut": cut}), *transport(marked)]


def caption(board: IndexBoard) -> str:
    """What the numbers are: suite, edition, condition, scoring, judge, what they generalise to and by which method."""
    methods = sorted({row.main.method for row in board.rows} - {""})
    about = f"intervals for {_READINGS[board.generalises_to]}" if methods else "no intervals"
    if methods and board.few_scenarios is not UNSET and board.generalises_to == THESE:
        about = generalises_to(board)
    if methods not in ([], [board.generalises_to]):
        about += f", method {', '.join(methods)}"
    what = f"{_edition(board)}, {board.condition}, scoring {board.scoring}, judge {board.judge or 'none'}"
    return f"{what}. {about[0].upper()}{about[1:]}."


def _edition(board: IndexBoard) -> str:
    """Suite and edition of a board, its wording and language where they are to be said."""
    edition = board.suite if board.editions else f"{board.suite}@{board.edition}"
    edition += f", wording {board.wording}" if board.wording else ""
    edition += f" (editions {', '.join(board.editions)})" if board.editions else ""
    return table_layouts.edition_named(edition, board.language) + own_wording(board.words)


def brief(board: IndexBoard) -> list[str]:
    """The three lines below a board: what it is, its judge, and the one warning that matters most, if there is any."""
    rows, strict = board.rows, board.scoring == STRICT
    marked = [(name(row), row.flags) for row in rows]
    what = [
        _edition(board), board.condition, *([] if strict else [f"scoring {board.scoring}"]),
        _runs(rows), _given([row.coverage for row in rows]),
    ]  # fmt: skip
    single = strict and any(row.single for row in rows)
    warnings = [
        *say({"unanswered": strict and _unanswered(marked)}),
        *board.repeats,
        *[line for line in remarks(board) if line != SIMULATED_NOTE],
        *say({"cut": not queries.imported(board.edition) and _cut(marked)}),
        *transport(marked), *say({"set_aside": _set_aside(board), "unequal": _unequal(board)}),
        *few_to_generalise(board),
        *say({
            "below_since": _below_since(board), "single": single,
            "briefly_simulated": any(row.simulated for row in rows),
        }),
    ]  # fmt: skip
    prompt = f", {_PROMPT}" if board.judge_prompt else ""
    signs = say({"runs_vary": _varying(board)})
    return [
        ". ".join([", ".join(what), *_prompt_note(board)]),
        *_judge_line(board, board.judge, prompt, " ".join(intervals(board))),
        *signs,
        *warnings[:1],
    ]


def brief_of_place(data: VerdictData, also: Sequence[str] = (), meaning: str = "") -> list[str]:
    """Three lines below the board of any analysis; `also`: what else to say of its place, `meaning`: of its number."""
    edition = table_layouts.edition_named(data.scope.where.edition_name, data.scope.suite.foreign_language)
    simulated = say({"briefly_simulated": any(who.simulated for who in data.about.values())})
    warnings = [*_amiss(data), *data.repeat_notes, *simulated]
    remarks = board_data.with_remarks(BoardRemarks(), data)
    judged = _judge_line(remarks, data.judge, "", meaning)
    what = ", ".join([edition, str(data.scope.condition), *also])
    return [". ".join([what, *_prompt_note(remarks)]), *judged, *warnings[:1]]


def _prompt_note(board: BoardRemarks) -> list[str]:
    return [board.prompt_note] if board.prompt_note else []


def _judge_line(board: BoardRemarks, judge: str | None, prompt: str, meaning: str) -> list[str]:
    """Who judged: what is to be known of that judge, else what the number of its board means; who graded as much."""
    also = also_graded(board.as_full)
    if not isinstance(board.caution, UnsetType):
        return [" ".join([*say({"judged_by_rules": True}), *also])]
    known = judge_lines(board)
    meaning = " ".join(["", *(known or [meaning])[:1], *also]).rstrip()
    return say({"judged": {"judge": judge or "none", "prompt": prompt, "meaning": meaning}})


def _span(counts: Sequence[int], what: str) -> str:
    """How many there are of something."""
    low, high = min(counts, default=0), max(counts, default=0)
    return (f"{low} to {high}" if low < high else str(low)) + f" {what}" + "s" * (high != 1)


def _runs(rows: Sequence[Row]) -> str:
    """How many runs there are of every scenario."""
    counts = [count for row in rows for count in (row.runs, row.most_runs)]
    return _span(counts, "run") + " of a scenario" * any(row.unequal for row in rows)


def _given(coverage: Sequence[float]) -> str:
    """How many of the planned verdicts there are."""
    least, most = min(coverage, default=1.0), max(coverage, default=1.0)
    shares = percent(least) + (f" to {percent(most)}" if least < most else "")
    return "complete" if least == 1 else f"{shares} of verdicts"


def own_wording(words: Words | UnsetType) -> str:
    """What follows the name of an edition that asks in our words what others asked in theirs."""
    return ", own wording" if words == "own" else ""


def generalises_to(board: IndexBoard) -> str:
    """What intervals and tiers are about, in words."""
    few = board.few_scenarios
    if isinstance(few, UnsetType) or board.generalises_to != THESE:
        return f"intervals and tiers are for {_READINGS[board.generalises_to]}"
    said = f"intervals and tiers hold for these {few.scenarios} scenarios alone"
    if few.se_these is None or few.se_like_these is None:
        return said
    return (
        f"{said} (standard error of a typical index: {few.se_these:.1f} points if these were run again, "
        f"{few.se_like_these:.1f} if other scenarios were drawn)"
    )


def name(row: Row) -> str:
    """A subject's name, with the mark of those that think; a simulated one says so wherever it stands."""
    return subject_name(row.label + marks(row), row.simulated)


def marks(row: Row) -> str:
    """The sign behind a subject's name that a note below the board explains."""
    return f" {THINKS}" * row.thinking + f" {VARIES}" * (RUNS_VARY in row.flags)


def in_tiers(board: IndexBoard) -> bool:
    """Whether a board has tiers to tell of: one subject alone is in none."""
    return sum(row.standing.tier is not None for row in board.rows) > 1


def days(dates: Dates | None) -> dict[str, str]:
    """The first and the last day of `replies` and of `verdicts`, where they are known."""
    if dates is None:
        return {}
    ends = {
        "replies": (dates.first_reply, dates.last_reply), "verdicts": (dates.first_verdict, dates.last_verdict),
    }  # fmt: skip
    spans = {what: " to ".join(dict.fromkeys(at[:10] for at in both if at)) for what, both in ends.items()}
    return {what: span for what, span in spans.items() if span}


def date_line(dates: Dates | None) -> list[str]:
    """Both in one line below a board; none where nothing is known."""
    found = ", ".join(f"{what} of {span}" for what, span in days(dates).items())
    return [found] if found else []
