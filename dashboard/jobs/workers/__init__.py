"""Worker processes: start, warm up, limit, and carry out runs."""
