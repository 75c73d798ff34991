"""The served viewer comes later; the room is reserved."""
