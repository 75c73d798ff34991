from __future__ import annotations

import msgspec
import pytest

from independence.exchange.responses import (
    PublishedCall,
    PublishedCost,
    PublishedFunction,
    PublishedRequest,
    ResponseFile,
    ResponseMetadata,
    catalogue,
    record_flags,
    reply_flags,
)
from independence.suites.schema import Suite

from .trees import PADDING

SEEN = PublishedRequest("say_it", "Hello, I am all yours.")
CALL = PublishedCall("c", PublishedFunction("say_it", "{}"))


def sound(text: str = "I would not." + PADDING, **changes: object) -> ResponseFile:
    cost = PublishedCost(100, 50)
    record = ResponseFile(text, gen_cost=cost, finish_reason="tool_calls", response_tool_calls=(CALL,))
    return msgspec.structs.replace(record, **changes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I would not." + PADDING, []),
        ("}", ["artefact", "short"]),
        (":", ["artefact", "short"]),
        ("No.", ["short"]),
        ("🙂", ["short"]),
        ("Hello, I am all yours.", ["short", "greeting_echo"]),
        ('say_it{"message": "No."}' + PADDING, ["tool_syntax"]),
        ("<|channel>thought\n<channel|>No." + PADDING, ["template_tokens"]),
        (PADDING + "</arg_value>\n</tool_call>", ["template_tokens"]),
        (PADDING + "<EOS_TOKEN>", ["template_tokens"]),
        ("I mean <b>this</b>, if 3 < 4 and 5 > 4." + PADDING, []),
        (PADDING + " 我 think so.", ["foreign_script"]),
        (PADDING + " Конечно.", ["foreign_script"]),
        (PADDING + " Café, naïve, señor.", []),
        ("One.\\n\\nTwo." + PADDING, ["literal_newlines"]),
    ],
)
def test_a_text_carries_the_flags_of_what_is_odd_about_it(text: str, expected: list[str], suite: Suite) -> None:
    assert reply_flags(sound(text), SEEN, suite) == expected


def test_other_scripts_are_odd_in_english_only(suite: Suite) -> None:
    chinese = msgspec.structs.replace(suite, language="zh")
    assert reply_flags(sound(PADDING + " 我"), SEEN, chinese) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"finish_reason": msgspec.UNSET}, ["old_prompt"]),
        ({"finish_reason": "error"}, ["odd_finish"]),
        ({"finish_reason": None}, ["odd_finish"]),
        ({"gen_cost": PublishedCost(0, 0)}, ["odd_finish"]),
        ({"gen_cost": None}, []),
        ({"finish_reason": "length"}, ["truncated"]),
        ({"response_tool_calls": None}, ["finish_without_call"]),
        ({"response_tool_calls": None, "finish_reason": "stop"}, []),
        ({"response_tool_calls": (PublishedCall("c", PublishedFunction("say_lt", "{}")),)}, ["foreign_tool"]),
        ({"response_tool_calls": (PublishedCall("c"),)}, ["foreign_tool"]),
        ({"response_tool_calls": (CALL, CALL)}, ["several_calls"]),
        ({"gen_cost": PublishedCost(100, 2048)}, []),
        ({"gen_cost": PublishedCost(100, 2049)}, ["summed_attempts"]),
    ],
)
def test_the_way_an_answer_ended_carries_flags_too(
    changes: dict[str, object], expected: list[str], suite: Suite
) -> None:
    assert reply_flags(sound(**changes), SEEN, suite) == expected


@pytest.mark.parametrize("model", ["acme/small-1+fast", "nv/acme--small-1"])
def test_a_model_id_cut_from_a_directory_name_is_flagged_on_the_record(model: str) -> None:
    assert record_flags(sound(metadata=ResponseMetadata(model))) == ("cut_model_id",)
    assert record_flags(sound(metadata=ResponseMetadata("acme/small-1"))) == ()


def test_every_flag_is_listed_once() -> None:
    flags = [kind.flag for kind in catalogue()]
    assert len(flags) == len(set(flags))
