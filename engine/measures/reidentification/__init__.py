"""Links, unique records, and the population that a table samples."""
