"""What commands print, and where: tables, notes, progress, the log."""
