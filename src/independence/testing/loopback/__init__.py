"""The loopback endpoint: a scripted OpenAI-compatible server for demos, tests and benchmarks.

    async with serving(LoopbackSettings(latency="0.05", faults="0.1")) as server:
        ...  # talk to server.base_url, then read server.ledger

Its replies come from the simulated subjects and depend on (model, messages, seed) alone.
"""
