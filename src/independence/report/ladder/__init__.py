"""The ladder: how many pushes it takes."""
