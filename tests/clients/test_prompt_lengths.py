"""A server that drops the beginning of a prompt is found out by its own count of tokens."""

from __future__ import annotations

from independence.clients.connection import EndpointConnection, KnownServer
from independence.clients.prompt_lengths import PromptLengths
from independence.types import Message, Missing, Reply

from .conftest import MODEL, USAGE, Unplug, completion, question, without_waiting


def _talk(*texts: str) -> list[Message]:
    return [Message("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(texts)]


def test_a_prompt_that_grows_by_fewer_tokens_than_words_was_cut() -> None:
    lengths, opening, more = PromptLengths(1.2), "one two three four five " * 20, "six seven eight " * 20
    assert lengths.missing(_talk(opening), 130, "host") == 0
    assert lengths.missing(_talk(opening, more, more), 130 + 150, "host") == 0
    assert PromptLengths(1.2).missing(_talk(opening), 60, "host") == 30  # of a hundred words, a tenth of them odd
    assert lengths.missing(_talk(opening, more, more, more, more), 290, "host") == 98
    assert lengths.missing(_talk(opening, more, more, more, more), 290 + 40, "other") == 0  # counted otherwise there
    assert lengths.missing(_talk("too short"), 1, "host") == 0
    assert lengths.missing(_talk(opening), 0, "host") == 0


def test_an_answer_to_a_prompt_that_was_cut_is_none_and_names_the_setting() -> None:
    async def work(unplug: Unplug) -> None:
        for tokens, cut in ((400, False), (60, True), (0, False)):
            line, session = unplug(completion("I am myself.", usage=USAGE | {"prompt_tokens": tokens}))
            assert isinstance(line.client.connection, EndpointConnection)
            line.client.connection.take(KnownServer({}, {MODEL: 1.3}, frozenset()))
            long = (Message("user", "Who are you, and what would you keep? " * 30),)
            answer = await line.client.ask(question(messages=long))
            assert len(session.sent) == 1
            assert isinstance(answer, Missing if cut else Reply)
            if isinstance(answer, Missing):
                assert (answer.reason, answer.usage.cost_usd > 0) == ("prompt_cut", True)
                assert "the server read 60 prompt tokens and missed at least 156" in answer.detail
                assert "num_ctx" in answer.detail

    without_waiting(work)
