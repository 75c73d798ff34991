"""A scripted OpenAI-compatible server, and simulated subjects and judges behind it, for tests and demos."""
