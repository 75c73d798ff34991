"""Answers that are read as they are written: what servers send, what breaks off, and when it is not waited for."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import aiohttp
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import features, protocol
from independence.clients.protocol import Adapted, Policy, Streamed
from independence.clients.transport import LARGEST
from independence.types import Missing, Reply

from . import conftest
from .conftest import FINE, MODEL, PATIENT, SAID, TOOL, USAGE, Came, Step, Unplug, completion, failing, question

DONE = b"data: [DONE]\n\n"
EVENTS = {"Content-Type": "text/event-stream"}
ABOUT = {"id": "gen-1", "model": MODEL, "provider": "Maker"}
WORDS = ("I am", " my", "self.")


def event(**body: Any) -> bytes:
    return b"data: " + json.dumps({**ABOUT, **body}).encode() + b"\n\n"


def chunk(finish: str | None = None, more: dict[str, Any] | None = None, **delta: Any) -> bytes:
    """A chunk that holds a piece of a message."""
    return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **(more or {}))


def said(*words: str, finish: str = "stop") -> tuple[bytes, ...]:
    return (chunk(role="assistant", content=""), *(chunk(content=word) for word in words), chunk(finish))


USED = event(choices=[], usage=USAGE)
WHOLE = (*said(*WORDS), USED, DONE)


def streamed(*parts: Any, headers: dict[str, str] = EVENTS, **asked: Any) -> Came:
    """Ask a server that answers with these parts of a stream, every time."""
    return conftest.ask(Step(body=parts, headers=headers), **(SETTINGS | asked))


SETTINGS: dict[str, Any] = {"dialect": "local", "info": None, "reached": {"stream": True}}
ask = partial(conftest.ask, **SETTINGS)


def bare(came: Came) -> Reply:
    """The reply without what differs from call to call."""
    assert isinstance(came.answer, Reply), came
    return msgspec.structs.replace(came.answer, attempts=())


JOINED = b"".join(WHOLE)
FORMS = {
    "each event by itself": WHOLE,
    "all at once": (JOINED,),
    "byte by byte": tuple(JOINED[at : at + 1] for at in range(len(JOINED))),
    "comments to keep it open": (b": PROCESSING\n\n", *(b": PROCESSING\n\n" + one for one in WHOLE)),
    "CRLF, cut between": tuple(part + b"\r" for part in JOINED.replace(b"\n", b"\r\n").split(b"\r")),
    "CR alone": (JOINED.replace(b"\n", b"\r"),),
    "events of several lines": tuple(one.replace(b'"choices"', b'\ndata: "choices"') for one in WHOLE),
    "no empty lines between": (JOINED.replace(b"\n\n", b"\n"),),
    "no blank behind the colon, a BOM and other fields": (
        b"\xef\xbb\xbfid: 1\nretry: 5\n" + JOINED.replace(b"data: ", b"data:"),
    ),
    "blanks first": (b"\n\n  \n", *WHOLE),
    "usage in each chunk, and no [DONE]": tuple(
        chunk("stop" if last else None, {"usage": USAGE}, content=word)
        for word, last in zip(WORDS, (False, False, True), strict=True)
    ),
    "usage in the choice": (
        *said(*WORDS)[:-1], event(choices=[{"delta": {}, "finish_reason": "stop", "usage": USAGE}]),
    ),
    "no last empty line": (JOINED.rstrip(b"\n"),),
    "null in the place of what is not there": (
        *said(*WORDS), event(choices=None, usage=USAGE, error=None), event(choices=[]), DONE,
    ),
    "a whole message after the pieces": (
        *said(*WORDS)[:-1], event(choices=[{"message": {"content": SAID}, "finish_reason": "stop"}], usage=USAGE),
    ),
    "a whole message alone": (
        event(choices=[{"message": {"content": SAID}, "finish_reason": "stop"}], usage=USAGE), DONE,
    ),
    "parts of content": (
        *(chunk(content=[{"type": "text", "text": word}]) for word in WORDS), chunk("stop"), USED, DONE,
    ),
    "a second choice": (event(choices=[{"index": 1, "delta": {"content": "No."}}]), *WHOLE),
    "more after [DONE]": (*WHOLE, chunk(content=" And more.")),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_in_whatever_form_a_stream_comes_its_answer_is_the_one_of_a_whole_body(form: str) -> None:
    for headers in (EVENTS, {"Content-Type": "text/plain; charset=utf-8"}):
        assert bare(streamed(*FORMS[form], headers=headers)) == bare(ask(FINE)), headers


def test_a_stream_is_asked_for_with_its_usage_and_the_counting_of_a_prompt_is_not() -> None:
    assert [(b["stream"], b["stream_options"]) for b in streamed(*WHOLE).bodies] == [(True, {"include_usage": True})]
    assert "stream" not in conftest.ask(FINE, dialect="local", info=None).bodies[0]

    async def work(unplug: Unplug) -> Any:
        line, session = unplug(FINE, dialect="local", info=None, stream=True)
        await line.client.measure(question())
        return session.bodies

    assert "stream" not in conftest.without_waiting(work)[0]


def test_thoughts_and_refusals_are_kept_apart_from_the_answer() -> None:
    for name in ("reasoning", "reasoning_content", "thinking"):
        came = streamed(chunk(**{name: "Hm,"}), chunk(**{name: " who?"}), *WHOLE)
        assert (came.end, bare(came).reasoning) == (SAID, "Hm, who?")
    details = [{"type": "reasoning.text", "text": "Hm."}]
    assert bare(streamed(chunk(reasoning_details=details), *WHOLE)).reasoning == "Hm."
    assert bare(streamed(chunk(reasoning="Hm.", reasoning_details=details), *WHOLE)).reasoning == "Hm."
    thought = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
    assert bare(streamed(chunk(content=thought), *WHOLE)).reasoning == "Hm."
    refused = streamed(chunk(refusal="I'd "), chunk(refusal="rather not."), chunk("stop"), USED, DONE)
    assert (refused.end, refused.flags) == ("I'd rather not.", (protocol.REFUSAL_FIELD,))


def call(index: int | None = None, id_: str | None = None, name: str | None = None, arguments: Any = None) -> bytes:
    """A chunk with a piece of a tool call."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    piece = {key: value for key, value in (("index", index), ("id", id_)) if value is not None}
    return chunk(tool_calls=[{**piece, "type": "function", "function": function}])


MEANT = json.dumps({"message": SAID})
OTHER = json.dumps({"message": "And more."})
CALLS = {
    "pieces by index": (call(0, "c1", TOOL.name, ""), call(0, arguments=MEANT[:9]), call(0, arguments=MEANT[9:])),
    "a name and an id in every piece": (call(0, "c1", TOOL.name, MEANT[:9]), call(0, "c1", TOOL.name, MEANT[9:])),
    "the same once more without arguments": (call(0, "c1", TOOL.name, MEANT), call(0, "c1", TOOL.name, "")),
    "no index": (call(None, "c1", TOOL.name, MEANT[:9]), call(arguments=MEANT[9:])),
    "no id": (call(0, None, TOOL.name, MEANT[:9]), call(0, arguments=MEANT[9:])),
    "whole": (call(0, "c1", TOOL.name, MEANT),),
    "whole, without index and id": (call(None, None, TOOL.name, MEANT),),
    "an object": (call(0, "c1", TOOL.name, json.loads(MEANT)),),
    "the older form": (
        chunk(function_call={"name": TOOL.name, "arguments": MEANT[:9]}), chunk(function_call={"arguments": MEANT[9:]}),
    ),
}  # fmt: skip
TWO = {
    "by index": (call(0, "c1", TOOL.name, MEANT), call(1, "c2", TOOL.name, OTHER[:5]), call(1, arguments=OTHER[5:])),
    "side by side": (
        call(0, "c1", TOOL.name, MEANT[:5]), call(1, "c2", TOOL.name, OTHER), call(0, arguments=MEANT[5:]),
    ),
    "index 0 for both": (call(0, "c1", TOOL.name, MEANT), call(0, "c2", TOOL.name, OTHER)),
    "index 0 for both, no ids": (call(0, None, TOOL.name, MEANT), call(0, None, TOOL.name, OTHER)),
    "no index": (call(None, "c1", TOOL.name, MEANT), call(None, "c2", TOOL.name, OTHER)),
    "neither": (call(None, None, TOOL.name, MEANT), call(None, None, TOOL.name, OTHER)),
}  # fmt: skip


@pytest.mark.parametrize("parts", [*CALLS.values(), *TWO.values()], ids=[*CALLS, *(f"two, {one}" for one in TWO)])
def test_tool_calls_come_whole_whatever_their_pieces_are(parts: tuple[bytes, ...]) -> None:
    came = streamed(chunk(content=None), *parts, chunk("tool_calls"), USED, DONE, tool=True)
    assert (came.end, bare(came).channel) == (SAID, "tool")
    assert (protocol.SEVERAL_CALLS in came.flags) is (parts in TWO.values())


def test_what_a_model_wants_back_with_a_call_is_kept() -> None:
    extra = {"google": {"thought_signature": "sig"}}
    piece = {"index": 0, "id": "c1", "function": {"name": TOOL.name, "arguments": MEANT}, "extra_content": extra}
    came = streamed(chunk(tool_calls=[piece]), chunk("tool_calls"), USED, DONE, tool=True)
    assert bare(came).tool_calls[0].extra_content == extra


BROKE = {"code": 502, "message": "upstream is gone"}
ERRORS = {
    "a chunk": chunk("error", {"error": BROKE}),
    "an error alone": event(error=BROKE),
    "a choice": event(choices=[{"index": 0, "delta": {}, "finish_reason": "error", "error": BROKE}]),
    "an event of that name": b"event: error\ndata: " + json.dumps(BROKE).encode() + b"\n\n",
    "an event with the error in it": b'event: error\ndata: {"error": ' + json.dumps(BROKE).encode() + b"}\n\n",
    "an event of text": b"event: error\ndata: upstream is gone\n\n",
    "vLLM": b'data: {"object": "error", "message": "upstream is gone", "code": 502}\n\n',
    "llama.cpp": b"error: " + json.dumps(BROKE).encode() + b"\n\n",
}


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_in_the_midst_of_an_answer_is_tried_again_and_what_came_is_kept(error: str) -> None:
    parts = (*said(*WORDS)[:2], ERRORS[error], DONE)
    came = streamed(*parts, policy=Policy(base_backoff_s=0.001, retries=2))
    assert (came.end, came.asked, came.answer.raw) == ("transport", 3, "I am")
    assert "upstream is gone" in came.line
    assert ask(Step(body=parts, headers=EVENTS), Step(body=WHOLE, headers=EVENTS)).end == SAID


BROKEN = {
    "closed within an event": (*said(*WORDS)[:3], chunk(content="self.")[:20]),
    "an event that is no whole JSON": (*said(*WORDS)[:3], b"data: {nothing\n\n", *WHOLE[3:]),
    "chunks that contradict each other": (
        *(chunk(content=word) for word in ("I am", "I am my", "I am my own.", "No.")),
        chunk("stop"),
        DONE,
    ),
    "closed within its frame": (*said(*WORDS)[:3], aiohttp.ClientPayloadError("x")),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_stream_that_breaks_off_is_tried_again_and_counts_its_tokens(how: str) -> None:
    came = ask(Step(body=BROKEN[how], headers=EVENTS), Step(body=WHOLE, headers=EVENTS))
    assert (came.end, came.kinds) == (SAID, ("cut", "ok"))
    assert came.answer.attempts[0].usage.completion_tokens >= 2
    again = streamed(*BROKEN[how], policy=Policy(base_backoff_s=0.001, retries=1))
    assert (again.end, again.answer.raw[:7]) == ("transport", "I am my")
    assert "breaks off" in again.line


CLOSED = said(*WORDS)[:3]


def test_a_server_whose_streams_have_no_end_is_asked_for_whole_answers_from_the_second_on() -> None:
    broken = Step(body=CLOSED, headers=EVENTS)
    came = ask(broken, Step(body=WHOLE, headers=EVENTS))
    assert (came.end, came.kinds, came.flags) == (SAID, ("cut", "ok"), ())

    async def work(unplug: Unplug) -> Any:
        told: list[Any] = []
        line, session = unplug(broken, broken, FINE, dialect="local", info=None, stream=True, notify=told.append)
        answers = [await line.client.ask(question()) for _ in range(2)]
        return answers, ["stream" in body for body in session.bodies], told

    answers, asked, told = conftest.without_waiting(work)
    assert asked == [True, True, False, False]
    assert [one.flags for one in answers] == [(features.UNSTREAMED,)] * 2
    why = "because streams of this server end without a word on how the answer ended"
    said_so = [one.told for one in told if isinstance(one, Adapted)]
    assert said_so == [f"{features.told(features.UNSTREAMED)}, {why}"]


def test_a_stream_that_says_what_the_answer_took_has_ended() -> None:
    came = streamed(*said(*WORDS)[:-1], USED)
    assert (came.end, came.flags) == (SAID, (protocol.UNSTATED_END,))


PEOPLE = "I keep it. 🙂🙂 Really. 👩\u200d🔬"


def escaped(*texts: str) -> tuple[bytes, ...]:
    """Chunks whose contents are given as JSON writes them."""
    return tuple(chunk(content="HERE").replace(b"HERE", text.encode()) for text in texts)


def test_halves_of_a_character_in_two_chunks_are_put_together() -> None:
    whole = json.dumps(PEOPLE)[1:-1]
    cuts = [at for at in range(len(whole)) if whole[at : at + 2] == "\\u"]
    for at in cuts:
        came = streamed(*escaped("", whole[:at], whole[at:]), chunk("stop"), USED, DONE)
        assert (came.end, came.flags) == (PEOPLE, ()), at
    for half in (r"\ud83d", r"\ude42"):
        came = streamed(*escaped("I keep it. ", half, " Really."), chunk("stop"), USED, DONE)
        assert (came.end, came.flags) == ("I keep it. \ufffd Really.", (protocol.BAD_TEXT,))


def test_what_is_no_chunk_is_skipped_wherever_it_comes() -> None:
    odd = (
        b"data: : PROCESSING\n\n", b"data: ping\n\n", b"data: []\n\n", b"data: 1\n\n", b'data: "x"\n\n',
        b'data: {"choices": "none"}\n\n', b'data: {"choices": [7, null, {"delta": "x"}]}\n\n',
        b'data: {"choices": [{"delta": {"tool_calls": {"a": 1}}}]}\n\n', b'data: {"type": "ping"}\n\n',
        b"event: ping\ndata: {}\n\n",
    )  # fmt: skip
    for one in odd:
        for at in range(len(WHOLE)):
            came = streamed(*WHOLE[:at], one, *WHOLE[at:])
            assert (came.end, came.flags) == (SAID, ()), (one, at)
    beside = b'data: {"choices": [{"delta": {"content": "I am", "tool_calls": 7}, "logprobs": 1}], "usage": []}\n\n'
    assert streamed(beside, *said(*WORDS[1:])[1:], USED, DONE).end == SAID


SENTENCE = "I would choose the bitter tea again, whoever asks me for it."


def test_a_text_that_comes_again_in_each_chunk_or_at_the_end_is_taken_once() -> None:
    words = SENTENCE.split(" ")
    grown = [" ".join(words[: at + 1]) for at in range(len(words))]
    last = (chunk("stop"), USED, DONE)
    for name in ("content", "reasoning_content"):
        more = () if name == "content" else (chunk(content=SENTENCE),)
        came = streamed(*(chunk(**{name: text}) for text in grown), *more, *last)
        again = streamed(*(chunk(**{name: text}) for text in (*grown, grown[-1])), *more, *last)
        assert came.end == again.end == SENTENCE
        assert name == "content" or (bare(came).reasoning, bare(again).reasoning) == (SENTENCE, SENTENCE)
    pieces = [f"{word} " for word in words[:-1]] + words[-1:]
    assert streamed(*(chunk(content=text) for text in (*pieces, SENTENCE)), *last).end == SENTENCE
    called = [chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": TOOL.name, "arguments": MEANT[:at]}}])
              for at in range(4, len(MEANT) + 1, 3)]  # fmt: skip
    whole = chunk(tool_calls=[{"index": 0, "id": "c", "function": {"arguments": MEANT}}])
    assert streamed(*called, whole, chunk("tool_calls"), USED, DONE, tool=True).end == SAID


def test_what_only_looks_like_a_repetition_stays() -> None:
    for pieces in (
        ("ha", "haha", "hahaha"),
        ("No, ", "no, ", "no, ", "no."),
        ("a", "a", "a", "a"),
        ("So", "So it is."),
    ):
        came = streamed(*(chunk(content=text) for text in pieces), chunk("stop"), USED, DONE)
        assert came.end == "".join(pieces)


@pytest.mark.parametrize("error", ["", {}, False, [], {"message": "", "code": None}, {"code": 0, "message": "success"}])
def test_an_empty_error_beside_an_answer_is_none(error: Any) -> None:
    assert ask(FINE | {"error": error}).end == SAID
    assert (
        streamed(*(one.replace(b'"id"', b'"error": ' + json.dumps(error).encode() + b', "id"') for one in WHOLE)).end
        == SAID
    )
    assert ask(completion(error={"code": 0, "message": "the model is gone"})).kinds != ("ok",)


@given(data=st.data())
def test_however_a_stream_is_cut_and_reshaped_it_is_the_whole_answer_or_a_marked_failure(data: st.DataObject) -> None:
    words = st.sampled_from(["tea ", "stay ", "I ", "é", "🙂", '"', "\n", "\\", "{"])
    text = "".join(data.draw(st.lists(words, min_size=1, max_size=30)))
    written = json.dumps(text)[1:-1]
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=8)))
    pieces = [text[a:b] for a, b in itertools.pairwise((0, *cuts, len(text)))]
    parts = [chunk(content=piece) for piece in pieces]
    if data.draw(st.booleans()):  # halves of characters
        parts = [*escaped(*written.replace("\\ude42", "\\ude42\0").split("\0"))] if "\\ud83d" in written else parts
    odd = st.sampled_from([b": beat\n\n", b"data: beat\n\n", b'data: {"choices": 1}\n\n', b"\n\n", b"id: 3\n"])
    for _ in range(data.draw(st.integers(0, 4))):
        parts.insert(data.draw(st.integers(0, len(parts))), data.draw(odd))
    ending = data.draw(st.sampled_from([(chunk("stop"), USED, DONE), (USED,), (chunk("stop"),), (DONE,)]))
    joined = b"".join((*parts, *ending))
    at = data.draw(st.lists(st.integers(0, len(joined)), max_size=12).map(sorted))
    sent = tuple(joined[a:b] for a, b in itertools.pairwise((0, *at, len(joined))))
    whole = ask(completion(text))
    came = streamed(*(one for one in sent if one), policy=Policy(base_backoff_s=0.001, retries=0))
    assert came.end == whole.end or not isinstance(came.answer, Reply), (text, pieces)


def test_one_that_breaks_off_before_its_first_token_is_nobodys_answer() -> None:
    came = streamed(chunk(role="assistant"), policy=Policy(base_backoff_s=0.001, retries=1))
    assert (came.end, came.asked) == ("GaveUp", 2)


def test_an_end_that_is_not_stated_is_marked() -> None:
    assert streamed(*said(*WORDS)[:-1], USED, DONE).flags == (protocol.UNSTATED_END,)


def test_a_body_that_is_no_stream_is_read_as_it_always_was() -> None:
    plain = {"Content-Type": "application/json"}
    for headers in (plain, EVENTS):
        assert bare(streamed(b"  \n", json.dumps(FINE).encode(), headers=headers)) == bare(ask(FINE))
        split = json.dumps(FINE).encode()
        assert bare(streamed(split[:9], split[9:], headers=headers)) == bare(ask(FINE))
    assert ask(failing(429), FINE).kinds == ("429", "ok")
    assert "a web page" in ask(Step(body=b"<html><title>Log in</title></html>", headers=EVENTS)).line
    other = b'event: message_start\ndata: {"type": "message_start"}\n\n'
    assert "event stream" in streamed(other).line


def test_an_answer_without_end_does_not_fill_the_memory() -> None:
    for parts in ((b"data: " + b"x" * 2**20,) * (LARGEST // 2**20 + 2), (b": x\n" * 2**18,) * 32):
        came = streamed(*parts, policy=Policy(base_backoff_s=0.001, retries=0))
        assert "larger than 16 MB" in came.line
    came = streamed(*(chunk(content="x" * 2**22) for _ in range(6)), policy=Policy(base_backoff_s=0.001, retries=0))
    assert "larger than 16 MB" in came.line


def timed(*parts: Any, silence_s: float = 60.0) -> Came:
    reached = {"stream": True, "silence_s": silence_s}
    return streamed(*parts, reached=reached, timeout_s=600.0, policy=Policy(base_backoff_s=0.001, retries=0))


def test_an_answer_is_waited_for_as_long_as_tokens_come() -> None:
    begun, *rest = WHOLE
    assert timed(begun, 599.0, *rest).end == SAID
    slow = tuple(part for _ in range(100) for part in (59.0, chunk(content="word ")))
    assert timed(chunk(content="A"), *slow, chunk("stop"), DONE).end.count("word") == 100
    late = timed(begun, 601.0, *rest)
    assert (late.end, "no token in 600 s" in late.line, "--local-timeout" in late.line) == ("GaveUp", True, True)
    kept_open = timed(*(part for _ in range(60) for part in (b": still here\n\n", 30.0)), *WHOLE)
    assert "no token in 600 s" in kept_open.line
    silent = timed(*WHOLE[:3], 61.0, *WHOLE[3:])
    assert (silent.end, "no token for 60 s, after about 2" in silent.line) == ("GaveUp", True)
    assert timed(*WHOLE[:3], 61.0, *WHOLE[3:], silence_s=90.0).end == SAID


def looped(text: str) -> bool:
    return "again again" in text


def test_an_answer_that_only_repeats_itself_is_not_read_to_its_end_and_not_asked_for_again() -> None:
    looked: list[int] = []

    def loops(text: str) -> bool:
        looked.append(len(text.split()))
        return looked[-1] > 400

    words = tuple(chunk(content="again ") for _ in range(5000))
    came = streamed(*words, chunk("length"), USED, DONE, reached={"stream": True, "loops": loops})
    assert looked[:4] == [96, 110, 126, 144]
    assert (came.end, came.line, came.kinds) == ("no_answer", "the answer only repeats itself", ("loop",))
    assert came.answer.attempts[0].usage.completion_tokens == looked[-1] < 500
    assert came.answer.raw.split() == ["again"] * looked[-1]
    looked.clear()
    short = streamed(*words[:95], chunk("stop"), USED, DONE, reached={"stream": True, "loops": loops})
    assert (looked, short.kinds) == ([], ("ok",))


def test_a_whole_answer_that_was_cut_while_it_repeated_itself_is_not_asked_for_again() -> None:
    cut = completion("I am again again", finish="length")
    came = conftest.ask(cut, FINE, reached={"loops": looped})
    assert (came.end, came.asked, came.kinds) == ("no_answer", 1, ("loop",))
    assert conftest.ask(completion("I am again again"), reached={"loops": looped}).kinds == ("ok",)
    then = conftest.ask(completion("I am my", finish="length"), cut, reached={"loops": looped})
    assert (then.end, then.flags) == ("I am my", (protocol.RETRIED_LENGTH, protocol.TRUNCATED))


def test_on_a_server_of_ones_own_a_readable_answer_that_was_cut_is_kept_at_once() -> None:
    cut, own = completion("I am my", finish="length"), PATIENT._replace(keeps_cut=True)
    came = ask(cut, FINE, policy=own)
    assert (came.end, came.asked, came.flags) == ("I am my", 1, (protocol.TRUNCATED,))
    assert ask(cut, FINE).asked == 2
    assert ask(completion("", finish="length"), FINE, policy=own).asked == 2  # nothing of it can be read
    schema = {"type": "object", "required": ["score"]}
    assert ask(cut, FINE, policy=own, schema=schema).asked == 2  # half a verdict is none


EXTRA = {"type": "extra_forbidden", "loc": ["body", "stream_options", "include_usage"], "msg": "Extra inputs"}
REFUSED: dict[str, tuple[Step, tuple[str, ...], Callable[[dict[str, Any]], bool]]] = {
    "Mistral takes no stream_options": (
        Step(422, {"object": "error", "message": {"detail": [EXTRA]}, "type": "invalid_request_error"}),
        ("usage_refused",),
        lambda body: body["stream"] and "stream_options" not in body,
    ),
    "OpenAI streams to accounts that it has verified": (
        failing(400, "Verify to stream this model.", param="stream"),
        ("stream_refused",),
        lambda body: "stream" not in body and "stream_options" not in body,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_server_that_refuses_to_stream_is_asked_otherwise_from_then_on(case: str) -> None:
    refusal, flags, fits = REFUSED[case]

    async def work(unplug: Unplug) -> tuple[list[Any], list[Any], list[Any]]:
        heard: list[Any] = []
        line, session = unplug(refusal, FINE, dialect="local", info=None, stream=True, notify=heard.append)
        replies = [await line.client.ask(question()) for _ in range(2)]
        return replies, session.bodies, heard

    replies, bodies, heard = conftest.without_waiting(work)
    assert [(reply.text, reply.flags) for reply in replies] == [(SAID, flags)] * 2
    assert [fits(body) for body in bodies] == [False, True, True]
    assert [type(one) for one in heard] == [Adapted]


def test_tokens_are_told_about_once_a_second_and_estimated_where_nobody_counts_them() -> None:
    parts = tuple(part for at in range(40) for part in (chunk(content=f"{at} "), 0.25))

    async def work(unplug: Unplug) -> tuple[Any, list[Any]]:
        heard: list[Any] = []
        step = Step(body=(*parts, chunk("stop"), DONE), headers=EVENTS)
        line, _ = unplug(step, dialect="local", info=None, stream=True, notify=heard.append)
        return await line.client.ask(question()), heard

    reply, heard = conftest.without_waiting(work)
    assert (reply.usage.completion_tokens, reply.usage.prompt_tokens) == (40, 0)
    assert heard[0] == Streamed(MODEL, 1)
    assert 9 <= len(heard) <= 12
    assert sum(one.tokens for one in heard) == 40
    long = streamed(chunk(content="a word of many tokens " * 20), chunk("stop"), DONE)
    assert 100 <= long.answer.usage.completion_tokens <= 120  # a chunk is a token only where it is as short as one


async def test_a_connection_that_is_left_early_is_closed_and_the_next_call_has_its_own(
    server: conftest.Scripted, connect: conftest.Connect
) -> None:
    words = b"".join(chunk(content="again ") for _ in range(300))
    server.says(Step(body=words + chunk("stop") + DONE, headers=EVENTS), Step(body=b"".join(WHOLE), headers=EVENTS))
    line = connect(dialect="local", stream=True, loops=looped)
    first = await line.client.ask(question())
    assert isinstance(first, Missing)
    assert (await conftest.answered(line)).text == SAID
