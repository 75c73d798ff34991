"""Two of anything beside each other."""
