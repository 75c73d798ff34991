"""llama.cpp's HTTP server over a model file, as a process of its own: `llama_server.py MODEL ALIAS [no-tools]`.

Prints its address once it answers, and serves until it is killed.
"""

from __future__ import annotations

import signal
import sys

import xllamacpp

model, alias, *rest = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {alias}
params.port = 0
params.n_parallel = 4
params.n_ctx = 4 * 16384
params.cpuparams.n_threads = 1  # more only wait for each other on so small a model
params.cpuparams_batch.n_threads = 1
params.use_jinja = "no-tools" not in rest
params.sampling.top_k, params.sampling.top_p, params.sampling.min_p = 0, 1.0, 0.0  # every token gets its share
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
