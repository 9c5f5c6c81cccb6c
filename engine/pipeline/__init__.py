"""The pipeline: from a plan and a table to an outcome."""
