"""Readers of published results, and writers for other tools."""
