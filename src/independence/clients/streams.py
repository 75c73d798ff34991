"""Streamed answers: server-sent events of chat completion chunks, put together to the body of an ordinary completion.

What servers do differently is known here and nowhere else: comments in between, any line ends, tool calls without index
or id, `[DONE]` or none, usage in the last chunk or in each, errors in the place of a chunk, whole bodies.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from independence.clients.bodies import decode_any, says_failure
from independence.clients.messages import TEXTS, ChatCompletion, WireCall, WireChoice, WireFunction, WireMessage

_DONE: Final = b"[DONE]"
_LINE_END = re.compile(rb"\r\n|\n|\r")
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b"error:", b":")
_DETAILS: Final = "reasoning_details"
_ABOUT: Final = ("id", "model", "provider", "openrouter_metadata", "promptFeedback")
_FIRST_LOOK: Final = 96  # tokens after which it is first looked whether an answer only repeats itself
_LATER: Final = 1.15  # times as many tokens, for the next look
_TELL_S: Final = 1.0  # how often it is told how many tokens have come
_WIDEST: Final = 16  # signs of a token, beyond which a chunk is taken to hold several
_SIGNS: Final = 4  # of a token
_UNREAD: Final = 20_000  # bytes that are kept of a stream in which nothing could be read
_SOME, _LONG = 3, 12  # pieces of a text, and signs of one: what so many have in common is no coincidence

Json = dict[str, Any]


class _CallPiece(WireCall, gc=False):
    index: Any = None


class _Delta(WireMessage, gc=False):
    tool_calls: list[_CallPiece] | None = None  # type: ignore[assignment]


class _ChunkChoice(WireChoice):
    index: Any = 0
    delta: _Delta | None = None
    message: _Delta | None = None  # what some servers send instead, whole
    usage: Any = None


class _Chunk(ChatCompletion):
    choices: list[_ChunkChoice] | None = None  # type: ignore[assignment]
    usage: Any = None
    object: Any = None


_DECODER = msgspec.json.Decoder(_Chunk)
# Fields of a chunk, and of what is in it, that hold lists of objects, and those that hold one.
_LISTS, _OBJECTS = ("choices", "tool_calls"), ("delta", "message", "function", "function_call")


def _fitting(document: Json) -> Json:
    """An object of a chunk without those parts of it that have another shape."""
    out = dict(document)
    for name in out.keys() & {*_LISTS, *_OBJECTS}:
        value = out[name]
        if name in _LISTS:
            out[name] = [_fitting(one) for one in value if isinstance(one, dict)] if isinstance(value, list) else None
        else:
            out[name] = _fitting(value) if isinstance(value, dict) else None
    return out


class CutShort(Exception):
    """A stream that breaks off within an event, or whose chunks contradict each other."""


class NoEnd(CutShort):
    """A stream that is closed, without a word on how its answer ended."""


class GrowingText:
    """A text that comes in pieces.

    Some servers send all that came so far in each piece, or all of it once more at the end: that is taken once.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._last = ""
        self._growing = True  # each piece begins with the one before it and is longer
        self._cumulative = False  # so do so many that it is no coincidence: the last one is all

    def __bool__(self) -> bool:
        return bool(self._last)

    @property
    def text(self) -> str:
        """What has come, as it came."""
        return self._last if self._cumulative else "".join(self._pieces)

    def add(self, piece: str) -> str:
        """Take a piece. Returns what is new in it. Raises CutShort where it contradicts what came."""
        last, some = self._last, len(self._pieces) >= _SOME
        if self._cumulative:
            if not piece.startswith(last):
                if piece:
                    raise CutShort("its chunks held all that came so far, and then something else")
                return ""
            self._last = piece
            return piece.removeprefix(last)
        if not piece or (some and len(piece) == self._length >= _LONG and piece == self.text):
            return ""
        self._growing = self._growing and len(piece) > len(last) and piece.startswith(last)
        self._pieces.append(piece)
        self._length, self._last = self._length + len(piece), piece
        self._cumulative = self._growing and len(self._pieces) >= _SOME and len(piece) >= _LONG
        return piece


def characters(text: str) -> str:
    """A text in which halves of characters that came apart are put together; one without its half stays."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class _Call:
    """A tool call that comes in pieces."""

    def __init__(self, index: object) -> None:
        self.index = index
        self.id = self.name = ""
        self.pieces = GrowingText()
        self.whole: object = None  # arguments that came as an object
        self.extra: object = None

    @property
    def complete(self) -> bool:
        """Whether its arguments are a JSON object as they are."""
        if self.whole is not None:
            return True
        try:
            return isinstance(msgspec.json.decode(characters(self.pieces.text)), dict)
        except msgspec.DecodeError:
            return False

    def take(self, function: WireFunction | None) -> str:
        """Add a piece. Returns the text in it."""
        if function is None:
            return ""
        if isinstance(function.name, str) and not self.name:  # some repeat it in every piece
            self.name = function.name
        if isinstance(function.arguments, str):
            return self.pieces.add(function.arguments)
        self.whole = function.arguments if function.arguments is not None else self.whole
        return ""

    def document(self) -> Json:
        """The function half of a whole call."""
        return {"name": self.name, "arguments": characters(self.pieces.text) if self.whole is None else self.whole}


class StreamBroken(Exception):
    """A stream that ended before its answer did. `text`: what had come of it, after about so many `tokens`."""

    def __init__(self, cause: Exception, text: str, tokens: int) -> None:
        super().__init__(str(cause))
        self.cause, self.text, self.tokens = cause, text, tokens


class StreamedAnswer:
    """An answer as it comes. `loops` tells whether a text only repeats itself: then it is not read to its end.

    `told` is called about once a second with the number of tokens that came since.
    """

    def __init__(self, loops: Callable[[str], bool], told: Callable[[int], None]) -> None:
        self.looped = self.done = False
        self.first_at: float | None = None  # of its first token, by the clock of the loop
        self.events = 0  # that were chunks of an answer
        self._told_at = 0.0
        self._loops, self._told = loops, told
        self._next_look, self._untold = _FIRST_LOOK, 0
        self._pieces = 0
        self.signs = 0  # of all texts
        self._texts: dict[str, GrowingText] = {}
        self._calls: list[_Call] = []
        self._legacy: _Call | None = None
        self._about: Json = {}
        self._choice: Json = {}
        self._usage: object = None
        self._error: object = None

    @property
    def tokens(self) -> int:
        """About how many tokens have come: most servers send each by itself."""
        return self._pieces if self.signs <= _WIDEST * self._pieces else self.signs // _SIGNS

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come."""
        return self.done or self.looped or self._error is not None

    @property
    def stated_end(self) -> bool:
        """Whether the stream said how the answer ended, that it did, or what it took, which comes last."""
        return self.ended or "finish_reason" in self._choice or "error" in self._choice or self._usage is not None

    @property
    def text(self) -> str:
        """What has come."""
        own = [one.text for channel, one in self._texts.items() if channel != _DETAILS]
        calls = [call.pieces.text or call.name for call in (*self._calls, self._legacy) if call is not None]
        return characters("".join((*own, *calls)))

    def take(self, data: bytes, event: str) -> bool:
        """Read the data of an event. Returns whether it could be read."""
        if data.strip() == _DONE:
            self.done = True
            return True
        if event == "error":
            document = decode_any(data) or {"message": data.decode("utf-8", "replace")}
            self._error = document["error"] if isinstance(document, dict) and document.get("error") else document
            return True
        try:
            chunk = _DECODER.decode(data.decode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):  # of another shape, or with half a character
            document = decode_any(data)
            if not isinstance(document, dict):
                return False
            chunk = msgspec.convert(_fitting(document), _Chunk)
        self._take(chunk, data)
        return True

    def _take(self, chunk: _Chunk, data: bytes) -> None:
        if says_failure(chunk.error) or chunk.object == "error":
            self._error = chunk.error if chunk.error is not None else decode_any(data)
        self.events += chunk.choices is not None or chunk.usage is not None or self._error is not None
        for name in _ABOUT:
            value = getattr(chunk, name)
            if value is not None:
                self._about[name] = value
        self._usage = chunk.usage if chunk.usage is not None else self._usage
        for choice in chunk.choices or ():
            if choice.index in (0, None):
                self._take_choice(choice)

    def _take_choice(self, choice: _ChunkChoice) -> None:
        if choice.finish_reason is not None:
            self._choice["finish_reason"] = choice.finish_reason
        if says_failure(choice.error):
            self._choice["error"] = choice.error
        self._usage = choice.usage if choice.usage is not None else self._usage
        # A whole message after pieces of it says nothing new.
        delta = choice.delta or (None if self._pieces else choice.message)
        if delta is not None:
            self._grow(self._text_of(delta))

    def _text_of(self, delta: _Delta) -> str:
        """Take in a piece of a message. Returns its text."""
        out = []
        for name in TEXTS:
            for channel, text in _pieces(name, getattr(delta, name)):
                new = self._texts.setdefault(channel, GrowingText()).add(text)
                # What is in `reasoning_details` is told in `reasoning` as well, by whoever sends it.
                out.append(new * (channel != _DETAILS))
        for piece in delta.tool_calls or ():
            call = self._call_of(piece)
            call.id = call.id or (piece.id if isinstance(piece.id, str) else "")
            call.extra = piece.extra_content if piece.extra_content is not None else call.extra
            out.append(call.take(piece.function) or call.name * (not call.pieces))
        if delta.function_call is not None:
            self._legacy = self._legacy or _Call(None)
            out.append(self._legacy.take(delta.function_call))
        return "".join(out)

    def _call_of(self, piece: _CallPiece) -> _Call:
        """The call that a piece belongs to: by its index, by its id, else the last one, unless that is complete.

        Some servers send no index, or 0 for every call; some no id.
        """
        named = piece.function is not None and bool(piece.function.name)
        for call in reversed(self._calls):
            if piece.id and call.id:
                fits = piece.id == call.id
            else:
                fits = piece.index in (None, call.index) and not (named and call.complete)
            if fits:
                return call
            if piece.index is None and not piece.id:
                break
        self._calls.append(_Call(piece.index))
        return self._calls[-1]

    def _grow(self, text: str) -> None:
        """Count a piece of text, and look whether the answer loops."""
        if not text:
            return
        self._pieces += 1
        self._untold += 1
        self.signs += len(text)
        now = asyncio.get_running_loop().time()
        if self.first_at is None or now - self._told_at >= _TELL_S:
            self.first_at, self._told_at = now if self.first_at is None else self.first_at, now
            self.tell()
        if self.tokens >= self._next_look:
            self._next_look = int(self._next_look * _LATER)
            self.looped = self._loops(self.text)

    def tell(self) -> None:
        """Say how many tokens came since it was last said."""
        if self._untold:
            self._told(self._untold)
            self._untold = 0

    def body(self) -> bytes:
        """The completion as a server sends it whole. One that loops ends as where its budget is used up."""
        message: Json = {name: characters(own.text) for name, own in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [
                {"id": call.id, "function": call.document(), "extra_content": call.extra} for call in self._calls
            ]
        if self._legacy is not None:
            message["function_call"] = self._legacy.document()
        end = {"finish_reason": "length"} if self.looped else {}
        choices = [{"message": message, **self._choice, **end}]
        whole = self._about | {"choices": choices, "usage": self._usage, "error": self._error}
        try:
            return msgspec.json.encode(whole)
        except UnicodeEncodeError:  # half a character stayed alone
            return json.dumps(whole).encode()


def _pieces(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Texts of a field of a message, each with the field that it belongs to: some servers send lists of parts."""
    if isinstance(value, str):
        yield name, value
        return
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            yield name, part
        elif isinstance(part, dict):
            thought = part.get("type") in ("thinking", "reasoning")
            channel = "thinking" if name == "content" and thought else name
            yield from _pieces(channel, part.get("text", part.get("thinking", part.get("summary"))))


class EventReader:
    """Divides bytes into events. What is no JSON is skipped; raises CutShort for JSON that is cut off."""

    def __init__(self, answer: StreamedAnswer) -> None:
        self._answer = answer
        self._left = b""  # of a line that is not whole yet
        self._data: list[bytes] = []  # lines of an event that is not whole yet
        self._event = ""
        self.unread = b""  # the beginning of a stream in which nothing could be read

    @property
    def waiting(self) -> int:
        """Bytes of an event that is not whole yet."""
        return len(self._left) + sum(map(len, self._data))

    def feed(self, part: bytes) -> None:
        """Take in bytes as they come."""
        if not self._answer.events and len(self.unread) < _UNREAD:
            self.unread += part
        whole = self._left + part
        half = whole.endswith(b"\r")  # its other half may be the first byte of the next part
        *lines, left = _LINE_END.split(whole[:-1] if half else whole)
        self._left = left + b"\r" * half
        for line in lines:
            self._line(line)
            if self._answer.ended:
                return

    def end(self) -> None:
        """No more bytes come."""
        self._line(self._left.removesuffix(b"\r"))
        self._line(b"")

    def _line(self, line: bytes) -> None:
        if not line:
            data, event, self._data, self._event = b"\n".join(self._data), self._event, [], ""
            if data.strip() and not self._answer.take(data, event) and self._answer.events and b"{" in data:
                raise CutShort("an event that is no whole JSON")
            return
        name, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._event = value.decode("utf-8", "replace").strip()
        elif name == b"error":  # as older servers of llama.cpp name it
            self._answer.take(value, "error")
        # Not every server puts an empty line between events.
        elif name == b"data" and (self._data or not self._answer.take(value, self._event)):
            self._data.append(value)


def is_stream(begun: bytes, content_type: str) -> bool:
    """Whether a body of which this is the beginning, without blanks before it, is a stream of events."""
    if begun.startswith((b"{", b"[", b"<")):
        return False
    return "event-stream" in content_type.lower() or begun.startswith(_FIELDS)


class StreamLimits(NamedTuple):
    """How long is waited for tokens."""

    first_s: float  # for the first one, from when the request is sent
    silence_s: float  # between one and the next


class Content(Protocol):
    """What comes of a response."""

    async def readany(self) -> bytes:
        """The next bytes; none at the end."""
        ...


async def read(
    content: Content, begun: bytes, answer: StreamedAnswer, heard: Callable[[], None], largest: int,
    alive_s: float = 0.0,
) -> bytes | None:  # fmt: skip
    """Read a stream of events to its end; the body it comes to, or the stream itself where nothing in it is a chunk.

    `begun`: what was read of it already; `heard` is called when tokens came, and for `alive_s` seconds after the last
    one for anything else, as a comment that keeps the connection open. None: an event of it, or the whole, is of more
    than `largest` bytes. Raises CutShort where it breaks off, and what reading raises.
    """
    reader, part, tokens, size = EventReader(answer), begun, 0, 0
    clock, last = asyncio.get_running_loop().time, 0.0
    while part and not answer.ended:
        reader.feed(part)
        if answer.tokens > tokens:
            tokens, last = answer.tokens, clock()
            heard()
        elif tokens and clock() - last < alive_s:
            heard()
        size += len(part) if not answer.events else 0
        if max(size, reader.waiting, answer.signs) > largest:
            return None
        part = b"" if answer.ended else await content.readany()
    if not answer.ended:
        reader.end()
    if not answer.events:
        return reader.unread
    if not answer.stated_end:
        raise NoEnd("no event that ends it")
    return answer.body()
