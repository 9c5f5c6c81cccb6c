"""Interpret text cells: numbers, dates, missing values and plain words."""
