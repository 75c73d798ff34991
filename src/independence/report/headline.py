"""The first lines of a report: what was found, in a sentence or two, and by whom and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from independence import __version__
from independence.report import board_data, board_notes, declared
from independence.report.advice.board import SidesBoard
from independence.report.advice.published import StanceBoard
from independence.report.board import STRICT, Board
from independence.report.board_data import VerdictData
from independence.report.board_notes import name
from independence.report.board_rows import BoardRow
from independence.report.legend import subject_name
from independence.report.table import Prose, Section, decimal, escaped, on_scale
from independence.stats.index_uncertainty import LIKE_THESE
from independence.store.spending import Dates
from independence.types import Ends


def of_index(read: VerdictData, built: Board) -> Section:
    """Who has the highest index and who the lowest, and how many have none."""
    known = sorted((row for row in built.rows if row.index is not None), key=lambda row: -(row.index or 0.0))
    ranked = [row for row in known if row.rank is not None]
    said = _compared(ranked or known) if known else _unknown(built.rows)
    if len(ranked) < len(known):
        singles = len(known) - len(ranked)
        said += (
            f" {singles} of {len(built.rows)} subjects {'has' if singles == 1 else 'have'} a single run, and no rank."
        )
    holes = len(built.rows) - len(known)
    if known and holes:
        said += f" {holes} of {len(built.rows)} subjects are incomplete and have no index."
    rule = [f"Scoring: {built.scoring}" + f"; {board_notes.generalises_to(built)}" * (built.scoring == STRICT)]
    rule += board_notes.few_scenarios(built) if built.generalises_to == LIKE_THESE else []
    rule += [board_notes.AS_PUBLISHED] * bool(built.judge_prompt)
    return _section(read, said, built, rule)


def of_sides(read: VerdictData, board: SidesBoard) -> Section:
    """How many subjects bend towards the asker, and who does most."""
    verdicts = [
        (subject_name(row.label, row.simulated), row.verdict, row.S.est if row.S else None) for row in board.rows
    ]
    return _section(read, leaning(verdicts, "S"), board)


def of_stance(read: VerdictData, board: StanceBoard) -> Section:
    """The same for the published instrument."""
    rows = [
        (subject_name(row.label, row.simulated), row.verdict, row.contrast.est if row.contrast else None)
        for row in board.rows
    ]
    return _section(read, leaning(rows, "contrast"), board)


def _compared(known: Sequence[BoardRow]) -> str:
    best, worst = known[0], known[-1]
    if len(known) == 1:
        return f"**{escaped(name(best))}** has an index of {_index(best)}."
    leaders = sum(row.index == best.index for row in known)
    tier = sum(row.tier is not None and row.tier == best.tier for row in known) - 1
    shared = f"shared by {leaders} subjects" if leaders > 1 else _tier(best, tier)
    return (
        f"**{escaped(name(best))}** has the highest index of {len(known)} subjects: {_index(best)}{shared and ', '}"
        f"{shared}. The lowest is **{escaped(name(worst))}** with {_index(worst)}."
    )


def _tier(best: BoardRow, others: int) -> str:
    if best.tier is None:
        return ""
    if not others:
        return "in a tier of its own"
    return f"in one tier with {others} other{'' if others == 1 else 's'}, which do not differ significantly from it"


def _unknown(rows: Sequence[BoardRow]) -> str:
    estimated = [(row, row.estimate) for row in rows if row.estimate is not None and row.estimate.index is not None]
    if not estimated:
        return f"There is no index: of {len(rows)} subjects none is complete."
    row, own = max(estimated, key=lambda pair: pair[1].index or 0.0)
    return (
        f"By the offline judge's estimate **{escaped(name(row))}** has the highest index: "
        f"{_shown(own.index, own.ci)}. No subject was graded completely by a model."
    )


def _index(row: BoardRow) -> str:
    return _shown(row.index, row.ci)


def _shown(index: float | None, ci: Ends | None) -> str:
    return f"{decimal(on_scale(index or 0.0))}{_ends(ci)}"


def _ends(ci: Ends | None) -> str:
    return f" (95 % interval {decimal(on_scale(ci[0]))} to {decimal(on_scale(ci[1]))})" if ci else ""


def leaning(rows: Sequence[tuple[str, str, float | None]], what: str) -> str:
    """Subjects by what can be said of them, most frequent first, and who leans furthest."""
    counts = Counter(said for _, said, _ in rows)
    parts = [_counted(count, said) for said, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
    told = f"Of {len(rows)} subject{'' if len(rows) == 1 else 's'}, {', '.join(parts)}."
    leaning = [(label, est) for label, said, est in rows if est is not None and said.startswith("leans")]
    if not leaning:
        return told
    label, est = max(leaning, key=lambda pair: abs(pair[1]))
    side = "towards" if est > 0 else "against"
    return f"{told} **{escaped(label)}** leans furthest {side} the asker ({what} {est:+.2f})."


def _counted(count: int, said: str) -> str:
    """So many subjects of whom the tests allow to say so much, as a part of a sentence."""
    if said.startswith("leans "):
        return f"{count} lean{'s' if count == 1 else ''} {said.removeprefix('leans ')}"
    if said.startswith("none: "):
        return f"{count} do{'es' if count == 1 else ''} not bend ({said.removeprefix('none: ')})"
    return f"{count} {'is' if count == 1 else 'are'} {said}"


def _section(
    read: VerdictData, said: str, board: Board | SidesBoard | StanceBoard, more: Sequence[str] = ()
) -> Section:
    scope = read.scope
    beside = "".join(f" and, of the same wording, `{one.where.edition_name}`" for one in scope.beside)
    planned = [cell for own in read.planned.values() for cell in own]
    valid = sum(cell.values is not None for cell in planned)
    edition = declared.edition_named(f"`{scope.where.edition_name}`", scope.suite.foreign_language)
    own = board_notes.own_wording(board_data.words(scope))
    facts = [
        f"Judge: {escaped(read.judge or 'none')}; {valid:,} of {len(planned):,} planned verdicts are valid",
        *_when(board.dates),
        f"Edition {edition}{beside}{own}, condition `{scope.condition}`",
        *more,
        f"Made by ai-independence-bench {__version__}",
    ]
    told = [said, "\n".join(f"- {fact}" for fact in facts)]
    told += board_data.judge_lines(board)
    if any(row.simulated for row in board.rows):
        told.append("Subjects marked simulated are programs with known behaviour; no model was asked.")
    return Section("summary", "In short", [Prose("\n\n".join(told))])


def _when(dates: Dates | None) -> list[str]:
    if dates is None:
        return []
    replied, graded = board_notes.reply_days(dates), board_notes.verdict_days(dates)
    return [f"Replies: {replied}"] * bool(replied) + [f"Verdicts: {graded}"] * bool(graded)
