"""Chat-template tokens: what belongs to the template and never to what is said."""

from __future__ import annotations

import re

from independence.clients.validity import readable

_END_OF_TURN = re.compile(
    r"<\|(?:im_end|eot_id|endoftext|end|eom_id|return)\|>|<end_of_turn>|<turn\|>|<[|｜]end▁of▁sentence[|｜]>"
)
_TOKEN = re.compile(
    r"<\|(?:im_start|start|turn|start_header_id)\|?>\s{0,3}(?:assistant|user|system|tool|model)?(?:<\|end_header_id\|>)?"
    r"|<start_of_turn>(?:model|user)?"
    r"|<[|｜][^<>\s]{1,60}>"
    r"|<[a-z_]{1,20}\|>"
    r"|<(?:bos|eos|pad|unk)>"
    r"|\A\s*\[INST\]|\[/INST\]\s*\Z|\[/?TOOL_CALLS\]"
)
_ROLE = re.compile(r"\A\s*(?:thought|final|assistant|model)[ \t]*\n", re.IGNORECASE)


def without_tokens(text: str) -> str:
    """The text without template tokens. What follows an end of turn belongs to somebody else and goes too."""
    end = _END_OF_TURN.search(text)
    if end and readable(_TOKEN.sub("", text[: end.start()])):
        text = text[: end.start()]
    bare = _without_sentence_marks(_TOKEN.sub("", text))
    return without_role(bare) if bare != text.strip() else bare


def _without_sentence_marks(text: str) -> str:
    # `<s>` is also how HTML strikes words out, so only a pair around the whole text, or a single one, is a token.
    text = text.strip()
    if text.endswith("</s>") and "<s>" not in text[3:]:
        text = text[:-4].strip()
    if text.startswith("<s>") and "</s>" not in text:
        text = text[3:].strip()
    return text


def without_role(text: str) -> str:
    """The text without a role or channel name that a removed token left on the first line."""
    return _ROLE.sub("", text).strip()
