"""Whether every part of a request reaches the model is found out before anything is measured, and watched meanwhile."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import independence
from independence.api.running import RunResult
from independence.clients.protocol import Adapted
from independence.engine.events import DeliveryUnverified, Event
from independence.errors import UsageError
from independence.testing import Endpoint
from tests import toy


class Ran:
    """A run of the toy suite on one model of a loopback endpoint, with what was said and sent."""

    def __init__(self, store: Path) -> None:
        self.store, self.said, self.sent = store, list[str](), list[dict[str, Any]]()
        self.result: RunResult | None = None

    async def once(self, ways: str, model: str = "half", **settings: Any) -> Ran:
        def hear(event: Event) -> None:
            if isinstance(event, Adapted | DeliveryUnverified):
                self.said.append(str(event))

        self.said.clear()
        async with Endpoint(ways=ways) as server:
            try:
                self.result = await independence.arun(
                    str(self.store.parent / "toy"), models=[f"local/{model}"], runs=1, local_url=server.url,
                    store=self.store, on_event=hear, **{"judges": ["cues"], **settings},
                )  # fmt: skip
            finally:
                self.sent = list(server.bodies)
        return self

    def column(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(self.store)) as store:
            return [row[0] for row in store.execute(sql)]

    @property
    def planned(self) -> list[dict[str, Any]]:
        """What was sent of the suite, without the requests of the probe."""
        return [body for body in self.sent if "amber" not in str(body["messages"])]


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    toy.write(tmp_path / "toy")
    return Ran(tmp_path / "store.db")


@pytest.mark.parametrize(
    ("ways", "mode", "what", "fix"),
    [
        ("loses=arguments", "tool_role", "its own earlier messages", "--delivery user_role"),
        ("loses=results", "tool_role", "what the person says", "--delivery user_role"),
        ("loses=tools", "tool_role", "the description of the tool", "--delivery user_role"),
        ("loses=assistant", "user_role", "its own earlier answers", "nothing can be measured"),
        ("loses=arguments,no-max-tokens,errors=page", "tool_role", "its own earlier messages", "--delivery user_role"),
        ("no-tools", "tool_role", "does not support tools", "--delivery user_role"),
        ("alternate", "tool_role", "roles must alternate", "--delivery user_role"),
        ("context=300", "user_role", "the server read", "num_ctx"),
        ("context-refuses=300", "user_role", "300 tokens", "num_ctx"),
        ("default-temperature", "user_role", "temperature", "{model_id: local/half, temperature_supported: false}"),
        ("body=page", "user_role", "a web page", "/v1"),
        ("body=sse", "user_role", "an event stream", "turn streaming off at the server"),
    ],
)  # fmt: skip
async def test_nothing_is_asked_or_written_where_a_part_does_not_reach_the_model(
    ran: Ran, ways: str, mode: str, what: str, fix: str
) -> None:
    with pytest.raises(UsageError) as raised:
        await ran.once(ways, modes=[mode])
    assert what in str(raised.value)
    assert fix in str(raised.value)
    assert (ran.planned, ran.store.exists()) == ([], False)


@pytest.mark.parametrize(
    ("ways", "mode", "marks", "said"),
    [
        ("", "tool_role", set(), []),
        ("null-content", "tool_role", {"content_empty"}, ['content with tool calls is sent as ""']),
        ("null-content,no-empty-content", "tool_role", {"content_omitted"}, ["is left out"]),
        ("signatures", "tool_role", {"signature_placeholder"}, ["placeholder signature"]),
        ("loses=system", "user_role", {"system_joined"}, ["joined to the first user message"]),
        ("no-system,errors=empty", "user_role", {"system_joined"}, ["joined to the first user message"]),
        ("no-max-tokens,smallest-limit=16", "user_role", {"max_completion_tokens"}, ["as max_completion_tokens"]),
        ("no-effort,errors=detail", "user_role", {"effort_refused"}, ["no reasoning effort is sent"]),
        ("usage=none", "user_role", {"delivery_unverified"}, ["do not show whether every part"]),
        ("usage=zero", "tool_role", {"delivery_unverified"}, ["the server gives none"]),
        ("usage=rounded", "user_role", {"delivery_unverified"}, ["rounded"]),
        ("usage=cached", "tool_role", {"delivery_unverified"}, ["do not show whether every part"]),
        ("ending=null", "user_role", {"unstated_end"}, []),
    ],
)  # fmt: skip
async def test_what_a_server_takes_otherwise_is_found_marked_and_told_once(
    ran: Ran, ways: str, mode: str, marks: set[str], said: list[str]
) -> None:
    await ran.once(ways, modes=[mode], effort="low")
    assert ran.result is not None
    assert ran.result.complete
    found = {flag for flags in ran.column("SELECT flags FROM calls") for flag in json.loads(flags)}
    assert found - {"short", "foreign_script"} == marks
    assert len(ran.said) == len(said)
    assert all(one in line for one, line in zip(said, ran.said, strict=True))
    assert len(ran.planned) == len(ran.column("SELECT 1 FROM calls"))  # nothing planned was refused on the way


async def test_an_outcome_holds_for_its_server_and_is_looked_for_anew_at_another(ran: Ran) -> None:
    async def probed(server: Endpoint, seed: int) -> int:
        before = len(server.bodies)
        await independence.arun(
            str(ran.store.parent / "toy"), models=["local/half"], runs=1, local_url=server.url, store=ran.store,
            judges=["cues"], seed=seed,
        )  # fmt: skip
        return sum("amber" in str(body["messages"]) for body in list(server.bodies)[before:])

    async with Endpoint(ways="props=2") as first, Endpoint(ways="props=2") as second:
        assert await probed(first, 0) > 0
        assert await probed(first, 1) == 0
        assert await probed(second, 2) > 0


async def test_a_judge_is_probed_by_its_prompt_and_asked_in_the_forms_that_it_takes(ran: Ran) -> None:
    await ran.once("no-schema@judge,no-json-object@judge,errors=message-list", judges=["local/judge"])
    assert ran.result is not None
    assert ran.result.complete
    verdicts = [body for body in ran.planned if body["model"] == "judge"]
    assert verdicts
    assert not any("response_format" in body for body in verdicts)


async def test_a_model_that_refuses_the_probe_is_left_out_and_the_others_are_asked(ran: Ran) -> None:
    async with Endpoint(ways="no-system@never,alternate@never") as server:
        result = await independence.arun(
            str(ran.store.parent / "toy"), models=["local/never", "local/half"], runs=1, local_url=server.url,
            store=ran.store, judges=["cues"], modes=["tool_role"],
        )  # fmt: skip
    assert {item.trial.subject.model for item in result.left.todo} == {"never"}
    assert "roles must alternate" in result.unsettled


async def test_a_signature_goes_back_with_the_call_it_came_with(ran: Ran) -> None:
    await ran.once("signatures", modes=["tool_role"])
    sent = [call for body in ran.planned for message in body["messages"] for call in message.get("tool_calls") or ()]
    signatures = {call["extra_content"]["google"]["thought_signature"] for call in sent}
    assert "skip_thought_signature_validator" in signatures  # of what the suite wrote
    assert len(signatures) > 1  # and of what the model said itself
