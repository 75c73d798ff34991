"""Where the work of a command is done: in its own process, or on the workers of a cluster."""
