"""`independence estimate-cost`: what a run would cost, before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from independence.cli import options
from independence.cli.options import Db, Format
from independence.cli.output.terminal import STORE
from independence.config.options import RunOptions

if TYPE_CHECKING:
    from independence.engine.estimate import Bill
    from independence.engine.pipeline import RunPreview
    from independence.report.files.table import Table, Value

_NOTES = (
    "Total: what such calls cost on average. Range: from a subject's cheapest stored run to its dearest.",
    "Range of a subject without runs: 60 to 150% of what others used; if there are none, half to twice the mean.",
    "`run --max-cost` sets a bound.",
)


@options.command("estimate-cost")
def command(options: RunOptions, format_: Format = "table", db: Db = STORE) -> None:
    """Price a whole run: tokens, mean and range of its cost.

    Tokens come from stored runs of a subject, else of others, else from published means; prices from the
    endpoints. Nothing is written. No model is asked, except for one short answer from each on a server of your own,
    which says how long a run takes.
    """
    from independence.api import running
    from independence.cli.output import table_output

    table_output.print_tables([_table(running.estimate_cost(options, store=db))], format_)


def _table(preview: RunPreview) -> Table:
    """A row for each subject, and for all where there are several."""
    from independence.engine.estimate import Bill, total
    from independence.report.files.table import Column, Table

    columns = (
        Column("subject", "Subject"), Column("calls", "Calls", "count"), Column("verdicts", "Verdicts", "count"),
        Column("prompt_tokens", "Tokens in", "count"), Column("completion_tokens", "Tokens out", "count"),
        Column("answers_usd", "Answers", "dollars", 3), Column("judge_usd", "Judge", "dollars", 3),
        Column("total_usd", "Total", "dollars", 3), Column("range_usd", "Range, $", "interval", 3),
        Column("source", "By"),
    )  # fmt: skip
    run, bills = preview.run, preview.cost.bills
    rows = []
    for config, label in {trial.subject.config_dir: trial.subject.label for trial in run.trials}.items():
        own = {payer.judge: bill for payer, bill in bills.items() if payer.config_dir == config}
        rows.append(_row(label, own.pop("", Bill()), total(own.values())))
    if len(rows) > 1:
        answers, verdicts = (total(b for payer, b in bills.items() if bool(payer.judge) == of) for of in (False, True))
        rows.append(_row(f"all {len(rows)} subjects", answers, verdicts))
    notes = [*(f"{one}." for one in preview.expected), *_NOTES, *(f"{one}." for one in run.notes)]
    if preview.unexamined:
        notes.append(f"{preview.unexamined}.")
    first = [f"{preview.cost.known} known dialogues show whether the judge can judge"] * bool(preview.cost.known)
    first += [f"up to {preview.cost.probes} small requests show what reaches the models"] * bool(preview.cost.probes)
    if first:
        usd = preview.cost.typical_usd - total(bills.values()).usd
        price = f"${usd:.4f} more" if usd or not preview.cost.unpriced else "their price is not known"
        notes.append(f"Before them, {' and '.join(first)}: {price}.")
    if preview.cost.unpriced:
        notes.append("A dash means that no price is known; these calls are not included in the sums.")
    return Table("estimate", "What it will cost", columns, tuple(rows), tuple(notes))


def _row(label: str, answers: Bill, verdicts: Bill) -> tuple[Value, ...]:
    from independence.engine.estimate import total

    whole = total((answers, verdicts))
    tokens = (round(whole.prompt), round(whole.completion))
    source = ", ".join(source for source, _ in answers.sources.most_common())
    dollars = (_usd(answers, answers.usd), _usd(verdicts, verdicts.usd), _usd(whole, whole.usd))
    return (label, answers.calls, verdicts.calls, *tokens, *dollars, _usd(whole, whole.range_usd), source)


def _usd(bill: Bill, dollars: Value) -> Value:
    """Dollars of a bill; None where a price in it is not known."""
    return None if bill.unpriced else dollars
