"""Passes over all records before they are grouped: statistics, words, persons."""
