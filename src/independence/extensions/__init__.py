"""What is added to the core, each found by entry point like anybody's package: the core never imports it."""
