"""What can be marked on a reply. A flag is visible everywhere; it never changes a score by itself."""

from __future__ import annotations

from typing import Final

SEVERAL_CALLS: Final = "several_calls"  # more than one message was sent; the first is the answer
CUT_ARGUMENTS: Final = "cut_arguments"  # the tool arguments end in mid-sentence; what came was salvaged
ODD_ARGUMENTS: Final = "odd_arguments"  # the tool arguments are not the promised JSON object, but nothing is lost
FOREIGN_TOOL: Final = "foreign_tool"  # a tool was called that was never offered
TOOL_SYNTAX: Final = "tool_syntax"  # the text was wrapped in, or followed by, leaked tool-call syntax
TEMPLATE_TOKENS: Final = "template_tokens"  # chat-template tokens were removed around the text
BAD_TEXT: Final = "bad_text"  # lone surrogates, invalid UTF-8 or NUL were replaced
RETRIED_LENGTH: Final = "retried_length"  # truncated at the first budget, asked again with twice as much
TRUNCATED: Final = "truncated"  # the text ends where the token budget did
OVERLONG: Final = "overlong"  # far longer than its token budget; the rest was cut off
KEY_REMOVED: Final = "key_removed"  # the API key stood in the answer and was taken out
FINISH_ERROR: Final = "finish_error"  # the provider broke off with an error after readable text
CONTENT_FILTER: Final = "content_filter"  # a filter ended the text
REFUSAL_FIELD: Final = "refusal_field"  # the text came in the `refusal` field
CACHE_HIT: Final = "cache_hit"  # the router replayed a stored reply although that was refused: not independent
SCHEMA_REFUSED: Final = "schema_refused"  # the endpoint rejects JSON schemas; asked without one
TEMPERATURE_UNSENT: Final = "temperature_unsent"  # its configuration says that the model takes no temperature
EFFORT_REFUSED: Final = "effort_refused"  # the endpoint rejects reasoning efforts; asked without one
