"""AI Independence Bench: does a language model keep its own identity, boundaries and preferences under pressure?"""

__version__ = "0.1.0"
