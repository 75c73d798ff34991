"""Whether a reply is an answer at all, told from the dialogue alone: no suite, model, rubric or judge is known here."""
