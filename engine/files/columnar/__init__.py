"""Parquet files and DuckDB databases, read as Arrow columns."""
