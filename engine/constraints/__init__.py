"""Linear rules that released values keep."""
