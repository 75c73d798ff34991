"""A language model of pure noise: a tiny llama with random weights, so that a real server has something to serve.

What it says is drawn token by token: English words, stray bytes (most are invalid UTF-8), control characters, terminal
escape sequences, a tool call now and then. How often each comes is set; what comes next depends on the text before.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import gguf
import numpy as np
from numpy.typing import NDArray

_HOSTILE = ("\x1b[31m", "\x1b]0;renamed\x07", "\x1b[2J", "\x9b1m", "\x07", "\x08", "\u202e", "\u200b")

_WORDS = """
the and to of in you it is that my not what for with as would me but this on be have do can we no yes your want like
think one know how all or if so at just about because still more when then who there they out up some
"""
_CONTEXT, _WIDTH, _HEADS, _BLOCKS, _INNER = 16384, 64, 4, 2, 128
_TEMPERATURE = 0.7  # at which the shares below are met
_LEVEL = 6.0  # first number of every embedding: a constant for the shares to hang on
_LEVEL_SEEN = 4.5  # what is left of it, about, once the last layer has been normed
_TEMPLATE = """\
{%- if tools %}<|im_start|>system
Tools: {{ tools | tojson }}
Call one by writing <tool_call>{"name": NAME, "arguments": OBJECT}</tool_call><|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ 'user' if message.role == 'tool' else message.role }}
{% if message.role == 'tool' %}<tool_response>{{ message.content }}</tool_response>
{%- else %}{{ message.content or '' }}{% endif %}
{%- for call in message.tool_calls or [] %}<tool_call>{"name": {{ call.function.name | tojson }}, \
"arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


class _Piece(NamedTuple):
    """One entry of the vocabulary and how often it is wanted, in parts of the whole."""

    text: str
    type: gguf.TokenType
    share: float


def write(path: Path, tool: str, parameter: str, seed: int = 7) -> None:
    """Write the model, about 0.6 MB; it has words for calls of `tool`. The same seed gives the same bytes."""
    pieces = _vocabulary(f'<tool_call>{{"name": "{tool}", "arguments": {{"{parameter}": "')
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _tokenize(writer, pieces)
    for name, tensor in _weights(pieces, np.random.default_rng(seed)).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _vocabulary(opening: str) -> list[_Piece]:
    kind, rare = gguf.TokenType, 1e-6
    return [
        _Piece("<unk>", kind.UNKNOWN, rare),
        _Piece("<s>", kind.CONTROL, rare),
        _Piece("<|im_start|>", kind.CONTROL, rare),
        _Piece("<|im_end|>", kind.CONTROL, 45),
        *(_Piece(f"<0x{byte:02X}>", kind.BYTE, 2) for byte in range(256)),
        *(_Piece(sign, kind.NORMAL, 0.2) for sign in ["\u2581", *map(chr, range(33, 127))]),
        *(_Piece("\u2581" + word, kind.NORMAL, 12) for word in _WORDS.split()),
        *(_Piece(text, kind.USER_DEFINED, 25) for text in _HOSTILE),
        _Piece(opening, kind.USER_DEFINED, 160),
        _Piece('"}}</tool_call>', kind.USER_DEFINED, 60),
        _Piece(r"\u001b[31m", kind.USER_DEFINED, 15),
    ]


def _describe(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_BLOCKS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_chat_template(_TEMPLATE)


def _tokenize(writer: gguf.GGUFWriter, pieces: list[_Piece]) -> None:
    names = [piece.text for piece in pieces]
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_add_space_prefix(False)  # llama.cpp holds templates against grammars token by token
    writer.add_token_list(names)
    writer.add_token_scores([-float(rank) for rank in range(len(pieces))])
    writer.add_token_types([piece.type for piece in pieces])
    writer.add_unk_token_id(names.index("<unk>"))
    writer.add_bos_token_id(names.index("<s>"))
    writer.add_eos_token_id(names.index("<|im_end|>"))


def _weights(pieces: list[_Piece], draw: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    def noise(rows: int, columns: int, scale: float) -> NDArray[np.float32]:
        """A random matrix that neither sees nor touches the level."""
        out = (draw.standard_normal((rows, columns)) * scale).astype(np.float32)
        out[0], out[:, 0] = 0, 0
        return out

    ones = np.ones(_WIDTH, np.float32)
    embedding, output = noise(len(pieces), _WIDTH, 0.5), noise(len(pieces), _WIDTH, 0.15)
    embedding[:, 0] = _LEVEL
    output[:, 0] = _TEMPERATURE * np.log([piece.share for piece in pieces]) / _LEVEL_SEEN
    tensors = {"token_embd.weight": embedding, "output_norm.weight": ones, "output.weight": output}
    for block in range(_BLOCKS):
        own = {
            "attn_norm": ones,
            "attn_q": noise(_WIDTH, _WIDTH, 0.25),
            "attn_k": noise(_WIDTH, _WIDTH, 0.25),
            "attn_v": noise(_WIDTH, _WIDTH, 0.1),
            "attn_output": noise(_WIDTH, _WIDTH, 0.1),
            "ffn_norm": ones,
            "ffn_gate": noise(_INNER, _WIDTH, 0.1),
            "ffn_up": noise(_INNER, _WIDTH, 0.1),
            "ffn_down": noise(_WIDTH, _INNER, 0.1),
        }
        tensors |= {f"blk.{block}.{name}.weight": tensor for name, tensor in own.items()}
    return tensors
