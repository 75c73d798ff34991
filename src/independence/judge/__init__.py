"""How we grade: render, ask, parse, check; the rule judge."""
