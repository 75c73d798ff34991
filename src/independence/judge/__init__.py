"""How we grade: render, ask, parse, check; the rule judge; and whether a reply is an answer at all (`replies`)."""
