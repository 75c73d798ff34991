from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from independence.store import context
from independence.types import Attempt, Missing, Reply, Usage

PLAIN = Reply("yes", "content")


def test_a_dialogue_of_its_own_begins_at_its_trial() -> None:
    assert context.begin("key") == "key"


def test_a_dialogue_that_continues_another_begins_where_that_one_ended() -> None:
    starts = {context.begin("key"), context.begin("key", "one end"), context.begin("key", "another end")}
    assert len(starts) == 3


def test_the_chain_moves_on_with_text_and_private_content() -> None:
    said = [PLAIN, Reply("no", "content"), Reply("yes", "content", thinking="hm"), Missing("no_answer")]
    ends = {context.extend(at, answer) for at in ("here", "there") for answer in said}
    assert len(ends) == 2 * len(said)


def test_cost_channel_and_flags_do_not_move_the_chain() -> None:
    dear = msgspec.structs.replace(
        PLAIN, channel="tool", raw="{yes}", reasoning="r", usage=Usage(1), flags=("x",), attempts=(Attempt("ok", 1),)
    )
    assert context.extend("here", dear) == context.extend("here", PLAIN)


@given(st.text(st.characters(codec=None)), st.text())
def test_any_text_has_a_digest(text: str, at: str) -> None:
    assert len(context.extend(at, Reply(text, "content"))) == 64
