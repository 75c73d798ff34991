"""How you drive: one file a command; the only print and exit."""
