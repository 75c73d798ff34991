"""`independence estimate-cost`: what a run would cost, before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from independence.api import running
from independence.cli import options, run_options
from independence.cli.table_output import print_tables
from independence.config.options import RunOptions
from independence.config.subjects import OPENROUTER
from independence.engine import connections
from independence.engine.cost_history import ANSWER, OWN, SUITE, VERDICT, CostHistory, PriceList
from independence.engine.estimate import Bill, Payer, total
from independence.engine.plan_cost import PlanCost
from independence.judge.kinds import CUES
from independence.report.table import Column, Table, Value

_MILLION = 1e6
_NOTES = (
    "Total: what such calls cost on average. Range: from a subject's cheapest stored run to its dearest.",
    "Range of a subject without runs: 60 to 150 % of what others used; if there are none, half to twice the mean.",
    "At most: a bound, no forecast: every answer uses its whole budget and every retry. `run --max-cost` sets another.",
)
_TOKENS = (
    Column("prompt_tokens", "Tokens in", "count"), Column("completion_tokens", "Tokens out", "count"),
)  # fmt: skip


@click.command("estimate-cost")
@run_options.ESTIMATE
@options.output_format()
@options.db()
def command(options: RunOptions, format_: str, db: Path) -> None:
    """Price a whole run: tokens, mean and range of its cost, and the most it can be.

    Tokens come from stored runs of a subject, else of others, else from published means; prices from the
    endpoints. No model is asked and nothing is written.
    """
    print_tables(_tables(running.estimate_cost(options, store=db)), format_)


class SubjectBills(NamedTuple):
    """The bills of one subject, or of all together."""

    label: str
    answers: Bill
    verdicts: Bill
    source: str | None  # which calls the answers' tokens rest on


def _tables(cost: PlanCost) -> list[Table]:
    """The estimate of a whole plan."""
    subjects = _subjects(cost)
    out = [_dollars(subjects, (*_NOTES, *_notes(cost))), _calls(subjects)]
    if graders := [judge.name for judge in cost.run.judges if judge.needs_model]:
        out.append(_judges(graders, cost))
    return [*out, _listed(cost.listed)]


def _subjects(cost: PlanCost) -> list[SubjectBills]:
    """Each subject's bills; of several subjects the last line is their sum."""
    out = []
    for config, label in {trial.subject.config_dir: trial.subject.label for trial in cost.run.trials}.items():
        answers = total(bill for payer, bill in cost.bills.items() if payer == Payer(config))
        verdicts = total(bill for payer, bill in cost.bills.items() if payer.config_dir == config and payer.judge)
        out.append(SubjectBills(label, answers, verdicts, _source(answers, cost.stored.history, config)))
    if len(out) > 1:
        answers, verdicts = total(one.answers for one in out), total(one.verdicts for one in out)
        out.append(SubjectBills(f"all {len(out)} subjects", answers, verdicts, None))
    return out


def _source(bill: Bill, history: CostHistory, config: str) -> str:
    """Which stored calls a subject's tokens rest on, the most used first."""
    others = history.subjects
    names = {OWN: f"{OWN} (n = {history.calls(config, ANSWER)})"}
    names[SUITE] = f"{SUITE} ({others} subject{'s' * (others > 1)})"
    return ", ".join(names.get(source, source) for source, _ in bill.sources.most_common())


def _usd(bill: Bill, dollars: Value) -> Value:
    """Dollars of a bill; None where a price in it is not known."""
    return None if bill.unpriced else dollars


def _dollars(subjects: Sequence[SubjectBills], notes: Sequence[str]) -> Table:
    columns = (
        Column("subject", "Subject"), Column("answers_usd", "Answers", "dollars", 3),
        Column("judge_usd", "Judge", "dollars", 3), Column("total_usd", "Total", "dollars", 3),
        Column("range_usd", "Range, $", "interval", 3), Column("most_usd", "At most", "dollars"),
    )  # fmt: skip
    rows = []
    for label, answers, verdicts, _ in subjects:
        whole = total((answers, verdicts))
        sums = (_usd(whole, dollars) for dollars in (whole.usd, whole.range_usd, whole.most_usd))
        rows.append((label, _usd(answers, answers.usd), _usd(verdicts, verdicts.usd), *sums))
    return Table("estimate", "What it will cost", columns, tuple(rows), tuple(notes))


def _calls(subjects: Sequence[SubjectBills]) -> Table:
    columns = (
        Column("subject", "Subject"), Column("calls", "Calls", "count"), Column("verdicts", "Verdicts", "count"),
        *_TOKENS, Column("source", "By"),
    )  # fmt: skip
    rows = tuple(
        (label, answers.calls, verdicts.calls, round(answers.prompt), round(answers.completion), source)
        for label, answers, verdicts, source in subjects
    )
    return Table("tokens", "Calls and tokens of the subjects", columns, rows)


def _judges(names: Sequence[str], cost: PlanCost) -> Table:
    columns = (
        Column("judge", "Judge"), Column("verdicts", "Verdicts", "count"), *_TOKENS,
        Column("usd", "Total", "dollars", 3), Column("range_usd", "Range, $", "interval", 3), Column("source", "By"),
    )  # fmt: skip
    rows = []
    for name in names:
        own = total(bill for payer, bill in cost.bills.items() if payer.judge == name)
        calls = cost.stored.history.calls(name, VERDICT)
        source = f"own verdicts (n = {calls})" if calls else ", ".join(own.sources)
        dollars = (_usd(own, own.usd), _usd(own, own.range_usd))
        rows.append((name, own.calls, round(own.prompt), round(own.completion), *dollars, source))
    return Table("judges", "Judges", columns, tuple(rows))


def _listed(prices: PriceList) -> Table:
    columns = (
        Column("model", "Model"), Column("prompt_usd", "In, $ per million", "number", 3),
        Column("completion_usd", "Out, $ per million", "number", 3), Column("request_usd", "$ per call", "number", 4),
    )  # fmt: skip
    rows = []
    for (endpoint, model), price in prices.items():
        name = model if endpoint == OPENROUTER else f"{endpoint}/{model}"
        each = (price.prompt * _MILLION, price.completion * _MILLION, price.request) if price else (None, None, None)
        rows.append((name, *each))
    return Table("prices", "Prices", columns, tuple(rows))


def _notes(cost: PlanCost) -> list[str]:
    run, stored = cost.run, cost.stored
    notes = [*cost.notes, *(f"{said}." for said in run.notes), *stored.prices.notes]
    if any(bill.unpriced for bill in cost.bills.values()):
        notes.append("A dash means that no price is known; these calls are not included in the sums.")
    if stored.complete:
        held = f"{stored.complete} of these {len(run.trials)} dialogues"
        notes.append(f"{held} are stored already; `run --dry-run` prices the rest.")
    if any(judge.name == CUES for judge in run.judges):
        notes.append("The rule judge `cues` costs nothing.")
    notes += [f"{said}." for judge in run.judges if (said := connections.share(judge))]
    return notes
