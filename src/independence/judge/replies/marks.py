"""What is marked on a reply, whoever judges it. A mark is visible everywhere; what the first two do, boards say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from independence.clients import flags
from independence.judge.replies.non_answers import ReplyContext, find_non_answer
from independence.judge.replies.nonsense import CONTROLS, TOKENS
from independence.types import TranscriptTurn

SHORT_BELOW: Final = 100  # characters; the published client asked again below it
SHORT: Final = "short"
FOREIGN_SCRIPT: Final = "foreign_script"
LITERAL_NEWLINES: Final = "literal_newlines"
CONTROL_CHARACTERS: Final = "control_characters"
_FOREIGN = re.compile(r"[\u0400-\u04ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def marks(lines: Sequence[TranscriptTurn], given: ReplyContext, tool: str = "") -> tuple[str, ...]:
    """Marks of the last reply of a dialogue; `tool`: name of the one that was offered."""
    lacking = find_non_answer(lines, len(lines) - 1, given)
    text = lines[-1].answer
    controls = (CONTROL_CHARACTERS,) if CONTROLS.search(text) else ()
    return (*((lacking.flag,) if lacking else ()), *of_text(text, given.english, tool), *controls)


def of_text(text: str, english: bool, tool: str) -> list[str]:
    """The marks that a text shows by itself, control characters apart."""
    found = {
        SHORT: len(text) < SHORT_BELOW,
        flags.TOOL_SYNTAX: bool(tool) and tool in text,
        flags.TEMPLATE_TOKENS: TOKENS.search(text) is not None,
        FOREIGN_SCRIPT: english and _FOREIGN.search(text) is not None,
        LITERAL_NEWLINES: "\\n" in text,
    }
    return [mark for mark, there in found.items() if there]
