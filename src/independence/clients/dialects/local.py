"""Servers of one's own: LM Studio, Ollama, vLLM, llama.cpp, and whatever else is OpenAI-compatible.

There is no routing. A configured effort travels as `reasoning_effort`, `none` included, since that is Ollama's only
switch for thinking. Schemas are sent as `json_schema` (LM Studio knows no other).
"""

from __future__ import annotations

from independence.clients.dialects import Dialect


class Local(Dialect):
    """Nothing is charged unless a price is listed, and the server may have to be started first."""

    props_path = "/props"
    weights_paths = ("/api/tags", "/api/v0/models")  # Ollama's and LM Studio's
    free = True
    own_server = True
    listing_timeout_s = 10.0
    start_advice = "start the server, or correct the address"
    slow_advice = "allow more time (--local-timeout), ask one call at a time (-pt 1), or limit answers (--max-tokens)"


DIALECT = Local()
