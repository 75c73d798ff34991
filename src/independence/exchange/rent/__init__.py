"""Run folders and grid files of the rent benchmark, and its summary."""
