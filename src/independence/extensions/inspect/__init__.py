"""Inspect AI: our suites as its tasks, and its logs as a format that is imported and exported."""
