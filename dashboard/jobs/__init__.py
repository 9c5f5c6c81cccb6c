"""Background jobs: worker processes, their progress and their results."""
