"""Makes a suite folder from a user's own copy of the published benchmark, whose words this package does not hold."""
