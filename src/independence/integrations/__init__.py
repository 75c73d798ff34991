"""Other harnesses: suites as tasks of Inspect AI, and its logs."""
