"""Small tables to try things on, each with its schema; all of them are synthetic."""
