"""llama.cpp's HTTP server over a model file, as a process of its own: `llama_server.py MODEL ALIAS [OPTIONS]`.

Prints its address once it answers, and serves until it is killed.
"""

from __future__ import annotations

import argparse
import signal

import xllamacpp

options = argparse.ArgumentParser()
options.add_argument("model")
options.add_argument("alias")
options.add_argument("--context", type=int, default=4096, help="tokens of one slot")
options.add_argument("--slots", type=int, default=2, help="requests that are answered at a time")
options.add_argument("--threads", type=int, default=1, help="more only wait for each other on so small a model")
options.add_argument("--repeat-penalty", type=float, default=1.0, help="above 1 so small a model loops less")
options.add_argument("--template", default="", help="a chat template in Jinja, in place of the model's own")
options.add_argument("--no-tools", action="store_true", help="no Jinja: a built-in template, and tools are refused")
options.add_argument("--every-token", action="store_true", help="every token gets its share, however small")
asked = options.parse_args()

params = xllamacpp.CommonParams()
params.model.path = asked.model
params.model_alias = {asked.alias}
params.port = 0
params.n_parallel = asked.slots
params.sampling.penalty_repeat = asked.repeat_penalty
params.n_ctx = asked.context * asked.slots
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked.threads
params.chat_template = asked.template
params.use_jinja = not asked.no_tools
if asked.every_token:
    params.sampling.top_k, params.sampling.top_p, params.sampling.min_p = 0, 1.0, 0.0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
