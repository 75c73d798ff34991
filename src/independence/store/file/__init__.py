"""The file of a store: its schema, opening it, and whether it is as it was written."""
