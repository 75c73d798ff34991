"""What a run will take on servers of the user's own: calls, tokens, and at the measured rate how long."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from independence.clients import dialects
from independence.clients.protocol import GaveUp, Parked, Refused
from independence.engine.estimate import CostEstimate
from independence.engine.events import WorkExpected
from independence.engine.resume import PendingTrial
from independence.engine.run_context import RunContext
from independence.engine.service import CheckedEndpoints, Model
from independence.store import spending
from independence.store.writer import StoreCall
from independence.types import ChatRequest, Message, Sampling

_TOKENS: Final = 32  # of the answer by which a rate is measured
_QUESTION: Final = "Describe a harbour on a rainy morning, in one paragraph."


async def tell(context: RunContext, todo: Sequence[PendingTrial], cost: CostEstimate, found: CheckedEndpoints) -> None:
    """Tell the watcher, for each model on a server of the user's own. Raises what ends the run.

    A stored rate is that of one call among others, its wait in the server's line included: so many calls at once, so
    many times that rate.
    """
    for model, (calls, tokens, sampling) in _expected(todo, cost, found).items():
        each = await context.writer.write(StoreCall(spending.tokens_per_second, *model))
        rate = each * min(calls, context.backends[model[0]].gate.limit) or await _measured(
            context, model, sampling, found
        )
        context.on_event(WorkExpected("/".join(model), calls, round(tokens), rate))


def _expected(
    todo: Sequence[PendingTrial], cost: CostEstimate, found: CheckedEndpoints
) -> dict[Model, tuple[int, float, Sampling]]:
    """Model -> its calls, the tokens that it will write, and settings that it is asked with."""
    models = {item.trial.subject.config_dir: item.trial.subject for item in todo}
    judges = {judge.name: judge for item in todo for judge in item.judges if judge.endpoint}
    out: dict[Model, tuple[int, float, Sampling]] = {}
    for payer, bill in cost.bills.items():
        if payer.config_dir not in models:  # it cannot be asked now
            continue
        judge, subject = judges.get(payer.judge), models[payer.config_dir]
        model = (judge.endpoint, judge.model) if judge else (subject.endpoint, subject.model)
        if dialects.of(found.endpoints[model[0]].dialect).own_server:
            calls, tokens, sampling = out.get(model, (0, 0.0, Sampling() if judge else subject.sent))
            out[model] = (calls + bill.calls + bill.steps, tokens + bill.completion, sampling)
    return out


async def _measured(context: RunContext, model: Model, sampling: Sampling, found: CheckedEndpoints) -> float:
    """Tokens a second of a short answer; 0 where it is not streamed, costs something, or does not come."""
    endpoint, name = found.endpoints[model[0]], model[1]
    prices = dialects.of(endpoint.dialect).prices(found.catalogues[model[0]].info(name))
    if not endpoint.stream or prices is None or prices.completion:
        return 0.0
    request = ChatRequest(name, (Message("user", _QUESTION),), _TOKENS, sampling)
    with suppress(Refused, Parked, GaveUp):
        await context.backends[model[0]].client.ask(request)
    return context.counts.tokens_per_second
