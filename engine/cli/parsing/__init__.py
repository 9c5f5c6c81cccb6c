"""From a command line to tables, plans and checked paths."""
