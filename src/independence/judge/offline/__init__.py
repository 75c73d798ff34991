"""The offline judge: verdicts from the text alone, learned from another judge's, with how sure it is of each."""
