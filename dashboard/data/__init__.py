"""The Data page's parts: files opened, columns, missing values, hierarchies, rules."""
