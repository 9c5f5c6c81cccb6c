"""Read input records from Parquet and write released columns."""
