"""How tables and texts are written: for a terminal, as Markdown, HTML and CSV."""
