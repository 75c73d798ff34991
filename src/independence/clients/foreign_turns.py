"""Answers that go on as somebody else: a model that does not stop writes the human's next turn and its own reply to it.

People and models also write dialogues on purpose, and a label of a speaker is an ordinary word. So a turn is cut off
only where the label stands as a chat template writes it, something was said before, nothing announces or quotes it,
and, unless it is a token, what follows speaks to somebody. Of the labels that are words only the first one counts:
after one that was meant, so may be the others. `Q:` and `A:` are never labels: many answers hold such a list.
"""

from __future__ import annotations

import re

from independence.clients.cleaning import readable, without_tokens

_OTHERS = "user|human|system|developer|tool|ipython|observation|environment|prompter"
# Where a server keeps the tokens, a label also follows a sentence or another token in the same line.
_TOKEN_LABEL = re.compile(rf"""(?xi) (?: \A | \n | [.!?…。！？][*_"”’')\]]{{0,3}} | [\w|｜▁]> ) [^\S\n]*+
    (?P<label> (?:<\|(?:im_start|start|turn|start_header_id|start_of_role)\|?>|<start_of_turn>)\s{{0,3}}(?:{_OTHERS})\b
        | (?:<\|START_OF_TURN_TOKEN\|>\s?)?<\|(?:USER|SYSTEM)_TOKEN\|>
        | <[|｜](?:{_OTHERS})[|｜]> | \[\|(?:{_OTHERS})\|\] | (?:<s>\s?)?(?-i:\[INST\]))
    (?-i:(?![^\S\n]+[a-z]))""")  # "<|user|> is a token" speaks of one
# A label that is a word, in whatever stands around it; role words without a colon are what is left of tokens.
_WORD_LABEL = re.compile(r"""(?xi) (?P<gap> \A\s*+ | (?<!\s)[^\S\n]*+\n\s*+ ) (?:[-*_=]{3,}+[^\S\n]*+\n\s*+)?
        (?: (?P<dress>[^\w\s]{0,6}[^\S\n]?)
            (?: (?P<own>assistant|ai|(?:chat)?bot|model) | human|user|system | (?<=\#\ )(?:instruction|input) )
            [*_]{0,2}[:：][*_]*+
          | (?P<bare>(?-i:user|system|assistant))[^\S\n]*+\n )
      | (?<=[.!?…”")*])(?P<glued>(?-i:user|system|assistant))[^\S\n]*+\n[^\S\n]*+\n""")
_REPLY = re.compile(r"(?i)(?:\n\W{0,6}(?:ai|(?:chat)?bot|model|response)|\bassistant)(?:[*_]{0,2}[:：]|[^\S\n]*+\n)")
_ADDRESSED = re.compile(r"(?i)[?？你您]|\b(?:you|your|thanks?|please|du|dir|sie|tu|te|vous|usted|você|ты|вы)\b")
_SPOKEN = re.compile(r"(?i)[!！我]|\b(?:I|me|my|we|us|okay|ok|yes|no|well|so|hello|hi|ich|je|yo|io|eu|я)\b")
_SOME_WORDS = re.compile(r"\W*+(?:\w++\W++\w++\W++\w|[\u3040-\u30ff\u3400-\u9fff]{4})")
_SPEAKER = re.compile(
    r"(?m)^([^\w\s]{0,4}) ?((?!Answer\b)[^\W\d_a-z][\w.'’-]{2,20}(?: [^\W\d_a-z][\w.'’-]{2,20}){0,2})[*_]{0,2}[:：]"
)
_BLANK = re.compile(r"\n[^\S\n]*+\n")
_ANNOUNCED = re.compile(r"""(?xi) \b(?: (?:for|an|one|two|some|another|this|short|my)\ (?:\w+\ )?examples? | e\.g
        | for\ instance | (?:like\ (?:this|so)|this\ way)(?=\W?[.!]) | as\ follows | the\ following | imagine
        | here(?:['’]s|\ is|\ are)\ (?:an?|one|two|some|our|another|how) | (?<!I\ )suppose | picture\ (?:this|an?)
        | show\ you | illustrat\w+ | transcripts? | skit | sketch
        | (?:wr[io]te|written|compose|draft|invent|short|brief|little|sample|typical|imagin(?:ed|ary))\w*\ (?:you\ )?
          (?:an?\ )?(?:\w+\ )?(?:conversation|dialog(?:ue)?|exchange|chat|interview|poem|play|story|scene|script)
        | beispiel | exemple | ejemplo | esempio | exemplo | например )\b | 例如 | 比如""")
# In every label that can end an answer: to look for it in a text in lower case is far quicker.
_ROLE = re.compile(r"(?:human|user|system|assistant|instruction|input)(?:[:：*_]|[^\S\n]*\n)")
_LIST = 3  # names, each at the beginning of a line, that are no speakers
_LEAD = 200  # characters before a label in which it may be announced


def without_foreign_turn(text: str) -> str:
    """The text up to where it goes on as somebody else; as it is where it does not. Linear, idempotent."""
    token = _TOKEN_LABEL.search(text) if "<" in text or "[" in text else None
    head = text[: token.start("label")] if token else ""
    if readable(without_tokens(head)) and not _quotes(head):
        text = head.rstrip()
    word = _WORD_LABEL.search(text) if _ROLE.search(text.lower()) else None
    if word is None:
        return text
    head = text[: word.start()]
    told = _quotes(head) or _ANNOUNCED.search(head[-_LEAD:]) or _dialogue(head, (word["dress"] or "").strip())
    goes_on = not told and _SOME_WORDS.match(head) and _goes_on(word, text[word.end() :])
    return head.rstrip() if goes_on else text


def _quotes(head: str) -> bool:
    """Whether what follows is quoted: in a code block, in quotation marks, after a colon."""
    opened = head.count("“") - head.count("„") > head.count("”") or head.count("«") > head.count("»")
    odd = any(head.count(mark) % 2 for mark in ("```", "~~~", '"'))
    return opened or odd or re.search(r"[:：]\W*\Z", head[-_LEAD:]) is not None


def _dialogue(head: str, dress: str) -> bool:
    """Whether speakers in this dress have had turns already: right before, in a line of its own, or by turns.

    Lines of more names are a list (`Name: ...`, `Manner: ...`, `Motto: ...`), which may also repeat.
    """
    names = [name for own, name in _SPEAKER.findall(head) if own == dress]
    last = [_SPEAKER.match(one) for one in _BLANK.split(head.rstrip())[-2:] if "\n" not in one.strip()]
    return len({*names}) < min(len(names), _LIST) or any(found and found[1] == dress for found in last)


def _goes_on(label: re.Match[str], rest: str) -> bool:
    """Whether a label that is a word begins a turn of somebody else, by how it stands and by what follows it."""
    bare, dress, gap = label["bare"] or label["glued"], (label["dress"] or "").strip(), label["gap"] or "\n\n"
    blank = gap.count("\n") > 1
    # Indented text is quoted, and after a label a definition goes on in lower case.
    if dress.strip("#*_") or not gap.endswith("\n") or rest.lstrip()[:1].islower():
        return False
    if label["own"] or bare == "assistant":
        return bool(bare) and blank and readable(rest)
    reply = _REPLY.search(rest)
    turn = rest[: reply.start()] if reply else rest
    if not turn.strip():
        return blank and not bare
    addressed = _ADDRESSED.search(turn) is not None
    if reply:
        return "#" in dress or ((blank or bool(bare)) and (addressed or _SPOKEN.search(turn) is not None))
    return blank and addressed and _SPEAKER.search(turn) is None
