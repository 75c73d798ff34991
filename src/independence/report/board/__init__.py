"""What a board is made of: planned verdicts of a place, rows, intervals, places, and what is said beside them."""
