"""Sections of reports that several analyses have."""
