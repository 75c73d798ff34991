"""The two published projects: their result files, their scoring rules, and suites in their words."""
