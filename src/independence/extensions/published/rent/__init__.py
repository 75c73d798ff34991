"""The rent benchmark: its run folders and its summary."""
