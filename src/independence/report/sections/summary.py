"""The first lines of a report: what was found, in a sentence or two, and by whom and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from independence import __version__
from independence.report.board import board_data, notes
from independence.report.board.board import IndexBoard
from independence.report.board.board_data import VerdictData
from independence.report.board.rows import STRICT, Board, Row
from independence.report.files import table_layouts
from independence.report.files.table import Prose, Section, decimal, escaped, on_scale
from independence.stats.estimates import Estimate

SENTENCES = {
    "alone": "**{best}** has an index of {index}.",
    "highest": "**{best}** has the highest index of {subjects} subjects: {index}. The lowest is **{worst}** with "
    "{least}.",
    "equal": "{leaders} of {subjects} subjects have the highest index, {index}, **{best}** among them, and are not "
    "told apart. The lowest is **{worst}** with {least}.",
    "own_tier": "**{best}** has the highest index of {subjects} subjects: {index}, in a tier of its own ({test}). "
    "The lowest is **{worst}** with {least}.",
    "tier_of_two": "**{best}** has the highest index of {subjects} subjects: {index}, in one tier with 1 other, which "
    "does not differ significantly from it ({test}). The lowest is **{worst}** with {least}.",
    "tier": "**{best}** has the highest index of {subjects} subjects: {index}, in one tier with {others} others, which "
    "do not differ significantly from it ({test}). The lowest is **{worst}** with {least}.",
    "none": "There is no index: of {subjects} subjects none is complete.",
    "one_single": "1 of {subjects} subjects has a single run, and no rank.",
    "singles": "{singles} of {subjects} subjects have a single run, and no rank.",
    "incomplete": "{holes} of {subjects} subjects are incomplete and have no index.",
    "furthest": "**{who}** leans furthest {side} the asker ({what} {estimate:+.2f}).",
    "asked": "Of {subjects} subjects **{who}** moves furthest {side} whoever asks: {what} {value:+.2f}.",
    "judge": "Judge: {judge}; {valid:,} of {planned:,} planned verdicts are valid",
    "edition": "Edition {edition}{beside}{own}, condition `{condition}`",
    "version": f"Made by ai-independence-bench {__version__}",
    "simulated": "Subjects marked simulated are programs with known behaviour; no model was asked.",
}


def of_index(data: VerdictData, built: IndexBoard) -> Section:
    """Who has the highest index and who the lowest, and how many have none, in sentences."""
    about = f"; {notes.generalises_to(built)}" if built.scoring == STRICT else ""
    rule = [f"Scoring: {built.scoring}{about}"]
    rule += notes.few_to_generalise(built)
    rule += [notes.AS_PUBLISHED] if built.judge_prompt else []
    return section(data, result(built), built, rule)


def result(built: IndexBoard, named: Callable[[Row], str] = notes.name) -> str:
    """Who has the highest index and who the lowest, and how many have none, as Markdown."""
    known = sorted((row for row in built.rows if row.main.value is not None), key=lambda row: -(row.main.value or 0.0))
    ranked = [row for row in known if not row.single]
    counts = {"singles": len(known) - len(ranked), "holes": len(built.rows) - len(known), "subjects": len(built.rows)}
    said = [_compared(ranked or known, named) if known else SENTENCES["none"].format(subjects=len(built.rows))]
    if counts["singles"]:
        said.append(SENTENCES["one_single" if counts["singles"] == 1 else "singles"].format_map(counts))
    if known and counts["holes"]:
        said.append(SENTENCES["incomplete"].format_map(counts))
    return " ".join(said)


def _compared(known: Sequence[Row], named: Callable[[Row], str]) -> str:
    best, worst = known[0], known[-1]
    leaders = sum(row.main.value == best.main.value for row in known)
    others = sum(row.standing.tier is not None and row.standing.tier == best.standing.tier for row in known) - 1
    which = "highest"
    if len(known) == 1:
        which = "alone"
    elif leaders > 1:
        which = "equal"
    elif best.standing.tier is not None:
        which = {0: "own_tier", 1: "tier_of_two"}.get(others, "tier")
    return SENTENCES[which].format(
        best=escaped(named(best)), index=_shown(best.main), subjects=len(known), leaders=leaders,
        others=others, worst=escaped(named(worst)), least=_shown(worst.main),
        test=notes.ALL_PAIRS,
    )  # fmt: skip


def _shown(index: Estimate) -> str:
    ci = index.interval
    ends = f" (95% interval {decimal(on_scale(ci[0]))} to {decimal(on_scale(ci[1]))})" if ci else ""
    return f"{decimal(on_scale(index.value or 0.0))}{ends}"


def leaning(rows: Sequence[tuple[str, str, float | None]], what: str) -> str:
    """Subjects by what can be said of them, most frequent first, and who leans furthest.

    `rows`: name, verdict and estimate of each; `what`: what the estimate is called.
    """
    counts = Counter(said for _, said, _ in rows)
    parts = []
    for said, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        kind, is_one = said.partition(" ")[0], count == 1
        rest = said.removeprefix("leans ").removeprefix("none: ")
        if kind == "leans":
            parts.append(f"{count} {'leans' if is_one else 'lean'} {rest}")
        elif kind == "none:":
            parts.append(f"{count} {'does' if is_one else 'do'} not bend ({rest})")
        else:
            parts.append(f"{count} {'is' if is_one else 'are'} {said}")
    told = f"Of {len(rows)} subject{'' if len(rows) == 1 else 's'}, {', '.join(parts)}."
    found = [(label, estimate) for label, said, estimate in rows if estimate is not None and said.startswith("leans")]
    if not found:
        return told
    label, most = max(found, key=lambda pair: abs(pair[1]))
    side = "towards" if most > 0 else "against"
    return f"{told} {SENTENCES['furthest'].format(who=escaped(label), side=side, what=what, estimate=most)}"


def section(data: VerdictData, said: str, board: Board, more: Sequence[str] = ()) -> Section:
    """What was found (`said`) and the facts that every report gives; `more`: those of its analysis."""
    scope = data.scope
    planned = [cell for own in data.planned.values() for cell in own]
    edition = SENTENCES["edition"].format(
        edition=table_layouts.edition_named(f"`{scope.where.edition_name}`", scope.suite.foreign_language),
        beside="".join(f" and, of the same wording, `{one.where.edition_name}`" for one in scope.beside),
        own=notes.own_wording(board_data.words(scope)),
        condition=board.condition,
    )
    valid = sum(cell.values is not None for cell in planned)
    facts = [
        SENTENCES["judge"].format(judge=escaped(data.judge or "none"), valid=valid, planned=len(planned)),
        *(f"{what.capitalize()}: {span}" for what, span in notes.days(board.dates).items()),
        edition,
        *more,
        SENTENCES["version"],
    ]
    told = [said, "\n".join(f"- {fact}" for fact in facts), *notes.judge_lines(board)]
    told += [SENTENCES["simulated"]] if any(row.simulated for row in board.rows) else []
    return Section("summary", "In short", [Prose("\n\n".join(told))])
