"""The served viewer, and the same as files: an HTTP server over the documents of report/pages and the built page."""
