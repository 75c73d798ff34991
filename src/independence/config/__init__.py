"""Subjects, endpoints, judges and settings: one loader for YAML, environment and flags."""
