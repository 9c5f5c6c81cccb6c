"""Who does the tasks of an out-of-core run: threads here, or workers of a cluster."""
