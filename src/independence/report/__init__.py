"""How we show: boards and exports from what the store holds."""
