"""Which names a subject takes: asking a model, reading by rules, reading what was published."""
