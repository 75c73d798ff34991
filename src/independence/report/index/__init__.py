"""Analyses of an index: its report, its conditions, and those of a persona."""
