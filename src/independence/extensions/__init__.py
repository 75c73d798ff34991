"""Our own extensions: packages that the core does not import and finds by entry points, like anybody's."""
