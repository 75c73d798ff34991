"""The rule judge: no model, no key, no network. Grades by phrases, word overlap, names and style alone."""
