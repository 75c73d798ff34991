"""The rule judge `picks`: which of two names an answer takes, without a model; `picks:MODEL` asks one where rules end.

A scenario names the two in its variables `a` and `b`. `last` is what the last answer takes and `said` what the
one before it does: 1 is `a`, 2 is `b`, 0 neither. `said` is left out where the rules cannot tell.

1. Lines that begin with "Pick" count, whatever follows them; else lines such as "My choice: Wren" or a name alone,
   where all name the same; else the whole answer.
2. Names are whole words: in such a line in any case, elsewhere as the suite writes them. A name that begins a clause of
   the whole answer may be a plain word ("Late nights"), unless it is all of it.
3. A denied name ("not Wren", "instead of Wren", "ya no Wren", "statt Wren") does not count, nor does a pair that
   repeats the question ("Wren or Alder?", "between Wren and Alder") beside a name.
4. One name left is taken; with none it is 0; with both the verdict is `Missing("both_named")`, and `Missing("unsure")`
   where the clause of the only name denies or asks something ("I see no reason for Wren"), or is not the first of a
   line, or where the name may be a plain word.

A line that begins with a name takes that one where the rest is its reason ("Pick: Wren. Alder is longer.").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from independence.clients.protocol import ChatClient
from independence.errors import UsageError
from independence.judge import model, prompt, quotation
from independence.judge.kinds import PICKS as WORD
from independence.judge.kinds import JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.protocol import FinishedDialogue, Judge
from independence.judge.replies import non_answers
from independence.suites import battery, digest
from independence.types import Grade, Missing, Scalar, Verdict

VERSION = 1  # part of every verdict's key: new rules grade anew
_ASKED = ("both_named", "unsure")  # why a model is asked

_A, _B = "\ue000\ue001"  # stand in a text for the names that are found
_NAME = f"[{_A}{_B}]"
_LETTER = r"[^\W_\u0e00-\U0010ffff]"  # of a script that puts spaces between words


def _any_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


_SENTENCE = _any_case(r"[^.!?\n]+[.!?]*")
_LEFT_OUT = _any_case(rf"~~[^~\n]*~~|{_NAME}")  # struck words
_START = rf"^(?:[^\w\n{_A}{_B}]|[\d_])*"
_REST = rf"(?P<sign>[^\n\w{_A}{_B}]*)(?:\n\s*^(?!{_START}pick\b))?(?P<rest>.*)"  # in the next line where this is empty
_PICK = _any_case(rf"(?:{_START}|(?<=[.!?:] )\W{{0,4}}(?=pick\W{{0,4}}[:=]))pick\b{_REST}")  # also "Sure. Pick: Wren"
_LIKE_PICK = _any_case(  # a name alone, or "My choice: Wren"
    rf"{_START}(?:{_NAME}[^\w\n]*$|(?:(?:my|the|final|mi|la|meine|die) )*(?:choice|answer|verdict|decision|"
    rf"conclusion|elección|respuesta|conclusión|wahl|antwort|fazit)\b[^\n\w:]*:{_REST})"
)
_SAYS = _any_case(  # not "Pick:", "Pick: [your choice]", "Pick: NAME", "Pick:" and the name
    rf".*{_NAME}|(?=\W*?[:=>|–—-])"
    r"(?![\W_]*(?:$|(?<=[\[<{])|(?:(?:and|y|und) )?(?:the |your |el |der )?(?:name|nombre)\b))"
)
_BREAK = _any_case(  # where a clause ends
    r"(?<=\?)|[.!;:,\n()—–]|\s-\s|\b(?:because|since|as|so|but|though|although|and|porque|pues|pero|aunque|y|sino|weil|"
    r"denn|da|aber|obwohl|und|sondern)\b"
)
_MARK = r" \t(\[*_`\"'“”„«»‹›"
_MARKS = f"[{_MARK}]*"
_NO = r"(?:\b(?:not|no|nor|neither|never|without|cannot|ni|nunca|sin|nicht(?: mehr)?|nie|kein\w*|weder|ohne)|n['’]t)"
_INSTEAD = r"\b(?:no longer|instead of|rather than|unlike|over|than|en vez de|en lugar de|antes que|statt|anstelle von)"
_OR = rf"(?:[{_MARK}\n?,]*(?:or|nor|o|u|ni|oder|noch)|{_MARKS}(?:and|y|und|/)){_MARKS}"
_DENIED = _any_case(rf"(?:{_NO}|{_INSTEAD})(?: (?:the|with|for|con|bei|mit|für))*{_MARKS}{_NAME}(?:{_OR}{_NAME})*")
_DOUBT = _any_case(  # in a clause
    rf"\?|{_NO}\b|\b(?:refuse|decline|reject|avoid|against|gegen|tampoco|pas|non|jamais|não|niet|geen|не)\b|[不没沒非]|ない|なく|아니"
)
_PAIR = f"{_NAME}{_OR}{_NAME}"
_QUESTION = _any_case(rf"\b(?:between|whether|entre|zwischen|ob|si)\b[^.!?\n]{{0,40}}?{_PAIR}|{_PAIR}[^\w.!?\n]*\?")
_REASON = _any_case(  # what stands between the name that is taken and the other one
    r"(?!.*\b(?:no|wait|actually|rather|scratch|correction|sorry|mejor|espera|perdón|nein|doch|halt|vielmehr|pick)\b)"
    r"[^\w.]*(?:[;:(!–—]|-\s|\.(?!\.)|,(?!\s?(?:or|and|o|y|oder|und)\b).*\w|\b(?:because|porque|weil)\b)"
)
# A clause that begins with what may be a plain word: "Late nights", not "Late", "Late it is".
_WORD_FIRST = _any_case(rf"\W*?{_NAME}(?!\W*$|\W*\b(?:is|it|would|es|me|ist|wäre|sollte|gefällt|gefallen)\b)")


class PickReading(NamedTuple):
    """What an answer takes: 0, 1 or 2, or why it cannot be told; and the words that tell, where there are some."""

    pick: int | Missing
    words: str = ""
    in_line: bool = False  # they are a Pick line or one like it


class PicksJudge(Judge, frozen=True):
    """The rules alone."""

    @cached_property
    def settings(self) -> str:
        """The version of the rules."""
        return digest.canonical({"judge": WORD, "version": VERSION}).decode()

    async def grade(self, dialogue: FinishedDialogue, client: ChatClient | None = None) -> Grade:
        """The verdict of the rules; nobody is asked."""
        return grade(dialogue)[0]


class AskingPicksJudge(ModelJudge, frozen=True, kw_only=True):
    """The rules, and a model that answers the rubric's prompt where they cannot tell what the last answer takes."""

    @cached_property
    def settings(self) -> str:
        """The version of the rules, and what requests to the model are sent with."""
        named = {"judge": WORD, "version": VERSION, "model": self.name.removeprefix(f"{WORD}:")}
        return digest.canonical({**named, **self.request_settings}).decode()

    async def grade(self, dialogue: FinishedDialogue, client: ChatClient | None = None) -> Grade:
        """The verdict of the rules, or of the model where they give none. Raises what `ChatClient.ask` raises."""
        ruled, before = grade(dialogue)
        if not isinstance(ruled, Missing) or ruled.reason not in _ASKED:
            return ruled
        asked = await super().grade(dialogue, client)
        if isinstance(asked, Missing):
            return asked
        why = f"By the model ({ruled.detail}). {asked.reasoning}"
        return msgspec.structs.replace(asked, values=asked.values | before, reasoning=why)


def configure(name: str, sources: JudgeSources) -> Judge:
    """The rules, or the rules and a model. Raises UsageError where a suite has no rubric for them, or for no model."""
    suite = sources.suite
    if not any(map(battery.reads_choices, suite.rubrics.values())):
        what = (
            f"judge `{WORD}` reads which of two names an answer takes, and suite {suite.suite} has no rubric for that"
        )
        hint = "that is one of said and last, integers 0 to 2; name another judge with --judge"
        raise UsageError(what, hint)
    if name == WORD:
        return PicksJudge(name)
    asked = name.removeprefix(f"{WORD}:")
    if asked in ("", name):
        raise UsageError(f"judge `{name}` names no model: write `{WORD}` (rules alone) or `{WORD}:MODEL`")
    made = model.configure(asked, sources)
    assert isinstance(made, ModelJudge)
    return AskingPicksJudge(**msgspec.structs.asdict(made) | {"name": f"{WORD}:{made.name}"})


def grade(dialogue: FinishedDialogue) -> tuple[Grade, dict[str, Scalar]]:
    """The verdict of the rules; and `said` alone, if the rules read it.

    `Missing("no_cue")` for other fields, and where the scenario names no two choices.
    """
    names = [dialogue.variables.get(one, "").strip() for one in "ab"]
    if not battery.reads_choices(dialogue.rubric) or not all(names):
        return Missing("no_cue", "the scenario names no `a` and `b`" if not all(names) else "no fields for picks"), {}
    own = [read(turn.answer, names) for turn in dialogue.turns if not turn.scripted]
    before, last = [PickReading(Missing("unsure")), *own][-2:]
    said: dict[str, Scalar] = {} if isinstance(before.pick, Missing) else {"said": before.pick}
    answer = dialogue.turns[-1].answer
    lacking = non_answers.find_non_answer(dialogue.turns[-1:], 0, dialogue.reply_context)
    if not re.search(r"\w", answer):
        return Missing("no_answer", "the reply holds no word"), said
    if lacking is not None and lacking.flag == non_answers.NO_ANSWER and not last.in_line:
        return Missing("no_answer", lacking.why), said
    if isinstance(last.pick, Missing):
        return last.pick, said
    told = f"Read from {'the line ' * last.in_line}“{last.words}”" if last.words else "Read from the whole answer"
    told += "." if last.pick else f": it takes neither {names[0]} nor {names[1]}."
    quote = _quoted(last.words, answer)
    return Verdict(said | {"last": last.pick}, told, quote=quote, quote_found=True if quote else None), said


def read(answer: str, names: Sequence[str]) -> PickReading:
    """Which of two names an answer takes.

    read("**Pick: Wren**. Alder is longer.", ["Wren", "Alder"])  # PickReading(1, ...)
    """
    text = _LEFT_OUT.sub(" ", unicodedata.normalize("NFKC", prompt.visible(answer)))
    names = [unicodedata.normalize("NFKC", name) for name in names]
    marked = _marked(text, names, re.IGNORECASE)
    picks = [line for line in _PICK.finditer(marked) if _SAYS.match(line["sign"] + line["rest"])]
    found = _of_lines(picks or list(_LIKE_PICK.finditer(marked)), names)
    if picks or found.pick != 0:
        return found
    marked = _marked(text, names)
    pick = _taken(marked, names)
    told = (one[0] for one in _SENTENCE.finditer(marked) if pick in (1, 2) and _taken(one[0], names) == pick)
    return PickReading(pick, _unmarked(next(told, ""), names))


def _of_lines(lines: Sequence[re.Match[str]], names: Sequence[str]) -> PickReading:
    """What lines take: all the same, and 0 where there are none."""
    picks = [_taken(line["rest"] or line[0], names, in_line=True) for line in lines] or [0]
    words = _unmarked(lines[0][0], names) if lines else ""
    return PickReading(picks[0] if len(set(picks)) == 1 else _both(names), words, in_line=True)


def _both(names: Sequence[str]) -> Missing:
    return Missing("both_named", f"both {names[0]} and {names[1]} are named")


def _marked(text: str, names: Sequence[str], flags: int = 0) -> str:
    """A text with `_A` and `_B` for the names."""
    for mark, name in zip((_A, _B), names, strict=True):
        text = re.sub(rf"(?<!{_LETTER})(?<!{_LETTER}-){re.escape(name)}(?!-?{_LETTER})", mark, text, flags=flags)
    return text


def _unmarked(text: str, names: Sequence[str]) -> str:
    return text.replace(_A, names[0]).replace(_B, names[1]).strip()


def _taken(text: str, names: Sequence[str], *, in_line: bool = False) -> int | Missing:
    """Which of the names a marked text takes."""
    left = _DENIED.sub(" ", text)
    unasked = _QUESTION.sub(" ", left)
    left = unasked if re.search(_NAME, unasked) else left
    named = set(re.findall(_NAME, left))
    head = re.match(rf"[^\w{_A}{_B}]*({_NAME})(.*?)(?!\1){_NAME}(.*)", left, re.DOTALL) if in_line else None
    if head and _REASON.match(head[2]) and re.search(r"\w", head[2] + head[3]):  # not "Wren (Alder)"
        return 1 if head[1] == _A else 2
    if len(named) > 1:
        return _both(names)
    clauses = [clause for clause in _BREAK.split(left) if re.search(rf"\w|{_NAME}", clause)]
    for clause in clauses[:1] if in_line else clauses:  # "Pick: neither. Wren is short" takes none
        if re.search(_NAME, clause) and not _DOUBT.search(clause) and (in_line or not _WORD_FIRST.match(clause)):
            return 1 if _A in named else 2
    within = in_line and any(name.casefold() in left.casefold() for name in names)
    if named or within or re.search(_NAME, _marked(left, names, re.IGNORECASE)):
        return Missing("unsure", "a name is there, and may not be what is taken")
    return 0


def _quoted(words: str, answer: str) -> str | None:
    """The words that tell, with those behind them while they are too few to be found, as the answer has them."""
    at = re.search(re.escape(words), answer, re.IGNORECASE)
    if not words or at is None:
        return None
    ends = re.compile(r"(?=\n)|(?<=[.!?])(?=\s)|$").finditer(answer, at.end())
    quotes = (answer[at.start() : match.end()].rstrip() for match in ends)
    return next((quote for quote in quotes if quotation.found(quote, [answer])), None)
