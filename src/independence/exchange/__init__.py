"""Stores as files for people and other tools, and back; formats of the published projects are an extension."""
