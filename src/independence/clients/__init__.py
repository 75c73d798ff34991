"""Who answers: one chat protocol, its dialects, the only retries, rate limits and pricing."""
