"""Save and load outcomes and tables on disk."""
