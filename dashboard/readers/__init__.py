"""Read uploaded files in worker processes with hard limits."""
