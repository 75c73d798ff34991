"""Inspect AI: our suites as its tasks, and its logs as a format that is imported and exported."""
# inspect-evals-lint: ignore-file[init_exports] -- formats are imported without Inspect, which finds tasks in tasks.py
