"""Compare page: charts and tables of all results."""
