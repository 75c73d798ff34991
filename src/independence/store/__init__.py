"""What we keep: SQLite. The only writer."""
