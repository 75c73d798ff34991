"""How we trade: readers of published result sets."""
