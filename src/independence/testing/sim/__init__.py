"""Simulated subjects and a simulated judge: they see the wire, never a suite."""
