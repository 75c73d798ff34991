"""Learning the offline judge's weights from verdicts. Nothing here is needed to grade."""
