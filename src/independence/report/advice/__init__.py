"""Boards of advice: whom a subject favours, and whether that depends on who asks."""
