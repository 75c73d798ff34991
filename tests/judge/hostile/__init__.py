"""Hostile replies: what a subject could write to the judge, and the checks that rendering and parsing withstand it."""
