"""Data page: table, columns, hierarchies, rules."""
