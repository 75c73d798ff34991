"""What we ask: suites as data. Schema, loader, digests, linter, message structure."""
