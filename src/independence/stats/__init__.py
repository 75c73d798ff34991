"""How sure we are: pure functions over verdicts, no I/O."""
