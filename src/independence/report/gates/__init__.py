"""What `check` decides on, and the files that it writes."""
