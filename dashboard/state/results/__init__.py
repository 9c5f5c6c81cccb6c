"""Results of runs in a workspace, and the log of runs."""
